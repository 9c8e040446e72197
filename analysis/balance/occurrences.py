"""How often everything happens that can happen: recorded columns, reputation spaces, experts, round tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.metrics import (
    COUNT_FIELDS,
    MEANINGS,
    SeatGrid,
    shape_of,
)
from analysis.frames import Frames
from sim.config import Configuration

FloatArray = NDArray[np.float64]


def occurrences_of(configuration: Configuration) -> list[tuple[str, str, str]]:
    """List what can happen in a game and is counted: kind, name and meaning.

    Parameters
    ----------
    configuration
        Its cards and track decide what there is.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> [name for kind, name, _ in occurrences_of(load_configuration()) if kind == "track"][:3]
    ['4', '8', '12']
    """
    track = configuration.ruleset.reputation.track
    return [
        *(("recorded", name, MEANINGS[name]) for name in COUNT_FIELDS),
        *(("track", str(space), f"reached: {paid.amount} {paid.effect}") for space, paid in track.items()),
        *(
            ("expert", f"{trigger}: {effect}", f"hired or owned: experts that give {effect} on {trigger}")
            for trigger, effect in _pairs(configuration)
        ),
        *(
            ("token", token.name, f"revealed: {token.amount} {token.effect}, {token.scope}")
            for token in _tokens(configuration)
        ),
    ]


def _pairs(configuration: Configuration) -> list[tuple[str, str]]:
    """Triggers and effects that some expert of the card set has."""
    return list(dict.fromkeys((expert.trigger, expert.effect) for expert in configuration.cards.experts))


def _tokens(configuration: Configuration) -> list[Any]:
    """Round tokens, each name once."""
    return list({token.name: token for token in configuration.cards.tokens}.values())


def count_occurrences(frames: Frames, configuration: Configuration) -> FloatArray:
    """Columns mean and seats for each of `occurrences_of`; float64[games, 2 * n]."""
    players, rounds = shape_of(frames)
    seats = SeatGrid(frames, players)
    columns = []
    for name in COUNT_FIELDS:
        values = seats[name]
        columns += [values.mean(axis=1), (values > 0).mean(axis=1)]
    reputation = seats["reputation"]
    for space in configuration.ruleset.reputation.track:
        columns += [(reputation >= space).mean(axis=1)] * 2
    columns += _experts(frames, configuration, players)
    columns += _revealed(frames, configuration, rounds)
    return np.column_stack(columns)


def _experts(frames: Frames, configuration: Configuration, players: int) -> list[FloatArray]:
    """How many experts of each trigger and effect a seat came to own, and share of seats that owned any."""
    pairs, experts = _pairs(configuration), configuration.cards.experts
    kind_of = {expert.id: pairs.index((expert.trigger, expert.effect)) for expert in experts}
    owned = frames.cards.filter((pl.col("kind") == "expert") & pl.col("seat").is_not_null())
    games = frames.games["game"].to_numpy()
    rows = np.searchsorted(games, owned["game"].to_numpy())
    kinds = np.array([kind_of[card] for card in owned["id"].to_list()], dtype=np.int64)
    shape = (len(games), players, len(pairs))
    places = np.ravel_multi_index((rows, owned["seat"].to_numpy().astype(np.int64), kinds), shape)
    counted = np.bincount(places, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    means = (counted.mean(axis=1), (counted > 0).mean(axis=1))
    return [values[:, number] for number in range(len(pairs)) for values in means]


def _revealed(frames: Frames, configuration: Configuration, rounds: int) -> list[FloatArray]:
    """How often each round token was revealed; it is revealed to every seat."""
    shown = frames.games.select(f"token_{row + 1}" for row in range(rounds)).to_numpy()
    columns = []
    for token in _tokens(configuration):
        ids = [each.id for each in configuration.cards.tokens if each.name == token.name]
        times = np.isin(shown, ids).sum(axis=1).astype(np.float64)
        columns += [times, (times > 0).astype(np.float64)]
    return columns
