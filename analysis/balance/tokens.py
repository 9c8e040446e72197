"""What does a round token do? Every token in every round, by the deal's own lot and against a blank token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.answer import Answer, about_of
from analysis.balance.arrays import (
    BlockStore,
    FloatArray,
    GameArrays,
    IntArray,
    block_means,
    in_units,
    play_arrays,
    unit_of,
)
from analysis.balance.correction import with_corrected
from analysis.balance.effects import Effects
from analysis.balance.moments import BlockMoments, Estimate, Strata
from analysis.balance.precision import SILENT, Extent, Kind, Precision, Progress, carry_out, widest
from analysis.balance.randomised import token_effects
from analysis.balance.seats import GROUPS, Group, groups_of
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.wording import points, vp
from sim.config import Configuration

PAIRED, CENTRED, RANDOMISED = "paired", "paired_centred", "randomised"
METHODS: Final = pl.Enum([PAIRED, CENTRED, RANDOMISED])
PAIRED_EVERY: Final = 8
"""One of so many games is played again with each token blank."""
_NAMED: Final = 3


def without_token(configuration: Configuration, row: int) -> Configuration:
    """Return a configuration in which a round token does nothing.

    Parameters
    ----------
    configuration
        Ruleset and card set.
    row
        Row of the token in the card set.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> without_token(load_configuration(), 0).cards.tokens[0].effect
    'none'
    """
    tokens = list(configuration.cards.tokens)
    tokens[row] = tokens[row].model_copy(update={"effect": "none", "amount": 0, "scope": "everyone"})
    cards = configuration.cards.model_copy(update={"tokens": tuple(tokens)})
    return configuration.model_copy(update={"cards": cards})


class TokenStudy:
    """Games of a plan, and some of them again with each token blank (`analysis.balance.precision`).

    Parameters
    ----------
    plan
        What is played.
    games
        How many games will be asked for; None if a precision decides.
    paired_every
        One of so many games is played again with each token blank.
    executor
        Who plays.
    progress
        Told about games played.
    """

    pilot = 8000

    def __init__(
        self,
        plan: Plan,
        games: int | None = None,
        paired_every: int = PAIRED_EVERY,
        executor: Executor | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self.unit = unit_of(plan.lineups, games, paired_every)
        self.effects, self.strata = Effects(plan), Strata(plan.lineups)
        self.groups = groups_of(plan, self.strata)
        self.rounds = plan.configuration.ruleset.rounds
        self.cards = plan.configuration.cards.tokens
        self._part = self.unit // paired_every
        self._every = paired_every
        self.plan = in_units(plan, self._part)
        self._blanks = [
            replace(self.plan, configuration=without_token(plan.configuration, row)) for row in range(len(self.cards))
        ]
        self._rows = {token.id: row for row, token in enumerate(self.cards)}
        size = (self.rounds + 1) * len(self.effects.measures)
        self._moments = [BlockMoments(len(self.strata), size) for _ in self.cards]
        self._dealt = BlockStore()
        self._paired = BlockStore()
        self._executor, self._progress = executor or LocalExecutor(), progress

    def cost(self, games: int) -> int:
        """Count the games: all once, and some again for each token."""
        return games + games // self._every * len(self.cards)

    def play(self, first: int, last: int) -> None:
        """Play units, and the first part of each again with each token blank."""
        for number in range(first, last):
            parts = range(number * self._every, (number + 1) * self._every)
            games = self._play(self.plan, parts)
            values = self.effects.values(games)
            means = block_means(games.blocks, values)
            tokens = self._tokens(games)[means.first]
            strata = self.strata.of_games(games.games[means.first])
            self._dealt.add(tokens=tokens, values=means.values, strata=strata, games=means.games)
            self._pair(parts[0], games, values)

    def _play(self, plan: Plan, parts: range | list[int]) -> GameArrays:
        return play_arrays(plan, self._part, parts, self._executor, self._progress.advance)

    def _tokens(self, games: GameArrays) -> IntArray:
        """Row of the token of each round."""
        ids = np.array(list(self._rows))
        order = np.argsort(ids)
        return np.asarray(order[np.searchsorted(ids, games.tokens, sorter=order)], dtype=np.int64)

    def _pair(self, part: int, games: GameArrays, values: FloatArray) -> None:
        """Play a part again with each token blank, and take in the differences where the token came."""
        count, tokens = self._part, self._tokens(games)[: self._part]
        blocks, strata = games.blocks[:count], self.strata.of_games(games.games[:count])
        differences = []
        for row, plan in enumerate(self._blanks):
            blank = self._play(plan, [part])
            difference = values[:count] - self.effects.values(blank)
            came = tokens == row
            where = np.column_stack([came, came.any(axis=1)])
            spread = np.where(where[:, :, None], difference[:, None, :], np.nan).reshape(count, -1)
            means = block_means(blocks, spread)
            self._moments[row].add(strata[means.first], means)
            differences.append(block_means(blocks, difference).values)
        means = block_means(blocks, values[:count])
        self._paired.add(
            tokens=tokens[means.first],
            values=np.stack(differences, axis=1),
            strata=strata[means.first],
            games=means.games,
        )

    def half_width(self, kind: Kind, level: float) -> float:
        """Half the width of the widest interval of a token over all rounds and line-ups, by the better method."""
        columns = self.effects.watched[kind]
        group = self.groups[0]
        paired = self.paired(group)[1].half_width(level).reshape(len(self.cards), -1)[:, columns]
        dealt = self.randomised(group)[1].half_width(level).reshape(len(self.cards), -1)[:, columns]
        best = np.fmin(paired, dealt)
        return widest(best)

    def randomised(self, group: Group) -> tuple[Estimate, Estimate]:
        """Effects by the deal's lot, compared with the average token: of cells, of tokens."""
        dealt = self._dealt.of(group.strata)
        return token_effects(dealt["tokens"], dealt["values"], dealt["strata"], dealt["games"], len(self.cards))

    def paired(self, group: Group) -> tuple[Estimate, Estimate]:
        """Effects compared with a blank token: of cells, of tokens."""
        measures = len(self.effects.measures)
        found = [moments.estimate(group.strata) for moments in self._moments]
        cells = [each[slice(0, self.rounds * measures)] for each in found]
        tokens = [each[slice(self.rounds * measures, None)] for each in found]
        return _stacked(cells), _stacked(tokens)

    def centred(self, group: Group) -> tuple[Estimate, Estimate]:
        """Effects compared with a blank token, less those of the average token: of cells, of tokens."""
        paired, dealt = self.paired(group), self._paired.of(group.strata)
        came = dealt["tokens"][:, None, :] == np.arange(len(self.cards))[None, :, None]
        weights = _weights(dealt["strata"], dealt["games"])
        of_cells = [
            _centred(came[:, :, number], dealt["values"], dealt["strata"], weights) for number in range(self.rounds)
        ]
        errors = [np.stack(of_cells, axis=1).ravel()]
        errors.append(_centred(came.any(axis=2), dealt["values"], dealt["strata"], weights).ravel())
        shapes = [(len(self.cards), -1), (len(self.cards), -1)]
        return tuple(  # type: ignore[return-value]
            replace(
                found,
                mean=(found.mean.reshape(shape) - found.mean.reshape(shape).mean(axis=0)).ravel(),
                error=np.where(np.isnan(found.error), np.nan, error),
            )
            for found, error, shape in zip(paired, errors, shapes, strict=True)
        )


