"""The code of the pages runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
HANDS = """variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [200, 200]
actions = ['d dh p1 AsKs', 'd dh p2 QhQd', 'p2 cbr 6', 'p1 f']
"""


MANY_MINUTES = {
    "card-abstraction.md",
    "gameshrink.md",
    "information-abstraction.md",
}  # their code builds what it shows in full size
SERVED = {"browser.md"}  # asks a server that runs
RUN = [page for page in PAGES if "```python" in page.read_text("utf-8") and page.name not in MANY_MINUTES | SERVED]


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_code_of_a_page_runs(page, tmp_path):
    """All blocks of a page one after the other, in a folder with the examples and what a page asks its reader to have."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "hands.phhs").write_text(HANDS, encoding="utf-8")
    (tmp_path / "my_range.txt").write_text(" ".join(["0.5"] * 1326), encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
