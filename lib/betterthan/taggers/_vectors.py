"""Four labels at a time: the innermost steps of `_kernels` as vector instructions.

Numba adds and compares the four numbers of a block of labels one by one; as vectors, training
takes two thirds of the time. Every number is added in the same order as before, so the results
are the same to the last bit.

Arrays of scores and weights are contiguous, of shape (rows, blocks, 4). (Numba's cache knows
only the file in which a compiled function stands: after a change here, touch
`_kernels.py`.)
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic


class _Blocks:
    """The blocks of one array, as vectors of four."""

    def __init__(self, context, builder, kind, value):
        self.builder = builder
        self.array = context.make_array(kind)(context, builder, value)
        self.blocks = builder.extract_value(self.array.shape, 1)
        self.vector = ir.VectorType(self.array.data.type.pointee, 4)

    def pointer(self, row, block):
        builder = self.builder
        cell = builder.add(builder.mul(row, self.blocks), block)
        first = builder.gep(self.array.data, [builder.mul(cell, cell.type(4))])
        return builder.bitcast(first, self.vector.as_pointer())

    def load(self, row, block, vector=None):
        """A block, in the precision of `vector` if that is given."""
        loaded = self.builder.load(self.pointer(row, block), align=4)
        if vector is None or vector == self.vector:
            return loaded
        return self.builder.fpext(loaded, vector)

    def store(self, value, row, block):
        self.builder.store(value, self.pointer(row, block), align=4)


def _contiguous(*arrays):
    if any(array.layout != "C" for array in arrays):
        raise TypingError("expected contiguous arrays")


def _whole(context, builder, signature, arguments, *positions):
    return [context.cast(builder, arguments[k], signature.args[k], types.intp) for k in positions]


def _count(builder, begin, end):
    return cgutils.for_range_slice(builder, begin, end, begin.type(1), intp=begin.type)


@intrinsic
def prefetch(typingctx, array, row):
    """Ask for the cache line where array[row] begins, without waiting for it."""

    def codegen(context, builder, signature, arguments):
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
def sum_rows(typingctx, weights, ids, begin, end, block, out, p):
    """out[p, block] = the sum of weights[f, block] over the features f in ids[begin:end]."""
    _contiguous(weights, ids, out)

    def codegen(context, builder, signature, arguments):
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
def best_before(typingctx, scores, transitions, n_labels, block, p, back):
    """A step of Viterbi's algorithm: the best label before each of the four in this block.

    Adds to scores[p, block] the highest scores[p - 1, q] + transitions[q, block] over all
    labels q, and puts that q (the lowest of equals) into back[p, block].
    """
    _contiguous(scores, transitions, back)

    def codegen(context, builder, signature, arguments):
        scores, transitions, back = (
            _Blocks(context, builder, signature.args[k], arguments[k]) for k in (0, 1, 5)
        )
        n_labels, block, p = _whole(context, builder, signature, arguments, 2, 3, 4)
        zero, one = p.type(0), p.type(1)
        before = scores.pointer(builder.sub(p, one), zero)
        before = builder.bitcast(before, scores.array.data.type)

        def spread(value, vector):
            first = builder.insert_element(
                ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0)
            )
            everywhere = ir.Constant(ir.VectorType(ir.IntType(32), 4), [0] * 4)
            return builder.shuffle_vector(first, first, everywhere)

        def through(q):
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

    return types.void(scores, transitions, n_labels, block, p, back), codegen
