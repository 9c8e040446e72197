"""`weighted`: the option that is worth most by the shared features; all its character is in its weights.

Every file in `strategies/weights` is this code with weights of its own.
"""

from sim.jit import entry
from strategies.declare import strategy
from strategies.weighing.layout import WEIGHTS
from strategies.weighing.scorer import all_scores, best_option


@entry
def weighted_scores(state, tables, actions, count, weights, out):
    """Fill ``out[:count]`` with what each legal action is worth, in VP."""
    all_scores(state, tables, actions, count, weights, out)


@strategy(weights=WEIGHTS, scores=weighted_scores, describe="the option worth most by the shared features")
def weighted(state, tables, actions, count, random, weights):
    """Choose the option that is worth most."""
    return best_option(state, tables, actions, count, random, weights)
