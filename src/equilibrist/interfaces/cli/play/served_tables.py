"""`equilibrist serve TABLE.toml`: tables are solved before the server opens, and kept in the cache for the next time."""

from __future__ import annotations

import hashlib
from pathlib import Path


def solved_files(files: list[Path], threads: int) -> list[Path]:
    """The files to serve, each table file replaced by its solution."""
    return [_solved(file, threads) if file.suffix == ".toml" else file for file in files]


def _solved(file: Path, threads: int) -> Path:
    from equilibrist.compute.kernel import cache_folder
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.games.tables.table_names import named_table, table_name
    from equilibrist.interfaces.cli.progress import SolveMeter
    from equilibrist.solvers.tables.solve_table import solve_table
    from equilibrist.version import __version__

    table = named_table(str(file))
    if table is None:
        raise NotApplicableError(
            f"'{file}' is a spot, which is solved on the page, or by 'equilibrist solve {file} --out FILE.eqb'; tables are solved here."
        )
    mark = hashlib.sha256(f"{__version__} {table_name(table)}".encode()).hexdigest()[:6]
    place = cache_folder() / "tables" / f"{file.stem}-{mark}.eqb"  # another table of the same name is another file
    if _whole(place):
        return place
    with SolveMeter(f"table of {table.seats}", None) as meter:
        solution = solve_table(table, threads=threads, progress=meter)
    if solution.interrupted:
        raise KeyboardInterrupt(f"Interrupted; '{file}' is not solved, and nothing was opened.")
    place.parent.mkdir(parents=True, exist_ok=True)
    solution.save(place)
    return place


def _whole(place: Path) -> bool:
    from equilibrist.core.errors import EquilibristError
    from equilibrist.solvers.saved_solutions import load_solution

    try:
        return place.exists() and load_solution(place).converged
    except EquilibristError:
        return False
