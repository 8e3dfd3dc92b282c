"""Two-player poker as streets: betting without cards (`StreetForest`) and what is dealt (`Deal`), for the vector engine."""

from __future__ import annotations

from dataclasses import replace

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import NO_RAKE, ForestLayout, StreetForest, grow_streets
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.games.poker.betting import first_node
from equilibrist.games.poker.rules import PokerRules

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
    return grow_streets(first_node(rules), ForestLayout(0.0, rules.stack, 0.0, NO_RAKE, 0, largest))
