"""Bets of 0.75 pot that one player never learned of, in no-limit flop hold'em without card abstraction, answered by translation and by
nested search: all flops with --full, fifteen cards otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.machine import cores
from equilibrist.experiments.brown.subgames.nested import PUBLISHED
from equilibrist.experiments.brown.subgames.nested_everywhere import INEXPENSIVE, UNKNOWN, NestedTable, size_missing
from equilibrist.experiments.brown.subgames.nlfh_table import kept_in
from equilibrist.experiments.findings import Check, Findings, Request, close, on, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.games.poker.abstracted_holdem import BIG_BLIND, nested_nolimit_flop_holdem
from equilibrist.search.off_tree.finer_flops import FinerFlops, SeatStrategy
from equilibrist.search.off_tree.flop_answers import answer_flops, opponent_gets, translate_flops
from equilibrist.search.off_tree.translated import pseudo_harmonic
from equilibrist.search.techniques import find_technique
from equilibrist.solvers.cfr.schedules import PLUS

MBB = 1000.0 / BIG_BLIND  # chips to thousandths of a big blind
VERSION = 1  # raised whenever the same setting would give other numbers
NEAR = 0.1  # by which numbers may differ from the printed ones, relative

Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class NestedSetting:
    """Cards and iterations of CFR+."""

    ranks: int = 13
    suits: int = 4
    trained: int = 800  # of the blueprint
    searched: int = 400  # of each answer

    @property
    def key(self) -> str:
        return hashlib.sha256(f"nested {VERSION} {self}".encode()).hexdigest()[:16]

    @property
    def cards(self) -> str:
        return f"{self.ranks * self.suits} cards"


FULL, QUICK = NestedSetting(), NestedSetting(ranks=5, suits=3, trained=400, searched=200)


class NestedWork:
    """Table 5.4, each number kept as soon as it is known."""

    def __init__(self, setting: NestedSetting, folder: Path | None, report: Report, device: str = "cpu") -> None:
        self.setting, self.report, self.device = setting, report, device
        self.kept = Checkpoints(None if folder is None else folder / setting.key, setting.key)

    def table(self) -> NestedTable:
        got = {"residual": self._number("residual", lambda: MBB * self._blueprint[1])}
        for name in ("translation", *INEXPENSIVE):
            got[name] = sum(self._number(f"{name}-{p}", partial(self._gets, name, p)) for p in (0, 1)) / 2.0
        return NestedTable(got, {f"player {p + 1}": self._answers(p) for p in (0, 1)})

    def _gets(self, name: str, searcher: int) -> float:
        """What an opponent with all sizes gets, mbb; in the mean over seats the value of the game cancels out."""
        flops, known, low = self._flops, self._blueprint[0][searcher], pseudo_harmonic(0.5, UNKNOWN, 1.0)

        def told(doing: str, share: float | None) -> None:
            self.report(f"{name}, player {searcher + 1}: {doing}", share)

        if name == "translation":
            played = translate_flops(flops, known, searcher, (low, 1.0 - low))
        else:
            played = answer_flops(flops, known, searcher, find_technique(name), self.setting.searched, told)
        told("best response", None)
        found = MBB * opponent_gets(flops, played, searcher)
        flops.forget_engines()
        return found

    def _number(self, name: str, make: Callable[[], float]) -> float:
        return float(self.kept.keep(name, lambda: {"mbb": np.array([make()])})["mbb"][0])

    def _answers(self, player: int) -> list[int]:
        """[level] lines answered on every flop."""
        lines = self._flops.lines
        return [len(lines.roots(1, player, level)) for level in range(1, lines.levels(player) + 1)]

    @cached_property
    def _flops(self) -> FinerFlops:
        game = nested_nolimit_flop_holdem(ranks=self.setting.ranks, suits=self.setting.suits)
        return FinerFlops(game, size_missing(game, UNKNOWN), PLUS, device=self.device, threads=cores())

    @cached_property
    def _blueprint(self) -> tuple[tuple[SeatStrategy, SeatStrategy], float]:
        """Of the game without the bets, and its exploitability there, chips."""
        run = self._flops.run_below(0, self._flops.lines.after)
        while run.iteration < self.setting.trained:
            run.advance(min(100, self.setting.trained - run.iteration))
            self.report("blueprint", run.iteration / self.setting.trained)
        return self._flops.blueprint(run), run.exploitability()


def numbers(table: NestedTable) -> list[Check]:
    """As printed, on the text's own game."""
    rows = [name for name in PUBLISHED if name in table.got]
    return printed([close(name, PUBLISHED[name], table.got[name], NEAR * PUBLISHED[name]) for name in rows])


def run(request: Request) -> Findings:
    setting = FULL if request.full else QUICK
    folder = kept_in(request)
    try:
        table = NestedWork(setting, folder, request.report, request.device).table()
    except KeyboardInterrupt:
        if folder is None:
            raise
        raise KeyboardInterrupt(
            f"Interrupted; finished numbers are kept in '{folder}', and the same command goes on from there."
        ) from None
    checks = table.checks()
    return Findings(
        setting=f"no-limit flop hold'em with {setting.cards}, bets of 0.5, 0.75 and 1 pot, one before the flop and three on it; blueprint "
        f"without 0.75, {setting.trained}, answers {setting.searched} iterations of CFR+; device {request.device}"
        + ("" if request.full else "; the whole deck needs --full"),
        checks=[*checks, *numbers(table)] if request.full else on(setting.cards, checks),
        published=PUBLISHED,
        measured={**table.got, "excess": table.over, "lines answered on every flop, by level": table.answers},
        remarks=(
            "Exploitability in mbb per hand: the mean over seats of what an opponent with all sizes wins by an exact best response.",
            "Stacks of 200 big blinds never end a line. Expensive searches, which begin one step earlier, were not run on boards: see "
            "brown/nested-everywhere for them.",
        ),
    )


EXPERIMENT = Experiment(
    id="brown/nested-flops",
    title="Off-tree bets in no-limit flop hold'em: translation and nested search",
    source="[Brown20, Table 5.4]",
    seconds_quick=70,
    seconds_full=45_000,
    run=run,
    text="no-limit flop hold'em with 52 cards",
    quick={"15 cards": ("pattern",)},
    full={"text": ("pattern", "printed")},
    gpu=True,
)
