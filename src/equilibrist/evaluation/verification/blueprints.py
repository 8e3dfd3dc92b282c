"""A blueprint looked at infoset by infoset, and measured by the rules of its game.

Exactly where the game is small enough to be walked, and over all flops where betting ends there; else by hands that are dealt and bet by
the rules, beside which its betting tree must offer the same actions.
"""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import replace

import numpy as np

from equilibrist.compute.machine import cores
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError, UnknownNameError
from equilibrist.core.solution import Evaluation, TabularSolution
from equilibrist.evaluation.verification.claims import Claims
from equilibrist.evaluation.verification.tabular import Verification, verify_solution
from equilibrist.evaluation.verification.verify import Report
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.values.flop_values import FlopWalk, flop_values

MOST_HISTORIES = 2_000_000
DEALT_HANDS = 300  # of games that are too large to be walked
QUICK_FLOPS = 150  # that are walked without being asked to; a full deck has 1,755


def verify_saved(solution: PokerBlueprint, full: bool, report: Report) -> Verification:
    """Value and exploitability of a blueprint, which its file does not state."""
    broken = solution.broken_node()
    if broken is not None:
        line = solution.abstract.tree.line(broken)
        problem = f"the strategy after '{line or 'the deal'}' is no distribution over actions"
        return Verification(solution.game, None, None, 0.0, 0, 0.0, problems=(problem,))
    sound = Claims(
        right=(
            f"all {solution.infosets:,} strategies are distributions over actions",
            f"the cards are bucketed as in training ({solution.abstract.buckets.hash})",
        )
    )
    return replace(_measured(solution, full, report), claims=sound)


def _measured(solution: PokerBlueprint, full: bool, report: Report) -> Verification:
    game = recorded_game(solution.game)
    size = game.histories()
    if size is None or size > MOST_HISTORIES:
        return _over_flops(solution, full, report)
    try:
        policy = solution.tabular()
    except (ParameterError, UnknownNameError, KeyError):  # it knows other bets than the game
        return _dealt(solution, report)
    written = TabularSolution(solution.game, solution.record, policy, None)
    return verify_solution(
        written, game, progress=lambda walked: report(min(1.0, walked / size), f"{walked:,} histories")
    )


def _over_flops(solution: PokerBlueprint, full: bool, report: Report) -> Verification:
    """Exact values and best responses with the blueprint's own bets, where nobody bets after the flop."""
    begun = time.perf_counter()
    try:
        flops = FlopWalk([solution]).flops
    except NotApplicableError:
        return _dealt(solution, report)
    if flops > QUICK_FLOPS and not full:
        raise TooLargeError(f"'{solution.game}' has {flops:,} flops that differ; give --full to wait for all of them.")
    found = flop_values([solution], threads=cores(), report=lambda text, share: report(share, text))
    value, best = float(found.value[0, 0]), found.response[:, 0]
    return Verification(
        game=solution.game,
        stated=None,
        recomputed=Evaluation((value, -value), (float(best[0]), float(best[1]))),
        tolerance=0.0,
        histories=flops,
        seconds=time.perf_counter() - begun,
        walked="flops",
        route="over all flops",
    )


def _dealt(solution: PokerBlueprint, report: Report) -> Verification:
    """Hands dealt and bet by the rules with the blueprint in every seat; what it is worth is then known to a standard error."""
    begun = time.perf_counter()
    game, rng, problems = Poker(solution.game, solution.abstract.rules), random.Random(0), list[str]()
    won = list[tuple[float, ...]]()
    for number in range(DEALT_HANDS):
        returns = _play_hand(solution, game, rng, problems)
        if problems:
            break
        won.append(returns)
        report(number / DEALT_HANDS, f"{number:,} of {DEALT_HANDS:,} hands")
    value = tuple(statistics.fmean(each) for each in zip(*won, strict=True))
    spread = max((statistics.stdev(each) for each in zip(*won, strict=True)), default=0.0) / max(1, len(won)) ** 0.5
    return Verification(
        game=solution.game,
        stated=None,
        recomputed=None if problems else Evaluation(value, None),
        tolerance=0.0,
        histories=len(won),
        seconds=time.perf_counter() - begun,
        problems=tuple(problems),
        walked="hands",
        route=f"dealt hands say, ± {spread:.2g}",
    )


def _play_hand(solution: PokerBlueprint, game: Poker, rng: random.Random, problems: list[str]) -> tuple[float, ...]:
    """One hand by the rules, followed in the blueprint's betting tree."""
    state, node, tree = game.start(), 0, solution.abstract.tree
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.child(state.sample_chance(rng))
            continue
        offered = tuple(state.actions())
        if offered != tree.actions(node):
            known = ", ".join(tree.actions(node)) or "nothing"
            problems.append(
                f"after '{state.line}' the rules offer {', '.join(offered)}, but the blueprint knows {known}"
            )
            return ()
        cards = np.array([[*state.hole[state.player], *state.board]], dtype=np.int8)
        chances = solution.strategies(node, solution.abstract.buckets.bucket(int(tree.round[node]), cards))[0]
        action = rng.choices(range(len(chances)), chances.tolist())[0]
        state, node = state.child(action), int(tree.first_child[node]) + action
    returns = state.returns()
    if abs(sum(returns)) > 1e-9 * max(map(abs, returns)):
        problems.append(f"after '{state.line}' the returns do not sum to zero")
    return returns
