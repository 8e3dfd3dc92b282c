"""The docs say what the catalogues say, and their links lead somewhere."""

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
    found = dict(rows(ROOT / "docs/games.md"))
    assert {name: entry.status for name, entry in GAMES.entries().items()} == found


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


def test_references_resolve():
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs/references.bib").read_text(encoding="utf-8")))
    for entry in SOLVERS.entries().values():
        assert entry.reference in known, entry.name
