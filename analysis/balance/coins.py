"""Which coin offsets are fair? A search on common random numbers, candidates on fresh luck, and a confirmation.

1. *Search*: around a centre (first the current vector) every seat gets some coins more and some fewer, one at a time,
   all vectors on the same luck. A model of win share on offsets (`analysis.balance.response`) is fitted to the vectors
   near the centre; where it makes the seats equal is the next centre. The least offset stays what it is now.
2. *Refinement*: the same once more around the last centre, with more games on fresh luck; this model counts.
3. *Screening*: the whole-number vectors next to the model's optimum that it expects to be the fairest, and the current
   one, on fresh luck; the one that is most probably the fairest is the recommendation.
4. *Confirmation*: the recommendation and the current vector on fresh luck once more, so that what is said of it was
   not what it was chosen by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from analysis.balance.answer import Answer, about_of
from analysis.balance.arrays import FloatArray, in_units, play_arrays, unit_of
from analysis.balance.correction import with_corrected
from analysis.balance.fairer import Fairer, FairerSums
from analysis.balance.offsets import (
    CANDIDATES,
    CONFIRM,
    DRAWS,
    SCREEN,
    STAGES,
    STEPS,
    CoinSearch,
    candidates,
    chances_of_best,
    refine,
    search,
    spelled,
)
from analysis.balance.precision import SILENT, Extent, Following, Kind, Precision, Progress, carry_out, widest
from analysis.balance.response import Played, Response, Vector
from analysis.balance.seats import SeatSums, fairness_of
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.stats import LEVEL
from analysis.wording import estimate, p_in_words
from sim.errors import InputError

SEARCH_GAMES: Final = 6000
SCREEN_GAMES: Final = 24_000
"""Of each vector in the refinement and in the screening."""


class ConfirmStudy:
    """Some vectors on one fresh luck, seat by seat (`analysis.balance.precision`).

    Parameters
    ----------
    found
        What was searched; results are kept there.
    vectors
        What is confirmed.
    games
        How many games will be asked for; None if a precision decides.
    progress
        Told about games played.
    """

    pilot = 8000

    def __init__(
        self, found: CoinSearch, vectors: Sequence[Vector], games: int | None = None, progress: Progress = SILENT
    ) -> None:
        self.unit = unit_of(found.plan.lineups, games)
        self._plans = [in_units(found.plan_of(vector, CONFIRM), self.unit) for vector in vectors]
        self.sums = {vector: SeatSums(plan) for vector, plan in zip(vectors, self._plans, strict=True)}
        self.fairer = FairerSums(found.plan.lineups)
        self._executor, self._progress = found.executor, progress
        found.sums[CONFIRM] = self.sums

    def cost(self, games: int) -> int:
        """Count the games of all vectors."""
        return games * len(self._plans)

    def play(self, first: int, last: int) -> None:
        """Play units of every vector."""
        for number in range(first, last):
            played = [
                play_arrays(plan, self.unit, [number], self._executor, self._progress.advance) for plan in self._plans
            ]
            for sums, games in zip(self.sums.values(), played, strict=True):
                sums.add(games)
            # The first beside the last: the recommended offsets beside the current ones.
            self.fairer.add(played[0], played[-1])

    def half_width(self, kind: Kind, level: float) -> float:
        """Half the width of the widest interval of a seat's win share."""
        del kind
        return widest(*(sums.found().shares.half_width(level, share=True) for sums in self.sums.values()))


