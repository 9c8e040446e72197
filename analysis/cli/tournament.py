"""`encyclopedia tournament`: the main job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from analysis.cli import options as opt
from analysis.cli.typed import command, spelled

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.cli.progress import GamesProgress
    from analysis.runs import Executor, Plan
    from analysis.tournament import Summary

_HELP = """Play every line-up of the given strategies, each strategy in every seat equally often, and say who wins.

A block is one luck (dice, decks, round tokens) played by all rotations of a line-up; intervals are computed from
blocks. With --out, results are written as games.parquet, seats.parquet and cards.parquet (docs/results.md)."""

_EXAMPLES = opt.examples(
    "tournament greedy random --players 4 --games 100000 --seed 1 --out results/",
    "tournament greedy random --games 10000 --set coins.offsets=2,3,3,5",
    "tournament greedy bots/mine.py:eager --players 2 --games 20000 --lineups mixed",
    "tournament greedy random --games 10000000 --out big/ --resume",
)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(tournament)


def tournament(
    strategies: opt.Strategies,
    players: opt.Players = 4,
    games: opt.Games = 1000,
    seed: opt.Seed = 0,
    lineups: opt.Lineups = "all",
    ruleset: opt.Ruleset = "standard",
    cards: opt.Cards = None,
    set_: opt.Set = None,
    threads: opt.Threads = None,
    workers: opt.Workers = None,
    scheduler: opt.Scheduler = None,
    patience: opt.Patience = 60.0,
    resume: opt.Resume = False,
    dry_run: opt.DryRun = False,
    out: opt.Out = None,
    overwrite: opt.Overwrite = False,
    no_cards: opt.NoCards = False,
    quiet: opt.Quiet = False,
) -> None:
    """Play a tournament (the help text is above)."""
    from analysis.cli.planning import print_forecast  # noqa: PLC0415 - slow to import
    from analysis.cli.progress import GamesProgress, getting_ready, spinner  # noqa: PLC0415
    from analysis.cli.running import executor_for, note  # noqa: PLC0415
    from analysis.pace import games_per_second, shard_games  # noqa: PLC0415
    from analysis.results import open_results  # noqa: PLC0415
    from analysis.tournament import make_plan, summarise  # noqa: PLC0415
    from sim.errors import InputError  # noqa: PLC0415

    if out is None and (resume or overwrite):
        raise InputError("--resume and --overwrite need the folder they are about: give --out")
    with getting_ready(quiet):
        plan = make_plan(
            strategies, players, games, seed,
            lineups=lineups, ruleset=ruleset, cards=cards, overrides=set_ or (), record_cards=not no_cards,
            patience=patience,
        )  # fmt: skip
        plan = replace(plan, shard_games=shard_games(games_per_second(plan, patience=patience)))
    if plan.games != games:
        note(
            f"{games:,} games rounded up to {plan.games:,}: whole blocks of {_count(len(plan.lineups), 'line-up')}",
            quiet,
        )
    if dry_run:
        print_forecast(plan, threads)
        return
    with executor_for(threads, workers, scheduler, patience) as executor, GamesProgress(plan.games, quiet) as progress:
        summary = _play_in_memory(plan, executor, progress) if out is None else None
        if out is not None:
            named = opt.kept(lineups, ruleset, cards, set_)
            _play_to_folder(plan, executor, progress, out, named, resume, overwrite)
    if summary is None:
        with spinner("Making tables", quiet):
            summary = summarise(open_results(str(out)).seats, plan.lineups)
    _print(plan, summary, progress, out, {"ruleset": ruleset, "cards": cards, "set": set_ or []})


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _play_in_memory(plan: Plan, executor: Executor, progress: GamesProgress) -> Summary:
    """Play and keep nothing but sums."""
    from analysis.cli.running import cut_off, kept_in  # noqa: PLC0415 - slow to import
    from analysis.runs import run_games  # noqa: PLC0415
    from analysis.tournament import Summing  # noqa: PLC0415

    summing = Summing(plan.lineups)
    with cut_off(lambda: kept_in("", None)):
        for frames in run_games(replace(plan, record_cards=False), executor, progress.advance):
            summing.add(frames.seats)
    return summing.summary()


def _play_to_folder(
    plan: Plan,
    executor: Executor,
    progress: GamesProgress,
    out: Path,
    named: dict[str, Any],
    resume: bool,
    overwrite: bool,
) -> None:
    """Play what is missing in a results folder."""
    from analysis import store  # noqa: PLC0415 - slow to import
    from analysis.cli.running import cut_off, kept_in, note  # noqa: PLC0415
    from analysis.identity import identity_of  # noqa: PLC0415

    identity = identity_of(plan, named)
    with store.hold(out, plan, identity, command=command(), resume=resume, overwrite=overwrite) as run:
        progress.find(run.games_there(plan))
        if run.damaged:
            note(f"{_count(len(run.damaged), 'shard')} damaged, to be played again", progress.quiet)
        if run.state != store.COMPLETE:
            with cut_off(lambda: kept_in(f"{run.games_there(plan):,} of {plan.games:,} games", run.path)):
                store.play(run, plan, executor, progress.advance, progress.joining)


def _print(plan: Plan, summary: Summary, progress: GamesProgress, out: Path | None, options: dict[str, Any]) -> None:
    """Print the tables, how fast it went, and how to look at a game."""
    from analysis.cli.tables import console, duration, summary_tables  # noqa: PLC0415 - slow to import

    screen = console()
    for table in summary_tables(summary):
        screen.print(table)
    blocks, lineups = _count(summary.blocks, "block"), _count(len(plan.lineups), "line-up")
    lines = [f"{_count(summary.games, 'game')} of {plan.lineups.players} players in {blocks} of {lineups}"]
    if progress.played:
        time = duration(progress.seconds)
        lines.append(f"{_count(progress.played, 'game')} played in {time}: {progress.per_second:,.0f} games/s")
    if out is not None:
        lines.append(f"Results are in {out}")
    lines.append(f"To look at a game: {_play_command(plan, options)}")
    for line in lines:
        screen.print(line, soft_wrap=True, markup=False)


def _play_command(plan: Plan, options: dict[str, Any]) -> str:
    """Return the command that prints a game of this tournament, as an example: the last of different strategies."""
    game = _last_game(plan)
    seating = plan.lineups.schedule(game, game + 1).seatings[0]
    words = ["play", *(plan.strategies[index].name for index in seating)]
    for name, default in (("ruleset", "standard"), ("cards", None)):
        words += [f"--{name}", options[name]] if options[name] != default else []
    for change in options["set"]:
        words += ["--set", change]
    return spelled([*words, "--seed", str(plan.seed), "--game", str(game)])


def _last_game(plan: Plan) -> int:
    """Return the number of the last game in which strategies meet, or of the last one if none do."""
    lineups = plan.lineups
    meeting = lineups.is_mixed.nonzero()[0]
    last = int(meeting[-1]) if len(meeting) else len(lineups) - 1
    return plan.games - (len(lineups) - 1 - last) * lineups.players - 1
