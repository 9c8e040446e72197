"""Tuning a strategy's weights by CMA-ES, on common random numbers, and a last check on fresh ones.

A *table* is one luck and the opponents that sit down to it; a candidate plays it from every seat. All candidates of a
generation play the same tables, so that they differ by their weights alone, and every generation has tables of its
own. What is maximised is the mean *lead*: VP ahead of the best other seat, pressed into 0 … 1 (a tie is ½), which says
more about a game than who won it does. The tuned weights are the mean of the search distribution, averaged over the
last quarter of the generations; single candidates owe too much to the luck of their tables.

The optimiser is `cmaes` (N. Hansen, *The CMA evolution strategy: a tutorial*, arXiv 1604.00772), within the bounds
that the weights are declared with. What is kept of a run is only what its candidates achieved: all else follows from
the seed, so that a run that was cut off is replayed to where it was and goes on as if nothing had happened.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from cmaes import CMA
from numpy.typing import NDArray

from analysis.runs import Advance, ignore
from analysis.stats import mean_interval
from sim import layout as lay
from sim.batch import Batch, Player, Schedule, available_cores, chunks
from sim.config import Configuration, content_hash, load_configuration
from sim.errors import InputError
from sim.faults import one_of
from sim.tables import build_tables
from strategies.api import Strategy, find, fingerprint, load

FloatArray = NDArray[np.float64]

GENERATIONS: Final = 80
TABLES: Final = 100
SPREAD: Final = 0.1
CHECK_TABLES: Final = 2000
LEAD: Final = 25.0
"""VP of a lead that counts 0.88; three times as much, and more, counts 1."""
_AVERAGED: Final = 0.25
_CHUNK: Final = 256
_LARGEST_SEED: Final = 2**63 - 2


@dataclass(frozen=True)
class Tuning:
    """What is tuned, and how: everything that decides what comes out but the number of generations.

    Attributes
    ----------
    strategy
        Where the search starts.
    against
        Specs of the opponents; who sits down to a table is drawn from them.
    players
        Seats at a table.
    names
        The weights that are varied.
    configuration
        Ruleset and card set.
    seed
        Of all chance; the last check plays on the seed after it.
    population
        Candidates a generation.
    tables
        Tables a generation.
    spread
        Standard deviation of the first generation, as a share of each weight's bounds.
    """

    strategy: Strategy
    against: tuple[str, ...]
    players: int
    names: tuple[str, ...]
    configuration: Configuration
    seed: int
    population: int
    tables: int
    spread: float

    @property
    def games_a_generation(self) -> int:
        """Games played in a generation: every candidate, the old weights and the mean, from every seat."""
        return (self.population + 2) * self.tables * self.players

    @cached_property
    def start(self) -> FloatArray:
        """Row of weights the search starts from, as the strategy declares them; float64[weights]."""
        return self.strategy.row(self.players)

    def row(self, place: FloatArray) -> FloatArray:
        """Row of weights at a place of the search space, which is 0 … 1 between each weight's bounds."""
        row = self.start.copy()
        row[self.columns] = self._low + (self._high - self._low) * np.clip(place, 0.0, 1.0)
        return row

    def place(self, row: FloatArray) -> FloatArray:
        """Place in the search space of a row of weights."""
        return (row[self.columns] - self._low) / (self._high - self._low)

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Columns of the row of weights that are varied."""
        declared = list(self.strategy.declaration.weights)
        return np.array([declared.index(name) for name in self.names], dtype=np.int64)

    @cached_property
    def _low(self) -> FloatArray:
        return np.array([self.strategy.declaration.weights[name].low for name in self.names])

    @cached_property
    def _high(self) -> FloatArray:
        return np.array([self.strategy.declaration.weights[name].high for name in self.names])

    def optimiser(self) -> CMA:
        """Optimiser at the start of the search."""
        dimensions = len(self.names)
        return CMA(
            mean=np.clip(self.place(self.start), 0.0, 1.0),
            sigma=self.spread,
            bounds=np.tile([0.0, 1.0], (dimensions, 1)),
            seed=self.seed % 2**32,
            population_size=self.population,
        )

    def identity(self) -> dict[str, Any]:
        """Say what must be the same for a run to be gone on with."""
        return {
            "strategy": self.strategy.name,
            "strategy code and weights": fingerprint(self.strategy.name),
            "against": list(self.against),
            "opponents' code and weights": [fingerprint(spec) for spec in self.against],
            "players": self.players,
            "weights varied": list(self.names),
            "configuration": content_hash(self.configuration),
            "seed": self.seed,
            "population": self.population,
            "tables": self.tables,
            "spread": self.spread,
            "cmaes": version("cmaes"),
        }


@dataclass(frozen=True)
class Generation:
    """What one generation achieved: mean leads of each candidate, of the old weights and of the mean, all 0 … 1."""

    candidates: tuple[float, ...]
    old: float
    mean: float


@dataclass(frozen=True)
class Comparison:
    """Tuned weights against the old ones on fresh luck.

    Attributes
    ----------
    what
        ``head to head`` (both sit at the same tables) or ``against others`` (each plays the same opponents on the same
        luck).
    tuned, old
        Mean win shares of a seat.
    difference, low, high
        Of the win shares, with its 95% interval from tables.
    tables, games
        How many were played.
    """

    what: str
    tuned: float
    old: float
    difference: float
    low: float
    high: float
    tables: int
    games: int

    @property
    def verdict(self) -> str:
        """Say in a word whether the tuned weights are better."""
        return "better" if self.low > 0 else "worse" if self.high < 0 else "no difference shown"


@dataclass(frozen=True)
class Tuned:
    """What came of a tuning.

    Attributes
    ----------
    tuning
        What was asked for.
    row : float64[weights]
        The tuned weights, as the strategy declares them.
    generations
        What each achieved.
    checks
        Comparisons with the old weights on fresh luck: head to head, then against the opponents.
    """

    tuning: Tuning
    row: FloatArray
    generations: tuple[Generation, ...]
    checks: tuple[Comparison, ...] = field(default=())

    @property
    def weights(self) -> dict[str, float]:
        """Name → tuned value of the weights that were varied."""
        named = dict(zip(self.tuning.strategy.declaration.weights, self.row.tolist(), strict=True))
        return {name: named[name] for name in self.tuning.names}


OnGeneration = Callable[[int, Generation], None]


def _nothing(number: int, generation: Generation) -> None:
    del number, generation


def make_tuning(
    strategy: str,
    against: Sequence[str] = (),
    players: int = 4,
    seed: int = 0,
    *,
    only: Sequence[str] = (),
    fixed: Sequence[str] = (),
    population: int | None = None,
    tables: int = TABLES,
    spread: float = SPREAD,
    configuration: Configuration | None = None,
) -> Tuning:
    """Check what a tuning is asked to be.

    Parameters
    ----------
    strategy
        Spec of where the search starts.
    against
        Specs of the opponents; the strategy itself as it is by default.
    players
        Seats at a table.
    seed
        Of all chance, 0 … 2⁶³ − 2.
    only, fixed
        Names of weights: vary only these; leave these as they are. All with finite bounds are varied by default.
    population
        Candidates a generation; by default what CMA-ES is used to, 4 + 3 ln(weights).
    tables
        Tables a generation.
    spread
        Standard deviation of the first generation, as a share of each weight's bounds.
    configuration
        Ruleset and card set; the standard ones by default.

    Returns
    -------
    Tuning
        Ready for `tune`.

    Raises
    ------
    InputError
        If anything cannot be used.

    Examples
    --------
    >>> make_tuning("balanced", ["greedy"], players=2, only=["coin", "token"]).names
    ('coin', 'token')
    """
    configuration = configuration or load_configuration()
    rules = configuration.ruleset
    if not rules.players.fewest <= players <= rules.players.most or players < 2:
        raise InputError(
            f"players: found {players}; ruleset {rules.name!r} allows {rules.players.fewest} to {rules.players.most}, "
            "and tuning needs opponents"
        )
    found = find(strategy)
    names = _names(found, only, fixed)
    population = population or 4 + math.floor(3 * math.log(len(names)))
    for what, value, least in (("population", population, 3), ("tables", tables, 1)):
        if value < least:
            raise InputError(f"{what}: found {value}; allowed: {least} or more")
    if not 0 < spread <= 1:
        raise InputError(f"spread: found {spread:g}; allowed: above 0, up to 1")
    if not 0 <= seed <= _LARGEST_SEED:
        raise InputError(f"seed: found {seed}; allowed: 0 to {_LARGEST_SEED}")
    opponents = tuple(find(spec).name for spec in against) or (found.name,)
    return Tuning(found, opponents, players, names, configuration, seed, population, tables, spread)


def _names(found: Strategy, only: Sequence[str], fixed: Sequence[str]) -> tuple[str, ...]:
    declared = found.declaration.weights
    for name in (*only, *fixed):
        if name not in declared:
            raise InputError(f"weights of {found.name}: {one_of(name, list(declared))}")
    wanted = [name for name in (only or declared) if name not in fixed]
    bounded = [name for name in wanted if math.isfinite(declared[name].high - declared[name].low)]
    unbounded = [name for name in only if name not in bounded and name not in fixed]
    if unbounded:
        raise InputError(f"weights of {found.name}: {', '.join(unbounded)} have no bounds to search within")
    bounded = [name for name in bounded if declared[name].high > declared[name].low]
    if not bounded:
        raise InputError(f"strategy {found.name!r} has no weights that could be tuned")
    return tuple(bounded)


class _Hall:
    """Plays tables: opponents, candidates, and the games between them."""

    def __init__(self, tuning: Tuning, threads: int | None, advance: Advance) -> None:
        self.tuning = tuning
        self.threads = threads or available_cores()
        self.advance = advance
        self.opponents = [load(spec, tuning.players) for spec in tuning.against]
        self._base = load(tuning.strategy.name, tuning.players)
        self._tables = build_tables(tuning.configuration, tuning.players)

    def candidate(self, row: FloatArray, name: str) -> Player:
        """Player with a row of weights."""
        prepare = self.tuning.strategy.declaration.prepare
        if prepare is None:
            return Player(name, self._base.address, row, self._base.owner)
        prepared, kept = prepare(row, self.tuning.strategy.texts, self.tuning.players)
        return Player(name, self._base.address, np.ascontiguousarray(prepared), (self._base.owner, kept))

    def play(self, players: Sequence[Player], seatings: NDArray[np.int32], lucks: NDArray[np.int64], seed: int) -> Any:
        """Totals of every seat in every game: int32[games, players]."""
        schedule = Schedule(np.arange(len(lucks), dtype=np.int64), lucks, seatings)
        batch = Batch(self._tables, players, seed, threads=self.threads, record_cards=False)
        parts = []
        for results in batch.run(chunks(schedule, _CHUNK)):
            parts.append(results.seats[lay.REC_TOTAL].reshape(-1, self.tuning.players))
            self.advance(len(results.schedule))
        return np.concatenate(parts)

    def against_others(
        self, candidates: Sequence[Player], first_luck: int, tables: int, seed: int
    ) -> tuple[FloatArray, FloatArray]:
        """Let candidates play the same tables, each from every seat.

        Returns
        -------
        tuple of float64[candidates, tables]
            Mean lead and win share of each candidate at each table, over the seats.
        """
        seats, opponents = self.tuning.players, len(self.opponents)
        drawn = np.random.default_rng([seed, first_luck]).integers(opponents, size=(tables, seats - 1), dtype=np.int32)
        count = len(candidates)
        # Seat s of rotation r holds place (s − r) of the table; place 0 is the candidate's.
        places = (np.arange(seats)[None, :] - np.arange(seats)[:, None]) % seats
        at_table = np.zeros((count, tables, seats), dtype=np.int32)
        at_table[:, :, 1:] = drawn
        at_table[:, :, 0] = opponents + np.arange(count)[:, None]
        seatings = at_table[:, :, places].reshape(-1, seats)
        lucks = np.broadcast_to(first_luck + np.arange(tables)[None, :, None], (count, tables, seats)).ravel()
        totals = self.play([*self.opponents, *candidates], np.ascontiguousarray(seatings), lucks.astype(np.int64), seed)
        own = np.tile(np.arange(seats), count * tables)
        leads, wins = leads_of(totals, own), win_shares(totals)[np.arange(len(own)), own]
        return leads.reshape(count, tables, seats).mean(axis=2), wins.reshape(count, tables, seats).mean(axis=2)

    def head_to_head(self, tuned: Player, old: Player, tables: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Seat tuned and old weights at the same tables, one to all but one of the seats tuned, in every rotation.

        Returns
        -------
        tuple of float64[tables]
            Mean win share of a tuned and of an old seat at each table.
        """
        seats = self.tuning.players
        tuned_seats = 1 + np.arange(tables) % (seats - 1)
        at_table = (np.arange(seats)[None, :] >= tuned_seats[:, None]).astype(np.int32)
        places = (np.arange(seats)[None, :] - np.arange(seats)[:, None]) % seats
        seatings = np.ascontiguousarray(at_table[:, places].reshape(-1, seats))
        lucks = np.repeat(np.arange(tables, dtype=np.int64), seats)
        shares = win_shares(self.play([tuned, old], seatings, lucks, seed))
        by_tuned = np.where(seatings == 0, shares, 0.0).reshape(tables, -1).sum(axis=1) / (tuned_seats * seats)
        by_old = np.where(seatings == 1, shares, 0.0).reshape(tables, -1).sum(axis=1) / ((seats - tuned_seats) * seats)
        return by_tuned, by_old


