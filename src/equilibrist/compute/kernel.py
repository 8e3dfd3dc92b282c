"""`@kernel`: the one place that names the JIT and its flags.

Kernels are compiled once and kept in the user's cache folder, keyed by the *contents* of their source file and of the
kernel files it imports, so reinstalling or touching unrelated files does not compile anything again.
`EQUILIBRIST_JIT=0` leaves kernels as plain Python (debugging, coverage); `EQUILIBRIST_CACHE` moves the cache.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib.util
import logging
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from equilibrist.core.errors import EquilibristError

F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger(__name__)

PACKAGE = Path(__file__).parents[1]
JIT_ENABLED = os.environ.get("EQUILIBRIST_JIT", "1") != "0"


class NumbaVersionError(EquilibristError, ImportError):
    """A Numba without the parts that kernels need."""


def cache_folder() -> Path:
    """Where compiled kernels are kept."""
    base = os.environ.get("EQUILIBRIST_CACHE")
    if base:
        return Path(base)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "equilibrist"


@functools.cache
def private_folder(folder: Path) -> bool:
    """Whether only this user can have put anything there: what is loaded from the cache runs as code. Said once where not."""
    for part in (folder.parent, folder):
        found = part.stat()
        if not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022):
            continue
        whose = "can be written by others" if found.st_uid == os.getuid() else "belongs to somebody else"
        log.warning(
            "The folder '%s' %s, so compiled kernels are neither read from it nor kept there; let only yourself write to it "
            "(chmod -R go-w) or set EQUILIBRIST_CACHE to a folder of your own.", part, whose
        )  # fmt: skip
        return False
    return True


@functools.cache
def source_stamp(path: str) -> str:
    """A hash of a kernel file and of all kernel files it imports."""
    digest = hashlib.sha256()
    for name in sorted(_kernel_files(path)):
        digest.update(_source(name)[0])
    return digest.hexdigest()


def _kernel_files(path: str) -> set[str]:
    found: set[str] = set()
    waiting = [path]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += _source(current)[1]
    return found


_FROM = re.compile(rb"^[ \t]*from[ \t]+([\w.]+)[ \t]+import\b", re.MULTILINE)


@functools.cache
def _source(path: str) -> tuple[bytes, list[str]]:
    """What a kernel file holds, and the kernel files that it imports; read once, since every start asks."""
    text = Path(path).read_bytes()
    modules = {name.decode() for name in _FROM.findall(text)}
    return text, [str(file) for module in sorted(modules) if _is_compiled(module) and (file := _file_of(module))]


def _is_compiled(module: str) -> bool:
    """Modules whose contents end up inside compiled kernels."""
    return "._kernels" in module or module in ("equilibrist.compute.lanes", "equilibrist.compute.atomics")


def _file_of(module: str) -> Path | None:
    """Where a module lies; ours without asking Python, which would import the packages above it."""
    package, *rest = module.split(".")
    if package == PACKAGE.name:
        below = PACKAGE.joinpath(*rest)
        return below / "__init__.py" if below.is_dir() else below.with_suffix(".py")
    spec = importlib.util.find_spec(module)
    return None if spec is None or spec.origin is None else Path(spec.origin)


PRIVATE = ("_CacheLocator", "CompileResultCacheImpl", "FunctionCache")  # of Numba, without a promise to stay


@functools.cache
def _caching() -> Any:
    """Numba's caching module with the private classes that the kernel cache stands on."""
    import numba
    from numba.core import caching

    missing = [name for name in PRIVATE if not hasattr(caching, name)]
    if missing:
        raise NumbaVersionError(
            f"Numba {numba.__version__} has no {', '.join(missing)}, which the cache of compiled kernels stands on; "
            "install a version that equilibrist names (pip install 'numba>=0.61,<0.69'), or set EQUILIBRIST_JIT=0."
        )
    return caching


