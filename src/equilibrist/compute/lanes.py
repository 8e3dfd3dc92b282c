"""Sixteen 32-bit floats at once: a value type for kernels, so that inner loops say what the machine shall do.

The compiler cannot prove that arrays do not overlap and then gives up on loops over many of them; these operations are vectors
already. `load` and `store` read and write sixteen neighbours of a flat array; `+ - *` and `times_plus` work lane by lane. The compiler
may not reorder them, so that a kernel gives the same bits wherever it is inlined. LLVM splits the vectors on machines with shorter
registers. With EQUILIBRIST_JIT=0 the same names work on slices of numpy arrays.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from equilibrist.compute.kernel import JIT_ENABLED

LANES = 16
LEAST = 2.0**-100  # sums below this count as nothing: their inverse would overflow

_PAGE = 4096
_LINE = 64  # bytes of a cache line, and of sixteen floats


def aligned(size: int, dtype: Any = np.float32, *, stagger: int = 0) -> Any:
    """Zeros that begin on a cache line: a vector that straddles two lines costs two reads.

    `stagger` moves the beginning by so many lines within its page. Arrays that are walked together should begin at different lines:
    a store and a load of addresses that agree in their last twelve bits wait for each other.
    """
    width = np.dtype(dtype).itemsize
    room = np.zeros(size * width + _PAGE + _LINE, dtype=np.uint8)
    first = (stagger * _LINE - room.ctypes.data) % _PAGE if stagger else -room.ctypes.data % _LINE
    return room[first : first + size * width].view(dtype)


if not JIT_ENABLED:

    def load(array: Any, index: int) -> Any:
        return array[index : index + LANES].copy()

    def store(array: Any, index: int, lanes: Any) -> None:
        array[index : index + LANES] = lanes

    def spread(number: Any) -> Any:
        return np.full(LANES, number, dtype=np.float32)

    def maximum(a: Any, b: Any) -> Any:
        return np.maximum(a, b)

    def minimum(a: Any, b: Any) -> Any:
        return np.minimum(a, b)

    def times_plus(a: Any, b: Any, c: Any) -> Any:
        return a * b + c

    def inverse(total: Any) -> Any:
        return np.where(total > LEAST, 1 / np.where(total > LEAST, total, 1), 0).astype(np.float32)

    def choose(condition: Any, a: Any, b: Any) -> Any:
        return np.where(condition > LEAST, a, b).astype(np.float32)

    def load_short(array: Any, index: int, scale: Any) -> Any:
        return array[index : index + LANES].astype(np.float32) * np.float32(scale)

    def store_short(array: Any, index: int, lanes: Any) -> None:
        array[index : index + LANES] = np.rint(lanes).astype(array.dtype)

    def largest(lanes: Any) -> Any:
        return np.float32(np.max(lanes))

    def pick(array: Any, base: int, places: Any, at: int) -> Any:
        return array[base + places[at : at + LANES]].astype(np.float32)

    def gather_transposed(
        source: Any, rows: Any, first: int, column: int, stride: int, target: Any, at: int, step: int
    ) -> None:
        for r in range(LANES):
            row = source[rows[first + r] * stride + column :][:LANES]
            target[at + r : at + r + LANES * step : step][:LANES] = row

    def scatter_transposed(
        source: Any, at: int, step: int, target: Any, rows: Any, first: int, column: int, stride: int
    ) -> None:
        block = np.stack([source[at + r * step :][:LANES] for r in range(LANES)])
        for r in range(LANES):
            target[rows[first + r] * stride + column :][:LANES] = block[:, r]

else:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic, models, overload, register_model

    _FLOAT = ir.FloatType()
    _VECTOR = ir.VectorType(_FLOAT, LANES)

    class LanesType(types.Type):
        def __init__(self) -> None:
            super().__init__(name="Lanes")

    lanes_type = LanesType()

    @register_model(LanesType)
    class LanesModel(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _VECTOR)

    def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
        data = context.make_array(array_type)(context, builder, array).data
        place = builder.gep(data, [index])
        return builder.bitcast(place, _VECTOR.as_pointer())

    @intrinsic
    def load(typing: Any, array: Any, index: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = context.cast(builder, arguments[1], index, types.intp)
            instruction = builder.load(_address(context, builder, array, arguments[0], place), typ=_VECTOR)
            instruction.align = 4
            return instruction

        return lanes_type(array, index), code

    @intrinsic
    def store(typing: Any, array: Any, index: Any, lanes: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = context.cast(builder, arguments[1], index, types.intp)
            builder.store(arguments[2], _address(context, builder, array, arguments[0], place), align=4)
            return context.get_dummy_value()

        return types.void(array, index, lanes), code

    @intrinsic
    def spread(typing: Any, number: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            scalar = context.cast(builder, arguments[0], number, types.float32)
            one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
            mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), mask)

        return lanes_type(number), code

    def _binary(make: Any) -> Any:
        @intrinsic
        def operation(typing: Any, a: Any, b: Any) -> Any:
            def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                return make(builder, arguments[0], arguments[1])

            return lanes_type(a, b), code

        return operation

    _FAST = ("nsz",)
    _add = _binary(lambda builder, a, b: builder.fadd(a, b, flags=_FAST))
    _subtract = _binary(lambda builder, a, b: builder.fsub(a, b, flags=_FAST))
    _multiply = _binary(lambda builder, a, b: builder.fmul(a, b, flags=_FAST))
    maximum = _binary(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))
    minimum = _binary(lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b))

    @intrinsic
    def times_plus(typing: Any, a: Any, b: Any, c: Any) -> Any:
        """a * b + c, in one step where the machine has one."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(_VECTOR, [_VECTOR, _VECTOR, _VECTOR])
            fmuladd = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{LANES}f32")
            return builder.call(fmuladd, arguments)

        return lanes_type(a, b, c), code

    _ZERO = ir.Constant(_VECTOR, [0.0] * LANES)
    _LEAST = ir.Constant(_VECTOR, [LEAST] * LANES)
    _ONE = ir.Constant(_VECTOR, [1.0] * LANES)

    @intrinsic
    def inverse(typing: Any, total: Any) -> Any:
        """1 / total where total counts (is above `LEAST`), 0 elsewhere."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            positive = builder.fcmp_ordered(">", arguments[0], _LEAST)
            return builder.select(positive, builder.fdiv(_ONE, arguments[0]), _ZERO)

        return lanes_type(total), code

    @intrinsic
    def choose(typing: Any, condition: Any, a: Any, b: Any) -> Any:
        """a where condition counts (is above `LEAST`), b elsewhere."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.select(builder.fcmp_ordered(">", arguments[0], _LEAST), arguments[1], arguments[2])

        return lanes_type(condition, a, b), code

    _SHORTS = ir.VectorType(ir.IntType(16), LANES)

    def _short_address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
        data = context.make_array(array_type)(context, builder, array).data
        return builder.bitcast(builder.gep(data, [index]), _SHORTS.as_pointer())

    @intrinsic
    def load_short(typing: Any, array: Any, index: Any, scale: Any) -> Any:
        """Sixteen 16-bit whole numbers, with or without sign, as floats times `scale` (lanes)."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = context.cast(builder, arguments[1], index, types.intp)
            shorts = builder.load(_short_address(context, builder, array, arguments[0], place), typ=_SHORTS)
            shorts.align = 2
            floats = builder.sitofp if array.dtype.signed else builder.uitofp
            return builder.fmul(floats(shorts, _VECTOR), arguments[2])

        return lanes_type(array, index, scale), code

    @intrinsic
    def store_short(typing: Any, array: Any, index: Any, lanes: Any) -> Any:
        """Sixteen floats within 16 bits, rounded to whole numbers."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = context.cast(builder, arguments[1], index, types.intp)
            kind = ir.FunctionType(_VECTOR, [_VECTOR])
            rint = cgutils.get_or_insert_function(builder.module, kind, f"llvm.nearbyint.v{LANES}f32")
            whole = builder.fptosi if array.dtype.signed else builder.fptoui
            shorts = whole(builder.call(rint, [arguments[2]]), _SHORTS)
            builder.store(shorts, _short_address(context, builder, array, arguments[0], place), align=2)
            return context.get_dummy_value()

        return types.void(array, index, lanes), code

    @intrinsic
    def largest(typing: Any, lanes: Any) -> Any:
        """The largest lane, as a number."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            best = builder.extract_element(arguments[0], ir.Constant(ir.IntType(32), 0))
            for lane in range(1, LANES):
                other = builder.extract_element(arguments[0], ir.Constant(ir.IntType(32), lane))
                best = builder.select(builder.fcmp_ordered(">", other, best), other, best)
            return best

        return types.float32(lanes), code

    @intrinsic
    def pick(typing: Any, array: Any, base: Any, places: Any, at: Any) -> Any:
        """array[base + places[at + k]] for sixteen k: entries that lie anywhere."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            begin, first = (context.cast(builder, arguments[k], signature.args[k], types.intp) for k in (1, 3))
            out = ir.Constant(_VECTOR, ir.Undefined)
            data = context.make_array(array)(context, builder, arguments[0]).data
            for k in range(LANES):
                place = _element(context, builder, places, arguments[2], builder.add(first, ir.Constant(first.type, k)))
                entry = builder.load(builder.gep(data, [builder.add(begin, place)]), typ=_FLOAT)
                out = builder.insert_element(out, entry, ir.Constant(ir.IntType(32), k))
            return out

        return lanes_type(array, base, places, at), code

    def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
        """Sixteen vectors of sixteen, rows for columns, in four rounds of exchanges between neighbours 1, 2, 4, 8 apart."""
        index = ir.IntType(32)
        for s in (1, 2, 4, 8):
            low = [j if not j & s else LANES + j - s for j in range(LANES)]
            high = [j + s if not j & s else LANES + j for j in range(LANES)]
            masks = [ir.Constant(ir.VectorType(index, LANES), mask) for mask in (low, high)]
            for i in range(LANES):
                if not i & s:
                    a, b = rows[i], rows[i + s]
                    rows[i] = builder.shuffle_vector(a, b, masks[0])
                    rows[i + s] = builder.shuffle_vector(a, b, masks[1])
        return rows

    def _element(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
        data = context.make_array(array_type)(context, builder, array).data
        number = builder.load(builder.gep(data, [index]), typ=context.get_data_type(array_type.dtype))
        return context.cast(builder, number, array_type.dtype, types.intp)

    def _load_at(context: Any, builder: Any, array_type: Any, array: Any, place: Any) -> Any:
        instruction = builder.load(_address(context, builder, array_type, array, place), typ=_VECTOR)
        instruction.align = 4
        return instruction

    @intrinsic
    def gather_transposed(
        typing: Any, source: Any, rows: Any, first: Any, column: Any, stride: Any, target: Any, at: Any, step: Any
    ) -> Any:
        """target[at + c * step + r] = source[rows[first + r] * stride + column + c] for a block of 16 x 16."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = [
                value if isinstance(kind, types.Array) else context.cast(builder, value, kind, types.intp)
                for value, kind in zip(arguments, signature.args, strict=True)
            ]
            _, _, begin, shift, width, _, place, gap = whole
            block = []
            for r in range(LANES):
                number = builder.add(begin, ir.Constant(begin.type, r))
                row = _element(context, builder, rows, whole[1], number)
                where = builder.add(builder.mul(row, width), shift)
                block.append(_load_at(context, builder, source, whole[0], where))
            for c, lanes in enumerate(_transposed(builder, block)):
                where = builder.add(place, builder.mul(gap, ir.Constant(gap.type, c)))
                builder.store(lanes, _address(context, builder, target, whole[5], where), align=4)
            return context.get_dummy_value()

        return types.void(source, rows, first, column, stride, target, at, step), code

    @intrinsic
    def scatter_transposed(
        typing: Any, source: Any, at: Any, step: Any, target: Any, rows: Any, first: Any, column: Any, stride: Any
    ) -> Any:
        """target[rows[first + r] * stride + column + c] = source[at + c * step + r] for a block of 16 x 16."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = [
                context.cast(builder, value, kind, types.intp) if isinstance(kind, types.Integer) else value
                for value, kind in zip(arguments, signature.args, strict=True)
            ]
            _, place, gap, _, _, begin, shift, width = whole
            block = []
            for c in range(LANES):
                where = builder.add(place, builder.mul(gap, ir.Constant(gap.type, c)))
                block.append(_load_at(context, builder, source, whole[0], where))
            for r, lanes in enumerate(_transposed(builder, block)):
                number = builder.add(begin, ir.Constant(begin.type, r))
                row = _element(context, builder, rows, whole[4], number)
                where = builder.add(builder.mul(row, width), shift)
                builder.store(lanes, _address(context, builder, target, whole[3], where), align=4)
            return context.get_dummy_value()

        return types.void(source, at, step, target, rows, first, column, stride), code

    def _overload(symbol: Any, operation: Any) -> None:
        @overload(symbol)
        def lane_by_lane(a, b):  # numba compares signatures, so no annotations here
            if isinstance(a, LanesType) and isinstance(b, LanesType):
                return lambda a, b: operation(a, b)
            return None

    for _symbol, _operation in ((operator.add, _add), (operator.sub, _subtract), (operator.mul, _multiply)):
        _overload(_symbol, _operation)
