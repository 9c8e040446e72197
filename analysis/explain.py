"""One game with what its strategies thought of their options, where they can say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from analysis.lineups import luck_of
from sim import layout as lay
from sim.config import Configuration
from sim.game import Game
from sim.gamelog import Event, play_logged
from sim.narrative import LINE, Line, narrate
from sim.tables import NO_EXPERIMENT, Experiment
from strategies.api import load
from strategies.explain import Explainer

SHOWN: Final = 5
"""Most options that are shown of a decision."""


def play_game(
    configuration: Configuration,
    strategies: Sequence[str],
    seed: int,
    game: int,
    experiment: Experiment = NO_EXPERIMENT,
    on_decision: Callable[[Game, int, list[tuple[object, ...]], int], None] | None = None,
) -> list[Event]:
    """Play one game of any tournament again and return its log.

    Parameters
    ----------
    configuration
        Ruleset and card set.
    strategies
        Spec of who sits in each seat; with seed and number, that settles the game (`analysis.lineups`).
    seed
        Of all chance.
    game
        Its number.
    experiment
        Cards banned or given at the start.
    on_decision
        See `sim.gamelog.play_logged`.

    Returns
    -------
    list
        Its events.

    Raises
    ------
    InputError
        If a strategy or the number of seats cannot be used.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> play_game(load_configuration(), ["random", "random"], seed=1, game=17)[0]["game"]
    17
    """
    names = [name.strip() for name in strategies]
    distinct = list(dict.fromkeys(names))
    players = [load(name, len(names)) for name in distinct]
    seating = [distinct.index(name) for name in names]
    return play_logged(
        configuration, players, seating,
        seed=seed, luck=luck_of(game, seating), game_number=game, experiment=experiment, on_decision=on_decision,
    )  # fmt: skip


class Thoughts:
    """What strategies think at each decision of a game, gathered while it is played.

    Parameters
    ----------
    strategies
        Spec of who sits in each seat.
    """

    def __init__(self, strategies: Sequence[str]) -> None:
        self._explainers = [Explainer(spec, len(strategies)) for spec in strategies]
        self._lines: list[tuple[int, str]] = []

    def note(self, game: Game, seat: int, options: list[tuple[object, ...]], index: int) -> None:
        """Take down a decision; called before it is applied."""
        values = self._explainers[seat].scores(game)
        order = list(range(len(options))) if values is None else np.argsort(-values, kind="stable").tolist()
        shown = order[:SHOWN]
        if index not in shown:
            shown[-1] = index
        said = [
            _option(in_plain_words(options[place], game), None if values is None else values[place], place == index)
            for place in shown
        ]
        left = len(options) - len(shown)
        more = f", {left} more" if left > 0 else ""
        self._lines.append((_event_of(game, seat), f"seat {seat}, {game.kind}: {', '.join(said)}{more}"))

    def told(self, events: Sequence[Event]) -> Iterator[Line]:
        """Tell the game, each decision before the event it led to.

        Parameters
        ----------
        events
            The game's log.

        Yields
        ------
        Line
            As `sim.narrative.narrate` does, with lines for decisions among them.
        """
        heads = [place for place, event in enumerate(events) if event["event"] != "effect"]
        pulled = 0
        waiting = iter(self._lines)
        due = next(waiting, None)

        def counted() -> Iterator[Event]:
            nonlocal pulled
            for event in events:
                pulled += 1
                yield event

        for line in narrate(counted()):
            # The teller reads one head ahead of the event it tells.
            reached = np.searchsorted(heads, pulled - 1, side="left") - (pulled < len(events))
            while due is not None and due[0] <= heads[max(int(reached), 0)]:
                yield Line(LINE, f"  ? {due[1]}")
                due = next(waiting, None)
            yield line


def in_plain_words(option: tuple[object, ...], game: Game) -> str:
    """Say an option with the names of its cards, and a die by colour, value and owner.

    Parameters
    ----------
    option
        In words (`sim.actions.in_words`).
    game
        The game that waits for the decision.
    """
    kind, *rest = option
    cards = game.configuration.cards
    if kind in ("animal", "academy", "publication", "cube", "give", "along"):
        rest[0] = next(card.name for card in cards.animals if card.id == rest[0])
    elif kind == "university":
        rest[0] = next(card.name for card in cards.experts if card.id == rest[0])
    elif kind == "die":
        return f"die {_die(int(str(rest[0])), game)}"
    if kind in ("cube", "give"):
        rest[1] = list(game.configuration.ruleset.types)[int(str(rest[1])) - 1]
    if isinstance(rest[-1] if rest else None, bool):
        rest[-1] = "yes" if rest[-1] else "no"
    return " ".join(map(str, [kind, *rest]))


def _die(die: int, game: Game) -> str:
    state, tables = game.state, game.tables
    colour = game.configuration.ruleset.continents.names[tables[tables[lay.T_DIE_COLOUR] + die]]
    value, place = state[tables[lay.S_DIE_VALUE] + die], state[tables[lay.S_DIE_WHERE] + die] - lay.DIE_ON_BOARD
    return f"{colour} {value}" + (f" of seat {place // tables[lay.SPACES]}" if place >= 0 else "")


def _event_of(game: Game, seat: int) -> int:
    """Position in the log of the event that a decision leads to; a seat's picks are one event."""
    events: list[Event] = game.events  # type: ignore[attr-defined]
    goes_on = game.kind == "draft" and events[-1]["event"] == "draft" and events[-1]["seat"] == seat
    return len(events) - goes_on


def _option(text: str, value: float | None, chosen: bool) -> str:
    text += "" if value is None else f" {value:.2f}"
    return f"[{text}]" if chosen else text
