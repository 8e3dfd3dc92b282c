"""A network for leaves: from both players' beliefs and the pot to what each hand is worth before the next card ([Brown20, §5.3.10])."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch

from equilibrist.core.arrays import Floats, Floats32
from equilibrist.core.errors import NotApplicableError
from equilibrist.learning.rebel.value_net import ValueNet
from equilibrist.learning.rebel_boards.first_street import FirstStreet, Pair

FIRST = 2  # columns for who is asked about and the pot


class LeafQuestions:
    """How a network is asked, and what it answers: shares of the leaf's pot, net of one half of it, on top of checking down."""

    def __init__(self, street: FirstStreet) -> None:
        if not np.array_equal(*street.hands):
            raise NotApplicableError(
                "A network has one number for each hand of either player, so both must hold the same hands; give both the same range."
            )
        self.street, self.hands = street, len(street.hands[0])
        self.pots = 2.0 * street.betting.stake[street.leaves]  # [L]
        self.width = FIRST + 2 * self.hands

    @cached_property
    def checked_down(self) -> Floats32:
        """[H, H] chance to win less chance to lose if nobody bets any more, times whether both hands can be there."""
        deal, hands = self.street.dealt.deal, self.street.hands[0]
        if len(deal.streets) != 1 or np.any(self.street.dealt.boards[1].copies != 1):
            raise NotApplicableError(
                "Networks are for the street before the last one, each board dealt by itself; compile with isomorphism=False."
            )
        out = np.zeros((self.hands, self.hands))
        strengths = deal.strengths_on(np.array(self.street.dealt.boards[1].cards))[:, hands].astype(np.int64)
        for strength in strengths:
            there = strength > 0
            out += np.sign(strength[:, None] - strength[None]) * (there[:, None] & there[None])
        apart = (deal.hands[hands][:, None, :, None] != deal.hands[hands][None, :, None, :]).all(axis=(2, 3))
        found: Floats32 = (out * apart * deal.chances[1]).astype(np.float32)
        return found

    def rows(self, player: int, own: Floats, theirs: Floats, pots: Floats) -> Floats32:
        """[Q, width] about a player's hands, where both have this reach [Q, H] in such pots [Q]."""
        out = np.empty((len(own), self.width), dtype=np.float32)
        out[:, 0] = player
        out[:, 1] = pots / (pots + 2.0 * self.left(pots))
        out[:, FIRST : FIRST + self.hands] = evened(own)
        out[:, FIRST + self.hands :] = evened(theirs)
        return out

    def left(self, pots: Floats) -> Floats:
        """Chips that each player has behind in such pots."""
        betting = self.street.betting
        found: Floats = betting.stack + betting.stake[0] - pots / 2.0
        return found

    def base(self, rows: Floats32) -> Floats32:
        """[Q, H] what checking down is worth to each hand, as a share of the pot."""
        theirs = rows[:, FIRST + self.hands :]
        mass = self.met(theirs)
        found: Floats32 = (0.5 * (theirs @ self.checked_down.T) / np.maximum(mass, 1e-6)).astype(np.float32)
        return found

    def met(self, theirs: Floats32) -> Floats32:
        """[Q, H] the opponent's weight that shares no card with each hand."""
        found: Floats32 = self.street.met(1, theirs.astype(np.float64)).astype(np.float32)
        return found


def evened(reach: Floats) -> Floats:
    """Beliefs [Q, H] whose mean is one; even where nobody gets."""
    mean = reach.mean(axis=1, keepdims=True)
    out: Floats = np.where(mean > 0.0, reach / np.where(mean > 0.0, mean, 1.0), 1.0)
    return out


class StreetNetLeaves:
    """Fulfils `LeafSource` with a network, asked about one player at a time."""

    follows = False

    def __init__(self, net: ValueNet, questions: LeafQuestions, device: torch.device) -> None:
        self.net, self.questions, self.device = net, questions, device
        self.reach: Pair | None = None

    def believe(self, reach: Pair) -> None:
        self.reach = reach

    def values(self, me: int, theirs: Floats) -> Floats:
        assert self.reach is not None, "nothing was asked yet"
        asked = self.questions
        rows = asked.rows(me, self.reach[me], self.reach[1 - me], asked.pots)
        found: Floats = asked.pots[:, None] * self.answer(rows) * asked.street.met(1 - me, theirs)
        return found

    def answer(self, rows: Floats32) -> Floats:
        """[Q, H] shares of the pot."""
        with torch.inference_mode():
            found = self.net(torch.from_numpy(rows).to(self.device)).cpu().numpy()
        whole: Floats = (found + self.questions.base(rows)).astype(np.float64)
        return whole
