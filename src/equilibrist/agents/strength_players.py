"""Players that look at how strong their hand is: rules on E[HS] and pot odds, and a bettor between the sizes of a tree."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from equilibrist.agents.registry import AgentEntry
from equilibrist.agents.simple import SimplePlayer
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.player import Strategy, View
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rollouts import Rollouts


class StrengthPlayer(SimplePlayer):
    """Knows the share of hands that its own beats; `choose` turns it into actions."""

    def __init__(self) -> None:
        self._rollouts: dict[str, Rollouts] = {}
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        if not isinstance(rules, Poker):
            raise NotApplicableError("This player judges poker hands; take another one for other games.")
        super().reset(seat, rules, rng)
        self._known.clear()

    @property
    def rollouts(self) -> Rollouts:
        found = self._rollouts.get(self.rules.name)
        if found is None:
            found = self._rollouts[self.rules.name] = Rollouts(self.rules.rules)
        return found

    def choose(self, view: View, strength: float) -> Mapping[str, float]:
        """How likely each action is with a hand that beats this share of all hands."""
        raise NotImplementedError

    def probabilities(self, view: View) -> Mapping[str, float]:
        assert view.chips is not None
        place = view.chips.hole, view.chips.board
        if place not in self._known:
            self._known[place] = self.rollouts.percentile(*place)
        return self.choose(view, self._known[place])

    def strategy(self, view: View) -> Strategy | None:
        assert view.chips is not None
        strengths = np.nan_to_num(self.rollouts.percentiles(view.chips.board), nan=0.5)
        chosen = [self.choose(view, float(strength)) for strength in strengths]
        actions = tuple(dict.fromkeys(label for row in chosen for label in row))
        table = np.array([[row.get(label, 0.0) for label in actions] for row in chosen])
        return Strategy(actions, table)


class RulePlayer(StrengthPlayer):
    """Raises strong hands, calls when E[HS] beats the pot odds by a margin, bluffs now and then (for ArizonaStu of [Lu16, §4.3.1])."""

    def __init__(self, raise_at: float = 0.75, margin: float = 0.0, size: float = 0.75, bluff: float = 0.05) -> None:
        super().__init__()
        if not 0 <= bluff <= 1 or not 0 < size < math.inf:
            raise ParameterError(
                f"'bluff' is a probability and 'size' a positive share of the pot, but {bluff} and {size} were given."
            )
        self.raise_at, self.margin, self.size, self.bluff = raise_at, margin, size, bluff

    def choose(self, view: View, strength: float) -> Mapping[str, float]:
        assert view.chips is not None
        raised = view.raise_by(self.size)
        if strength > self.raise_at:
            return {raised: 1.0}
        calls = not view.chips.to_call or strength > view.chips.pot_odds + self.margin
        passive = view.passive() if calls else view.fold()
        if passive == raised or not self.bluff:
            return {passive: 1.0}
        return {passive: 1.0 - self.bluff, raised: self.bluff}


class FixedRaiser(RulePlayer):
    """Before the flop puts in the same chips with every strong hand and folds the others; afterwards plays by rules ([Gilpin09, §7.4.3]).

    Bots that read a raise by its distance in chips take 144 chips for a raise to 6 when the next size they know is all of 1,000.
    """

    def __init__(self, amount: float = 144, hands: float = 0.15) -> None:
        super().__init__(size=1.0, bluff=0.0)
        if not 0 < amount < math.inf or not 0 < hands <= 1:
            raise ParameterError(
                f"'amount' is a positive number of chips and 'hands' a share of all hands, but {amount} and {hands} were given."
            )
        self.amount, self.share = amount, hands
        self._least: dict[str, float] = {}

    @property
    def least(self) -> float:
        """Strength of the weakest hand that raises."""
        if self.rules.name not in self._least:
            known = self.rollouts.percentiles(())
            self._least[self.rules.name] = float(np.nanquantile(known, 1.0 - self.share))
        return self._least[self.rules.name]

    def choose(self, view: View, strength: float) -> Mapping[str, float]:
        assert view.chips is not None
        if view.chips.round > 0:
            return super().choose(view, strength)
        if strength < self.least:
            return {view.fold(): 1.0}
        if view.chips.round_base >= self.amount:  # raised, or raised again: there is no way back
            return {view.passive(): 1.0}
        return {view.nearest_raise(self.amount): 1.0}


class OffTreeBettor(StrengthPlayer):
    """Bets between the sizes of a tree, where the pseudo-harmonic mapping misreads most ([Ganzfried15, §7.5]).

    The mapping reads a bet x between sizes A and B as A below x* = (A + B + 2AB) / (A + B + 2) and as B above. Strong
    hands bet just below x*, so that a large bet is answered like a small one; weak ones just above it.
    """

    def __init__(self, sizes: tuple[float, ...] = (0.5, 1.0, 2.0), nudge: float = 0.02, bluff: float = 0.3) -> None:
        super().__init__()
        shares = sizes if isinstance(sizes, tuple) else (sizes,)
        if (
            len(shares) < 2
            or list(shares) != sorted(shares)
            or not all(isinstance(x, int | float) and x > 0 for x in shares)
        ):
            raise ParameterError(f"'sizes' of 'off-tree' are at least two rising shares of the pot, not {sizes}.")
        if not 0 <= bluff <= 1 or not math.isfinite(nudge):
            raise ParameterError(
                f"'bluff' of 'off-tree' is a probability and 'nudge' a share of the pot, but {bluff} and {nudge} were given."
            )
        self.sizes, self.nudge, self.bluff = shares, nudge, bluff

    def choose(self, view: View, strength: float) -> Mapping[str, float]:
        assert view.chips is not None
        small, large = self.sizes[-2], self.sizes[-1]
        if strength > 0.75:
            return {view.raise_by(halfway(small, large) - self.nudge): 1.0}
        calls = not view.chips.to_call or strength > view.chips.pot_odds
        passive = view.passive() if calls else view.fold()
        raised = view.raise_by(halfway(self.sizes[0], self.sizes[1]) + self.nudge)
        if strength > 0.3 or passive == raised:
            return {passive: 1.0}
        return {passive: 1.0 - self.bluff, raised: self.bluff}


def halfway(small: float, large: float) -> float:
    """The bet that the pseudo-harmonic mapping reads as either size with equal chances."""
    return (small + large + 2.0 * small * large) / (small + large + 2.0)


def _tight_aggressive(raise_at: float = 0.7, margin: float = 0.12, size: float = 1.0, bluff: float = 0.0) -> RulePlayer:
    return RulePlayer(raise_at, margin, size, bluff)


ENTRIES = [
    AgentEntry(
        "rule-based",
        "hand strength against pot odds, some bluffs",
        RulePlayer,
        {"raise_at": 0.75, "margin": 0.0, "size": 0.75, "bluff": 0.05},
        "[Lu16, §4.3.1]",
    ),
    AgentEntry(
        "tight-aggressive",
        "few hands, raised hard",
        _tight_aggressive,
        {"raise_at": 0.7, "margin": 0.12, "size": 1.0, "bluff": 0.0},
        "ours",
    ),
    AgentEntry(
        "off-tree",
        "bets between the sizes of a tree, where translation errs",
        OffTreeBettor,
        {"sizes": (0.5, 1.0, 2.0), "nudge": 0.02, "bluff": 0.3},
        "[Ganzfried15, §7.5]",
    ),
    AgentEntry(
        "fixed-raiser",
        "strong hands put in the same odd amount before the flop",
        FixedRaiser,
        {"amount": 144.0, "hands": 0.15},
        "[Gilpin09, §7.4.3]",
    ),
]
