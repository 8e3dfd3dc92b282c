"""Public states with their hands as dense arrays: what ReBeL searches.

A *hand* is what a player was dealt; it stays a row of the same number all the way down. Where suits decide nothing they are merged.
States with the same future, up to an exchange of the players, share a *class*: a search of one is a search of all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import CHANCE
from equilibrist.games.size_estimate import check_memory

_CARD = re.compile(r"([2-9TJQKA])[cdhs]")


@dataclass(frozen=True, repr=False)
class BeliefGame:
    """S public states from the first decision down, parents first, and N hands."""

    game: Compiled
    player: Ints  # [S] acting player, CHANCE or TERMINAL
    children: tuple[tuple[int, ...], ...]  # [S] by action, or by what chance does
    hands: tuple[str, ...]
    weight: Floats  # [S, N, N] chance probability of a pair of hands
    payoff: Floats  # [S, N, N] player 1's payoff times it, in units of the largest payoff; 0 where play goes on
    unit: float  # chips that a payoff of 1 stands for
    first_slot: Ints  # [S + 1] actions of decisions
    future: Ints  # [S] class
    swapped: npt.NDArray[np.bool_]  # [S] whether the players of the class are exchanged here
    state_of: Ints  # [states of the public tree] -1 above the first decision
    hand_of: tuple[Ints, Ints] = field(repr=False)  # by player, [infostates of the public tree]
    slot_state: Ints = field(repr=False)  # [slots of the game]
    slot_action: Ints = field(repr=False)
    slot_hand: Ints = field(repr=False)

    def __repr__(self) -> str:
        return f"<BeliefGame of {self.game.game.name!r}: {len(self.player):,} public states, {len(self.hands)} hands>"

    @property
    def slots(self) -> int:
        return int(self.first_slot[-1])

    def prior(self, state: int) -> Floats:
        """[2, N] how likely chance alone makes each hand."""
        return np.stack([self.weight[state].sum(axis=1), self.weight[state].sum(axis=0)])

    def policy(self, sums: Floats) -> TabularPolicy:
        """From [slots, N] sums of a player's reach times its strategy."""
        infosets = self.game.infosets
        chosen = sums[self.first_slot[self.slot_state] + self.slot_action, self.slot_hand]
        total = np.repeat(np.add.reduceat(chosen, infosets.first_slot[:-1]), np.diff(infosets.first_slot))
        width = np.repeat(np.diff(infosets.first_slot), np.diff(infosets.first_slot))
        return TabularPolicy(infosets, np.where(total > 0.0, chosen / np.where(total > 0.0, total, 1.0), 1.0 / width))

    def sums(self, policy: TabularPolicy) -> Floats:
        """[slots, N] a policy's strategies; of infosets that are merged here, the mean."""
        out, count = np.zeros((self.slots, len(self.hands))), np.zeros((self.slots, len(self.hands)))
        place = self.first_slot[self.slot_state] + self.slot_action, self.slot_hand
        np.add.at(out, place, policy.probabilities)
        np.add.at(count, place, 1.0)
        return out / np.maximum(count, 1.0)


def belief_game(game: Compiled) -> BeliefGame:
    """Refused where hands change, or where actions are not public."""
    _check(game)
    tree = game.public_tree
    root, label = _first_decision(tree), _label(game)
    state_of, texts = _states(tree, root, label)
    hands, hand_of = _hands(tree, root, label, state_of)
    check_memory(f"The payoffs of all hands at all states of '{game.game.name}'", 16.0 * len(texts) * len(hands) ** 2)
    first = np.unique(state_of, return_index=True)[1][
        -len(texts) :
    ]  # states above the first decision have the number -1
    player = tree.player[first].astype(np.int32)
    children = _children(tree, state_of, player, game.game.name)
    weight, payoff = _matrices(tree, state_of, hand_of, len(texts), len(hands))
    unit = float(np.abs(tree.returns).max()) or 1.0
    acting = np.where(player >= 0, [len(below) for below in children], 0)
    future, swapped = _futures(player, children, weight, payoff)
    slot_state, slot_action, slot_hand = _slots(game, tree, state_of, hand_of)
    return BeliefGame(
        game, player, children, hands, weight, payoff / unit, unit,
        np.concatenate([[0], np.cumsum(acting)]).astype(np.int32),
        future, swapped, state_of, hand_of, slot_state, slot_action, slot_hand,
    )  # fmt: skip


