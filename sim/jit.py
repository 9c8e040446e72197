"""Everything this project asks of numba beyond plain ``njit``: options, cache folder, calls by address.

A numba upgrade has this one file to look at. Three decorators are used in the engine:

``kernel``
    a compiled function that allocates nothing, so that reference counting can be left out;
``rule``
    the same, inlined into its callers by LLVM (small functions of the rules);
``entry``
    a compiled function that is called from Python.

With ``NUMBA_DISABLE_JIT=1`` all of them leave the function as it is.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from platformdirs import user_cache_dir

SOURCE_FOLDERS: Final = ("sim", "strategies")

STRATEGY_SIGNATURE: Final = types.int64(
    types.Array(types.int32, 1, "C"),  # state
    types.Array(types.int32, 1, "C"),  # tables
    types.Array(types.int32, 1, "C"),  # actions
    types.int64,  # how many of them are legal actions
    types.Array(types.uint64, 1, "C"),  # the strategy's own random stream
    types.Array(types.float64, 1, "C"),  # its weights
)
"""What every strategy is compiled to: (state, tables, actions, count, random, weights) -> index."""


def source_hash(folders: tuple[str, ...] = SOURCE_FOLDERS) -> str:
    """Hash of every source file that compiled code is made from.

    Numba looks only at the file that defines a function; a constant changed in another file
    would leave a stale machine code behind. The hash names the cache folder instead.
    """
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _prepare_cache() -> Path | None:
    """Choose the cache folder; None where nothing is writable (then nothing is cached)."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        base = Path(os.environ["NUMBA_CACHE_DIR"])
    else:
        base = Path(user_cache_dir("encyclopedia-simulator"))
    # Code with bounds checks is other machine code under the same source.
    checked = "-checked" if numba.config.BOUNDSCHECK else ""
    folder = base / f"{source_hash()}{checked}"
    if not _writable(folder):
        return None
    numba.config.CACHE_DIR = str(folder)
    return folder


CACHE_FOLDER: Final = _prepare_cache()
COMPILED: Final = not numba.config.DISABLE_JIT

_OPTIONS: Final[dict[str, Any]] = {
    "cache": CACHE_FOLDER is not None,
    "nogil": True,
    "error_model": "numpy",
}

# `_nrt=False` is private to numba but long-standing: it takes reference counting of array arguments
# out of functions that allocate nothing, the largest single cost of small helpers.
kernel: Callable[..., Any] = njit(**_OPTIONS, _nrt=False)
rule: Callable[..., Any] = njit(**_OPTIONS, _nrt=False, forceinline=True)
entry: Callable[..., Any] = njit(**_OPTIONS)

at = np.uintp
"""Type of a computed index: unsigned, so that no code is emitted for negative ones."""


def is_cached() -> bool:
    """Say whether an earlier process has left compiled code of these sources."""
    return CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob("engine.*.nbc"))


def compile_strategy(function: Callable[..., Any]) -> Any:
    """Compile a strategy to `STRATEGY_SIGNATURE`, or return it as it is where the compiler is off.

    Raises
    ------
    numba.core.errors.NumbaError
        If the function cannot be compiled.
    """
    if not COMPILED:
        return function
    dispatcher = function if hasattr(function, "get_compile_result") else njit(**_OPTIONS)(function)
    dispatcher.compile(STRATEGY_SIGNATURE.args)
    return dispatcher


def address_of(dispatcher: Any) -> int:
    """Native address of a compiled strategy; the caller keeps the dispatcher alive."""
    if not COMPILED:
        return _remember(dispatcher)
    result = dispatcher.get_compile_result(STRATEGY_SIGNATURE)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


_by_handle: list[Callable[..., Any]] = []


def _remember(function: Callable[..., Any]) -> int:
    """Stand in for an address where the compiler is off."""
    if function not in _by_handle:
        _by_handle.append(function)
    return _by_handle.index(function)


@intrinsic
def _call_address(typingctx: Any, address: Any, arguments: Any) -> Any:  # pragma: no cover - runs in the compiler
    """Call the strategy at a native address; its exceptions pass through to the caller."""
    del typingctx
    wanted = STRATEGY_SIGNATURE

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer_value, packed = values
        convention = context.call_conv
        callee_type = convention.get_function_type(wanted.return_type, wanted.args)
        callee = builder.inttoptr(pointer_value, callee_type.as_pointer())
        given = [
            context.cast(builder, value, have, want)
            for value, have, want in zip(
                cgutils.unpack_tuple(builder, packed), signature.args[1], wanted.args, strict=True
            )
        ]
        status, result = convention.call_function(builder, callee, wanted.return_type, wanted.args, given)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    return wanted.return_type(address, arguments), generate


if COMPILED:

    @rule
    def call_strategy(address, state, tables, actions, count, random, weights):  # type: ignore[no-untyped-def]
        """Ask the strategy at `address` for the index of its choice."""
        return _call_address(address, (state, tables, actions, count, random, weights))

else:

    def call_strategy(address, state, tables, actions, count, random, weights):  # type: ignore[no-untyped-def]
        """Ask the strategy remembered as `address` for the index of its choice."""
        return _by_handle[int(address)](state, tables, actions, int(count), random, weights)
