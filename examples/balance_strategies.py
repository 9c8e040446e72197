"""Which strategy is strongest, and which beats which? Three of them and one with a weight of its own."""

import sys

from analysis.balance.dominance import dominated
from analysis.balance.strategies import circles_of, strategy_balance
from analysis.tournament import make_plan

games = int(sys.argv[1]) if len(sys.argv) > 1 else 4000

players = ["greedy", "greedy:noise=3", "balanced", "random"]
answer = strategy_balance(make_plan(players, players=3, games=games, seed=1, lineups="mixed", record_cards=False))
for finding in answer.findings:
    print(finding)

# 400 points are odds of 10 to 1 of finishing ahead; α-Rank is the share of time that evolution dwells on a strategy.
print(answer["strengths"].select("strategy", "rating", "rating_low", "rating_high", "win_share", "alpha_rank"))

# How often one finishes ahead of another when both sit at the table.
matchups = answer["matchups"]
print(matchups.select("strategy", "against", "ahead", "ahead_low", "ahead_high", "p_corrected", "shown"))
print("Circles:", circles_of(answer["strengths"], matchups) or "none")
print("Dominated:", dominated(matchups) or "none")
