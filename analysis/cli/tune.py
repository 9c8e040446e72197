"""`encyclopedia tune`: better weights for a strategy."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.cli import options as opt
from analysis.cli.typed import WORDS, spelled

if TYPE_CHECKING:
    from analysis.cli.progress import GamesProgress
    from analysis.tuning.search import Tuned
    from analysis.tuning.state import Generation
    from analysis.tuning.task import Tuning

_HELP = """Search for better weights of a strategy with CMA-ES, within the bounds its weights are declared with.

All candidates of a generation play the same opponents on the same luck. At the end, tuned and old weights meet on
fresh luck, and the difference of their win shares is shown with its 95% interval. The weights are written to --out, in
the table of the number of players they were tuned for, so that one file can hold tunings for several; play them as
[bold]STRATEGY@weights.toml[/bold]. A run that was cut off goes on with --resume (docs/search.md)."""

_EXAMPLES = opt.examples(
    "tune balanced --against greedy,random,balanced --players 2 --out weights.toml",
    "tune balanced --players 3 --only coin,token,seal --generations 40 --out weights.toml",
    'tune bots/mine.py:mine --against balanced --against "balanced:publish=1.5" --out mine.toml --resume',
)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(tune)


def tune(
    strategy: Annotated[str, typer.Argument(metavar="STRATEGY", help="Whose weights; its own are where it starts.")],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="STRATEGIES",
            help="Opponents: names with commas between, or one spec with settings; may be given again. "
            "The strategy itself by default.",
            show_default=False,
            rich_help_panel=opt.WHAT,
        ),
    ] = None,
    players: opt.Players = 4,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="File of weights to write.", rich_help_panel=opt.OUTPUT),
    ] = None,
    generations: Annotated[int, typer.Option(min=1, help="Generations.", rich_help_panel=opt.HOW)] = 80,
    tables: Annotated[
        int,
        typer.Option(
            min=1, help="Tables (luck and opponents) a generation; played from every seat.", rich_help_panel=opt.HOW
        ),
    ] = 100,
    population: Annotated[
        int | None,
        typer.Option(min=3, help="Candidates a generation; 4 + 3 ln(weights) by default.", rich_help_panel=opt.HOW),
    ] = None,
    spread: Annotated[
        float, typer.Option(help="How far it looks at first, as a share of the bounds.", rich_help_panel=opt.HOW)
    ] = 0.1,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="WEIGHTS", help="Vary only these; commas between.", rich_help_panel=opt.WHAT),
    ] = None,
    fix: Annotated[
        list[str] | None,
        typer.Option(metavar="WEIGHTS", help="Leave these as they are; commas between.", rich_help_panel=opt.WHAT),
    ] = None,
    check_tables: Annotated[
        int, typer.Option(min=0, help="Tables of each comparison at the end; 0 for none.", rich_help_panel=opt.HOW)
    ] = 2000,
    seed: opt.Seed = 0,
    ruleset: opt.Ruleset = "standard",
    cards: opt.Cards = None,
    set_: opt.Set = None,
    threads: opt.Threads = None,
    workers: opt.Workers = None,
    scheduler: opt.Scheduler = None,
    patience: opt.Patience = 60.0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run that was cut off.", rich_help_panel=opt.HOW)
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Throw away an earlier tuning for as many players.", rich_help_panel=opt.OUTPUT
        ),
    ] = False,
    quiet: opt.Quiet = False,
) -> None:
    """Tune a strategy (the help text is above)."""
    from analysis.cli.progress import GamesProgress, getting_ready  # noqa: PLC0415 - slow to import
    from analysis.cli.running import cut_off, executor_for, kept_in  # noqa: PLC0415
    from analysis.entrants import try_out  # noqa: PLC0415
    from analysis.tuning.search import tune as run  # noqa: PLC0415
    from analysis.tuning.task import make_tuning  # noqa: PLC0415
    from analysis.tuning.writing import file_text  # noqa: PLC0415
    from analysis.writing import write_text  # noqa: PLC0415
    from sim.config import load_configuration  # noqa: PLC0415
    from sim.errors import InputError  # noqa: PLC0415
    from strategies.spec import with_file  # noqa: PLC0415

    if out is None and (resume or overwrite):
        raise InputError("--resume and --overwrite need the file they are about: give --out")
    if check_tables == 1:
        raise InputError("--check-tables: found 1; allowed: 0, or 2 and more")
    with getting_ready(quiet):
        tuning = make_tuning(
            strategy, _specs(against), players, seed,
            only=_names(only), fixed=_names(fix), population=population, tables=tables, spread=spread,
            configuration=load_configuration(ruleset, cards, set_ or ()),
        )  # fmt: skip
        try_out([tuning.strategy.name, *tuning.against], tuning.configuration, players, patience)
        state = _state_file(out, players, resume, overwrite)
    checks = check_tables * players * 3
    games = generations * tuning.games_a_generation + checks
    with (
        executor_for(threads, workers, scheduler, patience) as executor,
        GamesProgress(games, quiet, "Tuning") as progress,
    ):
        reporter = _Reporter(progress, tuning, generations, state if resume else None)
        with cut_off(lambda: kept_in(f"{reporter.done} generations" if reporter.done else "", state)):
            tuned = run(
                tuning, generations,
                check_tables=check_tables, state=state, resume=resume, executor=executor,
                advance=progress.advance, on_generation=reporter.note,
            )  # fmt: skip
    _print(tuned)
    if out is not None:
        text = file_text(tuned, _made(tuned, generations), out)
        write_text(out, text)
        played_as = with_file(tuning.strategy.spec, out, tuned.weights)
        typer.echo(f"The weights are in {out}; play them as {shlex.quote(played_as)}")


def _names(texts: list[str] | None) -> list[str]:
    """Names with commas between."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def _specs(texts: list[str] | None) -> list[str]:
    """Specs: several with commas between, unless one has settings, which hold commas of their own."""
    return [spec for text in texts or () for spec in ([text] if "=" in text else _names([text]))]