def leads_of(totals: NDArray[np.integer], seats: NDArray[np.int64]) -> FloatArray:
    """Lead of one seat of each game over the best other, pressed into 0 … 1.

    Parameters
    ----------
    totals : int[games, players]
        Final VP.
    seats : int64[games]
        Whose lead.

    Examples
    --------
    >>> leads_of(np.array([[50, 50], [75, 50]]), np.array([0, 0])).round(2).tolist()
    [0.5, 0.88]
    """
    games = np.arange(len(seats))
    others = totals.astype(np.float64)
    own = others[games, seats]
    others[games, seats] = -np.inf
    pressed: FloatArray = 0.5 + 0.5 * np.tanh((own - others.max(axis=1)) / LEAD)
    return pressed


def win_shares(totals: NDArray[np.integer]) -> FloatArray:
    """Win share of every seat: a tie is shared (rule 9.5).

    Examples
    --------
    >>> win_shares(np.array([[70, 70, 60]])).tolist()
    [[0.5, 0.5, 0.0]]
    """
    best = totals == totals.max(axis=1, keepdims=True)
    shares: FloatArray = best / best.sum(axis=1, keepdims=True)
    return shares


def tune(
    tuning: Tuning,
    generations: int = GENERATIONS,
    *,
    check_tables: int = CHECK_TABLES,
    state: str | Path | None = None,
    resume: bool = False,
    threads: int | None = None,
    advance: Advance = ignore,
    on_generation: OnGeneration = _nothing,
) -> Tuned:
    """Tune weights, then check them against the old ones on fresh luck.

    Parameters
    ----------
    tuning
        What to tune (`make_tuning`).
    generations
        How many; more may be asked for when a run is gone on with.
    check_tables
        Tables of each of the two comparisons at the end; 0 for none.
    state
        File in which every generation is kept when it is done (JSON).
    resume
        Go on with what that file holds.
    threads
        Games played at the same time; None for one a core.
    advance
        Told how many more games have been played.
    on_generation
        Called with the number of every generation, from 0, and what it achieved; those found in the file too.

    Returns
    -------
    Tuned
        The same for any number of threads, and whether the run was cut off in between or not.

    Raises
    ------
    InputError
        If the file is there already, or is of another tuning.

    Examples
    --------
    >>> tuning = make_tuning("balanced", ["greedy"], players=2, only=["coin", "token"], tables=2, population=4)
    >>> sorted(tune(tuning, generations=2, check_tables=0).weights)
    ['coin', 'token']
    """
    if generations < 1:
        raise InputError(f"generations: found {generations}; allowed: 1 or more")
    kept = _State(tuning, state, resume)
    hall = _Hall(tuning, threads, advance)
    optimiser = tuning.optimiser()
    means, done = [], []
    for number in range(generations):
        places = [optimiser.ask() for _ in range(tuning.population)]
        generation = kept.found(number) or _play_generation(hall, places, optimiser.mean, number)
        kept.keep(number, generation)
        # CMA-ES looks for the least.
        optimiser.tell([(place, -value) for place, value in zip(places, generation.candidates, strict=True)])
        means.append(np.clip(optimiser.mean, 0.0, 1.0))
        done.append(generation)
        on_generation(number, generation)
    averaged = max(math.ceil(len(means) * _AVERAGED), 1)
    row = _rounded(tuning, tuning.row(np.mean(means[-averaged:], axis=0)))
    checks = tuple(compare_rows(tuning, row, check_tables, threads=threads, advance=advance)) if check_tables else ()
    return Tuned(tuning, row, tuple(done), checks)


