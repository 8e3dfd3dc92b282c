"""The public names: one list for Tab, editors and type checkers, lazily imported, the only ones that examples and pages use.

`python tests/test_public_interface.py --write` makes docs/api.md.
"""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import equilibrist as eq
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.cfr.schedules import Custom

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "equilibrist"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
API = ROOT / "docs" / "api.md"
STUBS = {
    "equilibrist": SOURCE / "__init__.pyi",
    **{f"equilibrist.{path.parent.name}": path for path in sorted(SOURCE.glob("*/__init__.pyi"))},
}
MOST_OF_A_LAYER = 40


def listed(package):
    """name -> the module that defines it, in the order of the stub."""
    nodes = ast.parse(STUBS[package].read_text(encoding="utf-8")).body
    assert all(isinstance(node, ast.ImportFrom) for node in nodes), f"{STUBS[package]} does more than import"
    pairs = [(alias.name, alias.asname, node.module) for node in nodes for alias in node.names]
    assert all(name == other for name, other, _ in pairs), (
        f"{STUBS[package]}: say 'import name as name', so that it is public"
    )
    return {name: home for name, _, home in pairs}


PUBLIC = {package: listed(package) for package in STUBS}
EVERY = [(package, name) for package, names in PUBLIC.items() for name in names]


@pytest.mark.parametrize("package", PUBLIC)
def test_tab_shows_the_interface(package):
    found = importlib.import_module(package)
    assert dir(found) == sorted(PUBLIC[package]) == found.__all__
    assert len(STUBS[package].read_text(encoding="utf-8").split(" import ")) == len(PUBLIC[package]) + 1, "a name twice"


def test_the_top_is_small_and_layers_are_not_much_larger():
    assert 35 <= len(PUBLIC["equilibrist"]) <= 52
    assert all(len(names) <= MOST_OF_A_LAYER for package, names in PUBLIC.items() if package != "equilibrist")


@pytest.mark.parametrize(("package", "name"), EVERY, ids=lambda value: value.removeprefix("equilibrist."))
def test_every_name_is_at_home(package, name):
    """Defined where the stub says, in the layer that publishes it or in `core`, and described."""
    found, home = getattr(importlib.import_module(package), name), PUBLIC[package][name]
    if callable(found):
        assert found.__doc__, f"{name} has no docstring"
        assert found.__module__ == home
    else:
        assert re.search(rf" as {name}  # ", STUBS[package].read_text(encoding="utf-8")), (
            f"{name} says nothing of itself"
        )
    if package != "equilibrist":
        assert home.startswith((f"{package}.", "equilibrist.core."))


def test_a_name_is_one_thing():
    """What two packages publish under one name is the same object."""
    for package, name in EVERY:
        homes = {names[name] for names in PUBLIC.values() if name in names}
        assert homes == {PUBLIC[package][name]}, name


def test_importing_the_package_is_quick_and_folders_hide_no_name():
    code = (
        "import sys, equilibrist as eq\n"
        "assert sorted(m for m in sys.modules if m.startswith('equilibrist')) == ['equilibrist']\n"
        "from equilibrist.cards import *\n"
        "assert callable(parse_cards)\n"
        "assert not [m for m in sys.modules if m.startswith('equilibrist.games')]\n"
        "import equilibrist.search.subgame\n"
        "assert callable(eq.search)\n"
        "import equilibrist.search.tree_profile\n"
        "assert callable(eq.search)\n"
        "from equilibrist import search\n"
        "assert callable(search)\n"
        "from equilibrist.forms import Form, betting_tree\n"
        "import equilibrist.forms.betting_tree.counting\n"
        "from equilibrist.forms import betting_tree\n"
        "assert callable(betting_tree)\n"
        "from equilibrist.cards import ranges\n"
        "assert ranges.__name__ == 'equilibrist.cards.ranges'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'equilibrist' has no attribute 'solv'"):
        _ = eq.solv
    with pytest.raises(ImportError, match="cannot import name 'shuffle' from 'equilibrist.cards'"):
        from equilibrist.cards import shuffle  # noqa: F401


def test_stubs_are_installed_with_the_package():
    """The wheel has what `package-data` names."""
    import tomllib

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["equilibrist"]
    shipped = {path for pattern in patterns for path in SOURCE.glob(pattern)}
    assert set(STUBS.values()) <= shipped


