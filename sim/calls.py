"""Strategies called by their address: what they are compiled to, and how they are handed their arguments.

Numba hands an array over as seven words: 35 for the five of a strategy, some of them looked up and all of them written
to the stack at every decision. Here all arguments stand in one *frame*, an array as its address and its length, and a
strategy reads those it needs. Where the compiler is off a number stands in for the address.
"""

# Numba's own types leave these corners out.
# mypy: disable-error-code="attr-defined,misc,no-untyped-call,untyped-decorator"

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic

from sim.jit import COMPILED, OPTIONS, array_at, cache_option, rule

STRATEGY_SIGNATURE: Final = types.int64(
    types.Array(types.int32, 1, "C"),  # state
    types.Array(types.int32, 1, "C"),  # tables
    types.Array(types.int32, 1, "C"),  # actions
    types.int64,  # how many of them are legal actions
    types.Array(types.uint64, 1, "C"),  # the strategy's own random stream
    types.Array(types.float64, 1, "C"),  # its weights
)
"""What every strategy is compiled to: (state, tables, actions, count, random, weights) -> index."""

SCORES_SIGNATURE: Final = types.void(
    types.Array(types.int32, 1, "C"),  # state
    types.Array(types.int32, 1, "C"),  # tables
    types.Array(types.int32, 1, "C"),  # actions
    types.int64,  # how many of them are legal actions
    types.Array(types.float64, 1, "C"),  # the strategy's weights
    types.Array(types.float64, 1, "C"),  # room for a score for each legal action
)
"""What a strategy's scores are compiled to: (state, tables, actions, count, weights, out)."""

_WORD: Final = ir.IntType(64)
_FRAME: Final = types.CPointer(types.int64)
_FOLDER: Final = "by-address"
_OWN_OPTIONS: Final = ("boundscheck", "error_model", "fastmath")
"""Options of numba that a strategy which comes compiled keeps; the others are about how it is called and cached."""


# --- compiling --------------------------------------------------------------------------------------------------------


def compile_strategy(function: Callable[..., Any], signature: Any = STRATEGY_SIGNATURE) -> Any:
    """Compile a strategy (or its scores) to a signature, or return it as it is where the compiler is off.

    Raises
    ------
    numba.core.errors.NumbaError
        If the function cannot be compiled.
    """
    if not COMPILED:
        return function
    plain = getattr(function, "py_func", function)
    own = {name: value for name, value in getattr(function, "targetoptions", {}).items() if name in _OWN_OPTIONS}
    options: dict[str, Any] = {**OPTIONS, **own, **cache_option(plain, _FOLDER), "pipeline_class": _ByAddress}
    dispatcher: Any = njit(**options)(plain)
    dispatcher.compile(signature.args)
    return dispatcher


def address_of(dispatcher: Any, signature: Any = STRATEGY_SIGNATURE) -> int:
    """Address by which a compiled strategy (or its scores) is called; the caller keeps the dispatcher alive."""
    if not COMPILED:
        return _remember(dispatcher)
    result = dispatcher.get_compile_result(signature)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))


class _ByAddressLower(Lower):
    """Gives a function a second way in, by a frame, under the name of the one that numba makes for C."""

    def create_cfunc_wrapper(self) -> None:
        context, described, convention = self.context, self.fndesc, self.context.call_conv
        kinds, returned = described.argtypes, described.restype
        module = context.create_module("by_address")
        inner = ir.Function(module, convention.get_function_type(returned, kinds), described.llvm_func_name)
        outer = ir.Function(
            module, convention.get_function_type(returned, (_FRAME,)), described.llvm_cfunc_wrapper_name
        )
        builder = ir.IRBuilder(outer.append_basic_block("entry"))
        arguments = _read_frame(context, builder, kinds, *convention.get_arguments(outer))
        status, result = convention.call_function(builder, inner, returned, kinds, arguments)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        convention.return_value(builder, context.get_return_value(builder, returned, result))
        self.library.add_ir_module(module)