def _rounded(tuning: Tuning, row: FloatArray) -> FloatArray:
    """Round the weights that were varied as a file will hold them, so that what is checked is what is kept."""
    rounded = row.copy()
    for column in tuning.columns:
        rounded[column] = float(f"{row[column]:.4g}")
    return rounded


def _play_generation(hall: _Hall, places: Sequence[FloatArray], mean: FloatArray, number: int) -> Generation:
    tuning = hall.tuning
    rows = [*map(tuning.row, places), tuning.start, tuning.row(mean)]
    candidates = [hall.candidate(row, f"candidate {place}") for place, row in enumerate(rows)]
    leads, _ = hall.against_others(candidates, number * tuning.tables, tuning.tables, tuning.seed)
    *values, old, of_mean = leads.mean(axis=1).tolist()
    return Generation(tuple(values), old, of_mean)


def compare_rows(
    tuning: Tuning, row: FloatArray, tables: int, *, threads: int | None = None, advance: Advance = ignore
) -> Iterator[Comparison]:
    """Compare tuned weights with the old ones on the seed after the tuning's.

    Parameters
    ----------
    tuning
        What was tuned.
    row : float64[weights]
        The tuned weights.
    tables
        Tables of each comparison; 2 or more.
    threads, advance
        As for `tune`.

    Yields
    ------
    Comparison
        Head to head, then against the opponents.
    """
    if tables < 2:
        raise InputError(f"tables of a check: found {tables}; allowed: 2 or more")
    hall = _Hall(tuning, threads, advance)
    tuned, old = hall.candidate(row, "tuned"), hall.candidate(tuning.start, "old")
    seed = tuning.seed + 1
    by_tuned, by_old = hall.head_to_head(tuned, old, tables, seed)
    yield _comparison("head to head", by_tuned, by_old, tables * tuning.players)
    _, (by_tuned, by_old) = hall.against_others([tuned, old], tables, tables, seed)
    yield _comparison("against others", by_tuned, by_old, 2 * tables * tuning.players)


