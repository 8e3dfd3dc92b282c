"""TranslatedPolicy: plays a real game by the strategy of an abstract one, translating bets that it does not know.

The player carries every abstract history that the real one may stand for, each with a weight: translation multiplies weights by its
probabilities, own actions by those of the strategy. The opponent sees none of it. What is played at a real infoset is the weighted
mean over these histories, an ordinary behaviour strategy, so that exact best responses are those of the real game ([Ganzfried15, §7.8]).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from equilibrist.abstraction.bets.translation import Translation
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.core.policy import InfosetIndex, Policy, TabularPolicy
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import CHANCE

Scale = Literal["abstract", "real"]  # whose pot a bet is measured by
AllIn = Literal["push", "call"]  # what calling a model all-in becomes while real chips are left ([Ganzfried15], [Lu16])
SCALES: tuple[Scale, ...] = ("real", "abstract")
ALL_INS: tuple[AllIn, ...] = ("push", "call")
_TINY = 1e-9


@dataclass(frozen=True)
class Hypothesis:
    """One abstract history that the real one may stand for."""

    node: BettingNode
    line: str  # with board cards
    weight: Floats  # [hand of the translating player]
    must_call: bool = False  # a bet that was read as a check or call is answered by a call

    def after(self, index: int, weight: Floats | float = 1.0) -> Hypothesis:
        label = self.node.labels[index]
        line = f"{self.line}:{label}" if self.line else label
        return Hypothesis(self.node.after(index), line, np.asarray(self.weight * weight))

    def call(self) -> Hypothesis:
        """After a check or call, where there is one to make."""
        return self.after(_calling(self.node)) if self.node.player >= 0 else self


def _calling(node: BettingNode) -> int:
    return next(i for i, label in enumerate(node.labels) if label[0] in "xc")


def _raises(node: BettingNode) -> list[float]:
    highest = max(node.paid)
    return [max(node.after(i).paid) - highest for i, label in enumerate(node.labels) if label[0] in "br"]


def _pot_after_call(node: BettingNode) -> float:
    return sum(node.paid) + max(node.paid) - node.paid[node.player]


class TranslatedPolicy:
    """Behaviour in a real poker game, from a policy for the same game with fewer bets; made as it is asked for."""

    def __init__(
        self,
        real: Poker,
        abstract: Poker,
        policy: Policy,
        mapping: Translation,
        *,
        scale: Scale = "real",
        all_in: AllIn = "push",
    ) -> None:
        if (
            real.players != abstract.players
            or real.rules.board != abstract.rules.board
            or real.rules.deck != abstract.rules.deck
        ):
            raise ParameterError(
                f"'{abstract.name}' and '{real.name}' differ in more than their bets; give the same game."
            )
        self.real, self.abstract, self.policy, self.mapping = real, abstract, policy, mapping
        self.scale, self.all_in = scale, all_in
        cards = itertools.combinations(range(real.rules.deck.size), real.rules.hole)
        self.hands = tuple(dict.fromkeys(real.hole_label(hole) for hole in cards))
        self._number = {hand: i for i, hand in enumerate(self.hands)}
        self._known: dict[tuple[int, str], tuple[BettingNode, tuple[Hypothesis, ...]]] = {}
        self._tables: dict[str, Floats] = {}

    def __getitem__(self, key: str) -> Mapping[str, float]:
        hand, _, line = key.partition(":")
        if hand not in self._number:
            raise UnknownNameError(f"There is no hand '{hand}' in '{self.real.name}'.{suggest(hand, self.hands)}")
        player = self.node(line).player
        labels = self.node(line).labels
        return dict(zip(labels, self.at(line, player)[self._number[hand]].tolist(), strict=True))

    def at(self, public_state: str, player: int) -> Floats:
        """[hand, real action], in the order of `hands`."""
        return self.play(*self._follow(player, public_state), player)[0]

    def actions_at(self, public_state: str) -> tuple[str, ...]:
        """Labels of the columns of `at`."""
        return tuple(self.node(public_state).labels)

    def node(self, line: str) -> BettingNode:
        """The real betting situation after a line."""
        return self._follow(-1, line)[0]

    def hypotheses(self, player: int, line: str) -> tuple[Hypothesis, ...]:
        """The abstract histories that a player considers; weights of a hand sum to its own reach."""
        return self._follow(player, line)[1]

    def start(self) -> tuple[Hypothesis, ...]:
        return (Hypothesis(self.abstract.first, "", np.ones(len(self.hands))),)

    def tabular(self, infosets: InfosetIndex, players: tuple[int, ...] | None = None) -> TabularPolicy:
        """Rows for every infoset of the real game; players that are left out play uniformly."""
        rows = []
        for i, key in enumerate(infosets.keys):
            player, width = int(infosets.player[i]), len(infosets.actions[i])
            if players is not None and player not in players:
                rows.append(np.full(width, 1.0 / width))
                continue
            hand, _, line = key.split("|")[-1].partition(":")
            rows.append(self.at(line, player)[self._number[hand]])
        return TabularPolicy(infosets, np.concatenate(rows))

    def play(
        self, node: BettingNode, hypotheses: tuple[Hypothesis, ...], player: int
    ) -> tuple[Floats, list[tuple[Hypothesis, ...]]]:
        """[hand, real action] probabilities, and for each real action the hypotheses after it."""
        out = np.zeros((len(self.hands), len(node.labels)))
        following: list[list[Hypothesis]] = [[] for _ in node.labels]
        for hypothesis in hypotheses:
            for action, after in self._choices(node, hypothesis, player):
                out[:, action] += after.weight
                following[action].append(after)
        total = out.sum(axis=1, keepdims=True)
        never = np.zeros_like(out)  # hands that own play does not bring here call
        never[:, _calling(node)] = 1.0
        row = np.where(total > 0, out / np.where(total > 0, total, 1.0), never)
        return row, [_merged(found) for found in following]

    def hear(self, node: BettingNode, hypotheses: tuple[Hypothesis, ...], action: int) -> tuple[Hypothesis, ...]:
        """What the hypotheses become after an opponent's action."""
        return _merged([after for hypothesis in hypotheses for after in self._hear(node, action, hypothesis)])

    def deal(self, node: BettingNode, hypotheses: tuple[Hypothesis, ...], cards: str) -> tuple[Hypothesis, ...]:
        """What the hypotheses become after public cards; `node` is the real situation before them."""
        return dealt(hypotheses, cards)

    def _follow(self, player: int, line: str) -> tuple[BettingNode, tuple[Hypothesis, ...]]:
        found = self._known.get((player, line))
        if found is None:
            if not line:
                found = self.real.first, self.start()
            else:
                before, _, word = line.rpartition(":")
                found = self._step(*self._follow(player, before), word, player)
            self._known[(player, line)] = found
        return found

    def _step(
        self, node: BettingNode, hypotheses: tuple[Hypothesis, ...], word: str, player: int
    ) -> tuple[BettingNode, tuple[Hypothesis, ...]]:
        if node.player == CHANCE:
            return node.after_deal, self.deal(node, hypotheses, word)
        if node.player < 0 or word not in node.labels:
            raise ParameterError(
                f"'{word}' is not on offer there in '{self.real.name}'; expected {', '.join(node.labels)}."
            )
        action = node.labels.index(word)
        if player < 0:
            return node.after(action), ()
        if node.player == player:
            return node.after(action), self.play(node, hypotheses, player)[1][action]
        return node.after(action), self.hear(node, hypotheses, action)

    def _choices(self, real: BettingNode, hypothesis: Hypothesis, player: int) -> list[tuple[int, Hypothesis]]:
        """Real actions, and what follows in the model, for what the strategy would do."""
        node, calling = hypothesis.node, _calling(real)
        if hypothesis.must_call or node.player != player:  # also where the model hand is over while real chips are left
            after = hypothesis.call() if node.player == player else hypothesis
            return [(calling, replace(after, must_call=False))]
        rows = self.strategy(hypothesis.line, node)
        raises = [i for i, label in enumerate(real.labels) if label[0] in "br"]
        out = []
        for index, label in enumerate(node.labels):
            if not rows[:, index].any():
                continue
            if label == "f":
                action = real.labels.index("f") if "f" in real.labels else calling
            elif label[0] in "xc":
                closes_all_in = self.all_in == "push" and label == "c" and _all_in(node)
                action = raises[-1] if closes_all_in and raises else calling  # the model calls all-in: so do we
            else:
                action = self._own_raise(real, node, index, raises, calling)
            out.append((action, hypothesis.after(index, rows[:, index])))
        return out

    def _own_raise(self, real: BettingNode, node: BettingNode, index: int, raises: list[int], calling: int) -> int:
        """The same share of the real pot, as near as real bets allow; all-in is all-in."""
        if not raises:
            return calling
        after = node.after(index)
        if _all_in(after):
            return raises[-1]
        share = (max(after.paid) - max(node.paid)) / _pot_after_call(node)
        amounts, wanted = _raises(real), share * _pot_after_call(real)
        return raises[min(range(len(raises)), key=lambda i: abs(amounts[i] - wanted))]

    def strategy(self, line: str, node: BettingNode) -> Floats:
        """[hand, abstract action]; hands that the board rules out have rows of zeros."""
        table = self._tables.get(line)
        if table is None:
            table = self._tables[line] = np.zeros((len(self.hands), len(node.labels)))
            for i, hand in enumerate(self.hands):
                try:
                    found = self.policy[f"{hand}:{line}" if line else hand]
                except UnknownNameError:
                    continue
                table[i] = [found[label] for label in node.labels]
        return table

    def _hear(self, real: BettingNode, action: int, hypothesis: Hypothesis) -> list[Hypothesis]:
        """What the model makes of an opponent's action."""
        node, label = hypothesis.node, real.labels[action]
        if node.player != real.player:  # the model hand is over, or its round is
            return [hypothesis]
        if label == "f":
            return [hypothesis.after(node.labels.index("f"))] if "f" in node.labels else [hypothesis.call()]
        if label[0] in "xc":
            return [hypothesis.call()]
        raises = [i for i, name in enumerate(node.labels) if name[0] in "br"]
        after_real = real.after(action)
        if not raises:  # no raise in the model: a call
            return [replace(hypothesis.call(), must_call=True)]
        if _all_in(after_real) and _all_in(node.after(raises[-1])):
            return [hypothesis.after(raises[-1])]
        pot = _pot_after_call(node)
        size = (max(after_real.paid) - max(real.paid)) / (pot if self.scale == "abstract" else _pot_after_call(real))
        sizes = [0.0, *(amount / pot for amount in _raises(node))]
        out = []
        for place, share in self.mapping.read(size, sizes):
            after = hypothesis.call() if place == 0 else hypothesis.after(raises[place - 1])
            out.append(replace(after, weight=np.asarray(after.weight * share), must_call=place == 0))
        return out


def _all_in(node: BettingNode) -> bool:
    return max(node.paid) >= node.rules.stack - _TINY


def dealt(hypotheses: tuple[Hypothesis, ...], cards: str) -> tuple[Hypothesis, ...]:
    """After public cards; a model hand that is over stays over."""
    out = []
    for one in hypotheses:
        line = f"{one.line}:{cards}" if one.line else cards
        out.append(replace(one, node=one.node.after_deal if one.node.player == CHANCE else one.node, line=line))
    return tuple(out)


def _merged(found: list[Hypothesis]) -> tuple[Hypothesis, ...]:
    """One hypothesis for each abstract history."""
    sums: dict[tuple[str, bool], Hypothesis] = {}
    for one in found:
        key = one.line, one.must_call
        known = sums.get(key)
        sums[key] = one if known is None else replace(known, weight=np.asarray(known.weight + one.weight))
    return tuple(sums.values())
