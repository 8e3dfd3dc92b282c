"""AbstractionStudy: abstractions of one game made, solved, lifted to one reference game and measured there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from equilibrist.abstraction.information.hand_strength import HandStrength, hand_strength
from equilibrist.abstraction.information.methods import InformationAbstraction, abstract, format_sizes
from equilibrist.abstraction.information.ordered_game import ordered_game
from equilibrist.abstraction.information.raise_caps import ReplyRule, with_cap
from equilibrist.abstraction.information.siblings import Sizes
from equilibrist.evaluation.reports.abstraction_report import AbstractionReport, Arena, Reference, report_abstraction
from equilibrist.evaluation.reports.class_quality import class_quality
from equilibrist.forms.hand_classes.betting_rounds import betting_rounds
from equilibrist.forms.hand_classes.class_pairs import ClassPairs, class_pairs
from equilibrist.forms.hand_classes.classes import HandClasses
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, kronecker_form
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import Game
from equilibrist.solvers.hand_classes.gameshrink_loss import VerifiedShrink, verify_strategy
from equilibrist.solvers.hand_classes.solve_classes import RoundSolution, solve_rounds
from equilibrist.solvers.hand_classes.strategy_abstraction import strategy_method
from equilibrist.solvers.iteration_loop import ProgressCallback

Watch = Callable[[str], ProgressCallback | None]  # what is being solved -> who is told about it


@dataclass(frozen=True)
class WantedAbstraction:
    """One abstraction to be studied."""

    method: str | InformationAbstraction = "eb"
    sizes: Sizes = None
    cap: int | None = None  # bets of the model in each round
    reply: ReplyRule | None = None  # to raises that the model lacks; to call, if nothing is said

    @property
    def name(self) -> str:
        method = self.method if isinstance(self.method, str) else self.method.name
        cap = "" if self.cap is None else f", cap {self.cap}"
        return (method if self.sizes is None else f"{method}:{format_sizes(self.sizes)}") + cap


class AbstractionStudy:
    """One game, one reference (`suits`: all cards; `signature`: the published reduced game), any number of abstractions."""

    def __init__(
        self, game: Game | PokerRules, *, reference: str = "suits", threads: int = 1, watch: Watch | None = None
    ) -> None:
        self.ordered = ordered_game(game)
        self.rules = self.ordered.rules
        self.name = game.name if isinstance(game, Poker) else "poker"
        self.reference_name, self.threads, self._watch = reference, threads, watch or (lambda title: None)
        self.solution: RoundSolution | None = None

    @cached_property
    def strength(self) -> HandStrength:
        return hand_strength(self.ordered)

    @cached_property
    def _counted(self) -> tuple[HandClasses, tuple[ClassPairs, ...]]:
        """The reference's classes and how they meet."""
        classes = abstract(self.strength, self.reference_name)
        return classes, class_pairs(self.rules, classes)

    @cached_property
    def full(self) -> KroneckerForm:
        """The reference game."""
        classes, pairs = self._counted
        name = f"{self.name}, {self.reference_name}"
        return kronecker_form(self.rules, classes, name=name, threads=self.threads, pairs=pairs)

    @cached_property
    def arena(self) -> Arena:
        return Arena(self.full)

    @property
    def reference(self) -> Reference:
        return Reference(self.reference_name, self.full, self.solution)

    def solve_reference(self, until: float) -> RoundSolution:
        """An equilibrium of the reference game, for the criteria that need one."""
        self.solution = solve_rounds(self.full, until=until, progress=self._watch(self.full.name))
        return self.solution

    def classes(self, wanted: WantedAbstraction, until: float) -> HandClasses:
        """Classes by the method; `strategy` solves a game by potential first, to exploitability `until`."""
        method = wanted.method
        if method == "strategy":
            title = f"{self.name}, for strategy vectors"
            method = strategy_method(
                self.strength, wanted.sizes, until=until, threads=self.threads, progress=self._watch(title)
            )
        return abstract(self.strength, method, wanted.sizes)

    def form(self, classes: HandClasses, cap: int | None = None, name: str = "") -> KroneckerForm:
        """The game of these classes, counted from the reference's pairs where they are coarser."""
        known, counted = self._counted
        inside = [known.within(classes, round) for round in range(len(known.seen))]
        pairs = [pairs.merged(place, place) for pairs, place in zip(counted, inside, strict=True)]
        return kronecker_form(self._rules(cap), classes, name=name, threads=self.threads, pairs=pairs)

    def _rules(self, cap: int | None) -> PokerRules:
        return self.rules if cap is None else with_cap(self.rules, cap)

    def play(self, wanted: WantedAbstraction, until: float) -> VerifiedShrink:
        """Make, solve to exploitability `until` (chips, in its own game), lift and measure against best responses."""
        form = self.form(self.classes(wanted, until), wanted.cap, wanted.name)
        solution = solve_rounds(form, until=until, progress=self._watch(wanted.name))
        return verify_strategy(solution, self.full, wanted.reply)

    def report(
        self, wanted: WantedAbstraction, made: VerifiedShrink, opponents: Sequence[tuple[str, VerifiedShrink]] = ()
    ) -> AbstractionReport:
        """All criteria of a solved abstraction."""
        return report_abstraction(
            self.name,
            wanted.method if isinstance(wanted.method, str) else wanted.method.name,
            class_quality(self.strength, made.classes),
            made,
            self.reference,
            {name: other.lifted for name, other in opponents},
            cap=wanted.cap,
            arena=self.arena,
        )

    def report_classes(self, wanted: WantedAbstraction, until: float) -> AbstractionReport:
        """What can be said without solving the abstraction."""
        classes = self.classes(wanted, until)
        method = wanted.method if isinstance(wanted.method, str) else wanted.method.name
        return AbstractionReport(
            game=self.name,
            method=method,
            classes=classes.counts,
            sequences=sequence_counts(self._rules(wanted.cap), classes.counts),
            rounds=class_quality(self.strength, classes),
            cap=wanted.cap,
        )


def sequence_counts(rules: PokerRules, counts: Sequence[int]) -> tuple[int, int]:
    """Sequences of both players, the empty ones included, in a game of so many classes."""
    rounds = betting_rounds(rules)
    first, second = (1 + sum(counts[each.number] * each.columns[p].count for each in rounds) for p in range(2))
    return first, second
