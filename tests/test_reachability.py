"""Most of the package can be reached from a command, an agent or the public API, and the script that measures it is right."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app

LEAST_OF_SEARCH = 0.90  # share of the lines of search/
MOST_UNREACHED = 2_000  # lines of the package, experiments apart


def _load() -> ModuleType:
    path = Path(__file__).parents[1] / "benchmarks" / "reachability.py"
    spec = importlib.util.spec_from_file_location("reachability", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["reachability"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = _load()


@pytest.fixture(scope="module")
def sorted_lines() -> tuple[Any, dict[tuple[str, str], str]]:
    package = script.Package()
    return package, script.sort_lines(package)


def test_little_of_the_package_is_out_of_reach(sorted_lines: Any) -> None:
    layers = script.count_layers(*sorted_lines)
    total: Counter[str] = sum(layers.values(), Counter())
    assert total[script.EXPERIMENTS] + total[script.NOTHING] <= MOST_UNREACHED
    assert layers["search"][script.REACHED] / layers["search"].total() >= LEAST_OF_SEARCH


def test_nothing_that_a_command_runs_counts_as_unreached(sorted_lines: Any, tmp_path: Path) -> None:
    _, how = sorted_lines
    ran: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            ran.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    file = str(tmp_path / "leduc.eqb")
    sys.setprofile(note)
    try:
        for words in (
            ["solve", "leduc", "--iterations", "20", "--out", file],
            ["verify", file],
            ["show", file],
            ["search", file, "--line", "b:c:Kc", "--technique", "maxmargin", "--iterations", "5"],
            ["exploit", "kuhn", "--model", "call", "--epsilon", "0.1"],
            ["match", file, "always-call", "--game", "leduc", "--hands", "5"],
        ):
            done = CliRunner().invoke(app, words)
            assert done.exit_code == 0, done.output
    finally:
        sys.setprofile(None)
    functions = {place for code in ran if (place := _place(*code)) is not None}
    assert len(functions) > 300
    assert {place for place in functions if how.get(place, script.REACHED) != script.REACHED} == set()


def _place(file: str, name: str) -> tuple[str, str] | None:
    """The definition of code that ran; None for code of others, and for bodies of modules and classes, which run on import."""
    path, key = Path(file), name.split(".<locals>")[0]
    if not path.is_relative_to(script.SOURCE) or key.startswith("<"):
        return None
    parts = path.relative_to(script.SOURCE).with_suffix("").parts
    owner = key.rpartition(".")[2]
    return None if owner[:1].isupper() else (".".join(part for part in parts if part != "__init__"), key)


SMALL = {
    "__init__.py": "",
    "__init__.pyi": "from equilibrist.solvers.solve import solve as solve\n",
    "interfaces/__init__.py": "",
    "interfaces/cli/__init__.py": "def main():\n    pass\n",
    "solvers/__init__.py": "",
    "solvers/solve.py": """
from equilibrist.solvers.kinds import Given, Kind, Other, Shape
import numpy as np

RUNS = {"fast": "runs:Fast"}


def solve(given: Given):
    return step(given, None)


def step(kind: Other, shape: Shape):
    made = load(f"equilibrist.solvers.{RUNS['fast']}")
    np.flat(made)
    return made.advance() + Kind.of().total


def unused():
    return 1
""",
    "solvers/runs.py": """
class Base:
    def advance(self):
        return self._step()

    def flat(self):
        pass


class Fast(Base):
    def _step(self):
        return 1

    def total(self):
        return 2


class Slow(Base):
    def _step(self):
        return 3
""",
    "solvers/kinds.py": """
from typing import Protocol


class Shape(Protocol):
    def area(self): ...


class Given:
    def public(self):
        return self._hidden()

    def _hidden(self):
        pass

    def _unused(self):
        pass


class Other:
    def advance(self):
        pass


class Kind:
    @classmethod
    def of(cls):
        return cls()

    @property
    def total(self):
        return 0

    def of_other(self):
        return 0
""",
}


def test_rules_of_reaching(tmp_path: Path) -> None:
    for name, text in SMALL.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    how = script.sort_lines(script.Package(tmp_path))
    names = {
        f"{module.rpartition('.')[2]}.{key}" for (module, key), kind in how.items() if kind == script.REACHED and key
    }
    assert {name for name in names if name.startswith("solve.")} == {"solve.solve", "solve.step", "solve.RUNS"}
    # named in a table; its base; what others ask of anything (advance, total), of itself (_step), but not of numpy (flat)
    assert {name for name in names if name.startswith("runs.")} == {
        "runs.Base", "runs.Base.advance", "runs.Fast", "runs.Fast._step", "runs.Fast.total",
    }  # fmt: skip
    # a class that only annotates is not reached; a protocol is, and what a public function takes
    assert {name for name in names if name.startswith("kinds.")} == {
        "kinds.Shape", "kinds.Kind", "kinds.Kind.of", "kinds.Kind.total", "kinds.Given", "kinds.Given.public", "kinds.Given._hidden",
    }  # fmt: skip
