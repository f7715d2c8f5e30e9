"""Four labels at a time: the innermost loops of `_kernels` as vector instructions.

An accelerator that nothing depends on. Numba adds and compares the four numbers of a block of
labels one by one; as vectors, training takes two thirds of the time. Every number is added in the
same order as in the plain loops, so the results are the same to the last bit. It is made of parts
of numba and LLVM that may change from one version to the next: where :func:`work` says no, or this
module cannot even be imported, the plain loops are used.

Arrays of scores and weights are contiguous, of shape (rows, blocks, 4). (Numba's cache knows
only the file in which a compiled function stands: after a change here, touch
`_kernels.py`.)
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.errors import TypingError

from betterthan.taggers._compile import compiled

# An intrinsic is called without the first argument of its definition, which types cannot say.
intrinsic: Any = extending.intrinsic
Signature = tuple[Any, Callable[..., Any]]


class _Blocks:
    """The blocks of one array, as vectors of four."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        self.builder = builder
        self.array = context.make_array(kind)(context, builder, value)
        self.blocks = builder.extract_value(self.array.shape, 1)
        self.vector = ir.VectorType(self.array.data.type.pointee, 4)

    def pointer(self, row: Any, block: Any) -> Any:
        builder = self.builder
        cell = builder.add(builder.mul(row, self.blocks), block)
        first = builder.gep(self.array.data, [builder.mul(cell, cell.type(4))])
        return builder.bitcast(first, self.vector.as_pointer())

    def load(self, row: Any, block: Any, vector: Any = None) -> Any:
        """A block, in the precision of `vector` if that is given."""
        loaded = self.builder.load(self.pointer(row, block), align=4)
        if vector is None or vector == self.vector:
            return loaded
        return self.builder.fpext(loaded, vector)

    def store(self, value: Any, row: Any, block: Any) -> None:
        self.builder.store(value, self.pointer(row, block), align=4)


def _contiguous(*arrays: Any) -> None:
    if any(array.layout != "C" for array in arrays):
        raise TypingError("expected contiguous arrays")


def _whole(
    context: Any, builder: Any, signature: Any, arguments: Any, *positions: int
) -> list[Any]:
    return [context.cast(builder, arguments[k], signature.args[k], types.intp) for k in positions]


def _count(builder: Any, begin: Any, end: Any) -> AbstractContextManager[Any]:
    return cgutils.for_range_slice(builder, begin, end, begin.type(1), intp=begin.type)


@intrinsic
def prefetch(typingctx: Any, array: Any, row: Any) -> Signature:
    """Ask for the cache line where array[row] begins, without waiting for it."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        blocks = _Blocks(context, builder, signature.args[0], arguments[0])
        (first,) = _whole(context, builder, signature, arguments, 1)
        pointer = blocks.pointer(first, first.type(0))
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        read, keep_in_l2, as_data = number(0), number(2), number(1)
        builder.call(function, [builder.bitcast(pointer, byte), read, keep_in_l2, as_data])
        return context.get_dummy_value()

    return types.void(array, row), codegen


@intrinsic
def sum_rows(
    typingctx: Any, weights: Any, ids: Any, begin: Any, end: Any, block: Any, out: Any, p: Any
) -> Signature:
    """out[p, block] = the sum of weights[f, block] over the features f in ids[begin:end]."""
    _contiguous(weights, ids, out)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        weights = _Blocks(context, builder, signature.args[0], arguments[0])
        ids = context.make_array(signature.args[1])(context, builder, arguments[1])
        out = _Blocks(context, builder, signature.args[5], arguments[5])
        begin, end, block, p = _whole(context, builder, signature, arguments, 2, 3, 4, 6)
        total = cgutils.alloca_once_value(builder, out.vector([0.0] * 4))
        with _count(builder, begin, end) as (i, _):
            feature = builder.zext(builder.load(builder.gep(ids.data, [i])), begin.type)
            row = weights.load(feature, block, out.vector)
            builder.store(builder.fadd(builder.load(total), row), total)
        out.store(builder.load(total), p, block)
        return context.get_dummy_value()

    return types.void(weights, ids, begin, end, block, out, p), codegen


@intrinsic
def best_before(
    typingctx: Any, scores: Any, transitions: Any, n_labels: Any, p: Any, block: Any, back: Any
) -> Signature:
    """What `_kernels.best_step` does, for the four labels of a block at once."""
    _contiguous(scores, transitions, back)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        scores, transitions, back = (
            _Blocks(context, builder, signature.args[k], arguments[k]) for k in (0, 1, 5)
        )
        n_labels, p, block = _whole(context, builder, signature, arguments, 2, 3, 4)
        zero, one = p.type(0), p.type(1)
        before = scores.pointer(builder.sub(p, one), zero)
        before = builder.bitcast(before, scores.array.data.type)

        def spread(value: Any, vector: Any) -> Any:
            first = builder.insert_element(
                ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0)
            )
            everywhere = ir.Constant(ir.VectorType(ir.IntType(32), 4), [0] * 4)
            return builder.shuffle_vector(first, first, everywhere)

        def through(q: Any) -> Any:
            score = builder.load(builder.gep(before, [q]))
            step = transitions.load(q, block, scores.vector)
            return builder.fadd(spread(score, scores.vector), step)

        top = cgutils.alloca_once_value(builder, through(zero))
        where = cgutils.alloca_once_value(builder, back.vector([0] * 4))
        with _count(builder, one, n_labels) as (q, _):
            value, highest = through(q), builder.load(top)
            better = builder.fcmp_ordered(">", value, highest)
            label = spread(builder.trunc(q, back.vector.element), back.vector)
            builder.store(builder.select(better, value, highest), top)
            builder.store(builder.select(better, label, builder.load(where)), where)
        scores.store(builder.fadd(scores.load(p, block), builder.load(top)), p, block)
        back.store(builder.load(where), p, block)
        return context.get_dummy_value()

    return types.void(scores, transitions, n_labels, p, block, back), codegen


@compiled
def _all_three(weights: np.ndarray, ids: np.ndarray, scores: np.ndarray, back: np.ndarray) -> None:
    prefetch(weights, ids[0])
    for p in range(2):
        sum_rows(weights, ids, p, ids.size, 1, scores, p)
    best_before(scores, weights, 3, 1, 1, back)


def work() -> bool:
    """Whether this numba compiles them, and they get a small example right."""
    weights = np.arange(32, dtype=np.float32).reshape(4, 2, 4)
    ids = np.array([2, 0, 3], np.uint32)
    try:
        for precision in (np.float32, np.float64):
            scores, back = np.zeros((2, 2, 4), precision), np.zeros((2, 2, 4), np.int32)
            _all_three(weights, ids, scores, back)
            sums = weights[ids].sum(axis=0)[1], weights[ids[1:]].sum(axis=0)[1]
            # All scores before are 0, so that the best step is the one with the highest weight.
            if not np.array_equal(scores[:, 1], [sums[0], sums[1] + weights[2, 1]]):
                return False
            if not (back[1, 1] == 2).all():
                return False
    except Exception:
        return False
    return True
