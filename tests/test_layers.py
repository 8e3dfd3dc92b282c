"""The folders stand in one order and import only upwards; kernels see arrays only; extras are imported late."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "equilibrist"
LAYERS = (
    "core",
    "compute",
    "cards",
    "games",
    "forms",
    "abstraction",
    "solvers",
    "search",
    "learning",
    "exploit",
    "evaluation",
    "agents",
    "experiments",
    "interfaces",
)
BESIDE = "testing"  # may use every layer; no layer may use it
EXTRAS = {"matplotlib", "torch", "ray", "fastapi", "uvicorn", "pyspiel", "open_spiel", "LiteEFG"}
ONLY_WITH = {  # folders that are imported by one command only, and late
    "interfaces/web": {"fastapi", "uvicorn"},
    "learning": {"torch"},
}


def modules(layer: str) -> Iterator[tuple[str, str]]:
    """Path below src/equilibrist and code of every module of a layer."""
    for path in sorted((SOURCE / layer).rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of everything imported, wherever in the file; `from a.b import c` gives a.b.c."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def violations(path: str, code: str) -> list[str]:
    """Imports of a module (path below src/equilibrist) that break the order."""
    here = path.split("/")[0]
    kernel = "/_kernels/" in f"/{path}"
    out = []
    for line, name in imports(ast.parse(code)):
        parts = name.split(".")
        if parts[0] != "equilibrist":
            if kernel and parts[0] != "numpy" and parts[0] not in sys.stdlib_module_names:
                out.append(f"{path}:{line}: a kernel imports {name}")
            continue
        there = parts[1] if len(parts) > 1 else ""
        if there == "version" or name == "equilibrist.publish":
            continue
        if there not in LAYERS:
            if here != BESIDE or there != BESIDE:
                out.append(f"{path}:{line}: {name} is no layer")
        elif here != BESIDE and LAYERS.index(there) > LAYERS.index(here):
            out.append(f"{path}:{line}: {here} imports {name} from a later layer")
        elif kernel and there != "compute" and "_kernels" not in parts:
            out.append(f"{path}:{line}: a kernel imports {name}")
    return out


@pytest.mark.parametrize("layer", [*LAYERS, BESIDE])
def test_modules_import_only_from_their_own_layer_and_earlier_ones(layer: str) -> None:
    assert [line for path, code in modules(layer) for line in violations(path, code)] == []


def test_every_folder_is_a_layer_and_explains_itself() -> None:
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= {*LAYERS, BESIDE}
    for folder in sorted(folders):
        docstring = ast.get_docstring(ast.parse((SOURCE / folder / "__init__.py").read_text(encoding="utf-8")))
        assert len((docstring or "").splitlines()) >= 3, f"{folder}/__init__.py says too little"


def early_imports(path: str, code: str) -> list[str]:
    """Optional packages, and folders that need them, which come with a module."""
    top = ast.Module([node for node in ast.parse(code).body if isinstance(node, ast.Import | ast.ImportFrom)], [])
    inside = {folder for folder in ONLY_WITH if path.startswith(f"{folder}/")}
    late = EXTRAS - {name for folder in inside for name in ONLY_WITH[folder]}
    folders = tuple(f"equilibrist.{folder.replace('/', '.')}" for folder in ONLY_WITH if folder not in inside)
    return [
        f"{path}:{line}: {name} is imported at the top"
        for line, name in imports(top)
        if name.split(".")[0] in late or (folders and name.startswith(folders))
    ]


@pytest.mark.parametrize("layer", [*LAYERS, BESIDE])
def test_optional_packages_are_not_imported_with_a_module(layer: str) -> None:
    assert [line for path, code in modules(layer) for line in early_imports(path, code)] == []


def test_the_rules_above_catch_what_they_should() -> None:
    assert violations("games/x.py", "from equilibrist.core.errors import EquilibristError") == []
    assert violations("core/x.py", "from equilibrist.version import __version__") == []
    assert violations("core/__init__.py", "from equilibrist import publish") == []
    assert violations("testing/x.py", "from equilibrist.solvers.cfr.cfr import CFR\nimport equilibrist.testing") == []
    assert violations("core/x.py", "from equilibrist import solve")
    assert violations("core/x.py", "def f():\n    from equilibrist.games import rules")
    assert violations("solvers/x.py", "import equilibrist.evaluation.verification.tabular")
    assert violations("interfaces/x.py", "from equilibrist.testing import check_game")
    assert violations("solvers/_kernels/x.py", "from equilibrist.core.policy import Policy")
    assert violations("solvers/_kernels/x.py", "import scipy.sparse")
    assert violations("solvers/_kernels/x.py", "from equilibrist.compute.kernel import kernel") == []
    assert violations("solvers/_kernels/x.py", "from equilibrist.forms.history_tree._kernels.descent import walk") == []
    assert early_imports("solvers/x.py", "import torch")
    assert early_imports("core/x.py", "from matplotlib import pyplot")
    assert early_imports("interfaces/cli/x.py", "from equilibrist.interfaces.web.app import app")
    assert early_imports("interfaces/web/x.py", "import torch")
    assert early_imports("interfaces/web/x.py", "import fastapi\nfrom equilibrist.interfaces.web.app import app") == []
    assert early_imports("solvers/x.py", "def f():\n    import torch") == []
    assert len(list(modules("solvers"))) > 100


def test_importing_the_package_is_quick() -> None:
    import subprocess

    heavy = "{'numpy', 'numba', 'scipy', 'typer', 'rich', 'msgspec'}"
    code = f"import sys, equilibrist; print(sorted({heavy} & set(sys.modules)))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(SOURCE.parent)}
    )
    assert shown.stdout.strip() == "[]"
