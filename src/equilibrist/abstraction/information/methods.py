"""Methods of information abstraction by the names people type: `eb`, `eb2(error=squared)`, `pa(restarts=30)`, `signature` …"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Protocol

from equilibrist.abstraction.information.expectation import ExpectationBased
from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.abstraction.information.hand_strength import HandStrength, hand_strength
from equilibrist.abstraction.information.lossy_gameshrink import shrink_to
from equilibrist.abstraction.information.ordered_game import OrderedGame, ordered_game
from equilibrist.abstraction.information.potential_aware import HistogramPotential
from equilibrist.abstraction.information.siblings import Sizes, check_sizes
from equilibrist.core.catalogue import Entry, Makers
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import is_whole
from equilibrist.forms.hand_classes.classes import HandClasses
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import Game


class InformationAbstraction(Protocol):
    """A method: from what is known about the cards and wanted numbers of classes to classes with perfect recall."""

    @property
    def name(self) -> str: ...

    def classes(self, strength: HandStrength, sizes: Sizes = None) -> HandClasses: ...


@dataclass(frozen=True)
class GameShrink:
    """Suits (lossless) or signatures: how many classes there are is not a choice."""

    name: str = "suits"

    def classes(self, strength: HandStrength, sizes: Sizes = None) -> HandClasses:
        found = shrink(strength.game, "signature" if self.name == "signature" else "automorphism")
        totals = check_sizes(strength, sizes)
        if any(total and total != count for total, count in zip(totals, found.counts, strict=True)):
            raise ParameterError(
                f"'{self.name}' gives {format_sizes(found.counts)} classes and cannot give {format_sizes(totals)}; leave the sizes out."
            )
        return found


@dataclass(frozen=True)
class LossyGameShrink:
    """The cheapest merges of siblings, until the wanted numbers are reached; merging is transitive."""

    name = "threshold"

    def classes(self, strength: HandStrength, sizes: Sizes = None) -> HandClasses:
        totals = check_sizes(strength, sizes)
        if not all(totals):
            raise ParameterError(
                "'threshold' merges until wanted numbers of classes are reached; give a size for every round."
            )
        return shrink_to(strength.game, totals)


@dataclass(frozen=True)
class MethodEntry(Entry):
    """What the catalogue says about a method."""

    reference: str = ""


def _defaults(kind: type[Any], *without: str) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind) if field.name not in without}


ENTRIES = [
    MethodEntry(
        "suits", "hands alike but for suits; lossless", lambda: GameShrink("suits"), {}, "[Gilpin09, chapter 5]"
    ),
    MethodEntry(
        "signature",
        "equal wins, ties and losses, recursively; not lossless",
        lambda: GameShrink("signature"),
        {},
        "[Gilpin09, chapter 5]",
    ),
    MethodEntry("threshold", "lossy GameShrink: cheapest matchings first", LossyGameShrink, {}, "[Gilpin09, §6.3]"),
    MethodEntry(
        "eb",
        "expectation-based: by winning probability",
        ExpectationBased,
        _defaults(ExpectationBased, "power"),
        "[Gilpin09, §6.4]",
    ),
    MethodEntry(
        "eb2",
        "expectation-based, squared probability",
        lambda **given: ExpectationBased(2, **given),
        _defaults(ExpectationBased, "power"),
        "[Gilpin09, §6.7]",
    ),
    MethodEntry(
        "pa",
        "potential-aware: by histograms of what follows",
        HistogramPotential,
        _defaults(HistogramPotential),
        "[Gilpin09, §6.5]",
    ),
]

METHODS: Makers[MethodEntry, InformationAbstraction] = Makers(
    kind="abstraction method",
    package="equilibrist.abstraction.information",
    table={"methods": [entry.name for entry in ENTRIES]},
    hint=f"There are {', '.join(entry.name for entry in ENTRIES)}.",
)


def make_method(text: str) -> InformationAbstraction:
    """A method from its name and parameters."""
    return METHODS.make(text)


def abstract(
    game: Game | PokerRules | OrderedGame | HandStrength,
    method: str | InformationAbstraction = "eb",
    sizes: Sizes = None,
) -> HandClasses:
    """Classes of hands in every betting round; `sizes` are totals per round, such as (13, 25, 125)."""
    strength = game if isinstance(game, HandStrength) else hand_strength(ordered_game(game))
    return (make_method(method) if isinstance(method, str) else method).classes(strength, sizes)


def parse_sizes(text: str) -> tuple[int, ...]:
    """`13-25-125`; 0 stands for no limit in a round."""
    parts = text.split("-")
    if not all(map(is_whole, parts)):
        raise ParameterError(
            f"Numbers of classes are written as 13-25-125, one for every betting round, but '{text}' was given."
        )
    return tuple(int(part) for part in parts)


def format_sizes(sizes: Sizes) -> str:
    """`13-25-125`."""
    return "all" if sizes is None else "-".join(str(size) for size in sizes)
