"""Bundles: named tuples of arrays that kernels get by one address.

Numba hands a named tuple over in its smallest parts, seven for every array, and again at each call inside: a hundred arrays take seconds to
compile, and their references are counted all the time. `bundle` notes once where the arrays lie and how long they are; a kernel gets the
address of the notes and reads from them what it asks for, `side.hands.order` as of the tuple itself. Notes never change, so that the
compiler may read them ahead of loops: an array that is replaced needs a new bundle. Arrays are dense, and nobody asks whether they may be
written. With EQUILIBRIST_JIT=0 the tuple serves.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.compute.kernel import JIT_ENABLED

WORD = 8  # bytes

if not JIT_ENABLED:

    def bundle(fields: Any) -> Any:
        return fields

    def bundle_rows(rows: Sequence[Any]) -> Any:
        return tuple(rows)

else:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.core.extending import lower_getattr_generic
    from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
    from numba.extending import NativeValue, lower_builtin, models, register_model, typeof_impl, unbox
    from numba.np.numpy_support import from_dtype

    _BYTE = ir.IntType(8).as_pointer()
    # part of the type, so that kernels in the cache read notes as they were written
    _HERE = Path(__file__).read_bytes()

    class BundleType(types.Type):
        """Which fields there are, of which type, from which word on."""

        def __init__(self, label: str, fields: tuple[tuple[str, Any], ...]) -> None:
            self.places: dict[str, tuple[Any, int]] = {}
            self.words = 0
            for name, kind in fields:
                self.places[name] = kind, self.words
                self.words += _words_of(kind)
            told = repr([(name, str(kind)) for name, kind in fields])
            digest = hashlib.sha256(_HERE + told.encode()).hexdigest()[:12]
            super().__init__(name=f"{label}_{digest}")  # short: it becomes part of the names of compiled functions

    def _words_of(kind: Any) -> int:
        if isinstance(kind, (BundleType, RowsType)):
            return kind.words
        return 1 + kind.ndim if isinstance(kind, types.Array) else 1

    class Bundle:
        """A named tuple, and its notes."""

        def __init__(self, fields: Any) -> None:
            # tuples inside become bundles of their own; all are kept, so that the arrays stay alive
            self.fields = type(fields)(*(Bundle(each) if isinstance(each, tuple) else each for each in fields))
            kinds, words = [], list[int]()
            for each in self.fields:
                kind, noted = _note(each)
                kinds.append(kind)
                words += noted
            self.words = np.array(words, dtype=np.uint64)
            self.address = _address(self.words)
            made_of: Any = type(fields)
            self.kind = _bundle_type(made_of, tuple(kinds))

        def __getattr__(self, name: str) -> Any:
            if name == "fields":
                raise AttributeError(name)
            return getattr(self.fields, name)

        def __reduce__(self) -> Any:
            return Bundle, (self.fields,)  # arrays lie elsewhere in another process

    class RowsType(types.Type):
        """Bundles of one type, one after the other."""

        def __init__(self, row: BundleType) -> None:
            self.row, self.words = row, 1
            super().__init__(name=f"Rows_{row.name}")

    class BundleRows:
        """Notes of many named tuples alike."""

        def __init__(self, rows: Sequence[Any]) -> None:
            self.rows = [Bundle(each) for each in rows]
            self.kind = RowsType(self.rows[0].kind)
            assert all(each.kind is self.rows[0].kind for each in self.rows), "rows are of one type"
            self.words = np.stack([each.words for each in self.rows])
            self.address = _address(self.words)

        def __getitem__(self, row: int) -> Any:
            return self.rows[row]

        def __reduce__(self) -> Any:
            return BundleRows, ([each.fields for each in self.rows],)

    def bundle(fields: Any) -> Any:
        """A named tuple of arrays, numbers, bundles and named tuples, for kernels."""
        return Bundle(fields)

    def bundle_rows(rows: Sequence[Any]) -> Any:
        """Named tuples of one kind, which a kernel finds by number."""
        return BundleRows(rows)

    def _address(array: Any) -> int:
        return int(array.ctypes.data)

    @cache
    def _bundle_type(made_of: Any, kinds: tuple[Any, ...]) -> BundleType:
        fields = zip(made_of._fields, kinds, strict=True)
        return BundleType(made_of.__name__, tuple((name, _field_type(kind)) for name, kind in fields))

    def _field_type(kind: Any) -> Any:
        return types.Array(from_dtype(kind[0]), kind[1], "C") if isinstance(kind, tuple) else kind

    def _note(value: Any) -> tuple[Any, list[int]]:
        """The type of one field, of arrays that of entries and how many dimensions, and its words."""
        if isinstance(value, np.ndarray):
            assert value.flags.c_contiguous, "arrays of a bundle have no gaps"
            return (value.dtype, value.ndim), [_address(value), *value.shape]
        if isinstance(value, Bundle):
            return value.kind, value.words.tolist()
        if isinstance(value, BundleRows):
            return value.kind, [value.address]
        if isinstance(value, (bool, np.bool_)):
            return types.boolean, [int(value)]
        if isinstance(value, (int, np.integer)):
            return types.int64, [int(value) & (2**64 - 1)]
        assert isinstance(value, np.float32), f"no field of a bundle: {type(value).__name__}"
        return types.float32, [int(value.view(np.uint32))]

    @register_model(BundleType)
    class BundleModel(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _BYTE)

    @register_model(RowsType)
    class RowsModel(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _BYTE)

    @typeof_impl.register(Bundle)
    @typeof_impl.register(BundleRows)
    def _(value: Any, context: Any) -> Any:
        return value.kind

    @unbox(BundleType)
    @unbox(RowsType)
    def _(kind: BundleType, value: Any, c: Any) -> Any:
        held = c.pyapi.object_getattr_string(value, "address")
        address = c.pyapi.long_as_voidptr(held)
        c.pyapi.decref(held)
        return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))

    @infer_getattr
    class BundleFields(AttributeTemplate):
        key = BundleType

        def generic_resolve(self, kind: BundleType, name: str) -> Any:
            found = kind.places.get(name)
            return None if found is None else found[0]

    @infer_global(operator.getitem)
    class RowByNumber(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if isinstance(args[0], RowsType) and isinstance(args[1], types.Integer):
                return signature(args[0].row, args[0], types.intp)
            return None

    @lower_builtin(operator.getitem, RowsType, types.Integer)
    def _(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
        width = ir.Constant(ir.IntType(64), WORD * kinds.args[0].row.words)
        return builder.gep(values[0], [builder.mul(values[1], width)], inbounds=True)

    def _read(builder: Any, notes: Any, word: int, kind: Any) -> Any:
        place = builder.gep(notes, [ir.Constant(ir.IntType(32), WORD * word)], inbounds=True)
        instruction = builder.load(builder.bitcast(place, kind.as_pointer()))
        instruction.align = WORD
        instruction.set_metadata("invariant.load", builder.module.add_metadata([]))
        return instruction

    @lower_getattr_generic(BundleType)
    def _(context: Any, builder: Any, kind: BundleType, notes: Any, name: str) -> Any:
        field, word = kind.places[name]
        if isinstance(field, BundleType):
            return builder.gep(notes, [ir.Constant(ir.IntType(32), WORD * word)], inbounds=True)
        if isinstance(field, RowsType):
            return _read(builder, notes, word, _BYTE)
        if isinstance(field, types.Array):
            return _array(context, builder, field, notes, word)
        if field is types.boolean:
            return builder.trunc(_read(builder, notes, word, ir.IntType(8)), ir.IntType(1))
        return _read(builder, notes, word, context.get_value_type(field))

    def _array(context: Any, builder: Any, field: Any, notes: Any, word: int) -> Any:
        """An array that nobody counts references of: the tuple keeps it."""
        from numba.np.arrayobj import populate_array

        whole, width = ir.IntType(64), context.get_abi_sizeof(context.get_data_type(field.dtype))
        made = context.make_array(field)(context, builder)
        shape = [_read(builder, notes, word + 1 + k, whole) for k in range(field.ndim)]
        strides = [ir.Constant(whole, width)]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        data = _read(builder, notes, word, context.get_data_type(field.dtype).as_pointer())
        populate_array(made, data, shape, strides, ir.Constant(whole, width), None)
        return made._getvalue()
