"""FTPL-MDP: regret that falls with the square root of the number of repetitions, where fictitious play's does not fall at all."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.experiments.findings import Findings, Request, at_least, between
from equilibrist.experiments.registry import Experiment
from equilibrist.games.library.matrix_stages import MatrixStages
from equilibrist.games.stochastic import StageEnd
from equilibrist.solvers.stochastic_games.evaluation import plan_values
from equilibrist.solvers.stochastic_games.policy_iteration import best_policy
from equilibrist.solvers.stochastic_games.tree_stages import TreeStages

LEARNER = 0
WORTH = np.array([1.0, 2.0])  # of a right guess, by state
VISITS = np.array([4.0, 2.0]) / 3.0  # of each state, from the first one on
EXACT, FIRST = 1 << 16, 1 << 8  # repetitions, and those from which on the slope is measured
QUICK, FULL = (256, 8), (1024, 64)  # repetitions and seeds of the algorithm itself
NOISE = 1.0


def two_states() -> MatrixStages:
    """Guess what the other chooses, for 1 at the first state and for 2 at the second; each goes on to the other with one half.

    What is chosen does not move the state, so that averages of the other's play are averages of payoffs.
    """
    stages: list[dict[tuple[int, ...], StageEnd]] = []
    for state, worth in enumerate(WORTH.tolist()):
        follows = ((1 - state, 0.5),)
        stages.append(
            {
                (mine, theirs): StageEnd((worth * (mine == theirs), 0.0), follows)
                for mine in range(2)
                for theirs in range(2)
            }
        )
    return MatrixStages("guessing in two states", stages)


def opponent(stages: TreeStages, repetitions: int) -> Floats:
    """[repetition, state, width] one that never chooses what the leader, the best guess so far, would guess."""
    out = np.empty((repetitions, *stages.start().shape))
    average = stages.start()
    for t in range(repetitions):
        leader, _ = stages.against(average).answer(stages.ends.payoffs(np.zeros((2, 2))))
        out[t] = average
        out[t, :, 2:] = leader[:, 1::-1]
        average = out[: t + 1].mean(axis=0)
    return out


def regrets(stages: TreeStages, others: Floats, seed: int, noise: float) -> dict[int, float]:
    """Average regret of the learner at the first state after 1, 2, 4, … repetitions."""
    rng, paid, found = np.random.default_rng(seed), 0.0, {}
    for t, now in enumerate(others):
        average = others[:t].mean(axis=0) if t else stages.start()
        bonus = stages.noise(rng) * noise / np.sqrt(t + 1.0) if noise else None
        _, guess, _, _ = best_policy(stages, stages.against(average), stages.start(), bonus)
        values = plan_values(stages.ends, stages.against(now).probabilities(guess))
        paid += float(values[0, LEARNER])
        if (t + 1) & t == 0:
            best, _, _, _ = best_policy(stages, stages.against(others[: t + 1].mean(axis=0)), stages.start())
            found[t + 1] = float(best[0, LEARNER]) - paid / (t + 1.0)
    return found


def expected_regrets(repetitions: int, noise: float) -> Floats:
    """[repetition] the same without drawing: an action leads by A, and wins against Laplace noise with 1 - exp(-A / scale) / 2."""
    share, paid, out = np.full(2, 0.5), 0.0, np.empty(repetitions)  # share: of the opponent's first choice, by state
    for t in range(repetitions):
        lead = WORTH * (2.0 * share - 1.0)
        far = 0.5 * np.exp(-np.abs(lead) * np.sqrt(t + 1.0) / noise) if noise else np.zeros(2)
        first = np.where(lead >= 0.0, 1.0 - far, far)  # how likely the learner guesses the first choice
        now = np.where(lead >= 0.0, 0.0, 1.0)
        paid += float(VISITS @ (WORTH * np.where(now == 1.0, first, 1.0 - first)))
        share = (share * t + now) / (t + 1.0) if t else now
        out[t] = VISITS @ (WORTH * np.maximum(share, 1.0 - share)) - paid / (t + 1.0)
    return out


def slope(average_regret: Floats) -> float:
    """Of log regret over log repetitions."""
    counts = np.unique(np.geomspace(FIRST, len(average_regret), 40).astype(int))
    return float(np.polyfit(np.log(counts), np.log(np.maximum(average_regret[counts - 1], 1e-12)), 1)[0])


def run(request: Request) -> Findings:
    repetitions, seeds = FULL if request.full else QUICK
    perturbed, leader = expected_regrets(EXACT, NOISE), expected_regrets(EXACT, 0.0)
    stages = TreeStages(two_states())
    others, runs = opponent(stages, repetitions), []
    for seed in range(seeds):
        request.report("follow the perturbed leader", seed / seeds)
        runs.append(regrets(stages, others, seed, NOISE)[repetitions])
    drawn, error = float(np.mean(runs)), float(np.std(runs, ddof=1) / np.sqrt(seeds))
    found, same = slope(perturbed), float(perturbed[repetitions - 1])
    kept = (1 << 4, 1 << 8, 1 << 12, 1 << 16)
    return Findings(
        setting=f"two states, {EXACT:,} repetitions in expectation and {repetitions:,} by the algorithm with {seeds} seeds; "
        f"random rewards of scale {NOISE:g} / sqrt(t)",
        checks=[
            between("slope of log regret over log repetitions", -0.55, -0.45, found, target=-0.5, kind="pattern"),
            at_least(
                "without random rewards (fictitious play): last over first regret", 0.9, leader[-1] / leader[FIRST - 1]
            ),
            between("the algorithm's regret less the expected one, standard errors", -4.0, 4.0, (drawn - same) / error),
        ],
        published={"average regret": "falls as 1 / sqrt(n)"},
        measured={
            "slope": found,
            "expected average regret after": {str(n): float(perturbed[n - 1]) for n in kept},
            "of fictitious play after": {str(n): float(leader[n - 1]) for n in kept},
            f"of the algorithm after {repetitions}": {"mean": drawn, "standard error": error, "expected": same},
        },
        remarks=(
            "Rewards are perturbed, not values: so a policy's bonus is linear in how often it takes each action, as the theorem asks.",
            "Algorithm 12 averages the others' strategies; that is an average of payoffs only where they do not move the state.",
        ),
    )


EXPERIMENT = Experiment(
    id="ganzfried/ftpl",
    title="FTPL-MDP: regret against the best fixed policy",
    source="[Ganzfried15, §9.5.3, Algorithm 12]",
    seconds_quick=10,
    seconds_full=300,
    run=run,
    text="large stochastic games; no experiment",
    quick={"a game of two states": ("pattern", "reference")},
)
