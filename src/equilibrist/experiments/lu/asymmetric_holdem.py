"""Asymmetric action abstractions in hold'em with 10 big blinds: nine strategies U-O against each other and a learner ([Lu16, §6.3])."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.bets.translation import find_mapping
from equilibrist.abstraction.cards.recipe import Recipe, make_recipe
from equilibrist.compute.kernel import cache_folder
from equilibrist.compute.machine import cores
from equilibrist.experiments.findings import Check, Findings, Request, ascending, at_least, at_most
from equilibrist.experiments.lu.asymmetric_leduc import MENUS, NAMES
from equilibrist.experiments.lu.cross_table import BlueprintCrossTable, cross_table
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.rounding_replicas import run_all
from equilibrist.experiments.trained import trained
from equilibrist.solvers.blueprint.folder import PLAN, TrainingOrder, resume_training, start_training
from equilibrist.solvers.blueprint.plan import BlueprintPlan, cached_cards
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training
from equilibrist.solvers.blueprint.values.one_sided_cfr import DealBlocks, TranslatedSeat, learn_against, make_reader

GAME = "nolimit-holdem(stack=1000)"
TO_MBB = 10.0  # a big blind is 100 chips
METHOD = "isomorphism/ehs-equal(of=ehs2)/ehs-equal(of=ehs2)/ehs-equal"  # [Lu16, §6.2]
PUBLISHED = {  # Table 12: row against column, mbb/g, upper half; Avg and Expl. of Table 13
    "8-8": [-3, 52, 49, 31, 31, 32, 47, 37],
    "4-4": [45, 41, 19, 23, 30, 52, 48],
    "1-1": [-15, -38, -35, -5, 1, 10],
    "2-1": [-21, -23, 1, 11, 16],
    "4-1": [0, 26, 43, 41],
    "8-1": [25, 35, 35],
    "1-2": [10, 13],
    "1-4": [4],
}
EXPLOITABILITY = dict(zip(NAMES, (1, 245, 329, 405, 697, 539, 272, 146, 6), strict=True))
AVERAGE = dict(zip(NAMES, (31, 29, -20, -10, 13, 11, -10, -22, -23), strict=True))
CLEAR = 20  # a published value at least so large must have its sign


@dataclass(frozen=True)
class HoldemSetting:
    """One setting of the experiment."""

    finest: int  # menu of the table and of the learner
    buckets: int
    iterations: Mapping[int, int]  # of training, by the larger menu of the two
    learning: int  # deals of one-sided CFR for each strategy and seat
    deals: int  # of each match, played in both seats
    kept: bool  # trainings go on where they stopped

    @property
    def names(self) -> list[str]:
        return [name for name in NAMES if max(menus_of(name)) <= self.finest]


QUICK = HoldemSetting(4, 20, {1: 600_000, 2: 900_000, 4: 1_800_000}, 600_000, 120_000, kept=False)
FULL = HoldemSetting(
    8, 1000, {1: 40_000_000, 2: 40_000_000, 4: 60_000_000, 8: 150_000_000}, 20_000_000, 2_000_000, kept=True
)


def menus_of(name: str) -> tuple[int, int]:
    """U and O."""
    ours, theirs = name.split("-")
    return int(ours), int(theirs)


def menu_file(first: int, second: int) -> dict[str, Any]:
    """Bets of both players as a menu file."""
    texts = [", ".join([*(f"{100 * share:g}%" for share in MENUS[k]), "a"]) for k in (first, second)]
    return {"menu": {"p1": {"bet": texts[0]}, "p2": {"bet": texts[1]}}}


def bucket_recipe(buckets: int) -> Recipe:
    """169 hands before the flop, then equally many deals in every bucket of E[HS squared], of HS on the river."""
    return make_recipe(METHOD, (169, buckets, buckets, buckets), sample=max(100_000, 1000 * buckets))


class NineAtHoldem:
    """The strategies at a table where both may bet by the finest menu."""

    def __init__(self, size: HoldemSetting, request: Request) -> None:
        self.size, self.request = size, request
        self.threads = cores()
        recipe = bucket_recipe(size.buckets)
        cached_cards(recipe, threads=self.threads, report=request.report)
        self.cards = str(cache_folder() / "cards" / f"{recipe.hash}.eqb")
        self.hash = recipe.hash
        self.table = DealBlocks(self.plan(size.finest, size.finest).game(), seed=7)
        self.solved: dict[tuple[int, int], PokerBlueprint] = {}
        mapping = find_mapping("soft-geometric")
        self.players: dict[str, tuple[TranslatedSeat, TranslatedSeat]] = {}
        for number, name in enumerate(size.names):
            ours, theirs = menus_of(name)
            request.report(f"strategy {name}", number / len(size.names))
            sides = (self.blueprint(ours, theirs), self.blueprint(theirs, ours))
            readers = [make_reader(self.table.game, side, seat, mapping) for seat, side in enumerate(sides)]
            self.players[name] = readers[0], readers[1]

    def plan(self, first: int, second: int) -> BlueprintPlan:
        return BlueprintPlan(GAME, menu_file(first, second), self.cards)

    def blueprint(self, first: int, second: int) -> PokerBlueprint:
        """The game with these menus, solved; one solution serves U-O and O-U."""
        if (first, second) not in self.solved:
            iterations = self.size.iterations[max(first, second)]
            solve = self._resumed if self.size.kept else self._trained
            self.solved[first, second] = solve(self.plan(first, second), iterations, f"{first}-{second}")
        return self.solved[first, second]

    def _trained(self, plan: BlueprintPlan, iterations: int, name: str) -> PokerBlueprint:
        return trained(plan, iterations, self.request, threads=self.threads)

    def _resumed(self, plan: BlueprintPlan, iterations: int, name: str) -> PokerBlueprint:
        folder = cache_folder() / "trainings" / "lu-asymmetric-holdem" / f"{name}-{self.hash[:8]}"

        def tell(progress: Any) -> None:
            self.request.report(f"training {name} in {folder}", progress.iterations / progress.planned)

        if (folder / PLAN).exists():
            made = resume_training(folder, iterations=iterations, threads=self.threads, report=tell)
        else:
            order = TrainingOrder(plan, Training(), iterations)
            made = start_training(folder, order, threads=self.threads, report=tell)
        if made.provenance["iterations"] < iterations:  # interrupted: what was learned is in the folder
            raise KeyboardInterrupt
        return made

    def exploitability(self) -> tuple[dict[str, float], dict[str, float]]:
        """mbb/g that a learner with the finest menu wins, mean over both seats, and its standard error."""
        self.request.report("learning against every strategy", None)
        seats = [(name, seat) for name in self.size.names for seat in (0, 1)]
        jobs = [
            partial(learn_against, self.table, self.players[name][seat], self.size.learning, self.size.deals)
            for name, seat in seats
        ]
        found = dict(zip(seats, run_all(jobs), strict=True))
        value = {name: TO_MBB * (found[name, 0].value + found[name, 1].value) / 2 for name in self.size.names}
        error = {name: TO_MBB * np.hypot(found[name, 0].error, found[name, 1].error) / 2 for name in self.size.names}
        return value, error

    def matches(self) -> BlueprintCrossTable:
        """Everybody against everybody, in mbb/g."""
        self.request.report("matches", None)
        blocks = max(1, self.size.deals // 4096 // self.threads)
        jobs = [
            partial(cross_table, self.table, self.players, blocks * 4096, 1_000_000 + blocks * part)
            for part in range(self.threads)
        ]
        parts = run_all(jobs)
        value = np.mean([part.value for part in parts], axis=0)
        error = np.sqrt(np.mean([part.error**2 for part in parts], axis=0) / len(parts))
        return BlueprintCrossTable(parts[0].names, TO_MBB * value, TO_MBB * error)


def published_table() -> dict[tuple[str, str], int]:
    """Upper half of Table 12."""
    return {
        (row, column): value
        for place, (row, values) in enumerate(PUBLISHED.items())
        for column, value in zip(NAMES[place + 1 :], values, strict=True)
    }


def sign_checks(found: BlueprintCrossTable) -> list[Check]:
    """Whoever wins clearly in the text wins here; not judged where that lies within two standard errors of nothing."""
    checks, names = [], found.names
    for (row, column), printed in published_table().items():
        if abs(printed) < CLEAR or row not in names or column not in names:
            continue
        i, j = names.index(row), names.index(column)
        value, error = float(found.value[i, j]), float(found.error[i, j])
        passed = value * printed > 0.0 or abs(value) <= 2.0 * error
        checks.append(Check(f"{row} against {column}", printed, value, "same sign", passed, "pattern"))
    return checks


def exploitability_checks(found: Mapping[str, float], size: HoldemSetting) -> list[Check]:
    larger = [name for name in size.names if menus_of(name)[0] > menus_of(name)[1]]
    smaller = [name for name in size.names if menus_of(name)[0] < menus_of(name)[1]]
    chain = {name: found[name] for name in (*reversed(smaller), "1-1")}
    chain[" and ".join(larger)] = min(found[name] for name in larger)
    most = 20.0 if size is FULL else 60.0
    close = [f"{size.finest}-{size.finest}", f"1-{size.finest}"]
    return [
        *(at_most(f"exploitability of {name}", most, found[name]) for name in close),
        ascending("a larger O is less exploitable", chain),
        at_least(
            "exploitability U>O / U<O", 3.0, sum(found[n] for n in larger) / max(sum(found[n] for n in smaller), 1e-9)
        ),
    ]


def average_checks(average: Mapping[str, float], size: HoldemSetting) -> list[Check]:
    order = sorted(average, key=lambda name: -average[name])
    wanted = {"8-8", "4-4"} if size.finest == 8 else {f"{size.finest}-{size.finest}"}
    larger = sum(value for name, value in average.items() if menus_of(name)[0] > menus_of(name)[1])
    smaller = sum(value for name, value in average.items() if menus_of(name)[0] < menus_of(name)[1])
    return [
        Check("among the two highest averages", sorted(wanted), order[:2], 0, wanted <= set(order[:2]), "pattern"),
        ascending("average", {"U<O": smaller, "U>O": larger}),
    ]


def run(request: Request) -> Findings:
    size = FULL if request.full else QUICK
    nine = NineAtHoldem(size, request)
    exploitability, error = nine.exploitability()
    found = nine.matches()
    average = {name: float(found.value[i].sum()) / len(found.names) for i, name in enumerate(found.names)}
    return Findings(
        setting=_setting(size),
        checks=[
            *exploitability_checks(exploitability, size),
            *average_checks(average, size),
            *sign_checks(found),
        ],
        published={"Table 12": {f"{a} against {b}": v for (a, b), v in published_table().items()}}
        | {"exploitability": EXPLOITABILITY, "average": AVERAGE},
        measured={
            "exploitability": exploitability,
            "standard error": error,
            "average": average,
            "matches": {a: _row(found.names, found.value[i]) for i, a in enumerate(found.names)},
            "standard errors of matches": {a: _row(found.names, found.error[i]) for i, a in enumerate(found.names)},
        },
        remarks=REMARKS,
    )


def _row(names: tuple[str, ...], values: npt.NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _setting(size: HoldemSetting) -> str:
    trained = ", ".join(f"{n:,} with menu {k}" for k, n in size.iterations.items() if k <= size.finest)
    less = "" if size is FULL else f"; menus up to {size.finest} only, so the table has bets of menu {size.finest}"
    return (
        f"10 big blinds, 169 and three times {size.buckets} buckets, deals trained: {trained}; soft geometric translation; "
        f"one-sided CFR over {size.learning:,} deals a seat, {size.deals:,} fresh deals to score, in mbb/g{less}"
    )


REMARKS = (
    "Exploitability is what one-sided CFR with the table's menu and the same buckets wins: a lower bound of the true one, as in the text.",
    "Where a strategy's own tree knows no decision, because it read a bet as all-in, it checks and calls.",
)

EXPERIMENT = Experiment(
    id="lu/asymmetric-holdem",
    title="Asymmetric action abstractions in hold'em with 10 big blinds",
    source="[Lu16, chapter 6, Tables 12 and 13]",
    seconds_quick=110,
    seconds_full=24_000,
    run=run,
    text="hold'em of 10 big blinds, menus of 1 to 8 bets, 1,000 buckets",
    quick={"menus of 1 to 4 bets, 20 buckets": ("pattern",)},
    full={"text": ("pattern",)},
)
