"""Which coin offsets are fair? A search, a recommendation, and the recommendation beside the current offsets."""

import sys

import polars as pl

from analysis.balance.coins import coin_balance
from analysis.tournament import make_plan

games = int(sys.argv[1]) if len(sys.argv) > 1 else 4000

plan = make_plan(["greedy"], players=3, games=games, seed=1, overrides=["start_player=rotate"], record_cards=False)
answer = coin_balance(plan)
for finding in answer.findings:
    print(finding)

# On luck that neither the search nor the choice has seen: win share by seat of both vectors, beside the model's.
confirmed = answer["shares"].filter(pl.col("stage") == "confirm", pl.col("measure") == "win_share")
print(confirmed.select("vector", "seat", "offset", "estimate", "low", "high", "predicted"))

# How much a coin does: the slope is the change of the logarithm of a seat's odds for a coin.
print(answer["model"].select("seat", "slope", "slope_low", "slope_high", "optimum", "optimum_low", "optimum_high"))
