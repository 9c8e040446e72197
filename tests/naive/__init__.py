"""The naive twin: the rules played slowly, in plain Python, and written from the rules page alone.

It shares no line with the simulator.  Numbers in comments are the rules' own.
"""

from tests.naive.game import Game
from tests.naive.luck import RandomLuck
from tests.naive.model import Decision

__all__ = ["Decision", "Game", "RandomLuck"]
