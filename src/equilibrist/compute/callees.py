"""Kernels that other kernels call: compiled to be put into their callers, with nothing that only Python needs.

Numba compiles a function for Python as well: a wrapper that takes arguments out of objects, one in C, and machine code of its own. Kernels
that were reached from another kernel need none of them, and are a third cheaper. They are kept as long as the process lives; what is kept
on disk is the kernel that Python calls, with everything inside.
"""

from __future__ import annotations

from functools import cache
from typing import Any


class Callees:
    """One kernel for its callers, by the types of its arguments.

    It takes the place of two methods of Numba's dispatcher, by which callers ask for the signature of a function and then for its code.
    """

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher, self.found = dispatcher, dict[tuple[Any, ...], Callee]()
        dispatcher.get_call_template = self.get_call_template
        dispatcher.get_overload = self.get_overload

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """What a call with such arguments gives back; compiles it at first."""
        from numba.core import typing
        from numba.core.compiler_lock import global_compiler_lock

        dispatcher = self.dispatcher
        pysig, types = dispatcher._compiler.fold_argument_types(args, kws)
        types = tuple(types)
        with global_compiler_lock, dispatcher._compiling_counter:
            if types not in dispatcher.overloads and types not in self.found:
                self.found[types] = Callee(dispatcher, types)
        made = dispatcher.overloads[types] if types in dispatcher.overloads else self.found[types].result
        name = dispatcher.py_func.__name__
        template = typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=[made.signature])
        return template, pysig, types, {}

    def get_overload(self, signature: Any) -> Any:
        """What stands for the code in calls of it."""
        from numba.core import sigutils

        types = tuple(sigutils.normalize_signature(signature)[0])
        made = self.dispatcher.overloads.get(types)
        return self.found[types] if made is None else made.entry_point


class Callee:
    """Optimised code of a kernel for arguments of certain types."""

    def __init__(self, dispatcher: Any, types: tuple[Any, ...]) -> None:
        from numba.core import event

        details = {"dispatcher": dispatcher, "args": types, "return_type": None}
        with event.trigger_event("numba:compile", data=details):
            self.result = _compile(dispatcher, types)
        dispatcher.targetctx.insert_user_function(self, self.result.fndesc, [self.result.library])


def _compile(dispatcher: Any, types: tuple[Any, ...]) -> Any:
    from numba.core import compiler

    flags = compiler.Flags()
    dispatcher.targetdescr.options.parse_as_flags(flags, dispatcher.targetoptions)
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    context, function = dispatcher.targetctx, dispatcher.py_func
    return compiler.compile_extra(
        dispatcher.typingctx, context, function, args=types, return_type=None, flags=flags, locals=dispatcher.locals,
        library=_library_class()(context.codegen(), function.__qualname__), pipeline_class=dispatcher._compiler.pipeline_class,
    )  # fmt: skip


@cache
def _library_class() -> Any:
    from numba.core.codegen import JITCodeLibrary

    class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
        """Code to be linked into that of callers, of which no machine code is made."""

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

    return LinkedLibrary
