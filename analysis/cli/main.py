"""The command `encyclopedia`: its subcommands, and what an error looks like."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from analysis.cli import balance, bench, compare, ladder, plan, play, report, rules, strategies, tournament, tune, usage
from analysis.cli.typed import WORDS
from sim.errors import EncyclopediaError, InputError

DEBUG = "--debug"
GAME_THREADS = "games"
"""What names of threads that play games begin with (`sim.batch`)."""
_START_SECONDS = 20.0
"""Time in which a process starts, with what has to be compiled first."""

app = typer.Typer(
    name="encyclopedia",
    help="Simulate the board game [bold]Encyclopedia[/bold]: hundreds of thousands of games between strategies, and "
    "what they say about its balance.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from analysis.version import engine_hash, program_version  # noqa: PLC0415 - slow to import

        typer.echo(f"encyclopedia {program_version()} (engine {engine_hash()})")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which program this is.")
    ] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show the traceback of an error; anywhere in a command.")] = False,
) -> None:
    del version, debug


for module in (tournament, play, balance, compare, ladder, report, tune, bench, strategies, rules, plan):
    module.add_to(app)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line.

    Parameters
    ----------
    arguments
        Words after the program's name; those the process was started with by default.

    Returns
    -------
    int
        Exit code: 0; 1 for a run that failed; 2 for something that cannot be used as given; 130 after Ctrl-C.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    WORDS.set(tuple(words))
    debug = DEBUG in words
    try:
        code = app(args=[word for word in words if word != DEBUG], prog_name="encyclopedia", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except typer.Abort:
        return 130
    except typer.TyperException as error:
        said = usage.in_words(error)
        if said:
            _say(said)
        return InputError.exit_code
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except EncyclopediaError as error:
        if debug:
            raise
        _say(str(error))
        return error.exit_code
    except Exception as error:
        if debug:
            raise
        _say(f"{type(error).__name__}: {error}\nThis should not happen; {DEBUG} shows where it did.")
        return 1


def _say(message: str) -> None:
    """Print an error."""
    from rich.console import Console  # noqa: PLC0415 - only when needed
    from rich.text import Text  # noqa: PLC0415

    text = Text("Error: ", style="bold red")
    text.append(message, style="not bold default")
    Console(stderr=True, soft_wrap=True).print(text, highlight=False)


def _start_without_collecting() -> None:
    """Leave garbage alone while modules are imported and the engine is compiled: nearly all that is made then stays.

    Looking through it again and again takes a sixth of the time of a tournament of a hundred games, and a tenth of a
    compilation's.
    """
    gc.disable()
    later = threading.Timer(_START_SECONDS, gc.enable)
    later.daemon = True
    later.start()


def main() -> NoReturn:
    """Run the command line this process was started with, and end the process."""
    _start_without_collecting()
    code = run()
    sys.stdout.flush()
    sys.stderr.flush()
    gc.freeze()  # or Python looks through everything on its way out, which takes as long again
    # A strategy that never returns, or a long game after Ctrl-C, holds a thread that an ordinary exit would wait for.
    if any(thread.name.startswith(GAME_THREADS) for thread in threading.enumerate()):
        os._exit(code)
    sys.exit(code)
