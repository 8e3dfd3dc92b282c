"""PublicTree: public states, each with one vector of private states per player ("public belief").

A private state ("infostate") is all that a player has seen; it belongs to one public state and follows exactly one
infostate of the public state before, so reach goes down and values come up by index arrays. Chance is folded into
the weights of the joint entries; a terminal's entries form its payoff operator.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equilibrist.compute.time_limit import CLOCK_EVERY, check_time
from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, TooLargeError, UnknownNameError, suggest
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.forms.history_tree.game_tree import InfosetBuilder
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.games.size_estimate import PUBLIC_BYTES_PER_HISTORY, check_fits, memory_limit


@dataclass(frozen=True)
class PrivateStates:
    """The infostates of one player, grouped by public state; K in all."""

    first: Ints  # [public states + 1]
    keys: tuple[str, ...] = field(repr=False)
    parent: Ints  # [K] infostate before, -1 at the root
    action: Ints  # [K] own action that led here, -1 if the player did not act
    row: Ints  # [K] infoset where the player acts, else -1; rows may be shared (imperfect recall)
    first_choice: Ints  # [K + 1] actions are choices first_choice[k] .. first_choice[k+1]-1


@dataclass(frozen=True, repr=False)
class PublicTree:
    """S public states, parents first; H joint entries (public state, one infostate per player)."""

    game: Game
    players: int
    states: tuple[str, ...] = field(repr=False)
    parent: Ints  # [S]
    player: Ints  # [S] acting player, CHANCE or TERMINAL
    private: tuple[PrivateStates, ...]
    first_joint: Ints  # [S + 1]
    joint: Ints  # [H, players] infostates
    weight: Floats  # [H] chance probability
    returns: Floats  # [H, players] expected payoff, 0 where play goes on
    infosets: InfosetIndex

    def __repr__(self) -> str:
        return f"<PublicTree of {self.game.name!r}: {len(self.states):,} public states>"

    def number(self, public_state: str) -> int:
        """The public state with this text."""
        try:
            return self._numbers[public_state]
        except KeyError:
            raise UnknownNameError(
                f"There is no public state '{public_state}' in '{self.game.name}'.{suggest(public_state, self.states)}"
            ) from None

    @property
    def _numbers(self) -> dict[str, int]:
        found: dict[str, int] | None = self.__dict__.get("_by_name")
        if found is None:
            found = {text: s for s, text in enumerate(self.states)}
            object.__setattr__(self, "_by_name", found)
        return found

    def privates(self, state: int, player: int) -> slice:
        """Infostates of a player at a public state."""
        first = self.private[player].first
        return slice(int(first[state]), int(first[state + 1]))

    def reach(self, policy: TabularPolicy, player: int) -> Floats:
        """[K] product of the player's own probabilities on the way to each infostate."""
        own, first_slot = self.private[player], self.infosets.first_slot
        out = np.ones(len(own.parent))
        for k in range(len(out)):
            above = own.parent[k]
            if above >= 0:
                out[k] = out[above]
                if own.action[k] >= 0:
                    out[k] *= policy.probabilities[first_slot[own.row[above]] + own.action[k]]
        return out

    def belief(self, state: int, policy: TabularPolicy) -> tuple[Ints, Floats]:
        """Joint entries of a public state and their probability given that it was reached."""
        entries = slice(int(self.first_joint[state]), int(self.first_joint[state + 1]))
        mass = self.weight[entries].copy()
        for p in range(self.players):
            mass *= self.reach(policy, p)[self.joint[entries, p]]
        total = mass.sum()
        if total <= 0:
            raise NotApplicableError(f"The public state '{self.states[state]}' is never reached under this policy.")
        return self.joint[entries], mass / total

    def values(self, policy: TabularPolicy) -> Floats:
        """[players] expected payoff of a profile."""
        mass = self.weight.copy()
        for p in range(self.players):
            mass *= self.reach(policy, p)[self.joint[:, p]]
        result: Floats = mass @ self.returns
        return result


class _PrivateBuilder:
    """Infostates of one player while the tree is walked."""

    def __init__(self) -> None:
        self.number: dict[tuple[int, str], int] = {}
        self.state: list[int] = []
        self.parent: list[int] = []
        self.action: list[int] = []
        self.row: list[int] = []
        self.width: list[int] = []

    def add(self, state: int, key: str, parent: int, action: int, game: Game) -> int:
        found = self.number.get((state, key))
        if found is None:
            found = self.number[(state, key)] = len(self.state)
            self.state.append(state)
            self.parent.append(parent)
            self.action.append(action)
            self.row.append(-1)
            self.width.append(0)
        elif (self.parent[found], self.action[found]) != (parent, action):
            raise NotApplicableError(
                f"In '{game.name}' the infostate '{key}' is reached in two ways, so its observations do not form a "
                "tree; the public tree needs observations with perfect recall (rows may be shared afterwards)."
            )
        return found

    def finish(self, states: int) -> tuple[PrivateStates, Ints]:
        """Reorder by public state (parents stay first, because public states are numbered parents first)."""
        state = np.array(self.state, dtype=np.int32)
        order = np.argsort(state, kind="stable")
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        parent = np.array(self.parent, dtype=np.int32)[order]
        parent = np.where(parent >= 0, place[parent], -1).astype(np.int32)
        keys = [key for _, key in self.number]
        first = np.searchsorted(state[order], np.arange(states + 1)).astype(np.int32)
        choice = np.zeros(len(order) + 1, dtype=np.int32)
        np.cumsum(np.array(self.width, dtype=np.int32)[order], out=choice[1:])
        return (
            PrivateStates(
                first=first,
                keys=tuple(keys[k] for k in order),
                parent=parent,
                action=np.array(self.action, dtype=np.int32)[order],
                row=np.array(self.row, dtype=np.int32)[order],
                first_choice=choice,
            ),
            place,
        )


