"""Is the seating fair? Win share and VP by seat, for the standard game and for one with a rotating start player."""

import sys

import polars as pl

from analysis.balance.seats import seat_balance
from analysis.tournament import make_plan

games = int(sys.argv[1]) if len(sys.argv) > 1 else 4000

for start in ("fixed", "rotate"):
    plan = make_plan(
        ["greedy", "random"], players=4, games=games, seed=1, overrides=[f"start_player={start}"], record_cards=False
    )
    answer = seat_balance(plan)
    print(f"Start player: {start}")
    for finding in answer.findings[:2]:
        print(" ", finding)

    # Every seat with one strategy in all seats, with an interval from blocks and a p corrected for the comparisons.
    shares = answer["results"].filter(pl.col("group") == "mirror", pl.col("measure") == "win_share")
    print(shares.select("seat", "estimate", "low", "high", "p_corrected"))

    # One number for each line-up: 1 − the largest difference of two seats' win shares.
    print(answer["fairness"].filter(pl.col("group") == "line-up").select("lineup", "balance", "low", "high"))
