"""One street of a hold'em spot searched, with continuations below it: a flop decision in seconds ([Brown20, §5.2]).

What is found are strategies of the searched street. Its exploitability is that of the depth-limited game: best responses on this street and
in the choice of a continuation, on the boards that were sampled.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Longs
from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.core.solution import Evaluation, SolveRecord
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.size_estimate import memory_limit
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.search.depth_limited.spot_continuations import LEARNED, SOLVED, Continuations, fill_tables
from equilibrist.solvers.iteration_loop import Finished, Stop, finish
from equilibrist.solvers.postflop.depth_limited.depth_limited_cfr import DepthLimitedCFR
from equilibrist.solvers.postflop.depth_limited.valued_street import ValuedStreetCFR
from equilibrist.solvers.postflop.solutions.lazy_boards import Boards, SolvedBoards
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import spot_solver
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

MEASURED = "best responses on the searched street and in the choice of a continuation, on the boards looked at"
VALUED = "best responses on the searched street, its ends worth what the values say at the beliefs of the averages"


class SearchedStreet(SolvedBoards):
    """A solved spot of which one street was searched."""

    def after(self, path: Boards, node: int, suits: Longs, card: int) -> tuple[SolvedBoards, Boards, int, Longs]:
        raise NotApplicableError(
            f"Only the {POSTFLOP_STREETS[self.spot.street]} was searched; take the next street as a spot of its own (convert "
            "--line), or save the solution and load it, which solves later streets where they are looked at."
        )


def start_street(
    spot: Spot,
    solver: str,
    continuations: Continuations,
    searcher: int,
    *,
    threads: int = 1,
    isomorphism: bool = True,
    device: str = "cpu",
) -> DepthLimitedCFR | ValuedStreetCFR:
    """A run at iteration 0; if it follows continuations, their blueprint is found already. Values alone are asked on a `device`."""
    if spot.street + 1 == len(POSTFLOP_STREETS):
        raise NotApplicableError(
            "A river spot has no later street, so there is no depth to limit; search it to the end."
        )
    if spot.locks:
        raise NotApplicableError(
            "Locks are not followed by a depth-limited search; search to the end, or leave them out."
        )
    chosen = spot_solver(solver)
    here = compile_spot(
        spot, isomorphism=isomorphism, below=continuations.below(spot), sample=continuations.boards(spot)
    )
    predictive = chosen.minimiser != "rm"
    if continuations.values is not None:
        ends = continuations.values.bind(here, threads, device)
        return ValuedStreetCFR(here, chosen.schedule, ends, predictive=predictive)
    need = here.table_bytes(predictive=predictive)
    if need > memory_limit():
        raise TooLargeError(
            f"This search needs {need / 1e9:.1f} GB for its tables, but {memory_limit() / 1e9:.1f} GB are available; sample fewer boards, "
            "or use fewer sizes below the edge."
        )
    run = DepthLimitedCFR(
        here.forests, here.deal, here.weights, chosen.schedule, boards=here.boards,
        preferences=continuations.preferences(searcher), corrected=continuations.corrected, predictive=predictive,
        threads=threads, isomorphism=here.isomorphism,
    )  # fmt: skip
    if continuations.blueprint == LEARNED:
        return run
    if not isinstance(continuations.blueprint, str):
        fill_tables(run, here.forests, continuations.blueprint)
    elif continuations.blueprint == SOLVED:
        run.advance(continuations.iterations)
    run.follow()
    return run


def solve_street(
    spot: Spot, solver: str, stop: Stop, continuations: Continuations, searcher: int, threads: int, device: str = "cpu"
) -> SpotSolution:
    """Search one street without regard to what the opponent could have had elsewhere."""
    begin, cpu = time.perf_counter(), time.process_time()
    run = start_street(spot, solver, continuations, searcher, threads=threads, device=device)
    before = SolveRecord(solver, seconds=time.perf_counter() - begin, cpu_seconds=time.process_time() - cpu)

    def solution(found: Finished[Evaluation]) -> SpotSolution:
        whole = SpotSolution.of_run(run, spot, found.record, evaluation=found.evaluation)
        return street_only(whole, run, continuations, searcher)

    return finish(run, stop, solution, solver=solver, before=before, threads=threads, bits=run.bits)


def street_only(found: SpotSolution, run: BoardCFR, continuations: Continuations, searcher: int) -> SpotSolution:
    """The solution as far as it was searched, and how."""
    later = POSTFLOP_STREETS[found.spot.street + 1 :]
    told = {"depth": "street", "searcher": PLAYERS[searcher]} | _told_below(run, continuations)
    return replace(
        found,
        boards=SearchedStreet(found.spot, compile_spot(found.spot).forests, lambda: run),
        missing=later,
        resumable=False,
        record=replace(
            found.record,
            settings={**found.settings, **told},
            provenance={**found.provenance, "exploitability": MEASURED if continuations.values is None else VALUED},
        ),
    )


def _told_below(run: BoardCFR, continuations: Continuations) -> dict[str, Any]:
    if isinstance(run, ValuedStreetCFR):
        return dict(run.edge.told())
    named = continuations.blueprint if isinstance(continuations.blueprint, str) else "given"
    return {
        "continuations": list(continuations.policies) if continuations.offers_choices else [named],
        "factor": continuations.factor,
        "balanced": continuations.balanced,
        "blueprint": named,
        "blueprint_iterations": continuations.iterations if named == SOLVED else 0,
        "boards": [len(street.boards.cards) for street in run.streets[1:]],
        "seed": continuations.seed,
    }
