"""NLFH, no-limit hold'em that ends on the flop: the game, its buckets, and one column of [Brown20, Tables 5.1 to 5.3].

A column is worked out in stages that are kept in a folder: buckets, the blueprint, then the boards in pieces. What is there already is
not done again, so an interrupted column goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.card_abstraction import CardAbstraction, load_card_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.recipe import make_recipe
from equilibrist.cards.deck import Deck
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.workers import ThreadWorkers
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames, Trunk
from equilibrist.search.subgame_solving import cfr_settings
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.blueprint.abstract_poker import FittedBuckets
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR, BucketedGame

BLIND = 100.0
MBB = 1000.0 / BLIND  # chips to thousandths of a big blind
SOLVER = "dcfr"  # stacks are deep: after equally many iterations CFR+ is three times as far from equilibrium
VERSION = 1  # raised whenever the same setting would give other numbers
NAMES = (
    "unsafe",
    "resolve",
    "maxmargin",
    "reach-resolve",
    "reach-maxmargin",
    "reach-maxmargin-unsplit",
    "estimate-resolve",
    "estimate-maxmargin",
    "estimate-distributional",
    "reach-estimate-distributional",
    "reach-estimate-distributional-unsplit",
)
SCALES = (10.0, 100.0, 1e3, 1e4, 1e5)  # of gifts; 0 is Maxmargin, 1 Reach-Maxmargin

Report = Callable[[str, float | None], None]


def small_nlfh(ranks: int = 13, suits: int = 4) -> Poker:
    """Stacks of 200 big blinds; raises of the pot before the flop, at most two; the pot and all-in on it, at most two bets."""
    rules = PokerRules(
        Deck(ranks, suits),
        board=(0, 3),
        menus=(Menu(("100%",)), Menu(("100%", "a"))),
        caps=(2, 2),
        hole=2,
        blinds=(BLIND, BLIND / 2),
        first=(1, 0),
        stack=200 * BLIND,
        minimum_bet=BLIND,
        raise_at_least_last=True,
    )
    return Poker(f"small NLFH, {ranks * suits} cards", rules)


@dataclass(frozen=True)
class ColumnSetting:
    """What one column is worked out with."""

    buckets: int
    ranks: int = 13
    suits: int = 4
    blueprint: int = 1000  # iterations of DCFR
    search: int = 800
    scaled: bool = False  # gifts scaled up as well
    step: int = 8  # boards in a piece

    @property
    def key(self) -> str:
        """Of the work: what is kept under another key is not this column's."""
        text = f"{VERSION} {replace(self, step=1, scaled=False)}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def techniques(self) -> tuple[Technique, ...]:
        found = tuple(find_technique(name) for name in NAMES)
        if not self.scaled:
            return found
        reach = find_technique("reach-maxmargin")
        return found + tuple(replace(reach, name=f"gifts times {scale:g}", gift_scale=scale) for scale in SCALES)


@dataclass(frozen=True)
class Column:
    """Exploitability in mbb per hand by technique, and what the blueprint believes of itself."""

    setting: ColumnSetting
    trunk: float
    inside: float  # exploitability of the blueprint inside its abstraction, chosen greedily
    searched: dict[str, float]
    margins: dict[str, float]  # smallest of all boards, chips


