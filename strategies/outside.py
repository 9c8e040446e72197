"""Functions from outside: found in a file or an installed package, looked over, compiled.

Whatever can be wrong with one is said in one message that names the strategy and, where there is one, file and line.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError

from sim.calls import STRATEGY_SIGNATURE, compile_strategy
from sim.errors import InputError
from sim.faults import one_of, suggestion
from sim.jit import COMPILED
from strategies.declare import ARGUMENTS, ATTRIBUTE

GROUP: Final = "encyclopedia.strategies"
"""Entry points of installed packages that are strategies."""

_MODULE: Final = "encyclopedia_bot_"
_WANTED: Final = f"({', '.join(ARGUMENTS)})"
_LINE: Final = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
_TERMINAL_CODES: Final = re.compile(r"\x1b\[[0-9;]*m")
_UNKNOWN: Final = re.compile(r"name '(\w+)' is not defined")
_PASSED_OVER: Final = (
    "Failed in", "During:", "File ", "Overload", "There are", "Rejected as", "<source", "Enable logging", "def ", "@",
)  # fmt: skip
"""Lines of the compiler's messages that say nothing about what is wrong."""
_LONGEST: Final = 300


def function_in_file(path: str | Path, name: str) -> Callable[..., Any]:
    """Find a strategy in a Python file.

    Parameters
    ----------
    path
        The file; it is run as a module of its own.
    name
        The function.

    Raises
    ------
    InputError
        If the file cannot be read or run, or holds no such function.
    """
    module = _run_file(Path(path))
    found = getattr(module, name, None)
    if found is None or not callable(found):
        raise InputError(f"strategy {path}:{name}: {one_of(name, strategies_in(module))}")
    return found  # type: ignore[no-any-return]


def strategies_in(module: Any) -> list[str]:
    """Names of a module's own functions that are, or look like, strategies."""
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(plain := getattr(value, "py_func", value))
        and plain.__module__ == module.__name__
        and (hasattr(plain, ATTRIBUTE) or len(inspect.signature(plain).parameters) == len(ARGUMENTS))
    ]


def _run_file(path: Path) -> Any:
    """Run a file as a module, once as long as its text stays the same."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise InputError(f"strategy file {path}: cannot be read: {error.strerror}") from None
    name = _MODULE + hashlib.sha256(str(path.resolve()).encode() + b"\0" + source).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise InputError(f"strategy file {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        del sys.modules[name]
        raise InputError(f"strategy file {path}, line {error.lineno}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(f"strategy file {path}{_line_in(error, path)}: {_in_short(error)}") from None
    return module


def _line_in(error: BaseException, path: Path) -> str:
    """Line of a file at which an error left it, as text."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == path.resolve()
    ]
    return f", line {lines[-1]}" if lines else ""


def _in_short(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:_LONGEST]


def installed() -> dict[str, EntryPoint]:
    """Strategies of installed packages: name → entry point."""
    return {point.name: point for point in entry_points(group=GROUP)}


def function_of(point: EntryPoint) -> Callable[..., Any]:
    """Load the strategy an entry point names.

    Raises
    ------
    InputError
        If its package cannot be imported or holds no such function.
    """
    try:
        found = point.load()
    except (Exception, SystemExit) as error:
        raise InputError(f"strategy {point.name!r} ({point.value}): {_in_short(error)}") from None
    if not callable(found):
        raise InputError(f"strategy {point.name!r} ({point.value}): not a function")
    return found  # type: ignore[no-any-return]


def check_signature(function: Any, name: str) -> None:
    """Refuse a function that does not take what a strategy is called with.

    Raises
    ------
    InputError
        If number or names of the arguments are others. A leading underscore (for one that is not used) is allowed.
    """
    plain = getattr(function, "py_func", function)
    if not inspect.isfunction(plain):
        raise InputError(f"strategy {name!r}: a plain function {_WANTED} is wanted, found a {type(plain).__name__}")
    found = inspect.signature(plain).parameters.values()
    names = tuple(parameter.name.lstrip("_") for parameter in found)
    kinds = {parameter.kind for parameter in found}
    if names != ARGUMENTS or kinds != {inspect.Parameter.POSITIONAL_OR_KEYWORD}:
        code = plain.__code__
        raise InputError(
            f"strategy {name!r} ({code.co_filename}, line {code.co_firstlineno}): "
            f"its arguments are ({', '.join(map(str, found))}), wanted are {_WANTED}"
        )


