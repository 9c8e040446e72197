"""What is a card worth? Gifts of all cards, what goes with taking them, and groups of cards."""

import sys

import polars as pl

from analysis.balance.cards import card_balance
from analysis.tournament import make_plan

games = int(sys.argv[1]) if len(sys.argv) > 1 else 2000

# An expert that pays 10 VP when hired, to see whether it is found.
plan = make_plan(["greedy", "random"], players=3, games=games, seed=1, overrides=["experts.45.amount=10"])
answer = card_balance(plan, experiments=["gift"])
for finding in answer.findings:
    print(finding)

# The strongest gifts: VP of the seat that begins with the card, and how far above the average of its kind that is.
gifts = answer["cards"].filter(
    pl.col("group") == "all", pl.col("experiment") == "gift", pl.col("measure") == "total", pl.col("of") == "holder"
)
best = gifts.sort("estimate", descending=True).head(8)
print(best.select("kind", "name", "estimate", "low", "high", "above", "above_p_corrected"))

# Beside them how often each is picked when shown: association, not effect.
picks = answer["association"].filter(pl.col("rate") == "pick").select("kind", "id", picked="estimate")
print(best.join(picks, on=["kind", "id"]).select("name", "estimate", "picked"))

# Experts by what they do.
groups = answer["groups"].filter(
    pl.col("group") == "all", pl.col("experiment") == "gift", pl.col("measure") == "total", pl.col("of") == "holder"
)
print(groups.filter(pl.col("grouping") == "trigger").select("value", "cards", "estimate", "low", "high"))
