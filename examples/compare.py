"""What does one number change? The game with a bank of 5 coins and with one of 7, on the same luck."""

import sys

import polars as pl

from analysis.compare import compare, pair_of

games = int(sys.argv[1]) if len(sys.argv) > 1 else 4000

before, after = pair_of("standard", "bank.coins=7", ["greedy", "balanced"], players=3, games=games, seed=1)
answer = compare(before, after, names=("a bank of 5 coins", "a bank of 7 coins"))
for finding in answer.findings:
    print(finding)

# All metrics that change, the clearest first, and how many times as many games independent runs would need.
changed = answer["metrics"].filter(pl.col("p_corrected") <= 0.05)
clearest = changed.sort((pl.col("difference") / pl.col("error")).abs(), descending=True)
print(clearest.select("metric", "before", "after", "difference", "low", "high", "variance_saved").head(12))

# The same change by line-up: it need not do the same to everybody.
lineups = answer["lineups"].filter(pl.col("metric") == "total")
print(lineups.select("lineup", "before", "after", "difference", "low", "high"))