def _state_file(out: Path | None, players: int, resume: bool, overwrite: bool) -> Path | None:
    """File in which the run is kept, beside the file of weights.

    Raises
    ------
    InputError
        If there are weights already that nobody said to throw away.
    """
    from sim.errors import InputError  # noqa: PLC0415 - slow to import
    from strategies.weightfile import read_weights  # noqa: PLC0415

    if out is None:
        return None
    state = out.with_name(f"{out.name}.{players}-players.tuning.json")
    if overwrite:
        state.unlink(missing_ok=True)
    if out.exists() and players in read_weights(out).by_players and not (resume or overwrite):
        raise InputError(f"{out}: holds weights for {players} players already; --overwrite throws them away")
    return state


class _Reporter:
    """Shows how far it has come."""

    def __init__(self, progress: GamesProgress, tuning: Tuning, generations: int, found: Path | None) -> None:
        self.done = 0
        self._progress, self._tuning, self._generations = progress, tuning, generations
        self._played = 0
        self._resuming = found is not None and found.exists()

    def note(self, number: int, generation: Generation) -> None:
        """Take note of a generation that is done."""
        self.done = number + 1
        if self._resuming and self._progress.played == self._played:
            self._progress.find(self._tuning.games_a_generation)
        self._played = self._progress.played
        what = f"Generation {self.done}/{self._generations}, lead {generation.mean:.3f} (old {generation.old:.3f})"
        self._progress.describe(what if self.done < self._generations else "Checking on fresh luck")


def _made(tuned: Tuned, generations: int) -> str:
    """Say how weights were made, for those who read the file."""
    words = [word for word in WORDS.get() if word not in ("--resume", "--overwrite", "--quiet", "-q")]
    said = [f"{spelled(words)}; {generations} generations"]
    said += [
        f"{check.what} on fresh luck, win share {check.tuned:.3f} to {check.old:.3f} of the weights before "
        f"(difference {check.low:+.3f} to {check.high:+.3f}, {check.games:,} games)"
        for check in tuned.checks
    ]
    return "; ".join(said)


def _print(tuned: Tuned) -> None:
    """Print old and tuned weights, and whether they are better."""
    from analysis.cli.tables import between, console, percent, table  # noqa: PLC0415 - slow to import

    declared = tuned.tuning.strategy.declaration.weights
    old = dict(zip(declared, tuned.tuning.start.tolist(), strict=True))
    rows = [
        [name, f"{old[name]:.4g}", f"{value:.4g}", f"{declared[name].low:g} – {declared[name].high:g}"]
        for name, value in tuned.weights.items()
    ]
    screen = console()
    screen.print(table(f"Weights for {tuned.tuning.players} players", ["weight", "old", "tuned", "bounds"], rows))
    if not tuned.checks:
        return
    rows = [
        [
            check.what,
            percent(check.tuned),
            percent(check.old),
            f"{100 * check.difference:+.2f}",
            between(check.low, check.high, lambda value: f"{100 * value:+.2f}"),
            f"{check.games:,}",
            check.verdict,
        ]
        for check in tuned.checks
    ]
    heads = ["on fresh luck", "tuned", "old", "difference", "95% interval", "games", "the tuned weights are"]
    screen.print(table("Win share of a seat", heads, rows, caption="differences in percentage points"))