class ColumnWork:
    """The stages of one column."""

    def __init__(self, setting: ColumnSetting, folder: Path | None, threads: int, report: Report) -> None:
        self.setting, self.folder, self.threads, self.report = setting, folder, threads, report
        self.kept = Checkpoints(None if folder is None else folder / setting.key, setting.key)
        self.schedule: Schedule = cfr_settings(SOLVER).schedule

    def column(self) -> Column:
        done = self.kept.load("column")
        names = [technique.name for technique in self.setting.techniques]
        if done is None or len(done["searched"]) < len(names):
            done = self._work()
            self.kept.save("column", done)
            for first in range(0, int(done["boards"][0]), self.setting.step):
                self.kept.drop(f"boards-{first}")
        return Column(
            self.setting,
            float(done["trunk"][0]),
            float(done["trunk"][1]),
            dict(zip(names, done["searched"].tolist(), strict=False)),
            dict(zip(names, done["margins"].tolist(), strict=False)),
        )

    def _work(self) -> dict[str, npt.NDArray[Any]]:
        trunk = self.trunk()
        boards = len(trunk.abstract.boards[1].cards)
        below, margins = 0.0, np.inf
        for number, (values, margin) in enumerate(self._pieces(trunk, boards)):
            below, margins = below + values, np.fmin(margins, margin)
            self.report(f"{self._label}: boards", min(1.0, (number + 1) * self.setting.step / boards))
        found = [
            (trunk.whole_value(1, values[0]) + trunk.whole_value(0, values[1])) / 2.0
            for values in np.asarray(below)  # by technique, then by searcher
        ]
        inside = sum(each.average for each in trunk.believed) / 2.0
        return {
            "trunk": MBB * np.array([trunk.exploitability, inside]),
            "searched": MBB * np.array(found),
            "margins": np.asarray(margins),
            "boards": np.array([boards]),
        }

    @property
    def _label(self) -> str:
        return f"{self.setting.buckets} buckets"

    def buckets(self) -> CardAbstraction:
        """k-means of equities against eight groups of opponents' hands; the board comes once, so all of it is the last street."""
        streets = Streets(Deck(self.setting.ranks, self.setting.suits), (2, 3))
        whole = streets.hands(0).size
        recipe = make_recipe("ochs(iterations=20)", (whole, self.setting.buckets), streets=streets, sample=200_000)
        path = None if self.folder is None else self.folder / f"cards-{recipe.hash}.eqb"
        if path is not None and path.is_file():
            return load_card_abstraction(path, hash=recipe.hash)
        self.report(f"{self._label}: grouping hands", None)
        made = build_abstraction(recipe, threads=self.threads)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.save(path)
        return made

    def trunk(self) -> Trunk:
        """The blueprint, found in the abstraction."""
        abstract = BucketedGame.of(small_nlfh(self.setting.ranks, self.setting.suits), FittedBuckets(self.buckets()))
        run = BucketedCFR(abstract, CFR(schedule=self.schedule), threads=self.threads)
        found = self.kept.load("blueprint")
        if found is not None:
            run.restore(found)
        while run.iteration < self.setting.blueprint:
            run.advance(min(10, self.setting.blueprint - run.iteration))
            self.report(f"{self._label}: blueprint", run.iteration / self.setting.blueprint)
            self.kept.save_now_and_then("blueprint", run.state)
        self.kept.save("blueprint", run.state())
        self.report(f"{self._label}: responses to the blueprint", None)
        return Trunk.of(run.stream, run.profile())

    def _pieces(self, trunk: Trunk, boards: int) -> Iterator[tuple[Any, Any]]:
        techniques = self.setting.techniques
        assert trunk.gifts, "worked out once, before threads ask for them"

        def work(first: int) -> tuple[Any, Any]:
            name = f"boards-{first}"
            found = self.kept.load(name)
            if found is None or len(found["margins"]) < len(techniques):
                found = search_boards(
                    trunk,
                    range(first, min(first + self.setting.step, boards)),
                    self.schedule,
                    techniques,
                    self.setting.search,
                )
                self.kept.save(name, found)
            return found["values"], found["margins"]

        return ThreadWorkers(self.threads).map(work, range(0, boards, self.setting.step))


def search_boards(
    trunk: Trunk, boards: range, schedule: Schedule, techniques: tuple[Technique, ...], iterations: int
) -> dict[str, npt.NDArray[Any]]:
    """Sums over some boards: `values` [technique, searcher, root, hand] of the opponent's best response, `margins` [technique]."""
    whole = trunk.abstract
    values = np.zeros((len(techniques), 2, whole.roots, whole.first.hands))
    margins = np.full(len(techniques), np.nan)
    for board in boards:
        subgames = BoardSubgames(trunk, board, schedule)
        for number, technique in enumerate(techniques):
            for searcher in range(2):
                found = subgames.search(technique, searcher, iterations)
                values[number, searcher] += found.values
                margins[number] = np.fmin(margins[number], found.margin)
    return {"values": values, "margins": margins}
