"""docs/algorithms.md: every file exists, every command and function exists, every status is one of those the page explains."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "equilibrist"
PAGE = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
STATUSES = {
    "works", "narrower", "absent", "reproduced", "pattern reproduced", "stand-in reproduced", "differs from the text", "not reproduced",
}  # fmt: skip
ROWS = [
    [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.split("## Gilpin 2009", 1)[1].splitlines()
    if line.startswith("| ") and not line.startswith("| name")
]


def test_the_page_has_all_systems_of_the_theses() -> None:
    assert len(ROWS) >= 640
    assert all(len(row) == 5 for row in ROWS)


def test_results_have_an_experiment_or_a_test() -> None:
    """A status of a result follows from an experiment, or the row says which benchmark or test shows it."""
    for name, _, _, use, status in ROWS:
        if status.split(";")[0].endswith("reproduced") or status.startswith("differs"):
            assert use.startswith("`equilibrist reproduce ") or ";" in status, name


def test_files_exist() -> None:
    for name, _, file, _, _ in ROWS:
        if file != "–":
            assert (SOURCE / file.strip("`")).is_file(), f"{name}: {file}"


def test_statuses_are_those_that_the_page_explains() -> None:
    for name, _, file, use, status in ROWS:
        word = status.split(";")[0]
        assert word in STATUSES, f"{name}: {status}"
        if file == "–":
            assert use == "–" or not use.startswith("`equilibrist reproduce"), name
        if word == "narrower":
            assert ";" in status, f"{name}: it does not say how it is narrower"


def test_sources_are_printed_places() -> None:
    private = re.compile(r"\b(brown-cfr|brown-search|ganzfried|gilpin|davis|lu) [0-9]+\.[0-9]+")
    assert not private.search(PAGE.replace("equilibrist reproduce ", ""))
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")))
    for name, source, *_ in ROWS:
        for key in re.findall(r"\[([A-Z]\w+?\d\d\w?)[,\]]", source):
            assert key in known, f"{name}: {key} is not in references.bib"


def defined(module: str) -> set[str]:
    tree = ast.parse((SOURCE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def test_functions_exist() -> None:
    for name, _, _, use, _ in ROWS:
        found = re.fullmatch(r"`([a-z_.]+):(\w+).*`", use)
        if found and not use.startswith("`equilibrist "):
            assert found.group(2) in defined(found.group(1)), f"{name}: {use}"


@pytest.mark.parametrize("kind", ["commands", "experiments"])
def test_commands_exist(kind: str) -> None:
    from equilibrist.experiments.registry import list_experiments
    from equilibrist.interfaces.cli.app import COMMANDS

    ids, commands = set(list_experiments()), {getattr(each, "name", each) for each in COMMANDS}
    for name, _, _, use, _ in ROWS:
        if use.startswith("`equilibrist "):
            words = use.strip("`").split()
            if kind == "commands":
                assert words[1] in commands, f"{name}: {use}"
            elif words[1] == "reproduce" and not words[2].startswith("-"):
                assert words[2] in ids, f"{name}: {use}"
