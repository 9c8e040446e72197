"""Everything this project asks of numba beyond plain ``njit``: options, cache folder, bare pointers.

A numba upgrade has this file to look at, and `sim.calls`. Three decorators are used in the engine:

``kernel``
    a compiled function that allocates nothing, so that reference counting can be left out;
``rule``
    the same, inlined into its callers by LLVM (small functions of the rules);
``entry``
    a compiled function that is called from Python.

With ``NUMBA_DISABLE_JIT=1`` all of them leave the function as it is.
"""

# Numba's own types leave these corners out.
# mypy: disable-error-code="attr-defined,call-overload,no-untyped-call,union-attr,call-arg"

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
from llvmlite import binding, ir
from numba import njit, types
from numba.cpython.unsafe.numbers import trailing_zeros
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from platformdirs import user_cache_dir

from sim.identity import ROOT, hash_of

_ALWAYS: Final = ("calls.py", "jit.py", "layout.py")


def source_hash(*folders: str) -> str:
    """Hash of the sources of everything compiled in some folders of the project, and of numba's version.

    Numba looks only at the file that defines a function; a constant changed in another file would leave stale
    machine code behind. The hash names the cache folder instead.
    """
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return hash_of(path for path in paths if path.name in _ALWAYS or b"sim.jit" in path.read_bytes())


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _cache_base() -> Path | None:
    """Folder for all caches; None where nothing is writable (then nothing is cached)."""
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or user_cache_dir("encyclopedia-simulator"))
    # Code with bounds checks is other machine code under the same source.
    base = base / ("checked" if numba.config.BOUNDSCHECK else "plain")
    return base if _writable(base) else None


CACHE_BASE: Final = _cache_base()
COMPILED: Final = not numba.config.DISABLE_JIT

# LLVM unrolls loops of a length it does not know, which suits long ones. Nearly all of ours run four to sixteen times:
# unrolled, they are slower to enter, and the code outgrows the processor's caches.
binding.set_option("encyclopedia", "-unroll-runtime=false")

OPTIONS: Final[dict[str, Any]] = {
    "nogil": True,
    "error_model": "numpy",
}
"""What everything is compiled with."""


@functools.cache
def _cache_folder(package: str) -> Path | None:
    """Cache folder for a package's compiled code; code from outside stands on all of ours.

    Numba names what it keeps by file and function, but what it has kept belongs to the module: a file that is once
    imported and once run as a bot needs a folder for each.
    """
    ours = ("sim",) if package == "sim" else ("sim", "strategies")
    return CACHE_BASE and CACHE_BASE / source_hash(*ours) / package


def cache_option(function: Callable[..., Any], within: str = "") -> dict[str, bool]:
    """Point numba's cache to the right folder for a function, if there is one.

    Parameters
    ----------
    function
        What is to be compiled.
    within
        A folder in that one: numba does not tell apart what is compiled of one function in different ways.
    """
    # What was typed at a prompt has no file that could tell whether it has changed since.
    if not COMPILED or not Path(function.__code__.co_filename).is_file():
        return {"cache": False}
    folder = _cache_folder(function.__module__.partition(".")[0])
    if folder is None:
        return {"cache": False}
    numba.config.CACHE_DIR = str(folder / within)
    return {"cache": True}


def _plain(kind: Any) -> Any:
    """Type that an argument is compiled for: one kind of whole number, no literals."""
    kind = types.unliteral(kind)
    return types.int64 if kind == types.int32 else kind


def _once_for_all_integers(dispatcher: Any) -> None:
    """Compile a function once for all kinds of whole numbers it is called with.

    Numba compiles anew for every literal and every width of an argument; more than half of the engine's functions
    were such copies, which LLVM folds into the same code anyway.
    """
    resolve = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: resolve(tuple(map(_plain, args)), kws)


def _only_linked(dispatcher: Any) -> None:
    """Take a function as LLVM code into its callers, without machine code or a Python entry of its own.

    Numba optimises every function with all that it calls, level by level; the engine as a whole is optimised once
    this way, in the `entry` at its top. Cold compilation takes less than half as long.
    """
    customize = dispatcher._compiler._customize_flags

    def without_wrappers(flags: Any) -> Any:
        flags = customize(flags)
        flags.no_cpython_wrapper = True
        flags.no_cfunc_wrapper = True
        flags.no_compile = True
        return flags

    def add_overload(compiled: Any) -> None:
        # The entry point is only the key by which callers find the function.
        compiled = compiled._replace(entry_point=object())
        compiled.library.finalize = lambda: _link_only(compiled.library)
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled
        compiled.target_context.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])

    dispatcher._compiler._customize_flags = without_wrappers
    dispatcher.add_overload = add_overload


def _link_only(library: Any) -> None:
    """Finish a library by linking what it calls; optimisation is left to the caller's library."""
    for callee in dict.fromkeys(library._linking_libraries):
        library._reload_init.update(callee._reload_init)
        library._final_module.link_in(callee._get_module_for_linking(), preserve=True)
    library._finalized = True


