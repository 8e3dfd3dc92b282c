"""The public names: shown by Tab, lazily imported, the only ones that examples and pages use."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import equilibrist as eq
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.schedules import Custom

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MARK = "# internal"


def test_tab_shows_the_interface():
    assert dir(eq) == sorted(eq.__all__)
    assert set(eq._HOME) | {"__version__"} == set(eq.__all__)
    assert 35 <= len(eq.__all__) <= 50


@pytest.mark.parametrize("name", sorted(eq._HOME))
def test_every_name_is_at_home(name):
    found = getattr(eq, name)
    assert getattr(found, "__doc__", None), f"{name} has no docstring"
    if callable(found):
        assert found.__module__ == f"equilibrist.{eq._HOME[name]}"


def test_checkers_see_the_same_names():
    """What mypy and editors read under TYPE_CHECKING is what is imported late."""
    tree = ast.parse((ROOT / "src/equilibrist/__init__.py").read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module.removeprefix("equilibrist.") for node in guarded.body for alias in node.names}
    assert seen == eq._HOME


def test_importing_the_package_is_quick_and_folders_hide_no_name():
    code = (
        "import sys, equilibrist as eq\n"
        "assert [m for m in sys.modules if m.startswith('equilibrist')] in (['equilibrist', 'equilibrist.version'],"
        " ['equilibrist.version', 'equilibrist'])\n"
        "import equilibrist.search.subgame\n"
        "assert callable(eq.search)\n"
        "import equilibrist.search.blueprint\n"
        "assert callable(eq.search)\n"
        "from equilibrist import search\n"
        "assert callable(search)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'solv'"):
        _ = eq.solv


def deep_imports(code):
    """Imports below the public interface, unless the line says so."""
    lines = code.splitlines()
    for node in ast.walk(ast.parse(code)):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name == "equilibrist" and isinstance(node, ast.ImportFrom):
                yield from (alias.name for alias in node.names if alias.name not in eq.__all__)
            elif name and name.startswith("equilibrist.") and MARK not in lines[node.end_lineno - 1]:
                yield name
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "eq":
            yield from () if node.attr in eq.__all__ else (f"eq.{node.attr}",)


def blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_public_names_or_say_that_they_do_not(page):
    assert [name for block in blocks(page) for name in deep_imports(block)] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_use_public_names_only(example):
    code = example.read_text(encoding="utf-8")
    assert list(deep_imports(code)) == []
    assert MARK not in code


def test_deep_imports_are_seen():
    code = "from equilibrist.core.errors import suggest\nfrom equilibrist import suggest\neq.nothing\n"
    code += f"from equilibrist.core.names import Name  {MARK}\n"
    assert sorted(deep_imports(code)) == ["eq.nothing", "equilibrist.core.errors", "suggest"]


def test_internal_imports_of_pages_lead_somewhere():
    import importlib

    for page in PAGES:
        for module, names in re.findall(
            rf"^from (equilibrist\.[\w.]+) import ([\w, ]+?)  {MARK}", page.read_text("utf-8"), re.M
        ):
            found = importlib.import_module(module)
            for name in names.split(","):
                assert hasattr(found, name.strip()), f"{page.name}: {module}.{name.strip()}"


def test_solvers_by_object_and_by_name_are_the_same():
    solver = eq.CFR(schedule=eq.DCFR(alpha=2.0))
    assert repr(solver) == "CFR(schedule=DCFR(alpha=2, beta=0, gamma=2))"
    assert solver == eq.make_solver("dcfr(alpha=2.0)")
    by_object, by_name = (eq.solve("kuhn", each, iterations=50) for each in (solver, "dcfr(alpha=2.0)"))
    assert by_object.solver == by_name.solver == "dcfr(alpha=2.0)"
    assert (by_object.policy.probabilities == by_name.policy.probabilities).all()


@pytest.mark.parametrize("name", [name for name in eq.list_solvers() if name != "transfer-cfr"])
def test_a_solver_is_its_name_and_its_repr(name):
    solver = eq.make_solver(name)
    assert eq.make_solver(solver.name) == solver
    if isinstance(solver, eq.CFR | eq.MCCFR | eq.FictitiousPlay | eq.SequenceFormLP):
        from equilibrist.solvers.cfr.schedules import FlooredWith, HyperparameterSchedule

        words = {
            **vars(eq),
            "FlooredWith": FlooredWith,
            "HyperparameterSchedule": HyperparameterSchedule,
            "inf": float("inf"),
        }
        assert eval(repr(solver), words) == solver  # noqa: S307
        if isinstance(solver, eq.CFR):
            assert eq.CFR(**{key: getattr(solver, key) for key in ("schedule", "minimiser")}).name == name


class MyCFR(eq.CFR):
    """A class of a user that derives from ours."""


def test_a_solver_without_a_name_solves_games_and_spots(tmp_path):
    own = eq.CFR(schedule=Custom(lambda t: 1.0, lambda t: 0.5, lambda t: 1.0))
    assert eq.solve("kuhn", own, iterations=20).solver.startswith("cfr[CFR(schedule=Custom(")
    spot = eq.Spot(board="Td9d6hQc2s", pot=200, stack=300, range={"oop": "AA", "ip": "QQ"}, bets={"bet": "50%"})
    found = eq.solve(spot, own, iterations=5)
    assert found.solver.startswith("cfr[CFR(schedule=Custom(")
    assert eq.solve(spot, own, iterations=9, resume=found).iterations == 9
    found.save(tmp_path / "own.eqb")
    again = eq.load_solution(tmp_path / "own.eqb")
    assert again.exploitability == found.exploitability
    assert eq.verify(again).agrees
    with pytest.raises(NotApplicableError, match="without its regrets"):
        eq.solve(spot, own, iterations=20, resume=again)
    derived = eq.solve(spot, MyCFR(schedule=eq.DCFR(gamma=3)), iterations=5)
    assert derived.exploitability == eq.solve(spot, "dcfr(gamma=3)", iterations=5).exploitability
    named = eq.solve(spot, eq.CFR(schedule=eq.DCFR(gamma=3)), iterations=5)
    assert named.solver == "dcfr(gamma=3)"
    assert eq.verify(named).agrees


def test_exploitability_and_nash_conv():
    solution = eq.solve("kuhn", iterations=100)
    assert eq.exploitability("kuhn", solution.policy) == pytest.approx(solution.exploitability)
    assert eq.nash_conv("kuhn", solution.policy) == pytest.approx(2 * solution.exploitability)


def test_verify_takes_every_solution():
    assert eq.verify(eq.solve("kuhn", iterations=20)).agrees
    assert eq.verify(eq.solve("leduc", "dcfr(on=boards)", iterations=5)).agrees
    with pytest.raises(NotApplicableError, match="Only solutions"):
        eq.verify(3)
    with pytest.raises(NotApplicableError, match="leave 'game' out"):
        eq.verify(eq.solve("leduc", "dcfr(on=boards)", iterations=5), eq.load_game("leduc"))


def test_the_page_on_extending_runs(tmp_path, monkeypatch):
    """Its blocks: objects, a game file, a solver, a player, an experiment."""
    monkeypatch.chdir(tmp_path)
    objects, game, solver, player, experiment = blocks(ROOT / "docs/extending.md")
    exec(objects, {})  # noqa: S102
    Path("my_game.py").write_text(game)
    own = eq.load_game("my_game.py:HideAndSeek(hands=3)")
    assert eq.check_game(own) == 13
    made: dict = {}
    exec(solver, made)  # noqa: S102
    assert eq.solve(own, made["slow_dcfr"](), iterations=50).solver == "slow-dcfr"
    exec(player, made)  # noqa: S102
    assert isinstance(made["FirstAction"](), eq.Player)
    exec(experiment, made)  # noqa: S102
    from equilibrist.experiments.findings import Request, status_of

    assert status_of(made["HIDDEN_VALUE"].run(Request()).checks, text=True) == "stand-in reproduced"
