"""Streets of a real hand as spots that can be solved: real pot and stacks, own sizes, and the bets that were made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from equilibrist.cards.ranges import Range
from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.arrays import Floats
from equilibrist.core.player import View
from equilibrist.core.units import number_text
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.spots.spot_values import LIMIT
from equilibrist.solvers.postflop.solutions.spot_node import SpotNode

_TINY = 1e-9
FAINT = 1e-6  # share of the likeliest hand below which a hand is left out of a range


def street_betting(
    rules: PokerRules, number: int, words: Sequence[str], paid: float, menus: tuple[str, str]
) -> dict[str, Any]:
    """Stacks and sizes of a spot that begins with a street; `menus` are own bets and raises, in limit games the sizes are the game's."""
    streets = range(1, len(POSTFLOP_STREETS) + 1)
    if not all(rules.fixed_size(street) for street in streets):
        stack = round(rules.stack - paid, rules.digits)
        made = any(word[0] in "br" for word in words)  # bets that were made must stay what they are
        thresholds = {} if made else {"force_allin": 0.1}
        return {
            "stack": stack,
            "chip": rules.unit,
            "bets": _menus(rules, number, words, stack, 2.0 * paid, menus),
            "thresholds": thresholds,
        }
    sizes = {
        name: float(rules.menu(street, "").tokens[0][:-1])
        for street, name in zip(streets, POSTFLOP_STREETS, strict=True)
    }
    caps = {name: int(rules.caps[street]) for street, name in zip(streets, POSTFLOP_STREETS, strict=True)}
    return {"chip": rules.unit, "betting": {"kind": LIMIT, "size": sizes, "cap": caps}}


def _menus(
    rules: PokerRules, number: int, words: Sequence[str], stack: float, pot: float, menus: tuple[str, str]
) -> dict[str, Any]:
    """Own sizes, and on this street those that were bet, as chips on top of the bet faced."""
    opening = legal_sizes(menus[0], pot, float(rules.minimum_bet))
    bets, raises, facing = [opening], [menus[1]], 0.0
    for word in words:
        if word[0] in "br":
            total = float(word[1:])
            if total < stack:
                (raises if facing else bets).append(f"{number_text(round(total - facing, rules.digits))}c")
            facing = total
    street = POSTFLOP_STREETS[number - 1]
    return {
        "bet": opening,
        "raise": menus[1],
        street: {"bet": ", ".join(bets), "raise": ", ".join(raises)},
    }


def legal_sizes(menu: str, pot: float, least: float) -> str:
    """A menu of bets without shares of the pot that are below the smallest bet; the smallest one stands for them."""
    words = [word.strip() for word in menu.split(",")]
    small = [word for word in words if word.endswith("%") and float(word[:-1]) / 100.0 * pot < least]
    kept = [word for word in words if word not in small]
    return ", ".join([f"{number_text(least)}c", *kept] if small else kept)


def held_range(weights: Floats, board: tuple[int, ...]) -> Range | None:
    """Weights of all hands as a range on a board, without the faintest; None where nothing is left."""
    top = weights.max(initial=0.0)
    if not top > 0.0:
        return None
    kept = np.where(weights > FAINT * top, weights / top, 0.0)
    return Range(kept).without(board)


def street_words(view: View, number: int) -> list[str]:
    """Betting words of one street of a public line."""
    parts: list[list[str]] = [[]]
    for word in view.public_state.split(":"):
        if not word:
            continue
        if word[0] in "fcxbr":
            parts[-1].append(word)
        else:
            parts.append([])
    return parts[number] if number < len(parts) else []


def same_size(node: SpotNode, label: str, word: str) -> bool:
    """Whether two bets or raises are the same up to half a chip of the spot; with fixed sizes words name no amount."""
    near = max(node.boards.spot.chip / 2.0, _TINY)
    return label[0] in "br" and (not word[1:] or abs(float(label[1:]) - float(word[1:])) <= near)


def follow(node: SpotNode, words: Sequence[str]) -> SpotNode:
    """Where words of the table lead in a solution."""
    for word in words:
        same = (
            [] if node.is_deal or word[0] not in "br" else [each for each in node.labels if same_size(node, each, word)]
        )
        node = node.play(same[0] if same else word)
    return node