def _comparison(what: str, tuned: FloatArray, old: FloatArray, games: int) -> Comparison:
    differences = tuned - old
    error = differences.std(ddof=1) / math.sqrt(len(differences))
    interval = mean_interval([differences.mean()], [error], [len(differences) - 1])
    return Comparison(
        what,
        float(tuned.mean()),
        float(old.mean()),
        float(differences.mean()),
        float(interval.low[0]),
        float(interval.high[0]),
        len(differences),
        games,
    )


class _State:
    """The file in which a run is kept: what it is, and what every generation achieved."""

    def __init__(self, tuning: Tuning, path: str | Path | None, resume: bool) -> None:
        self._path = Path(path) if path else None
        self._identity = tuning.identity() if path else {}
        self._found: list[Generation] = []
        if self._path is None or not self._path.exists():
            return
        if not resume:
            raise InputError(f"{self._path}: a tuning is kept there; go on with it (--resume), or remove the file")
        self._found = self._read(self._path)

    def _read(self, path: Path) -> list[Generation]:
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            identity, generations = data["identity"], data["generations"]
            found = [
                Generation(tuple(map(float, each["candidates"])), each["old"], each["mean"]) for each in generations
            ]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: not a tuning that could be gone on with ({type(error).__name__})") from None
        for what, value in self._identity.items():
            if identity.get(what) != value:
                raise InputError(f"{path}: {what} was {identity.get(what)!r} there and is {value!r} now")
        return found

    def found(self, number: int) -> Generation | None:
        """Return what an earlier sitting achieved in a generation, if it came that far."""
        return self._found[number] if number < len(self._found) else None

    def keep(self, number: int, generation: Generation) -> None:
        """Write the file anew, with one more generation."""
        if self._path is None or number < len(self._found):
            return
        self._found.append(generation)
        data = {"identity": self._identity, "generations": [vars(each) for each in self._found]}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_name(self._path.name + ".new")
        draft.write_text(json.dumps(data, indent=1), encoding="utf-8")
        draft.replace(self._path)


