"""Asymmetric action abstractions: nine strategies U-O in no-limit Leduc, and the sizes of their betting in hold'em."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from equilibrist.abstraction.bets.translated_policy import TranslatedPolicy
from equilibrist.abstraction.bets.translation import find_mapping
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.findings import (
    Check,
    Findings,
    Request,
    ascending,
    at_least,
    at_most,
    close,
    equal,
    on,
    printed,
)
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.betting_tree.counting import count_betting
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_menus import asymmetric, menu_of, with_menus
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.responses.best_response import best_response, counterfactual_values
from equilibrist.solvers.solve import solve

MENUS = {1: [1.0], 2: [0.5, 1.0], 4: [0.5, 1.0, 1.5, 2.0], 8: [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0]}
PAIRS = ((8, 8), (4, 4), (1, 1), (2, 1), (4, 1), (8, 1), (1, 2), (1, 4), (1, 8))
NAMES = [f"{ours}-{theirs}" for ours, theirs in PAIRS]
MORE, LESS = NAMES[3:6], NAMES[6:]  # U > O and U < O
FINEST = 8  # menu of the real game, and of the responder
STACK = 10
MEGABYTES = (105, 15, 2, 4, 5, 14, 4, 5, 14)  # [Lu16, Table 12]
SLOTS = (27_556_389, 3_931_829, 565_577, 1_138_619, 1_408_647, 3_601_717, 1_138_619, 1_408_647, 3_601_717)
NODES = {"8-8": 2577, "4-4": 649, "1-1": 121, "2-1": 211, "4-1": 263, "8-1": 465}
EXPLOITABILITY = (0.1, 96.8, 383.2, 387.6, 404.4, 400.1, 142.0, 105.9, 4.3)  # recomputed, milli-chips a game
AVERAGE = (6.7, 3.6, -3.9, -1.4, 0.7, 2.6, -4.2, -2.1, -2.0)
ITERATIONS = {False: 1000, True: 4000}


def leduc(first: int, second: int) -> Poker:
    """No-limit Leduc with one menu for each player; opening bets below a chip are lifted to it."""
    base = load_game(f"nolimit-leduc(stack={STACK})")
    assert isinstance(base, Poker)
    rules = replace(base.rules, raise_at_least_last=True)
    menus = (menu_of([*MENUS[k], "a"], lift=True) for k in (first, second))
    return Poker(f"no-limit Leduc {first}-{second}", with_menus(rules, asymmetric(*menus)))


def size_audit() -> dict[str, dict[str, float]]:
    """(Infoset, action) pairs of our own decisions over both seats, 10 big blinds, 169 and three times 1,000 buckets."""
    base = load_game("nolimit-holdem(stack=1000)")
    assert isinstance(base, Poker)
    found = {}
    for name, (ours, theirs) in zip(NAMES, PAIRS, strict=True):
        slots = 0
        for seat in (0, 1):
            menus = [menu_of([*MENUS[ours if p == seat else theirs], "a"]) for p in (0, 1)]
            slots += count_betting(with_menus(base.rules, asymmetric(*menus))).slots([169, 1000, 1000, 1000], seat)
        found[name] = {"slots": slots, "MiB": slots * 4 / 2**20}
    return found


class NineAtLeduc:
    """The nine strategies in the real game, where everybody may bet by the finest menu."""

    def __init__(self, iterations: int, translation: str = "soft-geometric") -> None:
        self.iterations, self.mapping = iterations, find_mapping(translation)
        self.real = leduc(FINEST, FINEST)
        self.game = Compiled(self.real)
        self.owner = np.repeat(self.game.infosets.player, np.diff(self.game.infosets.first_slot))
        self.tables: dict[str, TabularPolicy] = {}

    def play(self, ours: int, theirs: int) -> TabularPolicy:
        """Both seats of the strategy U-O: each from the game in which it has menu U and its opponent O."""
        seats = []
        for seat, pair in ((0, (ours, theirs)), (1, (theirs, ours))):
            model = leduc(*pair)
            policy = solve(model, "cfr+", iterations=self.iterations).policy
            translated = TranslatedPolicy(self.real, model, policy, self.mapping, all_in="call")
            seats.append(translated.tabular(self.game.infosets, (seat,)).probabilities)
        return TabularPolicy(self.game.infosets, np.where(self.owner == 0, seats[0], seats[1]))

    def exploitability(self, name: str) -> float:
        """Milli-chips a game that a responder with the finest menu wins, mean over both seats."""
        return 500 * sum(best_response(self.game, self.tables[name], player).value for player in (0, 1))

    def duel(self, first: str, second: str) -> float:
        """Milli-chips a game of the first, mean over both seats."""
        total = 0.0
        for seat in (0, 1):
            mine, other = self.tables[first].probabilities, self.tables[second].probabilities
            joined = TabularPolicy(self.game.infosets, np.where(self.owner == seat, mine, other))
            total += counterfactual_values(self.game, joined, seat).value
        return 500 * total


def measure(nine: NineAtLeduc, request: Request) -> tuple[dict[str, float], dict[str, float]]:
    """Exploitability, and average over all nine opponents (oneself counts as 0)."""
    for number, (name, pair) in enumerate(zip(NAMES, PAIRS, strict=True)):
        request.report(f"strategy {name}", number / len(NAMES))
        nine.tables[name] = nine.play(*pair)
    exploitability = {name: nine.exploitability(name) for name in NAMES}
    average = {a: sum(nine.duel(a, b) for b in NAMES if b != a) / len(NAMES) for a in NAMES}
    return exploitability, average


def pattern_checks(found: Mapping[str, float], average: Mapping[str, float]) -> list[Check]:
    """What must come out in every run, after [Lu16, §6.3]."""
    others = min(found[name] for name in ("1-1", *MORE))
    chain = {name: found[name] for name in ("1-8", "1-4", "1-2")} | {"1-1, 2-1, 4-1, 8-1": others}
    more, less = sum(found[name] for name in MORE), sum(found[name] for name in LESS)
    best = max(average, key=lambda name: average[name])
    return [
        at_most("exploitability of 8-8", 10, found["8-8"]),
        at_most("exploitability of 1-8", 10, found["1-8"]),
        ascending("a larger O is less exploitable", chain),
        ascending("4-4 is less exploitable than 1-2", {"4-4": found["4-4"], "1-2": found["1-2"]}),
        at_least("exploitability U>O / U<O", 3.0, more / less),
        Check("highest average", "8-8", best, 0, best == "8-8", "pattern"),
        ascending("a larger U wins more", {name: average[name] for name in ("1-1", "2-1", "4-1", "8-1")}),
        ascending("average", {"U<O": sum(average[n] for n in LESS), "U>O": sum(average[n] for n in MORE)}),
    ]


def run(request: Request) -> Findings:
    audit = size_audit()
    nine = NineAtLeduc(ITERATIONS[request.full])
    found, average = measure(nine, request)
    nodes = {name: count_betting(leduc(*map(int, name.split("-"))).rules).nodes for name in NODES}
    sizes = [
        equal(f"Table 12: slots of {name}", target, audit[name]["slots"])
        for name, target in zip(NAMES, SLOTS, strict=True)
    ]
    sizes += printed(
        equal(f"Table 12: MB of {name}", target, round(audit[name]["MiB"]))
        for name, target in zip(NAMES, MEGABYTES, strict=True)
    )
    checks = on("text: Table 12, sizes", sizes)
    checks += [equal(f"betting nodes of {name} in Leduc", target, nodes[name]) for name, target in NODES.items()]
    checks += [close(f"exploitability of {n}", t, found[n], 3.0) for n, t in zip(NAMES, EXPLOITABILITY, strict=True)]
    checks += [close(f"average of {n}", t, average[n], 1.0) for n, t in zip(NAMES, AVERAGE, strict=True)]
    return Findings(
        setting=f"no-limit Leduc, stacks of {STACK}, {nine.iterations} iterations of CFR+, soft geometric translation, milli-chips a game",
        checks=[*checks, *pattern_checks(found, average)],
        published={"MB": dict(zip(NAMES, MEGABYTES, strict=True))},
        recomputed={
            "exploitability": dict(zip(NAMES, EXPLOITABILITY, strict=True)),
            "average": dict(zip(NAMES, AVERAGE, strict=True)),
        },
        measured={"audit": audit, "exploitability": found, "average": average, "nodes": nodes},
        remarks=[
            "Bets that a model lacks lead to places its equilibrium does not care about: what a solver happens to play there moves "
            "these exploitabilities by a fifth, so that the patterns, not the numbers, are the result."
        ],
    )


EXPERIMENT = Experiment(
    id="lu/asymmetric-leduc",
    title="Asymmetric action abstractions in no-limit Leduc, and their sizes in hold'em",
    source="[Lu16, chapter 6, Table 12]",
    seconds_quick=15,
    seconds_full=60,
    run=run,
    text="hold'em of 10 big blinds",
    quick={"no-limit Leduc": ("pattern", "reference"), "text: Table 12, sizes": ("printed", "reference")},
)