@functools.cache
def _locator() -> Any:
    """A numba cache locator that trusts file contents instead of modification times."""

    class ContentLocator(_caching()._CacheLocator):  # type: ignore[misc]
        def __init__(self, py_func: Any, py_file: str) -> None:
            self._py_file = py_file
            self._lineno = py_func.__code__.co_firstlineno
            self._folder = cache_folder() / "kernels"

        def ensure_cache_path(self) -> None:
            for part in (self._folder.parent, self._folder):
                part.mkdir(mode=0o700, parents=True, exist_ok=True)

        def get_cache_path(self) -> str:
            return str(self._folder)

        def get_source_stamp(self) -> str:
            return source_stamp(self._py_file)

        def get_disambiguator(self) -> str:
            return source_stamp(self._py_file)[:16]

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            try:
                located = cls(py_func, py_file)
                located.ensure_cache_path()
            except OSError:  # unreadable source or unwritable cache: compile without caching
                return None
            return located if private_folder(located._folder) else None

    return ContentLocator


@functools.cache
def _cache_class() -> Any:
    """Numba's cache of one function, in our folder."""

    class ContentCacheImpl(_caching().CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = [_locator()]

    class ContentCache(_caching().FunctionCache):  # type: ignore[misc]
        _impl_class = ContentCacheImpl

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            with contextlib.suppress(Exception):  # a private shortcut: where it fails, the whole way is tried
                return self._load_alone(sig, target_context)
            try:
                return super().load_overload(sig, target_context)
            except (
                Exception
            ):  # entries name types by module; one that was written before a module moved is compiled again
                with _in_memory_if_it_must():
                    self.flush()
                return None

        def _load_alone(self, sig: Any, target_context: Any) -> Any:
            """A compiled kernel needs Numba's runtime, but not what could compile others, which takes longer to import than to load it.

            Whatever is compiled later loads all of it first.
            """
            from numba.core.runtime import rtsys

            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)

        def save_overload(self, sig: Any, data: Any) -> None:
            with _in_memory_if_it_must():
                super().save_overload(sig, data)

    return ContentCache


def _enable_cache(dispatcher: Any) -> None:
    try:
        dispatcher._cache = _cache_class()(dispatcher.py_func)
    except RuntimeError:  # nowhere to write: compile in memory
        _say_in_memory("no files can be made there")


@contextlib.contextmanager
def _in_memory_if_it_must() -> Iterator[None]:
    """A cache that is full or read-only costs the next start its compiled kernels, and nothing else."""
    try:
        yield
    except OSError as error:
        _say_in_memory(error.strerror or str(error))


@functools.cache
def _say_in_memory(reason: str) -> None:
    """Once for each reason."""
    log.warning(
        "Compiled kernels cannot be kept in '%s' (%s), so they are compiled in memory; make room or set EQUILIBRIST_CACHE.",
        cache_folder(),
        reason,
    )


def _lean_for_callers(dispatcher: Any) -> None:
    """Whoever calls the kernel from another gets it from `Callees`, which kernels from the cache never need; compilers hold a lock."""

    def first(args: Any, kws: Any) -> Any:
        from equilibrist.compute.callees import Callees

        return Callees(dispatcher).get_call_template(args, kws)

    dispatcher.get_call_template = first


def _without_collector(compile_one: Callable[..., Any]) -> Callable[..., Any]:
    """Compiling makes objects by the million and hardly any garbage; looking for it takes an eighth of the time."""

    @functools.wraps(compile_one)
    def compile_at_once(*arguments: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return compile_one(*arguments)
        finally:
            if collecting:
                gc.enable()

    return compile_at_once


def kernel(function: F | None = None, *, fast: bool = False, inline: bool = False, merge: bool = False) -> Any:
    """Compile a loop over arrays.

    `fast` lets the compiler reorder sums (never assuming away NaN or infinity); it pays only in long sums. `merge` puts the compiled
    code of a short kernel into its callers, which saves handing over its arrays. `inline` does so with its source, which counts
    references to every array once more: for kernels of scalars, or where `merge` was measured to be slower.
    """

    def decorate(f: F) -> Any:
        if not JIT_ENABLED:
            return f
        import numba

        flags: Any = {"reassoc", "contract", "arcp", "nsz"} if fast else False
        dispatcher = numba.njit(
            nogil=True, fastmath=flags, error_model="numpy", inline="always" if inline else "never", forceinline=merge,
            no_cfunc_wrapper=True,
        )(f)  # fmt: skip
        _enable_cache(dispatcher)
        _lean_for_callers(dispatcher)
        dispatcher._compiler.compile = _without_collector(dispatcher._compiler.compile)
        return dispatcher

    return decorate if function is None else decorate(function)
