"""Tuning a strategy's weights by CMA-ES, on common random numbers, and a last check on fresh ones.

A *table* is one luck and the opponents that sit down to it; a candidate plays it from every seat. All candidates of a
generation play the same tables, so that they differ by their weights alone, and every generation has tables of its
own.

`task` is what is tuned, `hall` plays tables, `search` finds weights, `checks` compares them with the old ones, `state`
keeps a run that may be cut off, and `writing` makes a file of weights.
"""
