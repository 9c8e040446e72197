"""What the commands that answer a question of balance share: options, and how an answer is got, shown and kept."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from analysis.cli import options as opt

if TYPE_CHECKING:
    from rich.table import Table

    from analysis.balance.answer import Answer
    from analysis.balance.precision import Kind, Precision, Progress
    from analysis.runs import Executor, Plan

Strategies = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="STRATEGY",
        help="Who plays, as in [bold]encyclopedia tournament[/bold]; greedy and random if neither strategies nor a "
        "pool are given.",
        show_default=False,
    ),
]
Pool = Annotated[
    str | None,
    typer.Option(
        "--pool",
        metavar="archetypes|all",
        help="Strategies called by one name: [bold]archetypes[/bold], every built-in set of weights; [bold]all[/bold], "
        "these and random. Strategies that are given join them.",
        show_default=False,
        rich_help_panel=opt.WHAT,
    ),
]
Games = Annotated[
    int | None,
    typer.Option(
        "--games",
        "-g",
        min=1,
        help="Games of the rules as they are, rounded up to whole blocks of every line-up. Each change that a question "
        "tries is played on top, so that many more may be played.",
        show_default=False,
        rich_help_panel=opt.WHAT,
    ),
]
PrecisionText = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="0.5vp|0.2pp",
        help="Instead of --games: play until intervals are that narrow (half their width; VP, or percentage points "
        "of win share). Stays valid under looking.",
        show_default=False,
        rich_help_panel=opt.WHAT,
    ),
]
PairedEvery = Annotated[
    int,
    typer.Option(
        "--paired-every",
        min=1,
        help="Of so many games, one is played again with each change.",
        rich_help_panel=opt.WHAT,
    ),
]
NoGift = Annotated[bool, typer.Option("--no-gift", help="Leave the gifts out.", rich_help_panel=opt.WHAT)]
NoBan = Annotated[bool, typer.Option("--no-ban", help="Leave the bans out.", rich_help_panel=opt.WHAT)]
DEFAULT_STRATEGIES = ("greedy", "random")


@dataclass(frozen=True)
class Request:
    """What a question is asked of, as typed.

    Attributes
    ----------
    strategies, pool
        Who plays.
    players, seed, lineups, ruleset, cards, set_
        What is played (`analysis.tournament.make_plan`).
    games, precision
        How much; None for what is usual.
    threads, workers, scheduler, patience
        How it is run.
    out, overwrite, quiet
        What is shown and kept.
    resume
        Whether to go on with a run that was cut off.
    """

    strategies: Sequence[str] | None
    pool: str | None
    players: int
    games: int | None
    precision: str | None
    seed: int
    lineups: opt.LineupKind
    ruleset: str
    cards: str | None
    set_: Sequence[str] | None
    threads: int | None
    workers: int | None
    scheduler: str | None
    patience: float
    out: Path | None
    overwrite: bool
    quiet: bool
    resume: bool = False

    def plan(self, games: int, *, record_cards: bool = False) -> Plan:
        """Make the plan.

        Parameters
        ----------
        games
            How many if nothing is said.
        record_cards
            Whether to keep what happened to every card.
        """
        from analysis.balance.pool import pool_of  # noqa: PLC0415 - slow to import
        from analysis.tournament import make_plan  # noqa: PLC0415

        named = list(self.strategies or ())
        if self.pool is not None:
            named = list(dict.fromkeys([*pool_of(self.pool), *named]))
        return make_plan(
            named or DEFAULT_STRATEGIES,
            self.players,
            self.games or games,
            self.seed,
            lineups=self.lineups,
            ruleset=self.ruleset,
            cards=self.cards,
            overrides=self.set_ or (),
            record_cards=record_cards,
            patience=self.patience,
        )

    def options(self) -> dict[str, Any]:
        """Return what was typed and is kept with the answer."""
        return opt.kept(self.lineups, self.ruleset, self.cards, self.set_)


_COMMON: dict[str, tuple[Any, Any]] = {
    "strategies": (Strategies, None),
    "pool": (Pool, None),
    "players": (opt.Players, 4),
    "games": (Games, None),
    "precision": (PrecisionText, None),
    "seed": (opt.Seed, 0),
    "lineups": (opt.Lineups, "all"),
    "ruleset": (opt.Ruleset, "standard"),
    "cards": (opt.Cards, None),
    "set_": (opt.Set, None),
    "threads": (opt.Threads, None),
    "workers": (opt.Workers, None),
    "scheduler": (opt.Scheduler, None),
    "patience": (opt.Patience, 60.0),
    "resume": (opt.Resume, False),
    "out": (opt.Out, None),
    "overwrite": (opt.Overwrite, False),
    "quiet": (opt.Quiet, False),
}
"""Option → type and default, of every question."""
_BEFORE_OWN = "seed"
_RUN = "run"
"""Under which an answer says which run it is of, so that one that is complete is not played again."""


def asked(lineups: opt.LineupKind = "all", *, may_choose: bool = True) -> Callable[..., Any]:
    """Decorate a function to make a command of it: it takes the options of every question, and those of its own.

    The function takes a `Request`, and its own options by name, declared as for typer; what it becomes has the
    signature that typer reads.

    Parameters
    ----------
    lineups
        Line-ups that play by default.
    may_choose
        Whether others can be asked for.
    """
    common = _COMMON | {"lineups": (opt.Lineups, lineups)}
    if not may_choose:
        del common["lineups"]
    return functools.partial(_command, common, lineups)


def _command(
    common: Mapping[str, tuple[Any, Any]], lineups: opt.LineupKind, function: Callable[..., None]
) -> Callable[..., None]:
    hints = get_type_hints(function, include_extras=True)
    own = {
        name: (hints[name], parameter.default)
        for name, parameter in list(inspect.signature(function).parameters.items())[1:]
    }
    names = list(common)
    before = names[: names.index(_BEFORE_OWN)]
    options = {name: common[name] for name in before} | own
    options |= {name: option for name, option in common.items() if name not in before}

    def command(**values: Any) -> None:
        request = Request(**{"lineups": lineups} | {name: values[name] for name in common})
        function(request, **{name: values[name] for name in own})

    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for name, (hint, default) in options.items()
        ]
    )
    command.__annotations__ = {name: hint for name, (hint, _) in options.items()}
    return command


AnswerOf = Callable[..., "Answer"]
"""Takes a plan and a precision, and ``executor``, ``progress`` and ``options`` by name."""


def ask(
    question: str,
    request: Request,
    answer_of: AnswerOf,
    tables: Callable[[Answer], Sequence[Table]],
    *,
    games: int,
    kinds: tuple[Kind, ...] = ("vp", "pp"),
    record_cards: bool = False,
    extra: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Get an answer, show it, and keep it if a folder is given.

    Parameters
    ----------
    question
        Name of the answer.
    request
        What was typed.
    answer_of
        What answers it; see `AnswerOf`.
    tables
        What is shown of it beside its findings.
    games
        How many if neither games nor a precision are given.
    kinds
        Precisions that make sense.
    record_cards
        Whether the plan is to keep what happened to every card.
    extra
        What else `answer_of` takes by name.
    about
        What else decides the answer and is to be the same when a run is resumed; it can be written as JSON.
    """
    from analysis.balance.answer import check_free, write  # noqa: PLC0415 - slow to import
    from analysis.cli.progress import GamesProgress, getting_ready  # noqa: PLC0415
    from analysis.cli.running import cut_off, executor_for, kept_in  # noqa: PLC0415
    from analysis.cli.typed import command  # noqa: PLC0415
    from analysis.keeping import keeping  # noqa: PLC0415
    from sim.errors import InputError  # noqa: PLC0415

    precision = _precision(request, kinds)
    if request.out is None and (request.resume or request.overwrite):
        raise InputError("--resume and --overwrite need the folder they are about: give --out")
    if request.out is not None and not request.resume:
        check_free(question, request.out, overwrite=request.overwrite)
    with getting_ready(request.quiet):
        plan = request.plan(games, record_cards=record_cards)
    identity = _identity(question, plan, precision, request, {**(extra or {}), **(about or {})})
    if request.resume and (there := _complete(question, request, identity)) is not None:
        _show(there, tables, 0.0, request.out)
        return
    with (
        executor_for(request.threads, request.workers, request.scheduler, request.patience) as executor,
        GamesProgress(plan.games, request.quiet) as progress,
    ):
        if request.out is None:
            with cut_off(lambda: kept_in("", None)):
                answer = _answered(answer_of, plan, precision, executor, progress, request, extra)
        else:
            with (
                keeping(
                    request.out, question, identity, executor,
                    resume=request.resume, overwrite=request.overwrite, found=progress.find,
                ) as keeper,
                cut_off(lambda: kept_in(f"{keeper.kept:,} games" if keeper.kept else "", request.out)),
            ):  # fmt: skip
                answer = _answered(answer_of, plan, precision, keeper, progress, request, extra)
    answer = replace(answer, about={**answer.about, _RUN: _digest(identity)})
    if request.out is not None:
        write(answer, request.out, command=command(), overwrite=request.overwrite)
    _show(answer, tables, progress.seconds, request.out)