def public_tree(game: Game) -> PublicTree:
    """Derive the public tree of a game from its public observations."""
    if not game.observations:
        raise NotApplicableError(
            f"The game '{game.name}' does not say what is public, so it has no public tree; "
            "solve it on the sequence form or the game tree."
        )
    limit = memory_limit()
    check_fits(game, limit, PUBLIC_BYTES_PER_HISTORY)
    from equilibrist.games.poker.game import Poker  # late: other games need none of it

    if isinstance(game, Poker):
        from equilibrist.forms.public_tree.poker_public_tree import poker_public_tree

        return poker_public_tree(game)
    return walked_public_tree(game)


def walked_public_tree(game: Game) -> PublicTree:
    """The public tree by a walk over all histories, whatever the rules are."""
    limit = memory_limit()
    return _PublicWalk(game, limit // PUBLIC_BYTES_PER_HISTORY).run()


class _PublicWalk:
    """One walk over the histories, collecting public states, infostates and joint entries."""

    def __init__(self, game: Game, most: int) -> None:
        self.game, self.most = game, most
        self.state_number: dict[str, int] = {}
        self.state_parent: list[int] = []
        self.state_player: list[int] = []
        self.private = [_PrivateBuilder() for _ in range(game.players)]
        self.infosets = InfosetBuilder()
        self.joint: dict[tuple[int, ...], int] = {}
        self.weight: list[float] = []
        self.payoff: list[list[float]] = []

    def run(self) -> PublicTree:
        root, steps = self.game.start(), 0
        nobody = (-1,) * self.game.players
        stack: list[tuple[State, int, tuple[int, ...], tuple[int, ...], float]] = [(root, -1, nobody, nobody, 1.0)]
        while stack:
            state, above, parents, actions, weight = stack.pop()
            steps += 1
            if steps % CLOCK_EVERY == 0:
                check_time(f"The public tree of '{self.game.name}'")
            s = self._public(state, above)
            own = tuple(
                self.private[p].add(s, state.infoset(p), parents[p], actions[p], self.game)
                for p in range(self.game.players)
            )
            self._enter(s, own, state, weight)
            if state.player == TERMINAL:
                continue
            if state.player == CHANCE:
                below = [(i, probability, nobody) for i, (_, probability) in enumerate(state.chance())]
            else:
                below = [
                    (i, 1.0, tuple(i if p == state.player else -1 for p in range(self.game.players)))
                    for i in range(self._decide(state, own))
                ]
            for i, probability, moved in reversed(below):
                stack.append((state.child(i), s, own, moved, weight * probability))
        return self._finish()

    def _public(self, state: State, above: int) -> int:
        text = state.public()
        s = self.state_number.get(text)
        if s is None:
            s = self.state_number[text] = len(self.state_parent)
            self.state_parent.append(above)
            self.state_player.append(state.player)
        elif self.state_parent[s] != above:
            raise NotApplicableError(
                f"In '{self.game.name}' the public state '{text}' is reached from two others (or from itself); public "
                "observations must grow with every step."
            )
        elif self.state_player[s] != state.player:
            raise NotApplicableError(
                f"In '{self.game.name}' it is not public who acts at '{text}'; the public tree needs a public actor."
            )
        return s

    def _decide(self, state: State, own: tuple[int, ...]) -> int:
        acting = state.player
        names = state.actions()
        builder = self.private[acting]
        builder.row[own[acting]] = self.infosets.number(acting, state.infoset(acting), names, state)
        builder.width[own[acting]] = len(names)
        return len(names)

    def _enter(self, s: int, own: tuple[int, ...], state: State, weight: float) -> None:
        key = (s, *own)
        h = self.joint.get(key)
        if h is None:
            h = self.joint[key] = len(self.weight)
            if h > self.most:
                raise TooLargeError(f"The public tree of '{self.game.name}' does not fit in memory.")
            self.weight.append(0.0)
            self.payoff.append([0.0] * self.game.players)
        self.weight[h] += weight
        if state.player == TERMINAL:
            for p, amount in enumerate(state.returns()):
                self.payoff[h][p] += weight * amount

    def _finish(self) -> PublicTree:
        states = len(self.state_parent)
        finished = [builder.finish(states) for builder in self.private]
        entries = np.array(list(self.joint), dtype=np.int32)
        order = np.argsort(entries[:, 0], kind="stable")
        joint = np.stack([finished[p][1][entries[order, p + 1]] for p in range(self.game.players)], axis=1)
        weight = np.array(self.weight)[order]
        return PublicTree(
            game=self.game,
            players=self.game.players,
            states=tuple(self.state_number),
            parent=np.array(self.state_parent, dtype=np.int32),
            player=np.array(self.state_player, dtype=np.int32),
            private=tuple(private for private, _ in finished),
            first_joint=np.searchsorted(entries[order, 0], np.arange(states + 1)).astype(np.int32),
            joint=joint,
            weight=weight,
            returns=np.array(self.payoff)[order] / weight[:, None],
            infosets=self.infosets.finish(),
        )