def compiled(function: Any, name: str) -> Any:
    """Look a strategy over and compile it.

    Parameters
    ----------
    function
        The strategy, plain or compiled already.
    name
        What messages call it.

    Returns
    -------
    Dispatcher
        Compiled to `sim.calls.STRATEGY_SIGNATURE`; the function itself where the compiler is off.

    Raises
    ------
    InputError
        If it takes other arguments, cannot be compiled, or returns something else than a whole number.
    """
    check_signature(function, name)
    try:
        dispatcher = compile_strategy(function)
    except NumbaError as error:
        raise InputError(f"strategy {name!r} cannot be compiled: {_compiler_says(error, function)}") from None
    except AttributeError as error:
        raise InputError(f"strategy {name!r} cannot be compiled: {_not_there(error, function)}") from None
    except Exception as error:
        raise InputError(f"strategy {name!r} cannot be compiled: {_in_short(error)}") from None
    return _with_index(dispatcher, function, name) if COMPILED else dispatcher


def _with_index(dispatcher: Any, function: Any, name: str) -> Any:
    """Refuse a strategy whose result would be cut to fit (a float, a truth value, nothing); widen a short integer."""
    kind = dispatcher.overloads[STRATEGY_SIGNATURE.args].signature.return_type
    if kind == types.int64:
        return dispatcher
    if isinstance(kind, types.Integer):

        def widened(state, tables, actions, count, random, weights):
            return np.int64(dispatcher(state, tables, actions, count, random, weights))

        return compile_strategy(widened)
    code = getattr(function, "py_func", function).__code__
    hint = "; wrap it in int(...)" if isinstance(kind, types.Float) else ""
    raise InputError(
        f"strategy {name!r} ({code.co_filename}, line {code.co_firstlineno}) "
        f"returns {_returned(kind)}, wanted is the index of a legal action as a whole number (int64){hint}"
    )


def _returned(kind: Any) -> str:
    """Say what a strategy returns instead of a whole number."""
    if isinstance(kind, types.Optional):
        return "nothing on some paths"
    return "nothing" if kind == types.none else f"a {kind}"


def _not_there(error: AttributeError, function: Any) -> str:
    """Say which name a module does not have, where it stands, and which one may be meant."""
    plain = getattr(function, "py_func", function)
    lines = _lines_with(plain, str(error.name))
    place = f"{plain.__code__.co_filename}{f', line {lines[0]}' if lines else ''}"
    return f"{place}: {error}{suggestion(str(error.name), dir(error.obj))}"


def _compiler_says(error: NumbaError, function: Any) -> str:
    """Pick what is wrong and where out of the compiler's long message."""
    text = _TERMINAL_CODES.sub("", str(error))
    plain = getattr(function, "py_func", function)
    own = plain.__code__.co_filename
    lines = [int(match["line"]) for match in _LINE.finditer(text) if Path(own).name == Path(match["file"]).name]
    unknown = _UNKNOWN.search(text)
    if not lines and unknown:
        lines = _lines_with(plain, unknown[1])
    place = f"{own}, line {lines[-1]}" if lines else own
    said = [line.strip(" -") for line in text.splitlines()]
    telling = [line for line in said if line and not line.startswith(_PASSED_OVER) and not set(line) <= set("^~ .")]
    meant = suggestion(unknown[1], plain.__globals__) if unknown else ""
    return f"{place}: {' '.join(telling[:2])}"[:_LONGEST] + meant


def _lines_with(function: Any, name: str) -> list[int]:
    """Lines of a function in which a name stands first."""
    try:
        source, start = inspect.getsourcelines(function)
    except OSError:
        return []
    found = [number for number, line in enumerate(source, start) if re.search(rf"\b{re.escape(name)}\b", line)]
    return found[:1]