@register_pass(mutates_CFG=True, analysis_only=False)
class _ByAddressLowering(NativeLowering):
    _name = "by_address_lowering"
    lowering_class = _ByAddressLower


class _ByAddress(CompilerBase):
    """Compiles what is called by its address."""

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(_ByAddressLowering if step is NativeLowering else step, why) for step, why in manager.passes]
        manager.finalize()
        return [manager]


# --- frames -----------------------------------------------------------------------------------------------------------


def _write_frame(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    """Emit what puts arguments into a frame on the stack; return its address."""
    words: list[Any] = []
    for kind, value in zip(kinds, values, strict=True):
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value)
            words += [builder.ptrtoint(array.data, _WORD), builder.extract_value(array.shape, 0)]
        else:
            words.append(value)
    with builder.goto_entry_block():
        frame = builder.alloca(_WORD, len(words), name="frame")
    for number, word in enumerate(words):
        builder.store(word, builder.gep(frame, [_WORD(number)]))
    return frame


def _read_frame(context: Any, builder: Any, kinds: Any, frame: Any) -> list[Any]:
    """Emit what makes arguments of a frame; LLVM drops what is not asked for."""
    words = (builder.load(builder.gep(frame, [_WORD(number)])) for number in itertools.count())
    return [
        _next_array(context, builder, kind, words) if isinstance(kind, types.Array) else next(words) for kind in kinds
    ]


def _next_array(context: Any, builder: Any, kind: Any, words: Any) -> Any:
    data = builder.inttoptr(next(words), context.get_data_type(kind.dtype).as_pointer())
    return array_at(context, builder, kind, data, next(words))


# --- calling ----------------------------------------------------------------------------------------------------------


def _caller(wanted: Any) -> Any:
    """Make what calls a function of a signature by its address; its exceptions pass through to the caller."""

    @intrinsic
    def call_address(typingctx: Any, address: Any, arguments: Any) -> Any:  # pragma: no cover - runs in the compiler
        del typingctx

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            pointer_value, packed = values
            convention = context.call_conv
            callee_type = convention.get_function_type(wanted.return_type, (_FRAME,))
            callee = builder.inttoptr(pointer_value, callee_type.as_pointer())
            given = [
                context.cast(builder, value, have, want)
                for value, have, want in zip(
                    cgutils.unpack_tuple(builder, packed), signature.args[1], wanted.args, strict=True
                )
            ]
            frame = _write_frame(context, builder, wanted.args, given)
            status, result = convention.call_function(builder, callee, wanted.return_type, (_FRAME,), (frame,))
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return wanted.return_type(address, arguments), generate

    return call_address


_call_strategy = _caller(STRATEGY_SIGNATURE)
_call_scores = _caller(SCORES_SIGNATURE)

_by_handle: list[Callable[..., Any]] = []


def _remember(function: Callable[..., Any]) -> int:
    """Stand in for an address where the compiler is off."""
    if function not in _by_handle:
        _by_handle.append(function)
    return _by_handle.index(function)


if COMPILED:

    @rule
    def call_strategy(address, state, tables, actions, count, random, weights):  # type: ignore[no-untyped-def]
        """Ask the strategy at `address` for the index of its choice."""
        return _call_strategy(address, (state, tables, actions, count, random, weights))

    @rule
    def call_scores(address, state, tables, actions, count, weights, out):  # type: ignore[no-untyped-def]
        """Have the scores at `address` fill ``out[:count]``."""
        _call_scores(address, (state, tables, actions, count, weights, out))

else:

    def call_strategy(address, state, tables, actions, count, random, weights):  # type: ignore[no-untyped-def]
        """Ask the strategy remembered as `address` for the index of its choice."""
        return _by_handle[int(address)](state, tables, actions, int(count), random, weights)

    def call_scores(address, state, tables, actions, count, weights, out):  # type: ignore[no-untyped-def]
        """Have the scores remembered as `address` fill ``out[:count]``."""
        _by_handle[int(address)](state, tables, actions, int(count), weights, out)