def _check(game: Compiled) -> None:
    name = game.game.name
    if game.game.players != 2:
        raise NotApplicableError(f"ReBeL is for two players, but '{name}' has {game.game.players}; use sd-cfr.")
    returns = game.public_tree.returns
    if np.abs(returns.sum(axis=1)).max(initial=0.0) > 1e-9:
        raise NotApplicableError(f"ReBeL needs payoffs that sum to zero, and those of '{name}' do not; use sd-cfr.")


def _label(game: Compiled) -> re.Pattern[str] | None:
    """Suits are taken out of texts where hands are too small for flushes."""
    rules = getattr(game.game, "rules", None)
    small = rules is not None and rules.hole == 1 and len(rules.board) <= 2
    return _CARD if isinstance(game.game, Poker) and small else None


def _plain(text: str, label: re.Pattern[str] | None) -> str:
    return text if label is None else label.sub(r"\1", text)


def _first_decision(tree: PublicTree) -> int:
    """Where the deal is over."""
    state = 0
    while tree.player[state] == CHANCE:
        below = np.flatnonzero(tree.parent == state)
        if len(below) != 1:
            raise NotApplicableError(
                f"In '{tree.game.name}' something public is drawn before anybody acts, and ReBeL begins with one public "
                "state; give a game that begins with a private deal."
            )
        state = int(below[0])
    return state


def _states(tree: PublicTree, root: int, label: re.Pattern[str] | None) -> tuple[Ints, list[str]]:
    """Number of each state of the tree here, and the texts of ours."""
    number: dict[str, int] = {}
    out = np.full(len(tree.states), -1, dtype=np.int32)
    for s in range(root, len(tree.states)):
        if s == root or out[tree.parent[s]] >= 0:
            out[s] = number.setdefault(_plain(tree.states[s], label), len(number))
    return out, list(number)


def _hands(
    tree: PublicTree, root: int, label: re.Pattern[str] | None, state_of: Ints
) -> tuple[tuple[str, ...], tuple[Ints, Ints]]:
    """Labels of hands, and the hand of every infostate by player."""
    names = sorted({_plain(tree.private[p].keys[k], label) for p in range(2) for k in _range(tree, root, p)})
    number = {name: n for n, name in enumerate(names)}
    found = []
    for p in range(2):
        own = tree.private[p]
        hand = np.full(len(own.parent), -1, dtype=np.int32)
        seen: dict[tuple[int, int], str] = {}
        state = np.repeat(np.arange(len(tree.states)), np.diff(own.first))
        for k in np.flatnonzero(state_of[state] >= 0).tolist():
            text = _plain(own.keys[k], label)
            hand[k] = number[text] if state[k] == root else hand[own.parent[k]]
            if seen.setdefault((int(state_of[state[k]]), int(hand[k])), text) != text:
                raise NotApplicableError(
                    f"In '{tree.game.name}' a player learns something private after the deal ('{text}'), and ReBeL keeps "
                    "one hand for each player from the deal on; use sd-cfr."
                )
        found.append(hand)
    return tuple(names), (found[0], found[1])


def _range(tree: PublicTree, state: int, player: int) -> range:
    own = tree.private[player].first
    return range(int(own[state]), int(own[state + 1]))