def coin_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    search_games: int | None = None,
    screen_games: int | None = None,
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer which coin offsets make the seats equal.

    Parameters
    ----------
    plan
        What is played (`analysis.tournament.make_plan`); its offsets are the current ones, its number of games that of
        the confirmation of each vector if no precision is asked for.
    precision
        Half the width wanted of every seat's win share in the confirmation, in ``pp``.
    search_games, screen_games
        Games of each vector in the search, and in the refinement and the screening; by default 6,000 and 24,000, and no
        more than the confirmation has (or, with a precision, than it is expected to have).
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``shares`` (stage, vector, seat), ``vectors`` (stage, vector) and ``model`` (seat); see
        `docs/balance.md`.

    Raises
    ------
    InputError, RunError
        If the precision is not one of win share or cannot be reached, or a strategy breaks its contract.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> plan = make_plan(["random"], players=2, games=1000, seed=1, overrides=["coins.offsets=0,9,0,0"])
    >>> answer = coin_balance(plan)
    >>> answer["vectors"].filter(stage="confirm")["vector"].to_list()[-1]
    '0,9'
    """
    if precision is not None and precision.kind != "pp":
        raise InputError(f"precision {precision}: offsets are judged by win share; give it in pp, such as 0.3pp")
    known = None if precision else plan.games
    found = CoinSearch(plan, executor or LocalExecutor(), progress)
    search_games, screen_games = (
        games or min(usual, known or _games_for(precision, plan.lineups.players))
        for games, usual in ((search_games, SEARCH_GAMES), (screen_games, SCREEN_GAMES))
    )
    points = 2 * plan.lineups.players + 1
    later = (points + CANDIDATES + 1) * screen_games + 2 * (known or screen_games)
    progress.expect(len(STEPS) * points * search_games + later)
    centre = search(found, search_games)
    progress.expect(found.games + later)
    model, optimum = refine(found, centre, screen_games)
    contenders = candidates(model, optimum, found.current)
    found.play(SCREEN, contenders, screen_games)
    chances = chances_of_best(found.played[SCREEN])
    recommended = max(contenders, key=lambda vector: (chances[vector], -_unfairness(found.played[SCREEN][vector])))
    following = Following(progress, found.games)
    confirm = ConfirmStudy(found, list(dict.fromkeys([recommended, found.current])), known, following)
    extent = carry_out(confirm, plan.games, precision, following)
    extent = replace(extent, played=extent.played + found.games)
    frames = {
        "shares": _shares_frame(found, model, extent),
        "vectors": _vectors_frame(found, chances, recommended, extent, confirm.fairer.found(extent.level)),
        "model": _model_frame(model, min(found.current)),
    }
    about = about_of(
        plan, extent, precision, {"search games": search_games, "screen games": screen_games, **(options or {})}
    )
    return Answer("coins", tuple(_findings(frames, found, recommended, chances)), frames, about)


def _games_for(precision: Precision | None, players: int) -> int:
    """Say roughly how many games a precision takes, so that a coarse answer is searched for in few games."""
    assert precision is not None
    share = 1 / players
    return max(round(share * (1 - share) * (2 / precision.half_width) ** 2), _LEAST_SEARCH)


_LEAST_SEARCH: Final = 1000


def _unfairness(played: Played) -> float:
    shares = played.weights @ played.shares
    return float(shares.max() - shares.min())


def _levels(found: CoinSearch, extent: Extent) -> Iterator[tuple[str, Vector, SeatSums, float]]:
    for stage, vectors in found.sums.items():
        for vector, sums in vectors.items():
            yield stage, vector, sums, extent.level if stage == CONFIRM else LEVEL


def _shares_frame(found: CoinSearch, model: Response, extent: Extent) -> pl.DataFrame:
    """Win share and VP by stage, vector and seat, beside the model's win share."""
    parts = []
    for stage, vector, sums, level in _levels(found, extent):
        estimates, expected = sums.found(), model.shares([vector])[0]
        players = len(vector)
        for measure, table, predicted in (
            ("win_share", estimates.shares.table(level, share=True, null=1 / players), expected),
            ("total", estimates.totals.table(level, null=None), [None] * players),
        ):
            keys = pl.DataFrame(
                {
                    "stage": [stage] * players,
                    "vector": [spelled(vector)] * players,
                    "seat": range(players),
                    "offset": vector,
                    "measure": [measure] * players,
                    "predicted": predicted,
                },
                schema={
                    "stage": STAGES,
                    "vector": pl.String,
                    "seat": pl.UInt8,
                    "offset": pl.Int32,
                    "measure": pl.Enum(["win_share", "total"]),
                    "predicted": pl.Float64,
                },
            )
            parts.append(keys.hstack(table))
    return with_corrected(pl.concat(parts), ["stage", "measure"])


def _vectors_frame(
    found: CoinSearch, chances: Mapping[Vector, float], recommended: Vector, extent: Extent, fairer: Fairer
) -> pl.DataFrame:
    """Fairness by stage and vector."""
    rows = []
    for stage, vector, sums, level in _levels(found, extent):
        estimates = sums.found()
        fair = fairness_of(estimates, level)
        beside = fairer if stage == CONFIRM and vector == recommended != found.current else None
        rows.append(
            {
                "stage": stage,
                "vector": spelled(vector),
                "current": vector == found.current,
                "recommended": vector == recommended,
                "balance": fair.balance,
                "low": fair.low,
                "high": fair.high,
                "p": fair.p,
                "fairer": beside.difference if beside else None,
                "fairer_low": beside.low if beside else None,
                "fairer_high": beside.high if beside else None,
                "chance_of_best": chances.get(vector) if stage == SCREEN else None,
                "games": int(estimates.shares.games.max()),
                "blocks": int(estimates.shares.blocks.max()),
            }
        )
    numbers = ("balance", "low", "high", "p", "fairer", "fairer_low", "fairer_high", "chance_of_best")
    schema: dict[str, Any] = {"stage": STAGES, "vector": pl.String, "current": pl.Boolean, "recommended": pl.Boolean}
    schema |= dict.fromkeys(numbers, pl.Float64) | dict.fromkeys(("games", "blocks"), pl.Int64)
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(numbers).fill_nan(None))
    return with_corrected(frame, ["stage"])


