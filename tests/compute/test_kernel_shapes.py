"""Kernels take few parameters, and structs whose fields say their shapes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "equilibrist"
FILES = sorted(SOURCE.rglob("_kernels/*.py"))
MOST_PARAMETERS = 15
SCALARS = {"int", "float", "bool"}


def parameters(code: str) -> Iterator[tuple[str, int]]:
    """Name and number of parameters of every function that `@kernel` compiles."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and any(_is_kernel(decorator) for decorator in node.decorator_list):
            yield node.name, len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)


def _is_kernel(decorator: ast.expr) -> bool:
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(named, ast.Name) and named.id == "kernel"


def unshaped(code: str) -> list[str]:
    """Fields of structs without a shape: arrays need `# [...]` on their line, scalars a scalar type."""
    lines, tree = code.splitlines(), ast.parse(code)
    structs = {node.name for node in tree.body if isinstance(node, ast.ClassDef)} | _imported_from_kernels(tree)
    out = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "namedtuple":
            out.append(f"line {node.lineno}: namedtuple without annotations")
        if not isinstance(node, ast.ClassDef) or "NamedTuple" not in {ast.unparse(base) for base in node.bases}:
            continue
        for field in node.body:
            if not isinstance(field, ast.AnnAssign):
                continue
            if ast.unparse(field.annotation) in SCALARS | structs:
                continue
            written = "\n".join(lines[field.lineno - 1 : field.end_lineno])
            _, _, comment = written.partition("#")
            if not comment.strip().startswith("["):
                out.append(f"{node.name}.{ast.unparse(field.target)}")
    return out


def _imported_from_kernels(tree: ast.Module) -> set[str]:
    """Structs of one kernel file may hold those of another."""
    sources = (node for node in tree.body if isinstance(node, ast.ImportFrom) and "._kernels" in (node.module or ""))
    return {alias.name for node in sources for alias in node.names}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_kernels_take_at_most_fifteen_parameters(path: Path) -> None:
    counted = dict(parameters(path.read_text(encoding="utf-8")))
    assert {name: n for name, n in counted.items() if n > MOST_PARAMETERS} == {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_structs_of_kernels_say_the_shape_of_every_field(path: Path) -> None:
    assert unshaped(path.read_text(encoding="utf-8")) == []


def test_the_checks_see_what_they_are_for() -> None:
    long = ", ".join(f"x{i}" for i in range(16))
    assert dict(
        parameters(f"@kernel\ndef f({long}): ...\n@kernel(inline=True)\ndef g(x): ...\ndef h({long}): ...")
    ) == {
        "f": 16,
        "g": 1,
    }
    assert unshaped("Tree = namedtuple('Tree', 'player kind')") == ["line 1: namedtuple without annotations"]
    struct = "class T(NamedTuple):\n    a: Any  # [N]\n    b: Any  # many of them\n    c: int\n    d: Any\n"
    assert unshaped(struct) == ["T.b", "T.d"]