def _children(tree: PublicTree, state_of: Ints, player: Ints, name: str) -> tuple[tuple[int, ...], ...]:
    """Below each state: by action where somebody acts, else in order."""
    found: list[dict[int, int]] = [{} for _ in player]
    for s, above in enumerate(tree.parent.tolist()):
        if above < 0 or state_of[above] < 0:
            continue
        here, below = int(state_of[above]), int(state_of[s])
        mover = int(player[here])
        if mover < 0:
            found[here].setdefault(below, below)
            continue
        actions = set(tree.private[mover].action[list(_range(tree, s, mover))].tolist())
        if len(actions) != 1 or found[here].setdefault(actions.pop(), below) != below:
            raise NotApplicableError(
                f"In '{name}' actions are not public ('{tree.states[s]}'); ReBeL needs public actions."
            )
    return tuple(tuple(below[key] for key in sorted(below)) for below in found)


def _matrices(
    tree: PublicTree, state_of: Ints, hand_of: tuple[Ints, Ints], states: int, hands: int
) -> tuple[Floats, Floats]:
    """Chance weights of pairs of hands, and payoffs times them."""
    weight, payoff = np.zeros((states, hands, hands)), np.zeros((states, hands, hands))
    owner = state_of[np.repeat(np.arange(len(tree.states)), np.diff(tree.first_joint))]
    inside = owner >= 0
    place = owner[inside], hand_of[0][tree.joint[inside, 0]], hand_of[1][tree.joint[inside, 1]]
    np.add.at(weight, place, tree.weight[inside])
    np.add.at(payoff, place, tree.weight[inside] * tree.returns[inside, 0])
    return weight, payoff


def _futures(
    player: Ints, children: tuple[tuple[int, ...], ...], weight: Floats, payoff: Floats
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Classes of states with the same future, numbered from the end of play up."""
    known: dict[tuple[object, ...], int] = {}
    even: set[int] = set()  # classes that are their own exchange
    future, swapped = np.zeros(len(player), dtype=np.int32), np.zeros(len(player), dtype=np.bool_)
    straight, turned_round = _bytes(weight, payoff), _bytes(weight.transpose(0, 2, 1), -payoff.transpose(0, 2, 1))
    for s in reversed(range(len(player))):
        mover = int(player[s])
        below = [(int(future[c]), bool(swapped[c]) and int(future[c]) not in even) for c in children[s]]
        turned = [(c, not flip and c not in even) for c, flip in below]
        exchanged = 1 - mover if mover >= 0 else mover
        here = (mover, *below, straight[s])
        there = (exchanged, *turned, turned_round[s])
        if here not in known and there in known:
            future[s], swapped[s] = known[there], True
            continue
        future[s] = known.setdefault(here, len(known))
        if here == there:
            even.add(int(future[s]))
    return future, swapped


def _bytes(weight: Floats, payoff: Floats) -> list[bytes]:
    """Both matrices of each state, so that equal ones can be found."""
    both = np.round(np.stack([weight, payoff], axis=1), 12) + 0.0  # + 0.0: no negative zeros
    return [each.tobytes() for each in both]


def _slots(game: Compiled, tree: PublicTree, state_of: Ints, hand_of: tuple[Ints, Ints]) -> tuple[Ints, Ints, Ints]:
    """State, action and hand of every slot of the game."""
    infosets = game.infosets
    number = {key: row for row, key in enumerate(infosets.keys)}
    state, hand = np.zeros(len(infosets), dtype=np.int32), np.zeros(len(infosets), dtype=np.int32)
    for p in range(2):
        own = tree.private[p]
        where = np.repeat(np.arange(len(tree.states)), np.diff(own.first))
        for k in np.flatnonzero(own.row >= 0).tolist():
            row = number[tree.infosets.keys[own.row[k]]]
            state[row], hand[row] = state_of[where[k]], hand_of[p][k]
    widths = np.diff(infosets.first_slot)
    action = np.arange(infosets.slots) - np.repeat(infosets.first_slot[:-1], widths)
    return np.repeat(state, widths), action.astype(np.int32), np.repeat(hand, widths)