def _stacked(parts: list[Estimate]) -> Estimate:
    return Estimate(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in Estimate.__dataclass_fields__)
    )


def _weights(strata: IntArray, games: IntArray) -> FloatArray:
    """Games of a block's stratum: strata count by the games they played."""
    return np.asarray(np.bincount(strata, games)[strata], dtype=np.float64)


def _centred(came: NDArray[np.bool_], values: FloatArray, strata: IntArray, weights: FloatArray) -> FloatArray:
    """Return standard errors of each token's mean difference less the average token's, from what every block adds.

    Parameters
    ----------
    came : bool[blocks, tokens]
        Whether a token came (in some round).
    values : float64[blocks, tokens, measures]
        Differences to the blank.
    strata : int64[blocks]
    weights : float64[blocks]
        Of each block's stratum.

    Returns
    -------
    float64[tokens, measures]
    """
    _, first, strata = np.unique(strata, return_index=True, return_inverse=True)
    levels = len(first)
    known = came[:, :, None] & ~np.isnan(values)
    counts, sums = (np.zeros((levels, *values.shape[1:])) for _ in range(2))
    np.add.at(counts, strata, known)
    np.add.at(sums, strata, np.where(known, values, 0.0))
    stratum = np.where(counts > 0, weights[first][:, None, None], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = stratum / stratum.sum(axis=0) / counts
        means = sums / counts
        added = np.where(known, (values - means[strata]) * share[strata], 0.0)
        small = np.where(counts > 1, counts / (counts - 1), 1.0)[strata]
    added = added * np.sqrt(small)
    added -= added.mean(axis=1, keepdims=True)
    return np.asarray(np.sqrt((added**2).sum(axis=0)))


def token_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    paired_every: int = PAIRED_EVERY,
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer what every round token does in every round.

    Two estimates stand side by side. *Randomised*: which token comes when is drawn by lot, and a regression on token ×
    round compares a token with the average token. *Paired*: the same game with the token blank, over games in which
    it came; less the average of all tokens (*paired_centred*) it estimates the same as the randomised one.

    Parameters
    ----------
    plan
        What is played (`analysis.tournament.make_plan`). Its number of games counts if no precision is asked for.
    precision
        Half the width wanted of every token's interval over all rounds, by the better of the two methods: ``vp`` of the
        mean VP of a seat, ``pp`` of the win share of seat 0 and of every strategy.
    paired_every
        One of so many games is played again with each token blank.
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``tokens`` (token, measure, method; over all rounds) and ``rounds`` (by round too); see
        `docs/balance.md`.

    Raises
    ------
    InputError, RunError
        If the precision cannot be reached, or a strategy breaks its contract.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> answer = token_balance(make_plan(["random"], players=2, games=2000, seed=1))
    >>> paired = answer["tokens"].filter(name="World Exhibition", measure="total", method="paired")
    >>> paired["estimate"].to_list()
    [2.0]
    """
    games = None if precision else plan.games
    study = TokenStudy(plan, games, paired_every, executor, progress)
    extent = carry_out(study, plan.games, precision, progress)
    frames = _frames(study, extent)
    about = about_of(study.plan, extent, precision, {"paired every": paired_every, **(options or {})})
    return Answer("tokens", tuple(_findings(frames["tokens"], study, extent.level)), frames, about)


def _frames(study: TokenStudy, extent: Extent) -> dict[str, pl.DataFrame]:
    """Rows of all groups, methods, tokens and measures: over all rounds, and by round."""
    rounds = pl.DataFrame({"round": range(1, study.rounds + 1)}, schema={"round": pl.UInt8})
    parts: dict[str, list[pl.DataFrame]] = {"tokens": [], "rounds": []}
    for group in study.groups:
        for method, estimate in ((PAIRED, study.paired), (CENTRED, study.centred), (RANDOMISED, study.randomised)):
            cells, tokens = estimate(group)
            for frame, named, found in (
                ("tokens", _tokens(study), tokens),
                ("rounds", _tokens(study).join(rounds, how="cross"), cells),
            ):
                keys = named.join(study.effects.keys(), how="cross").with_columns(
                    pl.lit(group.kind, GROUPS).alias("group"),
                    pl.lit(group.lineup, pl.String).alias("lineup"),
                    pl.lit(method, METHODS).alias("method"),
                )
                parts[frame].append(keys.hstack(found.table(extent.level)))
    return {name: _tidied(pl.concat(tables)) for name, tables in parts.items()}


def _tidied(frame: pl.DataFrame) -> pl.DataFrame:
    """Put the group first, correct p, and leave out strategies that a group of line-ups says nothing about."""
    frame = frame.filter(pl.col("estimate").is_not_null().any().over("group", "lineup", "measure", "of"))
    frame = frame.select("group", "lineup", pl.exclude("group", "lineup"))
    return with_corrected(frame, ["group", "lineup", "method", "measure", "of"])


def _tokens(study: TokenStudy) -> pl.DataFrame:
    columns = ("id", "name", "effect", "amount", "scope")
    schema = {"id": pl.Int32, "name": pl.String, "effect": pl.String, "amount": pl.Int32, "scope": pl.String}
    return pl.DataFrame([[getattr(card, name) for name in columns] for card in study.cards], schema, orient="row")


def _findings(tokens: pl.DataFrame, study: TokenStudy, level: float) -> Iterator[str]:
    """Say in words which tokens are strong and weak, and whom they help."""
    group = study.groups[0]
    rows = tokens.filter(pl.col("group") == group.kind, pl.col("lineup").eq_missing(group.lineup))
    worth = rows.filter(method=PAIRED, measure="total", of="seats").sort("estimate", descending=True)
    if worth["estimate"].has_nulls():
        yield "Too few games to say what the tokens are worth: not every token came in the paired ones."
        return
    named = min(_NAMED, len(worth) // 2)
    yield f"Worth most to a seat, against a blank token: {_listed(worth.head(named), vp)}."
    yield f"Worth least: {_listed(worth.tail(named).reverse(), vp)}."
    for measure, of, what, write in _questions(study):
        found = rows.filter(measure=measure, of=of).filter(pl.col("method") != CENTRED)
        clear = found.filter(pl.col("p_corrected") <= 1 - level)
        yield f"{what}: {_clear(clear, write, level)}."


def _questions(study: TokenStudy) -> Iterator[tuple[str, str, str, Any]]:
    yield "spread", "game", "Change the spread (VP of the first above the last)", vp
    yield "win_share", "seat 0", "Change seat 0's win share", points
    for measure in study.effects.measures:
        if measure.name == "win_share" and not measure.of.startswith("seat "):
            yield "win_share", measure.of, f"Change the win share of {measure.of} among others", points


def _clear(rows: pl.DataFrame, write: Any, level: float) -> str:
    """Name the tokens whose effect is clear, by the more certain of the methods that see it."""
    if rows.is_empty():
        return f"no token, as far as these games show (corrected p > {1 - level:.2g})"
    best = rows.sort("p_corrected", pl.col("estimate").abs(), descending=[False, True]).unique(
        "id", keep="first", maintain_order=True
    )
    best = best.sort(pl.col("estimate").abs(), descending=True)
    more = f" and {len(best) - _NAMED} more" if len(best) > _NAMED else ""
    return _listed(best.head(_NAMED), write, method=True) + more


def _listed(rows: pl.DataFrame, write: Any, *, method: bool = False) -> str:
    words = {PAIRED: "against a blank", RANDOMISED: "against the average token"}
    parts = []
    for row in rows.iter_rows(named=True):
        how = f", {words[row['method']]}" if method else ""
        parts.append(f"{row['name']} {write(row)}{how}")
    return "; ".join(parts)
