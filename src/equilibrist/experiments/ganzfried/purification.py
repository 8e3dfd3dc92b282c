"""Purification: random matrix games (Table 8.1), Leduc with 24 pairs of card abstractions (Table 8.2), thresholds (Fig. 8.3)."""

from __future__ import annotations

import numpy as np

from equilibrist.abstraction.bets.purification import Purify, Rule, Threshold, postprocess
from equilibrist.core.arrays import Floats
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.findings import Check, Findings, Request, at_least, close, equal, on, printed
from equilibrist.experiments.ganzfried.grouped_leduc import ABSTRACTIONS, GroupedLeduc, lift
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import Game
from equilibrist.solvers.linear_programs.matrix_games import solve_matrices
from equilibrist.solvers.responses.best_response import counterfactual_values
from equilibrist.solvers.solve import solve

MATRICES = {"purified": -0.050987, "unpurified": -0.054905, "improved": 0.1744, "worse": 0.1148, "unchanged": 0.7108}
IMPROVED_PAIRS, BEST_PURIFIED = 19, -1.86  # of Table 8.2
BEST_PAIRS = ("J.Q.K-J.Q.K", "J.Q.K-JQ.K")
SMALL_BET = 2.0
THRESHOLDS = (0.0, 0.05, 0.10, 0.15, 0.25, 0.35, 0.5)
GAMES = {False: 300_000, True: 1_500_000}
BATCH = 50_000
SAME = 1e-9


def _purified(rows: Floats) -> Floats:
    """`Purify` for many mixed strategies [game, action] at once."""
    best = rows >= rows.max(axis=1, keepdims=True) - 1e-7
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def random_matrices(games: int, request: Request, seed: int = 0) -> dict[str, float]:
    """Row strategies of the game without last row and column, against the equilibrium columns of the whole game."""
    rng = np.random.default_rng(seed)
    plain: list[Floats] = []
    pure: list[Floats] = []
    for done in range(0, games, BATCH):
        request.report("random matrix games", 0.7 * done / games)
        payoffs = rng.uniform(-1.0, 1.0, (min(BATCH, games - done), 4, 4))
        columns = solve_matrices(payoffs).columns
        rows = solve_matrices(np.ascontiguousarray(payoffs[:, :3, :3])).rows
        worth = np.einsum("grc,gc->gr", payoffs[:, :3], columns)
        plain.append((rows * worth).sum(axis=1))
        pure.append((_purified(rows) * worth).sum(axis=1))
    before, after = np.concatenate(plain), np.concatenate(pure)
    error = float((after - before).std() / np.sqrt(games))
    return {
        "purified": float(after.mean()),
        "unpurified": float(before.mean()),
        "improved": float((after > before + SAME).mean()),
        "worse": float((after < before - SAME).mean()),
        "unchanged": float((np.abs(after - before) <= SAME).mean()),
        "standard error of the gain": error,
    }


def _table(game: Game) -> TabularPolicy:
    policy = solve(game, "lp").policy
    assert isinstance(policy, TabularPolicy)
    return policy


class LeducPairs:
    """Strategies found with one abstraction for ourselves and one for the opponent, played against a full equilibrium."""

    def __init__(self) -> None:
        self.game = Compiled(load_game("leduc(suits=merged)"))
        self.equilibrium = _table(self.game.game)
        self.found: dict[tuple[str, str], TabularPolicy] = {}

    def strategy(self, first: str, second: str) -> TabularPolicy:
        """Both players' strategies of the game where player 1 sees `first` and player 2 `second`."""
        if (first, second) not in self.found:
            model = GroupedLeduc(first, second)
            self.found[first, second] = lift(_table(model), model, self.game.tree)
        return self.found[first, second]

    def worth(self, ours: str, theirs: str, rule: Rule | None) -> float:
        """Milli small bets a hand, mean over both seats."""
        total = 0.0
        for seat, pair in ((0, (ours, theirs)), (1, (theirs, ours))):
            strategy = self.strategy(*pair)
            played = strategy if rule is None else postprocess(strategy, rule)
            total += self._against_equilibrium(played, seat)
        return 1000 * total / 2 / SMALL_BET

    def _against_equilibrium(self, policy: TabularPolicy, seat: int) -> float:
        infosets = self.game.infosets
        owner = np.repeat(infosets.player, np.diff(infosets.first_slot))
        joined = np.where(owner == seat, policy.probabilities, self.equilibrium.probabilities)
        return counterfactual_values(self.game, TabularPolicy(infosets, joined), seat).value


