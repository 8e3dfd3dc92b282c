"""`equilibrist bench`: run the benchmark scripts of the source tree."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Annotated

import typer

from equilibrist.interfaces.cli.completion import complete_benchmark


def bench(
    name: Annotated[
        str | None, typer.Argument(help="Name of the script (default: list all).", autocompletion=complete_benchmark)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Run a benchmark of the source tree."""
    from equilibrist.core.errors import UnknownNameError, suggest
    from equilibrist.interfaces.cli.output import print_json

    scripts = benchmark_scripts()
    if not scripts:
        raise UnknownNameError(
            "Benchmarks live in the source tree, not in the installed package; run this in a clone of the repository."
        )
    if name is None and len(scripts) == 1:
        name = next(iter(scripts))
    if name is None:
        if as_json:
            print_json({"benchmarks": list(scripts)})
        else:
            print("\n".join(scripts))
        return
    if name not in scripts:
        raise UnknownNameError(
            f"There is no benchmark '{name}' (there are: {', '.join(scripts)}).{suggest(name, scripts)}"
        )
    run = runpy.run_path(str(scripts[name]))["main"]
    raise typer.Exit(run(["--json"] if as_json else []) or 0)


def benchmark_scripts() -> dict[str, Path]:
    """Scripts by name: beside the package's own sources, or in a clone we stand in."""
    for root in (Path(__file__).parents[4], Path.cwd()):
        folder = root / "benchmarks"
        if folder.is_dir() and _is_ours(root / "pyproject.toml"):
            found = {path.stem: path for path in sorted(folder.glob("*.py")) if not path.name.startswith("_")}
            return {name: path for name, path in found.items() if "def main(" in path.read_text(encoding="utf-8")}
    return {}


def _is_ours(project: Path) -> bool:
    """Only scripts of this project are run, not those of whatever folder one happens to stand in."""
    return project.is_file() and 'name = "equilibrist"' in project.read_text(encoding="utf-8")
