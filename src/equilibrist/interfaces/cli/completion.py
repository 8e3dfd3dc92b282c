"""What the shell offers when Tab is pressed."""

from __future__ import annotations

from pathlib import Path


def complete_game(incomplete: str) -> list[str]:
    """Names of the catalogue, and Gambit files here."""
    from equilibrist.games.catalogue import GAMES

    return [name for name in GAMES.names() if name.startswith(incomplete)] + _files(incomplete, ".efg")


def complete_solver(incomplete: str) -> list[str]:
    from equilibrist.solvers.registry import SOLVERS

    return [name for name in SOLVERS.names() if name.startswith(incomplete)]


def complete_agent(incomplete: str) -> list[str]:
    """Names of players, and saved solutions here."""
    from equilibrist.agents.registry import AGENTS

    return [name for name in AGENTS.names() if name.startswith(incomplete)] + _files(incomplete, ".eqb")


def complete_benchmark(incomplete: str) -> list[str]:
    from equilibrist.interfaces.cli.bench import benchmark_scripts

    return [name for name in benchmark_scripts() if name.startswith(incomplete)]


def complete_solution(incomplete: str) -> list[str]:
    return _files(incomplete, ".eqb")


def _files(incomplete: str, ending: str) -> list[str]:
    """Files with an ending, and folders that may hold more of them."""
    folder = incomplete[: incomplete.rfind("/") + 1]
    try:
        entries = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    names = [
        f"{folder}{entry.name}{'/' if entry.is_dir() else ''}"
        for entry in entries
        if not entry.name.startswith(".") and (entry.is_dir() or entry.suffix == ending)
    ]
    return [name for name in names if name.startswith(incomplete)]
