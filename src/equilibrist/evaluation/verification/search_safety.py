"""Is search safe? Every subgame is solved again, and exact best responses are compared before and after.

On games the best responses are those of `solvers/responses/best_response.py` on the game tree, which shares nothing with the public
layouts that search works on; on spots those of `spots.py`, from explicit payoff matrices.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from equilibrist.core.errors import NotApplicableError, UnknownNameError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import EXACT, Evaluation, Solution, SolveRecord, TabularSolution
from equilibrist.evaluation.verification.saved_strategies import SavedStrategies
from equilibrist.evaluation.verification.spots import strategies_numbers
from equilibrist.forms.boards.street_betting import IP, StreetForest, street_forests
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.spots.spot import Spot
from equilibrist.search.depth_limited.spot_continuations import SolvedPolicy, fill_tables
from equilibrist.search.engines.board_subgame import BoardProfile, BoardSubgame, Path
from equilibrist.search.engines.boards_together import search_boards_together
from equilibrist.search.engines.games import BoardSearch, search_board
from equilibrist.search.subgame import after_chance
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS, DEFAULT_SOLVER, search_everywhere
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.version import __version__

ROUNDING = 1e-9  # per unit of payoff
SINGLE_ROUNDING = 1e-5  # of the largest pot of a spot: tables and values are in single precision


@dataclass(frozen=True)
class SafetyReport:
    """What search did to a blueprint."""

    technique: Technique
    before: Evaluation
    after: Evaluation
    tolerance: tuple[
        float, float
    ]  # per searcher, what its solver says the opponent may have gained; NaN: nothing is said
    policy: TabularPolicy
    slack: float  # rounding
    solved: tuple[int, int] = (0, 0)  # per searcher, how many subgames were solved again

    @property
    def rise(self) -> tuple[float, float]:
        """Per searcher: by how much the opponent's best response has risen; negative is an improvement."""
        before, after = self.before.best_response_value, self.after.best_response_value
        assert before is not None
        assert after is not None
        return after[1] - before[1], after[0] - before[0]

    @property
    def safe(self) -> bool:
        """No best response rose by more than its solver said; never true of techniques that promise nothing."""
        return all(rise <= allowed + self.slack for rise, allowed in zip(self.rise, self.tolerance, strict=True))


def check_search(
    game: Compiled,
    policy: TabularPolicy,
    roots: Sequence[int | str],
    technique: str | Technique,
    *,
    abstraction: TreeProfile | None = None,
    solver: str | CFR = DEFAULT_SOLVER,
    iterations: int = DEFAULT_ITERATIONS,
) -> SafetyReport:
    """Search all these subgames for both players and measure the whole strategies exactly."""
    blueprint = TreeProfile(game.public_tree, policy) if abstraction is None else abstraction
    searched, found = search_everywhere(blueprint, roots, technique, solver=solver, iterations=iterations)
    stated = {result.searcher: result.tolerance for result in found}
    count = {result.searcher: len(result.subgame.roots) for result in found}
    largest = float(abs(game.public_tree.returns).max(initial=1.0))
    return SafetyReport(
        technique=find_technique(technique),
        before=evaluate_policy(game, blueprint.policy),
        after=evaluate_policy(game, searched),
        tolerance=(stated.get(0, 0.0), stated.get(1, 0.0)),
        policy=searched,
        slack=ROUNDING * largest,
        solved=(count.get(0, 0), count.get(1, 0)),
    )


def search_and_measure(
    solution: Solution, technique: str | Technique, iterations: int | None = None
) -> tuple[SafetyReport, Solution]:
    """Search all subgames of a solved game that begin with a public card, and save what was found as a solution of it."""
    game, begin = compiled(recorded_game(solution.game)), time.perf_counter()
    roots = after_chance(game.public_tree)
    if not roots:
        raise NotApplicableError(f"'{solution.game}' has no public cards after which to search; give a line to search.")
    many = DEFAULT_ITERATIONS if iterations is None else iterations
    report = check_search(game, solution.tabular(), roots, technique, iterations=many)
    record = SolveRecord(
        solver=f"search({report.technique.name})",
        iterations=many,
        seconds=time.perf_counter() - begin,
        settings={"technique": report.technique.name, "from": solution.solver},
        provenance={"version": __version__, "exploitability": EXACT},
    )
    return report, TabularSolution(solution.game, record, report.policy, report.after)


@dataclass(frozen=True)
class SpotSafetyReport:
    """What searches of a spot did to a strategy for it; chips, on average over all deals."""

    technique: Technique
    before: tuple[float, float]  # what best responses to the strategy got: of oop, of ip
    after: tuple[float, float]
    tolerance: tuple[
        float, float
    ]  # per searcher, what its searches say the opponent may have gained; NaN: nothing is said
    slack: float
    solved: tuple[int, int]  # per searcher, how many subgames were solved again

    @property
    def rise(self) -> tuple[float, float]:
        """Per searcher: by how much the opponent's best response has risen; negative is an improvement."""
        return self.after[1] - self.before[1], self.after[0] - self.before[0]

    @property
    def safe(self) -> bool:
        """No best response rose by more than was said; never true of techniques that promise nothing."""
        return all(rise <= allowed + self.slack for rise, allowed in zip(self.rise, self.tolerance, strict=True))