def _model_frame(model: Response, least: int, level: float = LEVEL) -> pl.DataFrame:
    """Parameters and optimum by seat, with intervals."""
    players = len(model.levels)
    draws = model.draws(DRAWS)
    tails = [(1 - level) / 2, (1 + level) / 2]

    def ends(name: str, estimate: FloatArray, drawn: FloatArray) -> dict[str, FloatArray]:
        low, high = np.quantile(drawn, tails, axis=0)
        return {name: estimate, f"{name}_low": low, f"{name}_high": high}

    return pl.DataFrame(
        {
            "seat": pl.Series(range(players), dtype=pl.UInt8),
            **ends("level", model.levels, np.array([draw.levels for draw in draws])),
            **ends("slope", model.slopes, np.array([draw.slopes for draw in draws])),
            **ends("optimum", model.fair(least), np.array([draw.fair(least) for draw in draws])),
        }
    )


def _findings(
    frames: Mapping[str, pl.DataFrame], found: CoinSearch, recommended: Vector, chances: Mapping[Vector, float]
) -> Iterator[str]:
    """Say in words which vector is recommended, how sure that is, and how it does beside the current one."""
    confirmed = {row["vector"]: row for row in frames["vectors"].filter(stage=CONFIRM).iter_rows(named=True)}
    best, now = confirmed[spelled(recommended)], confirmed[spelled(found.current)]
    if recommended == found.current:
        yield f"The current offsets {now['vector']} are the fairest that were tried: {_described(now, frames)}."
    else:
        if best["fairer_low"] is None or best["fairer_low"] <= 0:
            yield (
                f"Keep the current offsets {now['vector']} for now: these games do not show that {best['vector']}, the "
                "fairest of those screened, is fairer."
            )
        yield f"Recommended offsets: {best['vector']}. On fresh luck: {_described(best, frames)}."
        yield f"Current offsets {now['vector']}, on the same luck: {_described(now, frames)}."
        yield f"Balance of {best['vector']} above that of {now['vector']}: {estimate(best, 'fairer', 3, sign='+')}."
    yield (
        f"Among {len(chances)} vectors screened, {best['vector']} comes out fairest in {chances[recommended]:.0%} of "
        f"resamples; others: {_others(chances, recommended)}."
    )
    seats = ", ".join(
        f"{estimate(row, 'optimum')} in seat {row['seat']}" for row in frames["model"].iter_rows(named=True)
    )
    yield f"By the model, all seats would be equal at these coins: {seats}; what a coin is worth depends on who plays."
    useless = frames["model"].filter(pl.col("slope_low") <= 0)["seat"].to_list()
    if useless:
        seats = " and ".join(map(str, useless))
        yield f"For seat {seats} it is not clear that coins raise the win share at all; take the optimum with care."


def _described(row: Mapping[str, Any], frames: Mapping[str, pl.DataFrame]) -> str:
    seats = frames["shares"].filter(stage=CONFIRM, vector=row["vector"], measure="win_share")
    shares = " / ".join(f"{100 * share:.1f}" for share in seats["estimate"])
    if row["low"] is None:
        return f"win shares {shares}%, too few games to say more"
    half = 100 * float((seats["high"] - seats["low"]).max()) / 2  # type: ignore[arg-type]
    return (
        f"win shares {shares}% (±{half:.1f}), balance {row['balance']:.3f} ({row['low']:.3f} – {row['high']:.3f}), "
        f"seats equal p {p_in_words(row['p'])}"
    )


def _others(chances: Mapping[Vector, float], recommended: Vector) -> str:
    others = sorted(((chance, vector) for vector, chance in chances.items() if vector != recommended), reverse=True)
    return ", ".join(f"{spelled(vector)} {chance:.0%}" for chance, vector in others)
