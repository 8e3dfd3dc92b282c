"""AIVAT on Leduc: the mean stays, the variance goes; how much, by what is known of the players."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from equilibrist.agents.policy_player import PolicyPlayer
from equilibrist.agents.registry import load_agent
from equilibrist.agents.tabulate import tabulate
from equilibrist.core.arrays import Floats
from equilibrist.core.player import StrategicPlayer
from equilibrist.core.policy import TabularPolicy
from equilibrist.evaluation.play.aivat import Aivat, PolicyValues
from equilibrist.evaluation.play.referee import play_hand
from equilibrist.evaluation.play.statistics import estimate
from equilibrist.experiments.findings import Check, Findings, Request, ascending, at_least, at_most, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import compiled
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.responses.best_response import history_values
from equilibrist.solvers.solve import solve

GAME = "leduc"
ITERATIONS = 300  # of DCFR: far closer to equilibrium than the other player
DEVIATIONS = 4.0  # standard errors that a mean may be off
KNOWN = {"deals alone": (False, False), "first player known": (True, False), "both known": (True, True)}


def profile(solution: TabularPolicy, other: TabularPolicy) -> TabularPolicy:
    """The first player's rows of one policy, the second player's of another."""
    index = solution.infosets
    widths = np.diff(index.first_slot)
    first = np.repeat(index.player == 0, widths)
    return TabularPolicy(index, np.where(first, solution.probabilities, other.probabilities))


def results(game: Poker, players: Sequence[StrategicPlayer], hands: int, request: Request) -> dict[str, Floats]:
    """Results of the first player, plain and adjusted in every way."""
    for seat, player in enumerate(players):
        player.reset(seat, game, random.Random(0))
    exact = PolicyValues(game, players)
    rough = PolicyValues(game, _seated(game, "random", "random"))
    ways = {name: Aivat(game, known, exact) for name, known in KNOWN.items()}
    ways["both known, values of random players"] = Aivat(game, (True, True), rough)
    out = {name: np.zeros(hands) for name in ("plain", *ways)}
    for hand in range(hands):
        if hand % 100 == 0:
            request.report("playing Leduc", hand / hands)
        draws = [random.Random(f"aivat/{hand}/{p}") for p in range(2)]
        record = play_hand(game, players, random.Random(f"aivat/{hand}"), draws)
        out["plain"][hand] = record.returns[0]
        for name, way in ways.items():
            out[name][hand] = way.adjusted(record, players)[0]
    return out


def _seated(game: Poker, *names: str) -> list[StrategicPlayer]:
    players = []
    for seat, name in enumerate(names):
        player = load_agent(name)
        assert isinstance(player, StrategicPlayer)
        player.reset(seat, game, random.Random(0))
        players.append(player)
    return players


def run(request: Request) -> Findings:
    hands = 20_000 if request.full else 1_000
    target = compiled(GAME)
    assert isinstance(target.game, Poker)
    solution = solve(target, "dcfr", iterations=ITERATIONS).policy
    assert isinstance(solution, TabularPolicy)
    (other,) = _seated(target.game, "rule-based")
    both = profile(solution, tabulate(other, target.game))
    value = history_values(target.tree, both)[0]
    found = results(target.game, [PolicyPlayer(solution, GAME), other], hands, request)
    variance = {name: float(samples.var()) for name, samples in found.items()}
    left = {name: variance[name] / variance["plain"] for name in found}
    checks: list[Check] = [at_least("both known: share of the variance that is gone", 0.99, 1.0 - left["both known"])]
    for name, samples in found.items():
        mean = estimate(samples)
        off = abs(mean.mean - value) / max(mean.error, 1e-9)
        checks += ours([at_most(f"{name}: mean off the exact value, in standard errors", DEVIATIONS, off)])
    order = ("both known", "first player known", "deals alone", "plain")
    checks.append(ascending("the more is known, the less variance is left", {name: left[name] for name in order}))
    return Findings(
        setting=f"{hands:,} hands of Leduc, DCFR after {ITERATIONS} iterations against 'rule-based'; value {value:.6f} chips",
        checks=checks,
        published={"share of the variance gone, both strategies known": "> 99 %"},
        measured={
            "exact value": value,
            "mean": {name: float(samples.mean()) for name, samples in found.items()},
            "share of the variance left": left,
        },
        remarks=("With values of the very strategies played and both known, nothing but rounding is left.",),
    )


EXPERIMENT = Experiment(
    id="brown/aivat",
    title="AIVAT: luck taken out of results, without bias",
    source="[Brown20, §5.3.5 and §6.6]",
    seconds_quick=5,
    seconds_full=90,
    run=run,
    text="matches of no-limit hold'em",
    quick={"Leduc": ("pattern", "reference")},
)
