"""GameTree: every history of a game as flat frozen arrays, for any number of players and any payoffs.

`compile_tree(game)` walks the rules once. Siblings are stored next to each other and every parent comes before its
children, so forward loops go down the tree and backward loops go up.
"""

from __future__ import annotations

import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equilibrist.compute.time_limit import CLOCK_EVERY, check_time
from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.core.policy import InfosetIndex
from equilibrist.forms.history_tree._kernels.histories import Histories
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.games.size_estimate import BYTES_PER_HISTORY, check_fits, memory_limit

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats, Ints


@dataclass(frozen=True, repr=False)
class GameTree:
    """All histories n of a game; N histories, Z terminals, k players, I infosets, S = (infoset, action) slots."""

    game: Game
    players: int
    player: npt.NDArray[np.int8]  # [N] acting player, CHANCE or TERMINAL
    parent: Ints  # [N], -1 at the root
    first_child: Ints  # [N], children are first_child .. first_child + children - 1
    children: Ints  # [N]
    infoset: Ints  # [N], -1 where nobody decides
    chance_probability: Floats  # [N] of the step into n; 1 unless the parent is chance
    terminal: Ints  # [N] row of `payoff`, -1 elsewhere
    label: Ints  # [N] of the step into n, into `labels`
    payoff: Floats  # [Z, k, 1 + d], affine in d parameters
    infosets: InfosetIndex
    labels: Sequence[str] = field(repr=False, default=())
    parameters: Floats = field(default_factory=lambda: np.zeros(0))  # [d] at which payoffs are read

    def __repr__(self) -> str:
        return f"<GameTree of {self.game.name!r}: {self.histories:,} histories>"

    @property
    def histories(self) -> int:
        return len(self.player)

    @property
    def nodes(self) -> Histories:
        """What kernels read."""
        return Histories(
            self.player,
            self.parent,
            self.first_child,
            self.children,
            self.infoset,
            self.chance_probability,
            self.terminal,
            self.infosets.first_slot,
        )

    @property
    def returns(self) -> Floats:
        """Payoffs [Z, k] at the current parameters."""
        if self.payoff.shape[2] == 1:
            return self.payoff[:, :, 0]
        return self.payoff[:, :, 0] + self.payoff[:, :, 1:] @ self.parameters

    def at(self, parameters: Sequence[float]) -> GameTree:
        """The same tree with affine payoffs read at other parameters."""
        theta = np.asarray(parameters, dtype=np.float64)
        if theta.shape != (self.payoff.shape[2] - 1,):
            raise ParameterError(
                f"This tree's payoffs have {self.payoff.shape[2] - 1} parameters, but {theta.size} were given."
            )
        return replace(self, parameters=theta)

    def with_action(self, public_state: str, action: str) -> Extension:
        """A new tree with one more action, and maps from old indices to new ones."""
        from equilibrist.forms.history_tree.extension import extend_tree  # which builds on this module

        game = self.game.with_action(public_state, action)
        return extend_tree(self, game, public_state) or Extension.between(self, compile_tree(game))


@dataclass(frozen=True)
class Extension:
    """A larger tree and where the old histories, infosets and slots have gone."""

    tree: GameTree
    history: Ints  # [N old] -> new
    infoset: Ints  # [I old] -> new
    slot: Ints  # [S old] -> new

    @classmethod
    def between(cls, old: GameTree, new: GameTree) -> Extension:
        infoset = np.array([new.infosets.number(key) for key in old.infosets.keys], dtype=np.int32)
        slot = np.empty(old.infosets.slots, dtype=np.int32)
        for i, key in enumerate(old.infosets.keys):
            actions = new.infosets.actions[infoset[i]]
            for a, name in enumerate(old.infosets.actions[i]):
                if name not in actions:
                    raise NotApplicableError(f"The action '{name}' at '{key}' is missing from the larger game.")
                slot[old.infosets.first_slot[i] + a] = new.infosets.first_slot[infoset[i]] + actions.index(name)
        history = np.empty(old.histories, dtype=np.int32)
        history[0] = 0
        for n in range(old.histories):
            m = history[n]
            by_label = {
                new.labels[new.label[c]]: c for c in range(new.first_child[m], new.first_child[m] + new.children[m])
            }
            for c in range(old.first_child[n], old.first_child[n] + old.children[n]):
                history[c] = by_label[old.labels[old.label[c]]]
        return cls(new, history, infoset, slot)

    def carry(self, slots: Floats, fill: float = 0.0) -> Floats:
        """Solver state per slot of the old tree, laid out for the new one."""
        out = np.full(self.tree.infosets.slots, fill)
        out[self.slot] = slots
        return out


