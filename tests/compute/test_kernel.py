"""The kernel cache trusts contents, not modification times; EQUILIBRIST_JIT=0 gives plain Python."""

import ast
import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from equilibrist.compute.kernel import _is_compiled, _kernel_files

PROGRAM = textwrap.dedent(
    """
    import sys
    sys.path.insert(0, {folder!r})
    import probe._kernels.loops as loops
    import numpy as np
    assert loops.double(np.arange(3.0)).tolist() == {expected}
    stats = getattr(loops.double, "stats", None)
    print("hits", sum(stats.cache_hits.values()) if stats else "plain")
    """
)
LOOPS = """
from equilibrist.compute.kernel import kernel
from probe._kernels.parts import factor

@kernel
def double(x):
    out = x.copy()
    for i in range(x.shape[0]):
        out[i] = factor() * x[i]
    return out
"""
PARTS = """
from equilibrist.compute.kernel import kernel

@kernel
def factor():
    return {factor}
"""


def run(folder, expected, **environment):
    env = os.environ | {"EQUILIBRIST_CACHE": str(folder / "cache")} | environment
    program = PROGRAM.format(folder=str(folder), expected=expected)
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    return done.stdout.split()[1]


def write_probe(folder):
    package = folder / "probe" / "_kernels"
    package.mkdir(parents=True)
    (folder / "probe" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "loops.py").write_text(LOOPS)
    (package / "parts.py").write_text(PARTS.format(factor=2.0))
    return package


def test_cache_follows_contents(tmp_path):
    package = write_probe(tmp_path)
    assert run(tmp_path, [0.0, 2.0, 4.0]) == "0"  # compiled
    os.utime(package / "loops.py", (1, 1))  # reinstalled: same contents, other time
    assert run(tmp_path, [0.0, 2.0, 4.0]) == "1"
    (package / "parts.py").write_text(PARTS.format(factor=3.0))  # a kernel it calls has changed
    assert run(tmp_path, [0.0, 3.0, 6.0]) == "0"
    assert run(tmp_path, [0.0, 3.0, 6.0], EQUILIBRIST_JIT="0") == "plain"


ALONE = """
import sys
sys.path.insert(0, {folder!r})
import probe._kernels.loops as loops
import numpy as np
assert loops.double(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]
print(sum(loops.double.stats.cache_hits.values()), "numba.np.linalg" in sys.modules)
assert loops.double(np.arange(3)).dtype == np.int64  # of another type: compiled here, by all of Numba
print("numba.np.linalg" in sys.modules)
"""


def test_kernels_are_loaded_without_what_compiles_others(tmp_path):
    write_probe(tmp_path)
    assert run(tmp_path, [0.0, 2.0, 4.0]) == "0"
    env = os.environ | {"EQUILIBRIST_CACHE": str(tmp_path / "cache")}
    program = ALONE.format(folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False", "True"]


def files_by_syntax(path: str) -> set[str]:
    """A kernel file and those that it imports, as Python itself reads and finds them."""
    found, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            for node in ast.walk(ast.parse(Path(current).read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module and _is_compiled(node.module):
                    waiting.append(importlib.util.find_spec(node.module).origin)
    return found


def test_the_kernel_files_behind_a_stamp_are_those_that_python_imports():
    source = Path(__file__).parents[2] / "src" / "equilibrist"
    kernels = sorted(source.rglob("_kernels/*.py"))
    assert len(kernels) > 60
    for path in kernels:
        assert _kernel_files(str(path)) == files_by_syntax(str(path)), path


@pytest.mark.sampled(1)
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs owners of files")
@pytest.mark.parametrize(
    ("whose", "said"), [("others", "can be written by others"), ("foreign", "belongs to somebody else")]
)
def test_a_cache_that_others_can_write_is_not_read(tmp_path, whose, said):
    """Entries are code: what somebody else put there must not run. Kernels are compiled in memory instead, with one sentence."""
    package = tmp_path / "probe" / "_kernels"
    package.mkdir(parents=True)
    (tmp_path / "probe" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "loops.py").write_text(LOOPS)
    (package / "parts.py").write_text(PARTS.format(factor=2.0))
    assert run(tmp_path, [0.0, 2.0, 4.0]) == "0"
    assert run(tmp_path, [0.0, 2.0, 4.0]) == "1"
    cache = tmp_path / "cache" / "kernels"
    assert cache.stat().st_mode & 0o777 == 0o700
    if whose == "others":
        cache.chmod(0o770)
    elif os.getuid() == 0:
        os.chown(cache, 65534, 65534)
    else:
        pytest.skip("only root can give folders away")
    program = PROGRAM.format(folder=str(tmp_path), expected=[0.0, 2.0, 4.0])
    environment = os.environ | {"EQUILIBRIST_CACHE": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == "0"
    assert done.stderr.count(said) == 1


def test_solving_works_without_the_jit():
    code = "import equilibrist as eq; s = eq.solve('kuhn', 'cfr+', iterations=40); print(round(s.exploitability, 4))"
    outputs = [
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"EQUILIBRIST_JIT": jit}, capture_output=True, text=True,
                       check=True).stdout
        for jit in ("0", "1")
    ]  # fmt: skip
    assert outputs[0] == outputs[1]


def test_a_numba_without_the_private_classes_is_refused_in_one_sentence():
    program = (
        "from numba.core import caching\n"
        "del caching._CacheLocator\n"
        "from equilibrist.compute.kernel import NumbaVersionError, kernel\n"
        "try:\n"
        "    kernel(lambda x: x)\n"
        "except NumbaVersionError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "has no _CacheLocator, which the cache of compiled kernels stands on" in done.stdout
    assert "numba>=0.61,<0.69" in done.stdout
    assert done.stdout.count("\n") == 1


def test_the_range_of_numba_is_the_one_that_the_sentence_names():
    import tomllib
    from pathlib import Path

    root = Path(__file__).parents[2]
    wanted = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    named = next(text for text in wanted if text.startswith("numba"))
    assert f"'{named}'" in (root / "src/equilibrist/compute/kernel.py").read_text(encoding="utf-8")


FULL = (
    "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"  # no byte can be written, as on a full disk
)


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    package = tmp_path / "probe" / "_kernels"
    package.mkdir(parents=True)
    (tmp_path / "probe" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "loops.py").write_text(LOOPS)
    (package / "parts.py").write_text(PARTS.format(factor=2.0))
    program = PROGRAM.format(folder=str(tmp_path), expected=[0.0, 2.0, 4.0])
    (tmp_path / "file").touch()
    for before, cache in ((FULL, tmp_path / "cache"), ("", tmp_path / "file" / "cache")):
        env = os.environ | {"EQUILIBRIST_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", before + program], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert done.stderr.count("compiled in memory") == 1, done.stderr
        assert str(cache) in done.stderr
