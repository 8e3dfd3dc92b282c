"""One word, one meaning: no public class name is defined in two modules."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "equilibrist"


def public_classes(path: Path) -> list[str]:
    """Classes at the top of a module that others may import."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return [node.name for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


def is_public(path: Path) -> bool:
    """Kernels and other folders and modules that begin with an underscore are nobody's business but their room's."""
    return not any(part.startswith("_") and part != "__init__.py" for part in path.relative_to(SOURCE).parts)


def test_no_public_class_name_is_defined_twice():
    homes = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        if is_public(path):
            for name in public_classes(path):
                homes[name].append(path.relative_to(SOURCE).as_posix())
    assert len(homes) > 500
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_the_streets_are_listed_once():
    """Names of streets in a row are written in cards/streets.py only; others import them."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Tuple | ast.List):
                words = [part.value for part in node.elts if isinstance(part, ast.Constant)]
                if words[-3:] == ["flop", "turn", "river"]:
                    found.append(path.relative_to(SOURCE).as_posix())
    assert found == ["cards/streets.py"]


def test_blueprints_are_trained():
    """Classes named after blueprints belong to the trained ones; what a search refines is a profile."""
    named = [
        (path.relative_to(SOURCE).as_posix(), name)
        for path in sorted(SOURCE.rglob("*.py"))
        for name in public_classes(path)
        if "Blueprint" in name
    ]
    assert len(named) > 5
    assert [each for each in named if each[0].startswith(("search/", "forms/", "evaluation/"))] == []


def test_cards_come_on_streets():
    """Where cards are dealt, nothing is called a round: rounds are of betting (and `round` a function of Python)."""
    found = []
    for path in [*sorted((SOURCE / "cards").rglob("*.py")), SOURCE / "abstraction" / "cards" / "deals.py"]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        for node in ast.walk(tree):
            words = [getattr(node, field, None) for field in ("id", "attr", "arg", "name")]
            if id(node) not in called and {"round", "rounds"} & {word for word in words if isinstance(word, str)}:
                found.append(f"{path.relative_to(SOURCE).as_posix()}:{getattr(node, 'lineno', 0)}")
    assert found == []