def _inner(function: Callable[..., Any], **options: Any) -> Any:
    # `_nrt=False` is private to numba but long-standing: without it, reference counting of array arguments
    # costs about 25 ns for every call of a branching helper.
    dispatcher = njit(**OPTIONS, _nrt=False, **options)(function)
    if COMPILED:
        _once_for_all_integers(dispatcher)
        _only_linked(dispatcher)
    return dispatcher


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that allocates nothing, for use inside compiled code only."""
    return _inner(function)


def rule(function: Callable[..., Any]) -> Any:
    """As `kernel`, inlined into its callers by LLVM: for small functions of the rules."""
    return _inner(function, forceinline=True)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; its machine code, with everything it calls, is cached."""
    # Said here, or numba would hand a kernel's `_nrt=False` on to an entry that a kernel calls first.
    dispatcher = njit(**OPTIONS, _nrt=True, **cache_option(function))(function)
    if COMPILED:
        _once_for_all_integers(dispatcher)
    return dispatcher


def array_at(context: Any, builder: Any, kind: Any, data: Any, length: Any) -> Any:
    """Emit an array of some cells at an address, which owns nothing; for functions that emit code."""
    array = make_array(kind)(context, builder)
    size = context.get_constant(types.intp, kind.dtype.bitwidth // 8)
    populate_array(array, data=data, shape=[length], strides=[size], itemsize=size, meminfo=None)
    return array._getvalue()


at = np.uintp
"""Type of a computed index: unsigned, so that no code is emitted for negative ones."""


def scratch(size: int) -> Any:
    """Make a compiled function that returns float64[size] on its caller's stack: work space that costs nothing.

    The cells hold anything until they are set, and the array must not outlive the function that asked for it.

    Parameters
    ----------
    size
        Cells; a constant of the program, a few thousand at most.
    """
    if not COMPILED:
        return lambda: np.empty(size)
    kind = types.Array(types.float64, 1, "C")

    @intrinsic
    def reserve(typingctx: Any) -> Any:  # pragma: no cover - runs in the compiler
        del typingctx

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            del signature, values
            word = context.get_value_type(types.intp)
            number = ir.DoubleType()
            with builder.goto_entry_block():
                memory = builder.alloca(ir.ArrayType(number, size), name="scratch")
            return array_at(context, builder, kind, builder.bitcast(memory, number.as_pointer()), word(size))

        return kind(), generate

    return reserve


def is_cached() -> bool:
    """Say whether an earlier process has left compiled code of the engine as it is now."""
    return CACHE_BASE is not None and any((CACHE_BASE / source_hash("sim")).rglob("batch*.nbc"))


@intrinsic
def _data_pointer(typingctx: Any, array: Any) -> Any:  # pragma: no cover - runs in the compiler
    """Take the bare pointer to an array's data."""
    del typingctx

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, values[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def _part(typingctx: Any, array: Any, start: Any, stop: Any) -> Any:  # pragma: no cover - runs in the compiler
    """Make an array of part of another's memory; it must be inside, and must not outlive the other."""
    del typingctx, start, stop
    kind = types.Array(array.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array, start, stop = values
        whole = context.make_array(signature.args[0])(context, builder, array)
        return array_at(context, builder, kind, builder.gep(whole.data, [start]), builder.sub(stop, start))

    return kind(array, types.int64, types.int64), generate


if COMPILED and not numba.config.BOUNDSCHECK:

    @rule
    def cells(array):  # type: ignore[no-untyped-def]
        """Hand an array to the rules as a bare pointer: one word in a call, where an array takes seven.

        Every hot function takes four or five of them, so this is worth a sixth of the time of random play. With
        bounds checks on, and in pure Python, arrays stay arrays.
        """
        return _data_pointer(array)

else:
    # An array that is returned has to be counted as one reference more, whoever calls first: numba hands a caller's
    # `_nrt=False` on to what it compiles on its way.
    @njit(**OPTIONS, _nrt=True)
    def cells(array):  # type: ignore[no-untyped-def]
        """Hand an array to the rules as it is, so that its bounds are known."""
        return array


if COMPILED:
    part_of: Any = _part
    """Return ``array[start:stop]`` without looking: slices made the usual way take 2 % of the time of random play."""

    @rule
    def lowest_bit(mask):  # type: ignore[no-untyped-def]
        """Return the number of the lowest bit set in a mask that is not 0."""
        return np.int64(trailing_zeros(mask))

else:

    def part_of(array, start, stop):  # type: ignore[no-untyped-def]
        """Return ``array[start:stop]``."""
        return array[start:stop]

    def lowest_bit(mask):  # type: ignore[no-untyped-def]
        """Return the number of the lowest bit set in a mask that is not 0."""
        return (int(mask) & -int(mask)).bit_length() - 1