def check_spot_search(
    spot: Spot,
    strategy: BoardCFR,
    places: Sequence[tuple[Path, Sequence[int]]],
    technique: str | Technique,
    *,
    solver: str = "dcfr(gamma=5)",
    iterations: int = DEFAULT_ITERATIONS,
    threads: int = 1,
    device: str = "cpu",
) -> SpotSafetyReport:
    """Search all these places (a board and lines on it) for both players and measure the whole strategies by the matrices.

    `strategy` is a run without isomorphism whose averages are the strategy; no place may lie below another. Lines that a searcher
    does not reach stay as they are. Each thread takes one place after the other; on a GPU (`device`: cpu, cuda, auto) boards are
    searched side by side.
    """
    chosen, forests = find_technique(technique), street_forests(spot)
    blueprint = BoardProfile(strategy, forests)
    searched = start_spot(spot, solver, isomorphism=False)
    searched.restore(strategy.state())
    stated, solved = [0.0, 0.0], [0, 0]
    asked = _searches(blueprint, places, chosen)  # which looks up all that is asked of the blueprint, before threads do

    on_gpu = wants_gpu(device, None, streets=len(asked) + len(forests) - 1)  # one river alone is not worth it

    def search(searcher: int, subgame: BoardSubgame) -> BoardSearch:
        return search_board(subgame, searcher, chosen, solver=solver, stop=Stop(iterations=iterations), on_gpu=on_gpu)

    at_once = partial(search_boards_together, technique=chosen, solver=solver, iterations=iterations)
    coming = _side_by_side(at_once, search, asked) if on_gpu else _in_threads(search, asked, threads)
    for (searcher, subgame), found in zip(asked, coming, strict=True):
        subgame.splice(found.run, searcher, searched)
        stated[searcher] += found.tolerance
        solved[searcher] += len(subgame.nodes)
    before, after = (
        strategies_numbers(spot, SavedStrategies(spot, run.state(), isomorphism=False)).best_response_ev
        for run in (strategy, searched)
    )
    slack = SINGLE_ROUNDING * (spot.pot + 2.0 * spot.stack)
    return SpotSafetyReport(chosen, before, after, (stated[0], stated[1]), slack, (solved[0], solved[1]))


def _searches(
    blueprint: BoardProfile, places: Sequence[tuple[Path, Sequence[int]]], technique: Technique
) -> list[tuple[int, BoardSubgame]]:
    """Searchers and subgames, less what is never reached."""
    out = []
    for searcher in range(2):
        believed = (searcher,) if technique.gadget.needs_values else (0, 1)
        for path, nodes in places:
            kept = [n for n in nodes if all(blueprint.reach(path, p)[n].any() for p in believed)]
            if kept:
                subgame = BoardSubgame.of(blueprint, path, kept)
                if subgame.inputs(technique, 1 - searcher).mass.any():
                    out.append((searcher, subgame))
    return out


def _side_by_side(
    at_once: Callable[[Sequence[BoardSubgame], int], list[BoardSearch]],
    search: Callable[[int, BoardSubgame], BoardSearch],
    asked: Sequence[tuple[int, BoardSubgame]],
) -> Iterator[BoardSearch]:
    """Boards after which no card comes and to which the same lines lead are one run for each searcher."""
    alike: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for number, (searcher, subgame) in enumerate(asked):
        if len(subgame.below) == 1:
            alike.setdefault((searcher, subgame.nodes), []).append(number)
    found: dict[int, BoardSearch] = {}
    for (searcher, _), numbers in alike.items():
        found |= dict(zip(numbers, at_once([asked[k][1] for k in numbers], searcher), strict=True))
    for number, each in enumerate(asked):
        yield found.pop(number) if number in found else search(*each)


def _in_threads(
    search: Callable[[int, BoardSubgame], BoardSearch], asked: Sequence[tuple[int, BoardSubgame]], threads: int
) -> Iterator[BoardSearch]:
    """Results in the order in which they were asked for; with one thread each is worked out when it is its turn."""
    if threads == 1:
        yield from itertools.starmap(search, asked)
        return
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(search, *each) for each in asked]
        try:
            for job in jobs:
                yield job.result()
        finally:
            for job in jobs:
                job.cancel()


def search_spot_and_measure(
    solution: SpotSolution,
    line: str,
    technique: str | Technique,
    iterations: int | None = None,
    *,
    threads: int = 1,
    device: str = "cpu",
) -> SpotSafetyReport:
    """Search a solved spot again for both players, at a line of its street or on every board of the next one, and measure it."""
    spot, forests = solution.spot, street_forests(solution.spot)
    if len(forests) > 2 or spot.locks:
        raise NotApplicableError(
            "Searches of a turn or a river without locks are measured, by dealing all rivers one by one; give the solution of one."
        )
    if not line and len(forests) == 1:
        raise NotApplicableError(
            "No card comes after this spot; give the line at which to search it, such as --line x."
        )
    run = start_spot(spot, "dcfr(gamma=5)", isomorphism=False)
    fill_tables(run, forests, SolvedPolicy(solution), first=0)
    places: list[tuple[Path, Sequence[int]]] = [((), [_node(forests[0], line)])] if line else []
    if not line:
        roots = [node for node in range(forests[1].roots) if forests[1].kind[node] <= IP]
        places = [((board,), roots) for board in range(len(run.streets[1].boards.cards))]
    many = DEFAULT_ITERATIONS if iterations is None else iterations
    return check_spot_search(spot, run, places, technique, iterations=many, threads=threads, device=device)


def _node(forest: StreetForest, line: str) -> int:
    """A decision of the spot's own street."""
    node = 0
    for word in line.split(":"):
        if forest.kind[node] > IP or word not in forest.labels(node):
            raise UnknownNameError(
                f"'{line}' is no decision of this street: '{word}' is not one of "
                f"{', '.join(forest.labels(node)) if forest.kind[node] <= IP else 'its actions, for nobody acts'}."
            )
        node = forest.child(node, word)
    if forest.kind[node] > IP:
        raise UnknownNameError(f"Nobody acts after '{line}'; give a line to a decision of this street.")
    return node
