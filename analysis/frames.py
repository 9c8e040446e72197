"""Results as polars frames: games, seats and cards (described in `docs/results.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.lineups import Lineups
from sim.batch import CARD_COLUMNS, GAME_COLUMNS, Results, Schedule
from sim.config import Configuration
from sim.layout import REC_RANK, REC_TOTAL, REC_WIN_TIES, SOURCE_NAMES
from sim.record import SEAT_FIELDS

TABLES: Final = ("games", "seats", "cards")
SCHEMA_VERSION: Final = 1
"""Raised whenever a column changes its name, type or meaning."""

CARD_KINDS: Final = pl.Enum(["animal", "expert"])
_SMALL: Final = 255
_MEDIUM: Final = 65_535


@dataclass(frozen=True)
class Frames:
    """What was recorded of some games, in the order of their numbers.

    Attributes
    ----------
    games
        One row a game.
    seats
        One row a game and seat.
    cards
        One row a game and card that left its deck; empty if cards were not recorded.
    """

    games: pl.DataFrame
    seats: pl.DataFrame
    cards: pl.DataFrame

    @staticmethod
    def concatenated(parts: Sequence[Frames]) -> Frames:
        """Put frames of consecutive games one after the other."""
        if len(parts) == 1:
            return parts[0]
        return Frames(*(pl.concat([getattr(part, table) for part in parts], rechunk=True) for table in TABLES))

    def table(self, name: str) -> pl.DataFrame:
        """Return a frame by its name, one of `TABLES`."""
        frame: pl.DataFrame = getattr(self, name)
        return frame


class Framer:
    """Turns what the engine recorded into frames.

    Parameters
    ----------
    configuration
        Ruleset and card set of the games.
    strategies
        Names of the strategies, in the order in which line-ups count them.
    lineups
        The line-ups that play.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> framer = Framer(load_configuration(), ["greedy", "random"], Lineups.of(2, 4))
    >>> list(framer.empty().games.columns[:8])
    ['game', 'block', 'lineup', 'seating', 'strategy_0', 'strategy_1', 'strategy_2', 'strategy_3']
    """

    def __init__(self, configuration: Configuration, strategies: Sequence[str], lineups: Lineups) -> None:
        rules, cards = configuration.ruleset, configuration.cards
        self.lineups = lineups
        self._strategies = pl.Enum(strategies)
        self._sources = pl.Enum(SOURCE_NAMES[1:])
        self._rounds = rules.rounds
        self._round_type = np.uint8 if rules.rounds <= _SMALL else np.uint16
        self._token_ids = np.array([token.id for token in cards.tokens], dtype=np.int32)
        self._animals = len(cards.animals)
        every = [*cards.animals, *cards.experts]
        self._card_ids = np.array([card.id for card in every], dtype=np.int32)
        # Two cards may have the same name; an Enum's categories may not.
        names = list(dict.fromkeys(card.name for card in every))
        self._card_names = pl.Enum(names)
        self._name_codes = _narrow(np.array([names.index(card.name) for card in every]), len(names))

    def empty(self) -> Frames:
        """Frames without rows: what the columns are called and of which type they are."""
        columns = (len(GAME_COLUMNS), self._rounds, len(SEAT_FIELDS), self._rounds, len(CARD_COLUMNS))
        nothing = [np.empty((count, 0), dtype=np.int32) for count in columns]
        return self.frames([Results(self.lineups.schedule(0, 0), *nothing)])

    def frames(self, results: Sequence[Results]) -> Frames:
        """Convert results; quickest for a few thousand games at once.

        Parameters
        ----------
        results
            One or more, of consecutive games of a schedule made by the same line-ups.
        """
        whole = joined(results)
        return Frames(self._games(whole), self._seats(whole), self._cards(whole))

    def _games(self, results: Results) -> pl.DataFrame:
        schedule, players = results.schedule, self.lineups.players
        plies, lead_changes, animal_remakes, expert_remakes = results.games
        return pl.DataFrame(
            {
                **self._numbers(results),
                "seating": (schedule.games % players).astype(np.uint8),
                **{
                    f"strategy_{seat}": _worded(schedule.seatings[:, seat], self._strategies) for seat in range(players)
                },
                **{f"token_{row + 1}": self._token_ids.take(tokens) for row, tokens in enumerate(results.tokens)},
                **self._outcome(results),
                "lead_changes": lead_changes,
                "plies": plies,
                "animal_remakes": animal_remakes,
                "expert_remakes": expert_remakes,
            }
        )

    def _numbers(self, results: Results) -> dict[str, NDArray[np.uint32]]:
        """Return the number of each game, its block and its line-up."""
        schedule = results.schedule
        return {
            "game": schedule.games.astype(np.uint32),
            "block": schedule.lucks.astype(np.uint32),
            "lineup": self.lineups.of_games(schedule.games).astype(np.uint32),
        }

    def _outcome(self, results: Results) -> dict[str, NDArray[np.generic] | pl.Series]:
        """Who won, with how many VP and by how many."""
        shape = (len(results.schedule), self.lineups.players)
        totals = results.seats[REC_TOTAL].reshape(shape)
        won = results.seats[REC_WIN_TIES].reshape(shape) > 0
        winners = np.count_nonzero(won, axis=1).astype(np.uint8)
        ordered = np.sort(totals, axis=1)
        return {
            "winners": winners,
            "winner": _known(np.argmax(won, axis=1).astype(np.uint8), winners == 1),
            "best_total": ordered[:, -1],
            "margin": ordered[:, -1] - ordered[:, -2],
        }

    def _seats(self, results: Results) -> pl.DataFrame:
        players = self.lineups.players
        ties = results.seats[REC_WIN_TIES]
        return pl.DataFrame(
            {
                **{name: numbers.repeat(players) for name, numbers in self._numbers(results).items()},
                "seat": np.tile(np.arange(players, dtype=np.uint8), len(results.schedule)),
                "strategy": _worded(results.schedule.seatings.ravel(), self._strategies),
                "total": results.seats[REC_TOTAL],
                "rank": results.seats[REC_RANK].astype(np.uint8),
                "win_share": np.divide(1.0, ties, out=np.zeros(len(ties)), where=ties > 0),
                **{field.name: results.seats[field.position] for field in SEAT_FIELDS[REC_WIN_TIES + 1 :]},
                **{f"vp_round_{row + 1}": vp for row, vp in enumerate(results.vp_by_round)},
            }
        )

    def _cards(self, results: Results) -> pl.DataFrame:
        position, card, shown, seat, taken, source, published = results.cards
        has_seat = seat >= 0
        seated = results.schedule.seatings.astype(np.int16).ravel().take(position * self.lineups.players + seat)
        return pl.DataFrame(
            {
                "game": results.schedule.games.astype(np.uint32).take(position),
                "kind": _worded(card >= self._animals, CARD_KINDS),
                "id": self._card_ids.take(card),
                "name": _worded(self._name_codes.take(card), self._card_names),
                "shown": _known(shown.astype(self._round_type), shown >= 0),
                "seat": _known(seat.astype(np.uint8), has_seat),
                "strategy": _worded(seated, self._strategies, has_seat),
                "taken": _known(taken.astype(self._round_type), taken >= 0),
                # A code must be one of a word even where it is masked.
                "how": _worded(np.maximum(source, 1) - 1, self._sources, source > 0),
                "published": _known(published.astype(self._round_type), published >= 0),
            }
        )


def joined(results: Sequence[Results]) -> Results:
    """Put results of consecutive games together."""
    if len(results) == 1:
        return results[0]
    schedules = [part.schedule for part in results]
    schedule = Schedule(
        np.concatenate([part.games for part in schedules]),
        np.concatenate([part.lucks for part in schedules]),
        np.concatenate([part.seatings for part in schedules]),
    )
    games, tokens, seats, vp_by_round, cards = (
        np.concatenate([getattr(part, name) for part in results], axis=1)
        for name in ("games", "tokens", "seats", "vp_by_round", "cards")
    )
    rows = [part.cards.shape[1] for part in results]
    before = np.cumsum([0, *(len(part) for part in schedules[:-1])])
    cards[0] += np.repeat(before, rows).astype(np.int32)
    return Results(schedule, games, tokens, seats, vp_by_round, cards)


def _narrow(codes: NDArray[np.generic], count: int) -> NDArray[np.generic]:
    """Keep the codes of `count` words in as few bytes as polars does."""
    return codes.astype(np.uint8 if count <= _SMALL else np.uint16 if count <= _MEDIUM else np.uint32)


def _worded(codes: NDArray[np.generic], words: pl.Enum, known: NDArray[np.bool_] | None = None) -> pl.Series:
    """Return codes as the words they stand for, and nothing where they are not known."""
    narrow = _narrow(codes, len(words.categories))
    series = pl.Series(narrow) if known is None else _known(narrow, known)
    return series.cat.to(words)


def _known(values: NDArray[np.generic], known: NDArray[np.bool_]) -> pl.Series:
    """Return values as a series with nothing where they are not known."""
    return pl.DataFrame({"value": values, "known": known}).select(pl.when("known").then("value"))["value"]