def deep_imports(code):
    """Imports below the public interface."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "equilibrist":
            public = PUBLIC.get(node.module, ())
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name not in public)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("equilibrist."))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "eq":
            yield from () if node.attr in PUBLIC["equilibrist"] else (f"eq.{node.attr}",)


def blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_public_names_only(page):
    assert [name for block in blocks(page) for name in deep_imports(block)] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_use_public_names_only(example):
    assert list(deep_imports(example.read_text(encoding="utf-8"))) == []


def test_deep_imports_are_seen():
    code = "from equilibrist.core.errors import suggest\nfrom equilibrist import suggest\neq.nothing\nimport equilibrist.cards\n"
    code += "from equilibrist.cards import Deck, ranges\nfrom equilibrist import solve\neq.solve\n"
    assert sorted(deep_imports(code)) == [
        "eq.nothing", "equilibrist.cards", "equilibrist.cards.ranges", "equilibrist.core.errors.suggest", "equilibrist.suggest",
    ]  # fmt: skip


def described():
    """docs/api.md: every public name with the first lines of its docstring, constants with the comment of the stub."""
    out = [API.read_text(encoding="utf-8").split("\n## ")[0].rstrip()]
    for package in PUBLIC:
        found = importlib.import_module(package)
        title = "import equilibrist as eq" if found is eq else package
        out += ["", f"## `{title}`", "", found.__doc__.splitlines()[0]]
        group = "Names"
        for line in STUBS[package].read_text(encoding="utf-8").splitlines():
            comment = line.partition("# ")[2]
            if line.startswith("from ") and " __version__" not in line:
                if group:
                    out += ["", f"| {group} | |", "|---|---|"]
                name, group = line.split()[3], ""
                text = comment or " ".join(getattr(found, name).__doc__.strip().split("\n\n")[0].split())
                out.append(f"| `{'eq.' if found is eq else ''}{name}` | {text} |")
            elif line.startswith("# ") and not comment.startswith("isort"):
                group = comment.capitalize()
    return "\n".join(out) + "\n"


def test_the_page_lists_every_public_name():
    assert API.read_text(encoding="utf-8") == described(), "run tests/test_public_interface.py --write"


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


@pytest.mark.parametrize("solver", ["dcfr", "dcfr(on=boards)"])
def test_what_people_print_is_one_line(solver):
    solution = eq.solve("leduc", solver, iterations=5)
    assert re.fullmatch(
        rf"<\w+ of 'leduc' by '{re.escape(solver)}': 5 iterations \(no target was set\), value \(\S+, \S+\), exploitability \S+ chips>",
        repr(solution),
    )
    table = solution.tabular()
    assert repr(table) == "<TabularPolicy: 936 infosets, such as 'Jc', 'Jd:x', 'Jc:x:x:Qc'>"
    game = eq.compiled("leduc")
    for found in (solution.policy, table.infosets, game, game.tree, game.public_tree, game.sequence_form):
        assert len(repr(found)) < 120


def test_verify_takes_every_solution():
    assert eq.verify(eq.solve("kuhn", iterations=20)).agrees
    assert eq.verify(eq.solve("leduc", "dcfr(on=boards)", iterations=5)).agrees
    with pytest.raises(NotApplicableError, match="Only solutions"):
        eq.verify(3)
    with pytest.raises(NotApplicableError, match="leave 'game' out"):
        eq.verify(eq.solve("leduc", "dcfr(on=boards)", iterations=5), eq.load_game("leduc"))


def test_the_page_on_extending_runs(tmp_path, monkeypatch):
    """Its blocks: objects, a game file, a solver, a player, an experiment, a method and a form of one's own."""
    monkeypatch.chdir(tmp_path)
    objects, game, solver, player, experiment, method, form = blocks(ROOT / "docs/extending.md")
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
    exec(method, made)  # noqa: S102
    assert made["MyFictitiousPlay"]().name == eq.solve("kuhn", made["MyFictitiousPlay"](), iterations=5).solver
    exec(form, made)  # noqa: S102
    assert made["run"].answer == pytest.approx(
        [1, 0.25, 0.5, 0.25] * 2, abs=0.01
    )  # by hand: all three rows earn 0 against it


if __name__ == "__main__" and "--write" in sys.argv:
    API.write_text(described(), encoding="utf-8")
