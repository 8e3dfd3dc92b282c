"""Which kind of search runs on which engine: every cell is tried through the command, and docs/search-engines.md is made from the table.

`python tests/test_search_engines.py --write` renews the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "search-engines.md"
COLUMNS: Mapping[str, str] = {  # engine: the file it searches
    "public tree": "table.eqb",
    "spot": "spot.eqb",
    "boards of a game": "boards.eqb",
    "streamed: one board": "streamed.eqb",
    "streamed: all boards in buckets": "streamed.eqb",
    "streamed: before the board": "streamed.eqb",
}
GAME = "nolimit-leduc(stack=12,sizes=[1])"
STREAMED = "nolimit-flop-holdem(stack=800,sizes=[1,a],ranks=4,suits=2)"
SPOT = 'board = "KhTd7c4s"\npot = 60\nstack = 90\n[range]\noop = "AA,KQs,T9s"\nip = "KK,JTs,A5s,98s"\n[bets]\nbet = "75%"\nraise = "a"\n'
LINES = ("b2:c:K", "x:x:2h", "b2:c:K", "c:x:JcQdKc", "c:x", "c")  # by column: where techniques are tried


class Row(NamedTuple):
    """Options of `equilibrist search`, for each column, and cells that make no sense with what the refusal says."""

    tried: tuple[str, ...]
    refused: Mapping[int, str] = {}


def by_technique(*names: str) -> Row:
    """The same techniques in every column."""
    words = " | ".join(f"--technique {name}" for name in names)
    return Row(tuple(" | ".join(f"--line {line} {each}" for each in words.split(" | ")) for line in LINES))


NO_CARD = "no depth to limit"
ROWS: Mapping[str, Row] = {
    "unsafe": by_technique("unsafe"),
    "Resolve": by_technique("resolve"),
    "Maxmargin": by_technique("maxmargin"),
    "Reach, gifts split": by_technique("reach-resolve", "reach-maxmargin"),
    "Reach, gifts scaled": by_technique("reach-maxmargin(scale=0.5)"),
    "Reach, gifts not split": by_technique("reach-maxmargin-unsplit"),
    "estimates": by_technique("estimate-resolve", "estimate-maxmargin"),
    "distributional": by_technique("estimate-distributional", "reach-estimate-distributional"),
    "distributional, Hedge": by_technique("estimate-distributional-hedge"),
    "off-tree bet": Row(
        (
            "--line x --bet 50%",
            "--line x --bet b20",
            "--line x --bet 50%",
            "--line c:x:JcQdKc:x --bet 50%",
            "--line c:x --bet 50%",
            "--line c --bet 50%",
        ),
        {4: "is answered on a board"},
    ),
    "depth limit with continuations": Row(
        (
            "--line x --depth street",
            "--line x --depth street",
            "--line x --depth street --one-sided",
            "--line c:x:JcQdKc --depth street",
            "--line c:x --depth street",
            "--line c --depth street --factor 5",
        ),
        {3: NO_CARD, 4: NO_CARD},
    ),
    "off-tree bet with a depth limit": Row(
        (
            "--line x --bet 50% --depth street",
            "--line x --bet b20 --depth street",
            "--line x --bet 50% --depth street",
            "--line c:x:JcQdKc:x --bet 50% --depth street",
            "--line c:x --bet 50% --depth street",
            "--line c --bet 50% --depth street",
        ),
        {3: NO_CARD, 4: NO_CARD},
    ),
    "nested: bets inside answers to bets": Row(
        (
            "--nested --searcher 2 --line 50%:c:K:50%",
            "--nested --searcher ip --line b20:c:2h:b30",
            "--nested --searcher 2 --line 50%:c:K:50%",
            "--nested --searcher 2 --line c:50%:c:JcQdKc:50%",
            "--nested --searcher 2 --line c:50%:c",
            "--nested --searcher 1 --line 75%",
        ),
    ),
}
LEFT_OUT = {
    "off-tree bet, all boards in buckets": "a bet on the board is answered where its hands have values of their own: on one board",
    "depth limit on the last street": "no card comes after it",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small file for each engine."""
    import equilibrist as eq

    where = tmp_path_factory.mktemp("searched")
    eq.solve(GAME, "cfr+", iterations=20).save(where / "table.eqb")
    eq.solve(GAME, "dcfr(on=boards)", iterations=20).save(where / "boards.eqb")
    eq.solve(eq.Spot.from_text(SPOT), iterations=20).save(where / "spot.eqb")
    how = ("--method", "dcfr", "--cards", "ehs-equal(sizes=all/4)", "--iterations", "10")
    said = _run("train", "start", str(where / "run"), "--game", STREAMED, *how)
    assert said.exit_code == 0, said.output
    (where / "run" / "blueprint.eqb").rename(where / "streamed.eqb")
    return where


def _run(*words: str):  # type: ignore[no-untyped-def]
    from typer.testing import CliRunner

    from equilibrist.interfaces.cli.app import app

    return CliRunner().invoke(app, list(words))


CELLS = [(row, number) for row in ROWS for number in range(len(COLUMNS))]


@pytest.mark.sampled(39)
@pytest.mark.parametrize(("row", "number"), CELLS, ids=[f"{row}, {list(COLUMNS)[number]}" for row, number in CELLS])
def test_cells_are_as_the_page_says(folder: Path, row: str, number: int) -> None:
    """Filled cells answer with strategies, and the others with a sentence."""
    file = str(folder / list(COLUMNS.values())[number])
    for words in ROWS[row].tried[number].split(" | "):
        said = _run("search", file, *words.split(), "--iterations", "5", "--json")
        if number in ROWS[row].refused:
            assert said.exit_code == 2
            assert ROWS[row].refused[number] in " ".join(said.stderr.split())
            continue
        assert said.exit_code == 0, said.output
        found = json.loads(said.stdout)
        if "strategy" in found and isinstance(found["strategy"], dict):
            assert found["strategy"]
            assert all(sum(row.values()) == pytest.approx(1.0, abs=1e-4) for row in found["strategy"].values())


def page() -> str:
    filled = sum(len(COLUMNS) - len(row.refused) for row in ROWS.values())
    lines = [
        "# Kinds of search and engines",
        "",
        "Which kind of search runs on which engine; [search.md](search.md) says what they are. All go through one gadget run",
        "(`search/gadget_run.py`). ● is tried through the command by `tests/test_search_engines.py`, which also writes this page;",
        f"cells that make no sense are empty. All {filled} others are filled.",
        "",
        "| `equilibrist search` | " + " | ".join(COLUMNS) + " |",
        "|---|" + ":-:|" * len(COLUMNS),
    ]
    for name, row in ROWS.items():
        lines.append(f"| {name} | " + " | ".join("" if k in row.refused else "●" for k in range(len(COLUMNS))) + " |")
    lines += ["", "Left out:", ""] + [f"- **{cell}**: {why}." for cell, why in LEFT_OUT.items()]
    lines += ["", "For example:", "", "```", *_examples(), "```"]
    return "\n".join(lines) + "\n"


def _examples() -> list[str]:
    """The last four rows as commands."""
    out = []
    for name in list(ROWS)[-4:]:
        row = ROWS[name]
        out += [
            f"equilibrist search {file} {words}"
            for k, (file, words) in enumerate(zip(COLUMNS.values(), row.tried, strict=True))
            if k not in row.refused
        ]
    return out


def test_the_page_is_made_from_this_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run tests/test_search_engines.py --write"


if __name__ == "__main__" and "--write" in sys.argv:
    PAGE.write_text(page(), encoding="utf-8")
