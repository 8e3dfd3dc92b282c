"""Methods of information abstraction by the names people type: `eb`, `eb2(error=squared)`, `pa(restarts=30)`, `signature` …"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

from equilibrist.abstraction.information.expectation import ExpectationBased
from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.abstraction.information.hand_strength import HandStrength, hand_strength
from equilibrist.abstraction.information.lossy_gameshrink import shrink_to
from equilibrist.abstraction.information.ordered_game import OrderedGame, ordered_game
from equilibrist.abstraction.information.potential_aware import HistogramPotential
from equilibrist.abstraction.information.siblings import Sizes, check_sizes
from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.core.names import parse_name
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
class MethodEntry:
    """What the catalogue says about a method."""

    summary: str
    make: Callable[..., InformationAbstraction]
    parameters: Mapping[str, Any]
    reference: str


def _defaults(kind: type[Any], *without: str) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind) if field.name not in without}


METHODS: dict[str, MethodEntry] = {
    "suits": MethodEntry("hands alike but for suits; lossless", lambda: GameShrink("suits"), {}, "[Gilpin09] 5"),
    "signature": MethodEntry(
        "equal wins, ties and losses, recursively; not lossless", lambda: GameShrink("signature"), {}, "[Gilpin09] 5"
    ),
    "threshold": MethodEntry("lossy GameShrink: cheapest matchings first", LossyGameShrink, {}, "[Gilpin09] 6.2"),
    "eb": MethodEntry(
        "expectation-based: by winning probability",
        ExpectationBased,
        _defaults(ExpectationBased, "power"),
        "[Gilpin09] 6.3",
    ),
    "eb2": MethodEntry(
        "expectation-based, squared probability",
        lambda **given: ExpectationBased(2, **given),
        _defaults(ExpectationBased, "power"),
        "[Gilpin09] 6.7",
    ),
    "pa": MethodEntry(
        "potential-aware: by histograms of what follows",
        HistogramPotential,
        _defaults(HistogramPotential),
        "[Gilpin09] 6.4",
    ),
}


def make_method(text: str) -> InformationAbstraction:
    """A method from its name and parameters."""
    name = parse_name(text)
    if name.base not in METHODS:
        raise UnknownNameError(
            f"There is no abstraction method '{name.base}'.{suggest(name.base, METHODS)} There are {', '.join(METHODS)}."
        )
    entry = METHODS[name.base]
    for key in name.parameters:
        if key not in entry.parameters:
            options = ", ".join(entry.parameters) or "none"
            raise ParameterError(
                f"The method '{name.base}' has no parameter '{key}' (it has: {options}).{suggest(key, entry.parameters)}"
            )
    try:
        inspect.signature(entry.make).bind(**name.parameters)
    except TypeError as error:
        raise ParameterError(f"The method '{name.base}' cannot be made from these parameters: {error}.") from None
    return entry.make(**name.parameters)


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
    if not all(part.isdigit() for part in parts):
        raise ParameterError(
            f"Numbers of classes are written as 13-25-125, one for every betting round, but '{text}' was given."
        )
    return tuple(int(part) for part in parts)


def format_sizes(sizes: Sizes) -> str:
    """`13-25-125`."""
    return "all" if sizes is None else "-".join(str(size) for size in sizes)
