"""Is a part of the game needed, or dominant? Strategies without the bank, the embassy, and paying for value."""

import sys

import polars as pl

from analysis.balance.actions import action_balance
from analysis.tournament import make_plan

games = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

for change in ([], ["bank.coins=12"]):
    plan = make_plan(["greedy", "balanced"], players=3, games=games, seed=1, overrides=change)
    answer = action_balance(plan, without=["bank", "embassy", "coins+tokens"])
    print("Rules:", *(change or ["standard"]))
    for finding in answer.findings:
        print(" ", finding)

    # What the barred seat wins and loses, and how often a plain copy does what it may not.
    bars = answer["bars"].filter(pl.col("strategy") != "all")
    print(bars.select("strategy", "without", "used", "win_share", "win_share_low", "win_share_high"))
    print(bars.select("strategy", "without", "vp", "vp_low", "vp_high", "vp_p_corrected", "verdict"))