def _identity(
    question: str, plan: Plan, precision: Precision | None, request: Request, others: Mapping[str, Any]
) -> dict[str, Any]:
    """Say what must be the same for a run to be resumed."""
    from analysis.identity import identity_of  # noqa: PLC0415 - slow to import

    asked = {"question": question, "precision": None if precision is None else str(precision)}
    return identity_of(plan, {**asked, **request.options(), **others})


def _digest(identity: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]


def _complete(question: str, request: Request, identity: Mapping[str, Any]) -> Answer | None:
    """Return the answer that is there already; None if there is none.

    Raises
    ------
    InputError
        If it is that of another run.
    """
    from analysis.balance.answer import check_free, read  # noqa: PLC0415 - slow to import
    from analysis.identity import differences  # noqa: PLC0415
    from sim.errors import InputError  # noqa: PLC0415

    assert request.out is not None
    if request.overwrite or not (request.out.expanduser() / f"{question}.json").exists():
        check_free(question, request.out, overwrite=request.overwrite)
        return None
    there = read(question, request.out)
    if there.about.get(_RUN) == _digest(identity):
        return there
    known = [key for key in identity if key in there.about and key != "games"]
    differing = differences({key: there.about[key] for key in known}, {key: identity[key] for key in known})
    raise InputError(
        f"{request.out}: holds the answer of another run, {question}.json ({'; '.join(differing) or 'other options'}); "
        "choose another folder or give --overwrite"
    )


