"""What does a round token do? All twelve, and a new one that the designer would like to try."""

import sys

import polars as pl

from analysis.balance.tokens import token_balance
from analysis.tournament import make_plan

games = int(sys.argv[1]) if len(sys.argv) > 1 else 8000

# Token 12 gives 2 VP to everybody; here it gives 6 VP to whoever is last.
changed = ["tokens.12.amount=6", "tokens.12.scope=fewest:vp"]
plan = make_plan(["greedy", "random"], players=4, games=games, seed=1, overrides=changed, record_cards=False)
answer = token_balance(plan)
for finding in answer.findings:
    print(finding)

# VP a seat, over all rounds: against a blank token, and against the average token by both methods.
tokens = answer["tokens"].filter(pl.col("group") == "all", pl.col("measure") == "total", pl.col("of") == "seats")
print(tokens.pivot("method", index="name", values="estimate").sort("paired", descending=True))

# The changed token round by round: what it does to the spread and to seat 0.
rounds = answer["rounds"].filter(pl.col("group") == "all", pl.col("id") == 12, pl.col("method") == "paired")
wanted = rounds.filter(pl.col("of").is_in(["game", "seat 0"]))
print(wanted.select("round", "measure", "of", "estimate", "low", "high"))
