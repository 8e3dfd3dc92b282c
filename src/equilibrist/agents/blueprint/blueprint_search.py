"""A street of a trained blueprint's hand searched as a spot: ranges by the blueprint's strategies, real pot, stacks and bets.

A blueprint knows buckets, not hands, so it has no exact values to compare with: the ranges are believed (unsafe search).
"""

from __future__ import annotations

import numpy as np

from equilibrist.abstraction.bets.translation import DEFAULT, MAPPINGS
from equilibrist.agents.blueprint.hand_reader import HandReader, action_chances
from equilibrist.agents.blueprint.hand_to_spot import held_range, street_betting
from equilibrist.cards.ranges import parse_cards
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.search.engines.spot_task import SpotSearch
from equilibrist.search.engines.spots import search_spot
from equilibrist.search.requests.request import SearchRequest
from equilibrist.search.techniques import find_technique
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

BETS, RAISES = "50%, 100%, a", "100%, a"


def search_blueprint(blueprint: PokerBlueprint, request: SearchRequest) -> SpotSearch:
    """Search the street that a line such as `r250:c:Td9d6h:x` is on, from the blueprint's ranges at its beginning."""
    request.refuse_leaves()
    if request.nested:
        raise NotApplicableError(
            "--nested is for solved spots and games; in a blueprint's line, write the bets themselves."
        )
    technique = find_technique(request.technique or "unsafe")
    if technique.gadget.needs_values:
        raise NotApplicableError(
            f"'{technique.name}' compares with values of single hands, but a trained blueprint knows buckets of hands only; use "
            "--technique unsafe, save the spot found with --out, and search that."
        )
    if request.bet is not None:
        raise NotApplicableError("--bet is for solved spots and games; in a blueprint's line, write the bet itself.")
    spot = spot_of(blueprint, request.line, (request.bets or BETS, request.raises or RAISES))
    searcher = request.searcher or PLAYERS[spot.opening.player]
    return search_spot(spot, searcher, technique, **request.spot_goals())


def is_searched_as_spots(blueprint: PokerBlueprint) -> bool:
    """Heads-up hold'em with 52 cards; blueprints of small games are searched as tables."""
    rules = blueprint.abstract.rules
    return rules.players == 2 and rules.deck.size == 52 and rules.hole == 2


def spot_of(blueprint: PokerBlueprint, line: str, menus: tuple[str, str] = (BETS, RAISES)) -> Spot:
    """The last street of a line as a spot; its words must be actions of the blueprint's own tree up to that street."""
    rules = blueprint.abstract.rules
    if not is_searched_as_spots(blueprint):
        raise NotApplicableError(
            "Blueprints are searched street by street in heads-up hold'em with 52 cards; this one is of another game."
        )
    words, board = _streets(line)
    number = len(words) - 1
    if not 1 <= number <= len(POSTFLOP_STREETS):
        raise ParameterError(
            f"The line '{line}' has no flop, turn or river; give betting and cards, such as 'r250:c:Td9d6h:x'."
        )
    reader = HandReader(blueprint.abstract.tree, rules, MAPPINGS[DEFAULT])
    try:
        reading = reader.read(":".join(word for street in words[:number] for word in street), "")
    except (ValueError, IndexError):
        raise ParameterError(
            f"'{line}' is no line of this blueprint's game; check the betting before the flop."
        ) from None
    weights = [np.ones(1326), np.ones(1326)]
    for step in reading.steps:
        if step.node >= 0:
            weights[step.player] *= action_chances(blueprint, step, board)
    dealt = board[: 2 + number]
    ranges = [held_range(weight, dealt) for weight in weights]
    if ranges[0] is None or ranges[1] is None:
        raise NotApplicableError(f"The blueprint never gets to '{line}'; search a line that it plays.")
    paid = float(max(reading.real.paid))
    label = rules.deck.label
    return Spot(
        board="".join(map(label, dealt)),
        pot=2.0 * paid,
        range=dict(zip(PLAYERS, ranges, strict=True)),
        line=":".join(words[number]),
        **street_betting(rules, number, tuple(words[number]), paid, menus),
    )


def _streets(line: str) -> tuple[list[list[str]], tuple[int, ...]]:
    """Betting words street by street, and all cards."""
    words: list[list[str]] = [[]]
    board: list[int] = []
    for word in (part for part in line.split(":") if part):
        if word[0] in "fcxbr":
            words[-1].append(word)
        else:
            board += parse_cards(word)
            words.append([])
    return words, tuple(board)
