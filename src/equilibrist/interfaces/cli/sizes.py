"""How large the games of the catalogue are, as far as that can be said quickly."""

from __future__ import annotations

import math
from dataclasses import dataclass

from equilibrist.core.errors import EquilibristError
from equilibrist.games.catalogue import make_game
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import CHANCE, TERMINAL, Game, GameEntry
from equilibrist.games.size_estimate import estimate_histories

QUICK_BETTING = 18_000  # betting situations of a poker game; more take long to count
QUICK_WALK = 13_000  # histories walked to count infosets when nobody asked for more
PATIENT_WALK = 300_000


@dataclass(frozen=True)
class CountedSize:
    """Numbers, or None where counting would take too long."""

    histories: float | None
    exact: bool
    infosets: int | None

    def text(self) -> str:
        """For a table."""
        if self.histories is None:
            return "not counted"
        if not math.isfinite(self.histories):
            return "too many to count"
        amount = f"{self.histories:,.0f}" if self.histories < 1e9 else f"{self.histories:.1e}"
        return amount if self.exact else f"about {amount}"


def usual_size(entry: GameEntry, *, patient: bool = False) -> CountedSize:
    """CountedSize with all parameters at their defaults; not counted where a plug-in's game needs some."""
    try:
        return measure(make_game(entry, {}), patient=patient)
    except EquilibristError:
        return CountedSize(None, exact=False, infosets=None)


def measure(game: Game, *, patient: bool = False) -> CountedSize:
    """Histories as the rules know or estimate them; infosets of small games by walking."""
    if not patient and isinstance(game, Poker) and _many_betting_situations(game):
        return CountedSize(None, exact=False, infosets=None)
    known = game.histories()
    histories = estimate_histories(game) if known is None else known
    walk = histories <= (PATIENT_WALK if patient else QUICK_WALK)
    return CountedSize(float(histories), exact=known is not None, infosets=count_infosets(game) if walk else None)


def count_infosets(game: Game) -> int:
    """Decision points of all players, by walking every history."""
    seen: set[tuple[int, str]] = set()
    stack = [game.start()]
    while stack:
        state = stack.pop()
        if state.player == TERMINAL:
            continue
        width = len(state.chance()) if state.player == CHANCE else len(state.actions())
        if state.player != CHANCE:
            seen.add((state.player, state.infoset(state.player)))
        stack.extend(state.child(index) for index in range(width))
    return len(seen)


def _many_betting_situations(game: Poker) -> bool:
    """Whether counting would take longer than a list is worth; the situations met are kept for the count itself."""
    stack, met = [game.first], 0
    while stack:
        node = stack.pop()
        met += 1
        if met > QUICK_BETTING:
            return True
        if node.player == CHANCE:
            stack.append(node.after_deal)
        elif node.player != TERMINAL:
            stack.extend(following for _, following in node.options)
    return False