def _precision(request: Request, kinds: tuple[Kind, ...]) -> Precision | None:
    from analysis.balance.precision import parse_precision  # noqa: PLC0415 - slow to import
    from sim.errors import InputError  # noqa: PLC0415

    if request.precision is None:
        return None
    if request.games is not None:
        raise InputError("--games and --precision both say how much to play: give one of them")
    return parse_precision(request.precision, kinds)


def _answered(
    answer_of: AnswerOf,
    plan: Plan,
    precision: Precision | None,
    executor: Executor,
    progress: Progress,
    request: Request,
    extra: Mapping[str, Any] | None,
) -> Answer:
    return answer_of(plan, precision, executor=executor, progress=progress, options=request.options(), **(extra or {}))


def _show(answer: Answer, tables: Callable[[Answer], Sequence[Table]], seconds: float, out: Path | None) -> None:
    """Print findings, tables, and what they were computed on."""
    from analysis.cli.tables import console, duration  # noqa: PLC0415 - slow to import

    screen = console()
    for sentence in answer.findings:
        screen.print(sentence, soft_wrap=True, markup=False)
    screen.print()
    for table in tables(answer):
        screen.print(table)
        screen.print()
    screen.print(computed_on(answer.about), soft_wrap=True, markup=False)
    screen.print(f"{_played(answer.about)} in {duration(seconds)}", soft_wrap=True, markup=False)
    if out is not None:
        screen.print(f"Frames are in {out}", soft_wrap=True, markup=False)


def _played(about: Mapping[str, Any]) -> str:
    """Count all games, which are more than was asked for where changes were tried."""
    games, played = about["games"], about["games played"]
    why = f" (the {games:,} above, the others with what was tried)" if played > games else ""
    return f"{played:,} games played{why}"


def _rules_in_words(about: Mapping[str, Any]) -> str:
    """Name rules and cards, of a comparison those of both sides, with their hashes and changes."""
    sides = []
    for end in ("", " of B") if "ruleset of B" in about else ("",):
        changes = about.get(f"overrides{end}") or []
        sides.append(
            f"ruleset {about[f'ruleset{end}']} ({about[f'ruleset hash{end}']}), "
            f"cards {about.get(f'card set{end}', '')} ({about[f'cards hash{end}']})"
            + (f" with {' '.join(changes)}" if changes else "")
        )
    return sides[0] if len(sides) == 1 else f"A: {sides[0]}; B: {sides[1]}"


def computed_on(about: Mapping[str, Any]) -> str:
    """Say in a sentence what an answer was computed on."""
    from analysis.wording import interval_of  # noqa: PLC0415 - slow to import

    words = (
        f"Computed on {about['games']:,} games of {about['players']} players ({about['blocks']:,} blocks, "
        f"{about['line-ups']:,} line-up{'' if about['line-ups'] == 1 else 's'} of {', '.join(about['strategies'])}), "
        f"{_rules_in_words(about)}, seed {about['seed']}; {interval_of(about)}s"
    )
    if about["precision"] is not None:
        looks = about["looks"]
        words += (
            f" (so that {about['level']:.0%} hold whichever look is the last), "
            f"precision {about['precision']} reached after {looks} look{'' if looks == 1 else 's'}"
        )
    return words
