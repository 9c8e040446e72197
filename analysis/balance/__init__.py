"""Questions of balance: one file a question, each an experiment and an estimate.

Every question is a function that takes a plan (`analysis.tournament.make_plan`) and, if wanted, a precision
(`analysis.balance.precision.parse_precision`), and returns an answer (`analysis.balance.answer.Answer`): sentences, and
frames that are described in `docs/balance.md`.
"""