def compile_tree(game: Game, *, limit_bytes: int | None = None) -> GameTree:
    """Walk the rules once and write down every history; refuses games that would not fit in memory."""
    limit = memory_limit() if limit_bytes is None else limit_bytes
    check_fits(game, limit)
    most = max(1, limit // BYTES_PER_HISTORY)

    player, parent, first_child = array.array("b"), array.array("i"), array.array("i")
    children, infoset, terminal = array.array("i"), array.array("i"), array.array("i")
    chance_probability, label, payoff = array.array("d"), array.array("i"), array.array("d")
    label_number: dict[str, int] = {"": 0}
    infosets = InfosetBuilder()

    def add(state_player: int, above: int, probability: float, name: str) -> None:
        player.append(state_player)
        parent.append(above)
        first_child.append(-1)
        children.append(0)
        infoset.append(-1)
        terminal.append(-1)
        chance_probability.append(probability)
        label.append(label_number.setdefault(name, len(label_number)))

    root = game.start()
    add(root.player, -1, 1.0, "")
    stack = [(0, root)]
    terminals = 0
    while stack:
        n, state = stack.pop()
        if n % CLOCK_EVERY == 0:
            check_time(f"The tree of '{game.name}'")
        acting = state.player
        if acting == TERMINAL:
            terminal[n] = terminals
            terminals += 1
            payoff.extend(state.returns())
            continue
        if acting == CHANCE:
            outcomes = state.chance()
            probabilities = [probability for _, probability in outcomes]
            names: Sequence[str] = [name for name, _ in outcomes]
        else:
            names = state.actions()
            probabilities = [1.0] * len(names)
            infoset[n] = infosets.number(acting, state.infoset(acting), names, state)
        first = len(player)
        first_child[n] = first
        children[n] = len(names)
        if first > most:
            raise TooLargeError(
                f"The game '{game.name}' has more than {most:,} histories, which do not fit in the "
                f"{limit / 1e9:.1f} GB allowed; choose smaller parameters or a sampling method that needs no tree."
            )
        below = [state.child(index) for index in range(len(names))]
        for next_state, probability, name in zip(below, probabilities, names, strict=True):
            add(next_state.player, n, probability, name)
        for index in range(len(below) - 1, -1, -1):
            stack.append((first + index, below[index]))

    return GameTree(
        game=game,
        players=game.players,
        player=np.array(player, dtype=np.int8),
        parent=np.array(parent, dtype=np.int32),
        first_child=np.array(first_child, dtype=np.int32),
        children=np.array(children, dtype=np.int32),
        infoset=np.array(infoset, dtype=np.int32),
        chance_probability=np.array(chance_probability, dtype=np.float64),
        terminal=np.array(terminal, dtype=np.int32),
        label=np.array(label, dtype=np.int32),
        payoff=np.array(payoff, dtype=np.float64).reshape(terminals, game.players, 1),
        infosets=infosets.finish(),
        labels=tuple(label_number),
    )


class InfosetBuilder:
    """Numbers infosets in the order in which they are met."""

    def __init__(self) -> None:
        self._number: dict[tuple[int, str], int] = {}
        self._actions: list[tuple[str, ...]] = []
        self._players: list[int] = []
        self._publics: list[str] = []
        self._by_labels: dict[tuple[str, ...], tuple[str, ...]] = {}

    def number(self, player: int, key: str, actions: Sequence[str], state: State) -> int:
        found = self._number.get((player, key))
        if found is None:
            found = self._number[(player, key)] = len(self._actions)
            names = tuple(actions)
            self._actions.append(self._by_labels.setdefault(names, names))
            self._players.append(player)
            self._publics.append(state.public())
        elif len(self._actions[found]) != len(actions):
            raise NotApplicableError(
                f"The infoset '{key}' has {len(self._actions[found])} actions in one history and {len(actions)} in "
                "another; histories of one infoset must offer the same actions."
            )
        return found

    def finish(self) -> InfosetIndex:
        keys = [key for _, key in self._number]
        if len(set(keys)) != len(keys):  # two players share a text: say whose it is
            keys = [f"{player + 1}|{key}" for player, key in self._number]
        return InfosetIndex(
            keys=tuple(keys),
            player=np.array(self._players, dtype=np.int32),
            actions=tuple(self._actions),
            public=tuple(self._publics),
        )


def affine_tree(family: Callable[..., Game], parameters: Sequence[float]) -> GameTree:
    """One tree for a family of games whose payoffs are affine in d parameters ([Brown20, §4.2.1]).

    `family(*theta)` makes the game; the coefficients are read off d + 1 members and checked on another one.
    """
    theta = np.asarray(parameters, dtype=np.float64)
    base = compile_tree(family(*theta))
    columns = []
    for d in range(theta.size):
        shifted = theta.copy()
        shifted[d] += 1.0
        columns.append(_same_shape(base, compile_tree(family(*shifted))).returns - base.returns)
    slopes = np.stack(columns, axis=2) if columns else np.zeros((*base.returns.shape, 0))
    constant = base.returns - slopes @ theta
    tree = replace(base, payoff=np.concatenate([constant[:, :, None], slopes], axis=2), parameters=theta)
    probe = theta + 0.5
    expected = _same_shape(base, compile_tree(family(*probe))).returns
    if not np.allclose(tree.at(probe.tolist()).returns, expected, atol=1e-9, rtol=1e-9):
        raise NotApplicableError(f"The payoffs of '{base.game.name}' are not affine in the given parameters.")
    return tree


def _same_shape(base: GameTree, other: GameTree) -> GameTree:
    """Keys may differ, since they can spell out bet sizes; who acts where and knows what may not."""
    same = base.histories == other.histories and all(
        np.array_equal(getattr(base, name), getattr(other, name)) for name in ("parent", "player", "infoset")
    )
    if not same:
        raise NotApplicableError("The members of this family differ in their trees, not only in their payoffs.")
    return other
