"""What the shell offers when Tab is pressed."""

from __future__ import annotations

from pathlib import Path


def complete_game(incomplete: str) -> list[str]:
    """Names of the catalogue, and Gambit files here."""
    from equilibrist.games.catalogue import catalogue

    return [name for name in catalogue() if name.startswith(incomplete)] + _files(incomplete, ".efg")


def complete_solver(incomplete: str) -> list[str]:
    from equilibrist.solvers.registry import MODULES

    return [name for names in MODULES.values() for name in names if name.startswith(incomplete)]


def complete_agent(incomplete: str) -> list[str]:
    """Names of players, and saved solutions here."""
    from equilibrist.agents.registry import agent_catalogue

    return [name for name in agent_catalogue() if name.startswith(incomplete)] + _files(incomplete, ".eqb")


def complete_experiment(incomplete: str) -> list[str]:
    from equilibrist.interfaces.cli.reproduce import experiment_ids

    return [name for name in experiment_ids() if name.startswith(incomplete)]


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