def leduc_table(pairs: LeducPairs, request: Request) -> dict[str, tuple[float, float]]:
    """Base and purified, for every pair but the full game itself."""
    names = [(a, b) for a in ABSTRACTIONS for b in ABSTRACTIONS if (a, b) != ("full", "full")]
    found = {}
    for number, (ours, theirs) in enumerate(names):
        request.report("Leduc with abstractions", 0.7 + 0.25 * number / len(names))
        found[f"{ours}-{theirs}"] = pairs.worth(ours, theirs, None), pairs.worth(ours, theirs, Purify())
    return found


def leduc_checks(found: dict[str, tuple[float, float]]) -> list[Check]:
    better = sum(after > before + 1e-6 for before, after in found.values())
    best = max(found, key=lambda pair: found[pair][1])
    worse = [pair for pair, (before, after) in found.items() if after < before - 1e-6]
    coarse = all("JQK" in pair or "J.QK" in pair for pair in worse)
    return [
        equal("8.2: improved pairs of 24", IMPROVED_PAIRS, better),
        at_least("8.2: improved pairs of 24", 17, better),
        Check("8.2: best purified pair", " or ".join(BEST_PAIRS), best, "one of these", best in BEST_PAIRS, "pattern"),
        at_least("8.2: best purified, mb/h", -6.0, found[best][1]),
        Check("8.2: pairs that get worse involve JQK or J.QK", True, worse, "all of them", coarse, "pattern"),
    ]


def run(request: Request) -> Findings:
    games = GAMES[request.full]
    matrices = random_matrices(games, request)
    pairs = LeducPairs()
    table = leduc_table(pairs, request)
    steps: list[Rule] = [*(Threshold(least) for least in THRESHOLDS), Purify()]
    names = [name.split("-") for name in table]
    mean = [float(np.mean([pairs.worth(ours, theirs, rule) for ours, theirs in names])) for rule in steps]
    random_games = [
        close("8.1: improved", MATRICES["improved"], matrices["improved"], 0.003),
        close("8.1: worse", MATRICES["worse"], matrices["worse"], 0.003),
        close("8.1: unchanged", MATRICES["unchanged"], matrices["unchanged"], 0.003),
        close("8.1: gain", 0.0040, matrices["purified"] - matrices["unpurified"], 0.0006),
        close("8.1: purified", MATRICES["purified"], matrices["purified"], 0.003),
    ]
    rise = at_least("Fig. 8.3: mean over pairs, purified minus unchanged", 0.0, mean[-1] - mean[0])
    checks = [
        *on("text: Table 8.1", printed(random_games)),
        *on("text: Table 8.2", printed(leduc_checks(table))),
        *on("text: Figure 8.3", [rise]),
    ]
    return Findings(
        setting=f"{games:,} random 4x4 games; Leduc with 24 pairs of card abstractions, one LP equilibrium each, mb/h",
        checks=checks,
        published={"8.1": MATRICES, "8.2": {"improved": IMPROVED_PAIRS, "best purified": BEST_PURIFIED}},
        recomputed={"8.1": {"improved": 0.1742, "worse": 0.1141, "unchanged": 0.7116}, "8.2": {"improved": 20}},
        measured={
            "8.1": matrices,
            "8.2": table,
            "thresholds": dict(zip(map(str, [*THRESHOLDS, "purified"]), mean, strict=True)),
        },
        remarks=["Values of Table 8.2 depend on which equilibria are chosen: both the models and Leduc have many."],
    )


EXPERIMENT = Experiment(
    id="ganzfried/purification",
    title="Purified strategies in random matrix games and Leduc",
    source="[Ganzfried15, chapter 8, Tables 8.1 and 8.2, Figure 8.3]",
    seconds_quick=5,
    seconds_full=20,
    run=run,
    text="1.5 million random games; Leduc with 24 pairs of abstractions",
    quick={
        "text: Table 8.1": ("printed",),
        "text: Table 8.2": ("printed", "pattern"),
        "text: Figure 8.3": ("pattern",),
    },
)
