"""Is the game exciting, decided by skill, and used to the full? What a game is like, and where its VP come from."""

import sys

import polars as pl

from analysis.balance.health import health_balance
from analysis.tournament import make_plan

games = int(sys.argv[1]) if len(sys.argv) > 1 else 4000

plan = make_plan(["greedy", "balanced"], players=3, games=games, seed=1)
answer = health_balance(plan, looked_at=games // 4, trace=["greedy:noise=10", "greedy", "balanced"])
for finding in answer.findings:
    print(finding)

# When a game is decided: how often the leader after a round wins, and how far the eventual winner is behind.
rounds = answer["rounds"]
print(rounds.select("round", "leader_wins", "leader_wins_low", "leader_wins_high", "winner_behind", "decided"))

# Where VP come from, and what hardly ever happens.
print(answer["parts"].select("part", "vp", "vp_low", "vp_high", "share").sort("vp", descending=True))
print(answer["effects"].filter(pl.col("seats") < 0.05).select("kind", "name", "mean", "seats", "seats_high"))

# Luck and skill: parts of the variance of a seat's win share, and what better strategies make of the game.
components = answer["components"].filter(pl.col("measure") == "win_share")
print(components.select("component", "share", "share_low", "share_high"))
print(answer["trace"].select("strategy", "win_share", "win_share_low", "win_share_high", "vp"))
