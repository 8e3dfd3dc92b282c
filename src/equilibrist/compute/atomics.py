"""Numbers that threads inside kernels share: tickets for the next piece of work, and word that a piece is done.

An array of whole numbers is the notice board. `take` counts up and says what stood there, so that no two threads draw the same ticket;
whatever a thread wrote before `publish` is seen by those who `read` the new number. `relax` is for loops that wait: first the core
rests for a moment, after a while it is given to another thread, so that more threads than cores get on, too. `fetch` and `claim` bring
near what other cores have written, while this one does something else.
"""

from __future__ import annotations

import ctypes
import platform
import sys
import threading
import time
from typing import Any

from equilibrist.compute.kernel import JIT_ENABLED, kernel

LINE = 16  # numbers of 64 bits that lie apart: cores exchange pairs of cache lines
SPINS = 500  # rests before a waiting thread gives its core away

if not JIT_ENABLED:
    _LOCK = threading.Lock()

    def take(array: Any, index: int, amount: int) -> int:
        with _LOCK:
            before = int(array[index])
            array[index] = before + amount
            return before

    def read(array: Any, index: int) -> int:
        return int(array[index])

    def publish(array: Any, index: int, number: int) -> None:
        array[index] = number

    def relax(spins: int) -> None:
        time.sleep(0)

    def fetch(array: Any, index: int) -> None:
        return None

    claim = fetch

else:
    import llvmlite.binding
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    _YIELD = "equilibrist_yield"  # by a name of our own: systems call it differently
    _REST = {
        "x86_64": ("x86.sse2.pause",),
        "amd64": ("x86.sse2.pause",),
        "aarch64": ("aarch64.hint", 1),
        "arm64": ("aarch64.hint", 1),
    }

    def _give_way() -> Any:
        """The system's function that lets another thread run."""
        if sys.platform == "win32":
            return ctypes.windll.kernel32.SwitchToThread
        return ctypes.CDLL(None).sched_yield

    llvmlite.binding.add_symbol(_YIELD, ctypes.cast(_give_way(), ctypes.c_void_p).value)

    def _place(context: Any, builder: Any, array_type: Any, array: Any, index_type: Any, index: Any) -> Any:
        data = context.make_array(array_type)(context, builder, array).data
        return builder.gep(data, [context.cast(builder, index, index_type, types.intp)])

    def _ask_for(array: Any, index: Any, to_write: int) -> Any:
        """Tell the core that an entry will be needed soon, without waiting for it."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
            byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(ir.VoidType(), [byte, word, word, word]), "llvm.prefetch.p0i8"
            )
            builder.call(function, [builder.bitcast(place, byte), word(to_write), word(3), word(1)])  # near, data
            return context.get_dummy_value()

        return types.void(array, index), code

    @intrinsic
    def fetch(typing: Any, array: Any, index: Any) -> Any:
        """Ask for an entry of an array that will be read soon."""
        return _ask_for(array, index, 0)

    @intrinsic
    def claim(typing: Any, array: Any, index: Any) -> Any:
        """Ask for an entry of an array that will be written soon: other cores give it up."""
        return _ask_for(array, index, 1)

    @intrinsic
    def take(typing: Any, array: Any, index: Any, amount: Any) -> Any:
        """What stood there before `amount` was added."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, array, arguments[0], index, arguments[1])
            more = context.cast(builder, arguments[2], amount, types.int64)
            return builder.atomic_rmw("add", place, more, "seq_cst")

        return types.int64(array, index, amount), code

    @intrinsic
    def read(typing: Any, array: Any, index: Any) -> Any:
        """The number that stands there now, and with it all that was written before it was published."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, array, arguments[0], index, arguments[1])
            return builder.load_atomic(place, "acquire", 8, typ=ir.IntType(64))

        return types.int64(array, index), code

    @intrinsic
    def publish(typing: Any, array: Any, index: Any, number: Any) -> Any:
        """Put a number there, after everything that this thread has written so far."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, array, arguments[0], index, arguments[1])
            whole = context.cast(builder, arguments[2], number, types.int64)
            builder.store_atomic(whole, place, "release", 8)
            return context.get_dummy_value()

        return types.void(array, index, number), code

    @intrinsic
    def relax(typing: Any, spins: Any) -> Any:
        """Wait a moment, having waited `spins` times before."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            waited = context.cast(builder, arguments[0], spins, types.int64)
            with builder.if_else(builder.icmp_signed("<", waited, ir.Constant(ir.IntType(64), SPINS))) as (rest, away):
                with rest:
                    if platform.machine().lower() in _REST:
                        name, *hint = _REST[platform.machine().lower()]
                        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)] * len(hint))
                        pause = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}")
                        builder.call(pause, [ir.Constant(ir.IntType(32), number) for number in hint])
                with away:
                    kind = ir.FunctionType(ir.IntType(32), [])
                    builder.call(cgutils.get_or_insert_function(builder.module, kind, _YIELD), [])
            return context.get_dummy_value()

        return types.void(spins), code


@kernel
def wait_for(array: Any, index: int, number: int) -> None:
    """Until the number there is reached."""
    spins = 0
    while read(array, index) < number:
        relax(spins)
        spins += 1
