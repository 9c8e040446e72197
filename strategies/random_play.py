"""`random`: any legal action, each as likely as the next."""

from sim.chance import draw
from strategies.declare import strategy


@strategy(describe="any legal action, each as likely as the next")
def random_play(state, tables, actions, count, random, weights):
    """Draw one of the legal actions."""
    return draw(random, count)