def file_text(tuned: Tuned, made: str, before: str | Path | None = None) -> str:
    """Text of a file of weights (`strategies.weightfile`) that holds the tuned ones for their number of players.

    Parameters
    ----------
    tuned
        What came of a tuning.
    made
        How they were made, for those who read the file.
    before
        A file whose other contents are kept.

    Returns
    -------
    str
        TOML.
    """
    import tomllib  # noqa: PLC0415 - only here

    import tomli_w  # noqa: PLC0415

    data: dict[str, Any] = {}
    if before is not None and Path(before).exists():
        data = tomllib.loads(Path(before).read_text(encoding="utf-8"))
    files = tuned.tuning.strategy.files
    data.setdefault("strategy", files[0].strategy if files and files[0].strategy else tuned.tuning.strategy.spec.name)
    notes = [line for line in str(data.get("made", "")).splitlines() if line and not line.startswith(_head(tuned))]
    data["made"] = "\n".join([*notes, f"{_head(tuned)} {made}"])
    players: Mapping[str, Any] = data.get("players", {})
    data["players"] = dict(sorted({**players, str(tuned.tuning.players): tuned.weights}.items()))
    order = [key for key in ("strategy", "describe", "made", "weights", "players") if key in data]
    return tomli_w.dumps({key: data[key] for key in order}, multiline_strings=True)


def _head(tuned: Tuned) -> str:
    return f"{tuned.tuning.players} players:"
