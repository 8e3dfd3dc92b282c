"""The summary of docs/algorithms.md counts the rows below it."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[1] / "docs" / "algorithms.md").read_text(encoding="utf-8")
GROUPS = (
    ("works", "reproduced"),
    ("narrower", "pattern reproduced", "stand-in reproduced"),
    ("differs from the text", "not reproduced"),
    ("absent",),
)


def test_the_summary_counts_the_rows() -> None:
    summary = PAGE.split("## Gilpin 2009", 1)[0]
    for title, part in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.S | re.M):
        rows = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith("| name")]
        words = [row.rstrip(" |").rsplit(" | ", 1)[1].split(";")[0] for row in rows]
        counts = [len(words), *(sum(word in group for word in words) for group in GROUPS)]
        line = f"| {title} | {' | '.join(map(str, counts))} |"
        assert line in summary, f"the line must be {line}"
