"""A locked spot as plain rules: where a hand is bound, chance draws first whether it acts as bound or is free.

The player remembers having been bound (perfect recall asks for it); that is worth nothing, since the game goes on alike.
"""

from __future__ import annotations

from equilibrist.cards.ranges import parse_cards, parse_range
from equilibrist.games.rules import CHANCE
from reference.spot_game import SpotGame, SpotState


def place(line):
    """A lock's line as the states of the plain rules write it."""
    out = ""
    for token in (part for part in line.split(":") if part):
        card = len(token) == 2 and token[1] in "cdhs" and token[0] in "23456789TJQKA"
        out += f"/{parse_cards(token)[0]}" if card else f":{token}"
    return out


def pair_number(cards):
    high, low = max(cards), min(cards)
    return high * (high - 1) // 2 + low


class LockedSpotGame(SpotGame):
    """Locks with one strategy for all their hands, or a range of hands for every action."""

    def __init__(self, spot):
        super().__init__(spot)
        self.name = "locked spot"
        self.locks = [(place(lock.line), lock) for lock in spot.locks]

    def binding(self, line, hand):
        """Weight and strategy by label of a hand at a place; the last lock that names it counts."""
        found = None
        for where, lock in self.locks:
            if where != line or not parse_range(lock.hands).weights[pair_number(hand)] > 0:
                continue
            shares = {
                label: parse_range(share).weights[pair_number(hand)] if isinstance(share, str) else share
                for label, share in lock.strategy.items()
            }
            if sum(shares.values()) > 0:
                found = lock.weight, {label: share / sum(shares.values()) for label, share in shares.items()}
        return found

    def start(self):
        return LockedState(self, None, tuple(self.spot.board), 0, 0, "")


class LockedState(SpotState):
    __slots__ = ("actor", "bound", "draw")

    def __init__(self, game, hands, board, depth, node, line, bound=("", ""), free=False):
        super().__init__(game, hands, board, depth, node, line)
        self.bound, self.draw, self.actor = bound, None, self.player
        if self.player >= 0 and not free:
            self.draw = game.binding(line, hands[self.player])
            if self.draw is not None:
                self.player = CHANCE

    def chance(self):
        if self.draw is None:
            return super().chance()
        weight, shares = self.draw
        forced = [(label, weight * share) for label, share in shares.items() if share > 0]
        return forced + ([("free", 1 - weight)] if weight < 1 else [])

    def child(self, index):
        if self.draw is None:
            below = super().child(index)
            bound = self.bound
        else:
            label = self.chance()[index][0]
            if label == "free":
                return LockedState(
                    self.game, self.hands, self.board, self.depth, self.node, self.line, self.bound, True
                )
            forest = self.game.forests[self.depth]
            node = int(forest.first_child[self.node]) + forest.labels(self.node).index(label)
            below = SpotState(self.game, self.hands, self.board, self.depth, node, f"{self.line}:{label}")
            bound = list(self.bound)
            bound[self.actor] += f"!{self.line}"
        return LockedState(self.game, below.hands, below.board, below.depth, below.node, below.line, tuple(bound))

    def infoset(self, player):
        return f"{super().infoset(player)}{self.bound[player]}"
