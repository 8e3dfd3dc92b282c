"""The list of rooms in docs/architecture.md is what the folders say of themselves; `python tests/test_architecture.py --write`."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE, PAGE = ROOT / "src" / "equilibrist", ROOT / "docs" / "architecture.md"
BEGIN, END = "by tests/test_architecture.py --write -->\n", "<!-- end of rooms -->"
MOST_MODULES = 15
ORDER = (
    "core", "compute", "cards", "games", "forms", "abstraction", "solvers", "search", "learning", "exploit", "evaluation", "agents",
    "experiments", "interfaces", "testing",
)  # fmt: skip


def rooms() -> list[Path]:
    """All folders with modules, layers in their order."""
    found = [
        path.parent for path in SOURCE.rglob("__init__.py") if path.parent.name != "_kernels" and path.parent != SOURCE
    ]
    return sorted(
        found, key=lambda path: (ORDER.index(path.relative_to(SOURCE).parts[0]), path.relative_to(SOURCE).parts)
    )


def described() -> str:
    lines = ["| room | |", "|---|---|"]
    for room in rooms():
        text = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
        place = room.relative_to(SOURCE)
        name = f"**{place}**" if len(place.parts) == 1 else f"`{place}`"
        lines.append(f"| {name} | {text.splitlines()[0]} |")
    return "\n".join(lines) + "\n"


def test_the_page_lists_the_rooms_as_they_describe_themselves() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page[page.index(BEGIN) + len(BEGIN) : page.index(END)] == described(), (
        "run tests/test_architecture.py --write"
    )


def test_the_floor_plan_fits_one_screen() -> None:
    head = PAGE.read_text(encoding="utf-8").split("## Rooms")[0]
    assert len(head.splitlines()) <= 40


def test_no_room_holds_more_than_fifteen_modules() -> None:
    for room in [*rooms(), *SOURCE.rglob("_kernels")]:
        modules = [path.name for path in room.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= MOST_MODULES, f"{room.relative_to(SOURCE)} has {len(modules)} modules"


def test_every_room_says_what_it_is() -> None:
    for room in rooms():
        text = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
        assert text, f"{room.relative_to(SOURCE)} does not say what it is"


if __name__ == "__main__" and "--write" in sys.argv:
    whole = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        whole[: whole.index(BEGIN) + len(BEGIN)] + described() + whole[whole.index(END) :], encoding="utf-8"
    )
