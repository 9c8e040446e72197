"""What a strategy thinks of its options, for strategies that can say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.batch import Player
from sim.game import Game
from strategies.api import find, load


@dataclass(frozen=True)
class Opinion:
    """One legal action and what a strategy thinks of it.

    Attributes
    ----------
    index
        Of the action among the legal ones.
    option
        The action in words (`sim.actions.in_words`).
    score
        What the strategy thinks it is worth: for the built-in ones VP, more or less.
    """

    index: int
    option: tuple[object, ...]
    score: float


class Explainer:
    """Asks a strategy what it thinks of the options of a waiting game.

    Parameters
    ----------
    spec
        The strategy (`strategies.spec`).
    players
        Seats in the game.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> game = Game(load_configuration(), players=2, seed=1, luck=0)
    >>> best = Explainer("balanced", players=2).best(game, 3)
    >>> [opinion.option[0] for opinion in best]
    ['animal', 'animal', 'animal']
    >>> best[0].score >= best[1].score
    True
    """

    def __init__(self, spec: str, players: int) -> None:
        self._scores = find(spec).declaration.scores
        self._player: Player | None = load(spec, players) if self._scores else None

    @property
    def can_say(self) -> bool:
        """Whether the strategy scores options at all."""
        return self._scores is not None

    def scores(self, game: Game) -> NDArray[np.float64] | None:
        """Score every legal action of the decision a game waits for.

        Parameters
        ----------
        game
            The game; it is not changed.

        Returns
        -------
        float64[number of legal actions] or None
            None if the strategy cannot say.
        """
        if self._scores is None or self._player is None:
            return None
        out = np.zeros(game.count)
        call: Any = self._scores
        with np.errstate(over="ignore"):
            call(game.state, game.tables, game.arena.actions, game.count, self._player.weights, out)
        return out

    def best(self, game: Game, few: int = 5) -> list[Opinion]:
        """List the few best options, best first; the first of equals first.

        Parameters
        ----------
        game
            The game; it is not changed.
        few
            How many.

        Returns
        -------
        list of Opinion
            Empty if the strategy cannot say.
        """
        scores = self.scores(game)
        if scores is None:
            return []
        order = np.argsort(-scores, kind="stable")[:few]
        options = game.options()
        return [Opinion(int(index), options[index], float(scores[index])) for index in order]
