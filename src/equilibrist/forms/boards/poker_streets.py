"""Two-player poker as streets: betting without cards (`StreetForest`) and what is dealt (`Deal`), for the vector engine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.forms.boards.street_betting import (
    DEAL,
    FOLD,
    SHOWDOWN,
    Links,
    StreetForest,
    as_forest,
)
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE
from equilibrist.games.spots.betting import WORDS

LARGEST_STREET = 100_000  # situations; each is kept for every hand of every board


def refuse_unsuitable(name: str, rules: PokerRules) -> None:
    """Card removal by inclusion and exclusion stops at two private cards, and ranges at two players."""
    if not rules.has_boards:
        raise NotApplicableError(
            f"Boards are solved for two players with one or two private cards each, but '{name}' has {rules.players} players, "
            f"{rules.hole} private and {rules.board[0]} public cards at the start; leave out on=boards."
        )


def deal_of(rules: PokerRules) -> Deal:
    """What is dealt; suits are told apart even where the rules merge them, since merged suits are isomorphic ones."""
    deck = replace(rules.deck, merged=False) if rules.deck.merged else rules.deck
    return Deal(Deck(deck.ranks, deck.suits), rules.hole, (), tuple(cards for cards in rules.board if cards))


def betting_streets(rules: PokerRules, largest: int = LARGEST_STREET) -> tuple[StreetForest, ...]:
    """The forests of all streets; rounds without a deal between them are one street."""
    roots = [_Point(first_node(rules))]
    forests: list[StreetForest] = []
    while roots:
        forest, roots = _grow(rules, len(forests), roots, largest)
        forests.append(forest)
    return tuple(forests)


@dataclass(frozen=True)
class _Point:
    """A betting situation as a forest sees it."""

    node: BettingNode
    label: str = ""
    before: str = ""  # for roots: the betting of earlier streets

    @property
    def kind(self) -> int:
        if self.node.player >= 0:
            return self.node.player
        if self.node.player == CHANCE:
            return DEAL
        return FOLD if any(self.node.folded) else SHOWDOWN

    @property
    def paid(self) -> tuple[float, ...]:
        return self.node.paid

    @property
    def folder(self) -> int:
        return self.node.folded.index(True) if any(self.node.folded) else -1

    @property
    def name(self) -> str:
        """`bet 120`, or `all-in 900` when nothing is left behind."""
        if not self.label:
            return ""
        word, chips = WORDS[self.label[0]], self.label[1:]
        if chips and max(self.node.paid) >= self.node.rules.stack:
            word = "all-in"
        return f"{word} {chips}".rstrip()


def _grow(rules: PokerRules, street: int, roots: list[_Point], largest: int) -> tuple[StreetForest, list[_Point]]:
    """One street from its roots, level by level, and the roots of the next one."""
    points = list(roots)
    parent, first_child, levels = [-1] * len(points), [], [0]
    done = 0
    while done < len(points):
        levels.append(len(points))
        for number in range(done, len(points)):
            node = points[number].node
            width = len(node.labels) if node.player >= 0 else 0
            if len(points) + width > largest:
                raise TooLargeError(
                    f"The betting of street {street + 1} has more than {largest:,} situations; offer fewer bet sizes or a shorter stack."
                )
            children = [_Point(after, label) for label, after in node.options] if width else []
            first_child.append(len(points) if children else -1)
            parent.extend([number] * len(children))
            points.extend(children)
        done = levels[-1]
    links = Links(parent, first_child, levels)
    forest = as_forest(street, rules.stack, points, links, [root.before for root in roots])
    following = [
        _Point(point.node.after_deal, before=forest.line(number) + "/")
        for number, point in enumerate(points)
        if point.kind == DEAL
    ]
    return forest, following
