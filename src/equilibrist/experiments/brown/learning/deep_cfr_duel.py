"""Deep CFR, NFSP and abstractions of three sizes head to head, on Leduc poker with 13 ranks: a smaller game than Table 4.1's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.learning.courses import course
from equilibrist.experiments.brown.subgames.bl26 import GAME, MILLI, bucketed_blueprint
from equilibrist.experiments.findings import Check, Findings, Request, at_least, close, descending
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.responses.best_response import evaluate_policy, translate

DEEP_CFR, NFSP = "Deep CFR", "NFSP"
BUCKETS = (2, 3, 8)  # on the second round
PUBLISHED = {
    "limit hold'em, mbb/g, Deep CFR against NFSP and 3.3e6, 3.3e7, 3.3e8 buckets": [43, 6, -6, -11],
    "limit hold'em, mbb/g, NFSP against the same abstractions": [-40, -49, -55],
}
Table = dict[str, dict[str, float]]  # row player -> column player -> thousandths of an ante a hand


@dataclass(frozen=True)
class HeadToHeadSetting:
    """How long each is trained: iterations of Deep CFR, and of NFSP with many decisions in each."""

    deep_cfr: int
    nfsp: int
    seeds: tuple[int, ...]


QUICK = HeadToHeadSetting(60, 200, (0,))
FULL = HeadToHeadSetting(500, 3000, (0, 1, 2))


def abstractions(game: Compiled) -> dict[str, TabularPolicy]:
    """Equilibria of abstractions, by how many actions of infosets they tell apart."""
    out = {}
    for buckets in BUCKETS:
        solved = bucketed_blueprint(buckets)
        assert solved.abstraction is not None
        out[f"{solved.abstraction.infosets.slots} clusters"] = translate(solved.policy, game.infosets)
    return out


def learners(game: Compiled, setting: HeadToHeadSetting, request: Request) -> dict[str, list[TabularPolicy]]:
    """What was learned, for each seed."""
    from equilibrist.learning.catalogue import load_method  # late: PyTorch

    plans = {
        DEEP_CFR: ("sd-cfr(traversals=1000,steps=100,batch=512,rate=0.003)", setting.deep_cfr),
        NFSP: ("fitted-nfsp(batch=512)", setting.nfsp),
    }
    wanted = [(name, seed) for name in plans for seed in setting.seeds]
    out: dict[str, list[TabularPolicy]] = {name: [] for name in plans}
    for number, (name, seed) in enumerate(wanted):
        text, iterations = plans[name]
        share = (number / len(wanted), (number + 1) / len(wanted))
        made = course(
            f"{name}, seed {seed}",
            load_method(text),
            game,
            request,
            iterations=iterations,
            seed=seed,
            progress=share,
        )
        assert made.learner is not None, "it learned here"
        policy = made.learner.policy()
        assert isinstance(policy, TabularPolicy)
        out[name].append(policy)
    return out


def duel(game: Compiled, first: TabularPolicy, second: TabularPolicy) -> float:
    """What the first one wins in a hand, exactly, mean over both seats; thousandths of an ante."""
    infosets = game.infosets
    won = 0.0
    for seat in range(2):
        own = np.repeat(infosets.player == seat, np.diff(infosets.first_slot))
        seated = TabularPolicy(infosets, np.where(own, first.probabilities, second.probabilities))
        won += evaluate_policy(game, seated).value[seat] / 2.0
    return MILLI * won


def play_all(game: Compiled, players: Mapping[str, list[TabularPolicy]]) -> Table:
    """Everybody against everybody else, mean over seeds of both."""
    return {
        row: {
            column: float(np.mean([duel(game, one, other) for one in players[row] for other in players[column]]))
            for column in players
            if column != row
        }
        for row in players
    }


def run(request: Request) -> Findings:
    setting, game = FULL if request.full else QUICK, compiled(GAME)
    solved = abstractions(game)
    learned = learners(game, setting, request)
    players = learned | {name: [policy] for name, policy in solved.items()}
    table = play_all(game, players)
    exploited = {
        name: float(np.mean([MILLI * evaluate_policy(game, policy).exploitability for policy in own]))
        for name, own in players.items()
    }
    return Findings(
        setting=f"Leduc poker with 13 ranks; {setting.deep_cfr} iterations of SD-CFR, {setting.nfsp} of NFSP, "
        f"{len(setting.seeds)} seed{'s' if len(setting.seeds) > 1 else ''}; abstractions solved by CFR+, exact values",
        checks=checks_of(table, list(solved)),
        published=PUBLISHED,
        measured={
            "thousandths of an ante a hand, row against column": rounded(table),
            "exploitability": rounded({"": exploited})[""],
        },
        remarks=(
            "Table 4.1 is of limit hold'em, by sampled hands; its abstractions and those here have nothing in common but their order.",
        ),
        draw=lambda figure: draw_table(figure, table, list(solved)),
    )


def checks_of(table: Table, sizes: list[str]) -> list[Check]:
    """The order of Table 4.1."""
    checks: list[Check] = [
        descending(f"{name} wins less from finer abstractions", {size: table[name][size] for size in sizes})
        for name in (DEEP_CFR, NFSP)
    ]
    checks.append(at_least("Deep CFR wins from NFSP", 0.0, table[DEEP_CFR][NFSP]))
    checks.append(
        close("what one wins the other one loses", 0.0, table[DEEP_CFR][sizes[0]] + table[sizes[0]][DEEP_CFR], 1e-6)
    )
    return checks


def rounded(table: Table) -> Table:
    return {row: {column: round(value, 1) for column, value in own.items()} for row, own in table.items()}


def draw_table(figure: Any, table: Table, sizes: list[str]) -> None:
    """What Deep CFR and NFSP win from each abstraction."""
    axes = figure.subplots()
    for name in (DEEP_CFR, NFSP):
        axes.plot(sizes, [table[name][size] for size in sizes], "o-", label=name)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set(xlabel="abstraction", ylabel="wins (thousandths of an ante a hand)")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    id="brown/deep-cfr-duel",
    title="Deep CFR, NFSP and abstractions head to head, on Leduc poker with 13 ranks",
    source="[Brown20, §4.1, Table 4.1]",
    seconds_quick=60,
    seconds_full=3000,
    run=run,
    text="limit hold'em",
    quick={"Leduc poker with 13 ranks": ("pattern", "reference")},
    gpu=True,
)
