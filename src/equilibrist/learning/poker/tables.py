"""Strategies of a network for every hand at every decision, as tables of a blueprint, and what they are worth over all boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from equilibrist.core.arrays import Floats32
from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.poker.game import Poker
from equilibrist.games.size_estimate import memory_limit
from equilibrist.learning.networks.card_net import CardNet
from equilibrist.learning.networks.torch_extra import quick_products
from equilibrist.learning.poker.betting import BettingLines
from equilibrist.learning.poker.hands import HandCards, lossless_plan
from equilibrist.solvers.blueprint._kernels import blueprint as kernels
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan

HANDS_AT_ONCE = 1 << 15
HANDS_ON_DEVICE = 1 << 19  # at once
BYTES_PER_SLOT = 8  # a table of strategies, and what exact responses take beside it


def table_bytes(game: Poker) -> int:
    """What strategies of all hands take; known before buckets are made."""
    plan = lossless_plan(game.name, len(game.rules.board))
    return BYTES_PER_SLOT * int(betting_tree(plan.rules).first_slot(plan.bucket_counts())[-1])


def refuse_other_poker(game: Poker) -> None:
    """Betting of few sizes and one deal of board cards: whatever else is there has too many lines or too many hands."""
    rules = game.rules
    if len(rules.board) != 2 or rules.board[0] or not all(rules.fixed_size(number) for number in range(2)):
        raise NotApplicableError(
            "Hold'em is learned at fixed limits and to the flop, such as flop-holdem or 'flop-holdem(ranks=4)', "
            f"but '{game.name}' was given."
        )


def lossless_game(game: Poker) -> tuple[BlueprintPlan, AbstractPoker]:
    """The game with every hand up to suits by itself; refused where its tables do not fit."""
    refuse_other_poker(game)
    need, limit = table_bytes(game), memory_limit()
    if need > limit:
        raise TooLargeError(
            f"Exact exploitability of '{game.name}' takes tables of {need / 1e9:.3g} GB, but {limit / 1e9:.3g} GB may be used; "
            "take a game with fewer cards or streets."
        )
    plan = lossless_plan(game.name, len(game.rules.board))
    return plan, plan.game()


class Seen:
    """Hands and betting as a net sees them before they are joined: worked out once for all pairs."""

    def __init__(self, net: CardNet, cards: Tensor, numbers: Tensor) -> None:
        """`cards` [hand, card] of all hands, `numbers` [decision, ...]."""
        self.net, self.cards = net, cards
        self._seen: dict[tuple[int, int], Tensor] = {}
        with torch.no_grad():
            self.bets = net.see_bets(numbers)

    def outputs(self, hands: Tensor, decisions: Sequence[int]) -> Tensor:
        """[decision, hand, output]."""
        with torch.no_grad():
            return self.net.every_pair(self.net.see_cards(self.cards[hands]), self.bets[list(decisions)])

    def in_a_row(self, begin: int, end: int, decision: int) -> Tensor:
        """[hand, output] of hands that follow one another; how they are seen is remembered for the next decision."""
        with torch.no_grad():
            if (begin, end) not in self._seen:
                self._seen[begin, end] = self.net.see_cards(self.cards[begin:end])
            return self.net.every_pair(self._seen[begin, end], self.bets[decision : decision + 1])[0]


def matched(advantages: Tensor, legal: Tensor, uniform: bool = False) -> Tensor:
    """Regret matching on predicted advantages [..., output]: where none is positive the largest is played ([Brown20, §4.1.2])."""
    positive = torch.where(legal, advantages, 0.0).clamp(min=0.0)
    total = positive.sum(dim=-1, keepdim=True)
    if uniform:
        other = legal.float().expand_as(advantages)
    else:
        best = torch.where(legal, advantages, -torch.inf)
        other = (best == best.amax(dim=-1, keepdim=True)).float()
    other = other / other.sum(dim=-1, keepdim=True)
    return torch.where(total > 0.0, positive / total.clamp(min=1e-30), other)


def shares(logits: Tensor, legal: Tensor) -> Tensor:
    """Probabilities of actions from logits [..., output]."""
    return torch.softmax(torch.where(legal, logits, -torch.inf), dim=-1)


class StrategyTables:
    """Tables [slots] of a game whose hands are told apart up to suits."""

    def __init__(self, hands: HandCards, betting: BettingLines, device: torch.device) -> None:
        self.hands, self.betting, self.device = hands, betting, device
        self.legal = torch.from_numpy(betting.legal).to(device)
        self.first = [int(hands.game.first_slot[node]) for node in betting.decisions]
        self.before = [torch.from_numpy(each).to(device) for each in hands.before]

    def mixes(self, seen: Seen, number: int, advantages: bool, uniform: bool = False) -> Iterator[tuple[int, Tensor]]:
        """First class and strategies [class, action] at one decision, some classes at a time."""
        street = int(self.betting.round[number])
        legal = self.legal[number]
        actions = self.betting.outputs_of[number]
        first, at_once = int(self.hands.first[street]), HANDS_AT_ONCE if self.device.type == "cpu" else HANDS_ON_DEVICE
        for begin in range(0, self.hands.sizes[street], at_once):
            end = min(begin + at_once, self.hands.sizes[street])
            out = seen.in_a_row(first + begin, first + end, number)
            mix = matched(out, legal, uniform) if advantages else shares(out, legal)
            yield begin, mix[:, actions]

    def whole(self, seen: Seen, number: int, advantages: bool, uniform: bool = False) -> Tensor:
        """[class, action] at one decision."""
        return torch.cat([mix for _, mix in self.mixes(seen, number, advantages, uniform)])

    def filled(self, seen: Sequence[Seen]) -> Tensor:
        """[slots] strategies of nets that answer with logits, one for each player."""
        out = torch.zeros(self.hands.game.slots, device=self.device)
        with quick_products(self.device):
            for number, first in enumerate(self.first):
                mix = self.whole(seen[int(self.betting.player[number])], number, False).reshape(-1)
                out[first : first + len(mix)] = mix
        return out

    def add_reached(self, total: Tensor, seen: Seen, player: int, weight: float, uniform: bool = False) -> None:
        """Add `weight` x own reach x strategy of a player to sums [slots]: the average over all nets is exact."""
        with quick_products(self.device):
            self._add_reached(total, seen, player, weight, uniform)

    def _add_reached(self, total: Tensor, seen: Seen, player: int, weight: float, uniform: bool) -> None:
        tree, betting = self.hands.game.tree, self.betting
        reach = {0: torch.full((self.hands.sizes[0],), weight, device=self.device)}
        for node in range(len(tree)):
            number = int(betting.place[node])
            own = reach.pop(node, None)
            if number < 0 or own is None:
                continue
            children = betting.children(number)
            if tree.player[node] == player:
                mix = self.whole(seen, number, True, uniform) * own.unsqueeze(1)
                total[self.first[number] : self.first[number] + mix.numel()] += mix.reshape(-1)
            for a, child in enumerate(children):
                if betting.place[child] < 0:
                    continue
                there = mix[:, a] if tree.player[node] == player else own
                for street in range(int(tree.round[node]) + 1, int(tree.round[child]) + 1):
                    there = there[self.before[street]]
                reach[child] = there


def packed(game: AbstractPoker, average: Floats32) -> npt.NDArray[np.uint8]:
    """[slots] in bytes that sum to 255 in every infoset, as blueprints keep them."""
    tree = game.tree
    arrays = kernels.Tree(
        tree.player, tree.kind, tree.round, tree.first_child, tree.children, tree.folded, tree.paid, game.first_slot, tree.rounds
    )  # fmt: skip
    widths = np.asarray(game.buckets.sizes, dtype=np.int64)[tree.round[tree.decisions]]
    out = np.zeros(game.slots, dtype=np.uint8)
    kernels.pack(arrays, tree.decisions, widths, average, np.zeros_like(average), out)
    return out
