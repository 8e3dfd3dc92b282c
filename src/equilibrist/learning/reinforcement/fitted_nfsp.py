"""NFSP with the nets of Deep CFR, fitted by Adam to sums over its memories ([Heinrich16], [Brown20, §4.1.3]).

The algorithm is that of `nfsp`. What differs is the work of an iteration: many decisions under tables of both nets' strategies, then a
few steps of each net, each step on all that its memory holds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.catalogue import Entry
from equilibrist.core.names import Name
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import encode
from equilibrist.learning.learner import Learner, State
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.learning.outcome_sampling.fitting import RowNet
from equilibrist.learning.regression.fitting import FitPlan
from equilibrist.learning.reinforcement.played_hands import PlayedHands

SMALL_CELLS = 500_000  # up to which all moves of best responses are part of the small state, as sums


@dataclass(frozen=True)
class FittedNFSP:
    """Settings."""

    iterations: int = 3000
    decisions: int = 100_000  # of all players in an iteration
    ring: int = 1_000_000  # moves that Q learns from, per player
    anticipation: float = 0.1  # eta
    exploration: float = 0.06  # at the first iteration; falls with the root of the iterations
    steps: int = 20  # of Adam at each Q, in an iteration
    average_steps: int = 10
    refit: int = 20  # steps between copies of Q to its target
    rate: float = 1e-3
    batch: int = 2048
    width: int = 64
    depth: int = 3

    def __repr__(self) -> str:
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "iterations"}
        return str(Name("fitted-nfsp", {key: value for key, value in given.items() if value != _DEFAULTS[key]}))

    def start(self, game: Compiled, *, seed: int = 0, device: str = "cpu") -> FittedNFSPLearner:
        """A learner at iteration 0."""
        return FittedNFSPLearner(self, game, seed, device)

    def memory_bytes(self, game: Compiled) -> int:
        """Rings of all players, and sums by infoset and action."""
        infosets = game.infosets
        return 12 * game.game.players * self.ring + 24 * infosets.slots + 8 * len(infosets)


class FittedNFSPLearner(Learner):
    """NFSP at work."""

    def __init__(self, settings: FittedNFSP, game: Compiled, seed: int, device: str) -> None:
        self.settings, self.game, self.seed, self.iteration = settings, game, seed, 0
        self.encoding = encode(game)
        self.played = PlayedHands(game, self.encoding, settings.ring, seed)
        self.rows = [self.encoding.rows_of(player) for player in range(game.game.players)]
        place = torch_device(device)
        shape = (self.encoding.width, settings.width, settings.depth, place)
        self.q, self.average = (
            [RowNet(self.encoding.features[own], *shape, self._seed(kind, p)) for p, own in enumerate(self.rows)]
            for kind in range(2)
        )
        self.q_table: Floats = np.zeros(self.encoding.legal.shape)
        self.average_table: Floats = self._read_average()

    def advance(self) -> None:
        own, self.iteration = self.settings, self.iteration + 1
        average, response = (self.encoding.by_slot(table) for table in (self.average_table, self.responses()))
        self.played.play(average, response, self.iteration * own.decisions, own.anticipation)
        for done in range(0, own.steps, own.refit):
            self._improve_values(min(own.refit, own.steps - done), done)
        self._improve_average()

    def policy(self) -> TabularPolicy:
        """The average nets at every infoset."""
        return normalise(self.game.infosets, self.encoding.by_slot(self.average_table))

    def responses(self) -> Floats:
        """[R, A] the action of the largest value, ties shared, with a little exploration."""
        legal = self.encoding.legal
        even = legal / legal.sum(axis=1, keepdims=True)
        value = np.where(legal, self.q_table, -np.inf)
        best = value == value.max(axis=1, keepdims=True)
        explored = self.settings.exploration / np.sqrt(max(self.iteration, 1))
        mixed: Floats = (1.0 - explored) * best / best.sum(axis=1, keepdims=True) + explored * even
        return mixed

    def counts(self) -> dict[str, int]:
        nodes, decisions, hands = self.played.tally.tolist()
        return {"nodes": nodes, "decisions": decisions, "episodes": hands}

    def small_state(self) -> dict[str, npt.NDArray[np.generic]]:
        out: dict[str, npt.NDArray[np.generic]] = {**self.played.small_state()}
        out["progress"] = np.array([self.iteration, self.seed], dtype=np.int64)
        for name, nets in (("q", self.q), ("average", self.average)):
            for player, net in enumerate(nets):
                out |= net_arrays(net.net, f"{name}{player}")
                out |= optimiser_arrays(net.optimiser, f"{name}{player}.adam")
        imitated = self.played.imitated
        whole = imitated.size <= SMALL_CELLS
        return out | ({"imitated": imitated.copy()} if whole else {"mass": imitated.sum(axis=1).astype(np.float32)})

    def memories(self) -> dict[str, npt.NDArray[np.generic]]:
        return {**self.played.memories()}

    def restore(self, small: State, memories: State | None) -> None:
        """Take a state over; without memories rings start empty, and where there are many infosets the average net tells its own sums."""
        for name, nets in (("q", self.q), ("average", self.average)):
            for player, net in enumerate(nets):
                load_net(net.net, small, f"{name}{player}")
                net.forget()
                load_optimiser(net.optimiser, small, f"{name}{player}.adam")
        self.iteration, self.seed = (int(number) for number in small["progress"])
        self.played.restore(small, memories)
        for own, net in zip(self.rows, self.q, strict=True):
            self.q_table[own] = net.table()
        self.average_table = self._read_average()
        if memories is None:
            known = small["imitated"] if "imitated" in small else small["mass"][:, None] * self.average_table
            self.played.imitated[...] = known

    def nets(self) -> dict[str, dict[str, npt.NDArray[np.generic]]]:
        return {f"average{player + 1}": dict(net_arrays(net.net, "")) for player, net in enumerate(self.average)}

    def _improve_values(self, steps: int, done: int) -> None:
        """Steps of each Q towards reward + the largest value at the next move, by what Q said before them."""
        wanted, moves = self.played.wanted(self.q_table), self.played.moves
        plan = FitPlan(steps, self.settings.batch, self.settings.rate, False)
        for player, (own, net) in enumerate(zip(self.rows, self.q, strict=True)):
            net.fit(wanted[own], moves[own], plan, self._seed(0, player, done), clip=False)
            self.q_table[own] = net.table()

    def _improve_average(self) -> None:
        """Steps of each average net towards all moves of best responses."""
        imitated, plan = (
            self.played.imitated,
            FitPlan(self.settings.average_steps, self.settings.batch, self.settings.rate, False),
        )
        for player, (own, net) in enumerate(zip(self.rows, self.average, strict=True)):
            mass = imitated[own].sum(axis=1, keepdims=True)
            shares = imitated[own] / np.where(mass > 0.0, mass, 1.0)
            legal = self.encoding.legal[own]
            net.fit(shares, mass * legal, plan, self._seed(1, player), shares=True, entropy=True, clip=False)
        self.average_table = self._read_average()

    def _read_average(self) -> Floats:
        table: Floats = np.zeros(self.encoding.legal.shape)
        for own, net in zip(self.rows, self.average, strict=True):
            table[own] = net.shares(self.encoding.legal[own])
        return table

    def _seed(self, *what: int) -> int:
        """A number of its own for every use of random numbers."""
        state = np.random.SeedSequence([self.seed, self.iteration, *what]).generate_state(1, np.uint64)
        return int(state[0] >> np.uint64(2))


_DEFAULTS = {each.name: each.default for each in fields(FittedNFSP) if each.name != "iterations"}
_BOUNDS = {
    "decisions": (1, 10**9), "ring": (1, 10**9), "anticipation": (0.0, 1.0), "exploration": (0.0, 1.0), "steps": (1, 10**6),
    "average_steps": (1, 10**6), "refit": (1, 10**6), "rate": (1e-8, 1.0), "batch": (1, 10**6), "width": (1, 4096), "depth": (1, 32),
}  # fmt: skip
ENTRIES = (
    Entry(
        "fitted-nfsp",
        "neural fictitious self-play with the nets of Deep CFR, fitted to sums over its memories",
        FittedNFSP,
        _DEFAULTS,
        bounds=_BOUNDS,
    ),
)
