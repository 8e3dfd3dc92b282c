"""Responses to the sums of a run, all boards in one pass: against plain recursion over all deals, rounding, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.solution import SolveRecord
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.exact.exact_exploitability import exact_exploitability
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.strategy import SOLVER, PokerBlueprint
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.streamed_responses import StreamedResponses
from reference.naive_blueprint_response import naive_exploitability

EIGHT_CARDS = "flop-holdem(ranks=4,suits=2)"
TWO_DEALS = "nolimit-turn-holdem(stack=300,ranks=4,suits=2)"
LOSSLESS = "isomorphism(sizes=all/all)"
COARSE = "ehs-equal(sizes=all/5, sample=1000)"
FORGETFUL = "ehs-equal(sizes=4/5, sample=1000)"  # before the flop, too


@dataclass(frozen=True)
class Sums:
    """Averages and regrets [slots] as strategies, read off one by one."""

    abstract: AbstractPoker
    average: npt.NDArray[np.float32]
    regret: npt.NDArray[np.float32]

    def strategies(self, node: int, buckets: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        width, first = int(self.abstract.tree.children[node]), int(self.abstract.first_slot[node])
        out = []
        for bucket in buckets.tolist():
            slots = slice(first + bucket * width, first + (bucket + 1) * width)
            row = self.average[slots].astype(float)
            if not row.sum() > 0.0:
                row = np.maximum(self.regret[slots].astype(float), 0.0)
            out.append(row / row.sum() if row.sum() > 0.0 else np.full(width, 1.0 / width))
        return np.array(out)


def random_sums(cards: str, seed: int, name: str = EIGHT_CARDS) -> Sums:
    """Some rows were never played, and some of these never learned at."""
    game, rng = BlueprintPlan(name, {}, cards).game(), np.random.default_rng(seed)
    average = rng.random(game.slots).astype(np.float32)
    regret = rng.normal(size=game.slots).astype(np.float32)
    for node in game.tree.decisions.tolist():
        width = int(game.tree.children[node])
        rows = slice(int(game.first_slot[node]), int(game.first_slot[node]) + width * _buckets(game, node))
        unplayed = rng.random(_buckets(game, node)) < 0.3
        average[rows].reshape(-1, width)[unplayed] = 0.0
        regret[rows].reshape(-1, width)[rng.random(len(unplayed)) < 0.3] = 0.0
    return Sums(game, average, regret)


def _buckets(game: AbstractPoker, node: int) -> int:
    return int(game.buckets.sizes[game.tree.round[node]])


@pytest.mark.parametrize("cards", [LOSSLESS, COARSE, FORGETFUL])
def test_it_is_what_recursion_over_all_deals_finds(cards: str) -> None:
    sums = random_sums(cards, seed=3)
    found = StreamedResponses(sums.abstract).exploitability(sums.average, sums.regret)
    assert found == pytest.approx(np.mean(naive_exploitability(sums)[1]), abs=1e-5)


@pytest.mark.parametrize(
    "cards",
    [
        "isomorphism(sizes=all/all/all)",
        "ehs-equal(sizes=all/all/5, sample=1000)",
        "ehs-equal(sizes=4/5/6, sample=1000)",
    ],
)
def test_with_two_deals_it_is_what_recursion_finds(cards: str) -> None:
    sums = random_sums(cards, seed=3, name=TWO_DEALS)
    found = StreamedResponses(sums.abstract).exploitability(sums.average, sums.regret)
    assert found == pytest.approx(np.mean(naive_exploitability(sums)[1]), abs=1e-4)


def test_a_training_is_followed_and_its_blueprint_rounds_to_bytes() -> None:
    plan = BlueprintPlan(EIGHT_CARDS, {}, LOSSLESS)
    run = BlueprintRun(plan.game(), Training(period=BLOCK, discounts=10**6), planned=1)
    responses, curve = StreamedResponses(run.game), []
    for blocks in (1, 15):
        run.advance(blocks)
        curve.append(responses.exploitability(run.average, run.regret))
    assert curve[1] < 0.7 * curve[0]
    blueprint = PokerBlueprint(plan, run.game, run.packed(), SolveRecord(SOLVER, run.iteration))
    exact = exact_exploitability(blueprint).judgement.exploitability.least
    assert curve[1] == pytest.approx(exact, abs=0.01)  # chips; a byte an action


def test_games_with_more_deals_and_buckets_that_know_suits_are_refused() -> None:
    with pytest.raises(NotApplicableError, match="one or two deals of board cards"):
        StreamedResponses(BlueprintPlan("kuhn", {}, "exact").game())
    with pytest.raises(NotApplicableError, match="tell suits apart"):
        StreamedResponses(BlueprintPlan(EIGHT_CARDS, {}, "exact").game())
