"""The docs say what the catalogues say, and their links lead somewhere."""

import importlib
import re
from pathlib import Path

import pytest

from equilibrist.games.catalogue import GAMES
from equilibrist.solvers.registry import SOLVERS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def rows(page):
    """First and last cell of every table row."""
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) > 2:
            yield cells[0].strip("`"), cells[-1]


def test_every_game_has_its_row_with_its_status():
    found = sorted(rows(ROOT / "docs/games.md"))
    assert sorted((name, entry.status) for name, entry in GAMES.entries().items()) == found


def test_every_solver_has_its_page_with_its_status():
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/solvers").glob("*.md"))
    family = dict(rows(ROOT / "docs/solvers/cfr.md"))
    for name, entry in SOLVERS.entries().items():
        assert f"`{name}" in text, name
        if name in family:
            assert family[name] == entry.status, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


TREES = ("src", "tests", "benchmarks", "examples", "docs")
FILES = {
    path.relative_to(ROOT).as_posix()
    for folder in TREES
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
} | {path.name for path in ROOT.iterdir()}
MADE_BY_READERS = {"my_game.py", "my_bot.py", "theirs.py"}  # files that a page tells its reader to write


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_source_files_that_pages_name_exist(page):
    """`solvers/cfr/cfr.py`, `cfr.py`, `_kernels/` and the like: the end of the path of a file or folder of the project."""
    names = re.findall(r"[\w./-]*\w\.(?:py|js)\b", page.read_text(encoding="utf-8"))
    ends = {re.sub(r"^(\.\.?/)+", "", name) for name in names if name.rsplit("/", 1)[-1] not in MADE_BY_READERS}
    assert [end for end in ends if not any(file == end or file.endswith(f"/{end}") for file in FILES)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_that_pages_name_exist(page):
    """`equilibrist.x.y` is a module, or a name that one defines."""
    for dotted in set(re.findall(r"\bequilibrist(?:\.[A-Za-z_]\w*)+", page.read_text(encoding="utf-8"))):
        *parts, last = dotted.split(".")[1:]
        base = "src/equilibrist/" + "".join(f"{part}/" for part in parts)
        if {f"{base}{last}.py", f"{base}{last}/__init__.py"} & FILES:
            continue
        module = importlib.import_module(".".join(["equilibrist", *parts]))
        assert hasattr(module, last), dotted


def test_references_resolve():
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs/references.bib").read_text(encoding="utf-8")))
    for entry in SOLVERS.entries().values():
        assert entry.reference in known, entry.name


IMPORTED = re.compile(r"(?:from|import) (equilibrist\.[\w.]+)")
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))


@pytest.mark.parametrize("page", [*PAGES, *EXAMPLES], ids=lambda page: page.name)
def test_only_public_packages_are_imported(page):
    """In code and in prose: `equilibrist` and its layers that list public names; tests/test_public_interface.py looks at the names."""
    for module in IMPORTED.findall(page.read_text(encoding="utf-8")):
        assert f"src/{module.replace('.', '/')}/__init__.pyi" in FILES, module
