"""What DREAM, ESCHER and VR-DeepDCFR+ share: nets of advantages, values of histories, plays, the average strategy, and the state of it all.

Each iteration every player in turn plays against the others' present strategies, which enter the average, and then improves its own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import encode
from equilibrist.learning.learner import Learner, State
from equilibrist.learning.memories.sampled import SampleMemory
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.learning.outcome_sampling._kernels.plays import SampledSums
from equilibrist.learning.outcome_sampling.fitting import RowNet
from equilibrist.learning.outcome_sampling.history_values import ExactValues, HistoryValues, LearnedValues
from equilibrist.learning.outcome_sampling.plays import Plays, refuse_other_games
from equilibrist.learning.outcome_sampling.settings import OutcomeSampling
from equilibrist.learning.regression.experience import ExactAverage, strategies_of
from equilibrist.learning.regression.fitting import FitPlan

PLAYERS = 2
AVERAGE_KEPT = 1_000_000  # slots up to which the exact average is part of the small state
NET_VALUES, NET_AVERAGE = 101, 102  # which random numbers, beside those of a player's nets


class SampledLearner(Learner):
    """A method of this family at work."""

    nets_per_player: ClassVar[int] = 1
    anneal: ClassVar[bool] = True  # the rate falls within a fit

    def __init__(self, game: Compiled, settings: OutcomeSampling, seed: int, device: str) -> None:
        refuse_other_games(game)
        self.game, self.settings, self.seed = game, settings, seed
        self.device = torch_device(device)
        self.encoding = encode(game)
        self.plays = Plays(game, settings.memory, seed)
        self.rows = [self.encoding.rows_of(player) for player in range(PLAYERS)]
        self.iteration = self.fits = 0
        self.advantage = [
            self._new_net(player, kind) for player in range(PLAYERS) for kind in range(self.nets_per_player)
        ]
        self.tables = np.zeros((self.nets_per_player, *self.encoding.legal.shape))  # what nets predict, or tables
        self.average = ExactAverage(game)
        width = max(map(len, game.infosets.actions), default=1)
        self.met = SampleMemory(
            settings.reservoir if settings.average == "net" else 0,
            infoset=((), np.int32),
            weight=((), np.float32),
            strategy=((width,), np.float32),
        )
        self.strategy: Floats = game.infosets.uniform().probabilities.copy()
        self.values = self._new_values()
        self._fitted: tuple[int, TabularPolicy] | None = None

    def advance(self) -> None:
        self.iteration += 1
        for player in range(PLAYERS):
            self._remember(1 - player)
            self._improve(player)

    @abstractmethod
    def _improve(self, player: int) -> None:
        """Plays in which a player explores, and its next strategy."""

    def policy(self) -> TabularPolicy:
        if self.settings.average == "exact" or not self.iteration:
            return normalise(self.game.infosets, self.average.sums)
        if self._fitted is None or self._fitted[0] != self.iteration:
            self._fitted = self.iteration, self._fit_policy()
        return self._fitted[1]

    def last(self) -> TabularPolicy:
        """What the newest nets play."""
        return TabularPolicy(self.game.infosets, self.strategy.copy())

    def counts(self) -> dict[str, int]:
        return {"nodes": int(self.plays.tally[0]), "episodes": int(self.plays.tally[1]), "fits": self.fits}

    # -- parts of an iteration --------------------------------------------------------------------------------------------------------

    def _remember(self, player: int) -> None:
        """The present strategy of a player enters the average."""
        self.average.add(player, self._average_weight(), self.strategy)

    def _average_weight(self) -> float:
        return float(float(self.iteration) ** self.settings.gamma)

    def _play(self, player: int, *, exploration: float, weight: float = 1.0, importance: bool = False) -> SampledSums:
        """Plays, and strategies of the other player met in them."""
        found = self.plays.play(
            player,
            self.settings.plays,
            strategy=self.strategy,
            q=self.values.q,
            exploration=exploration,
            weight=weight,
            importance=importance,
            meetings=self.settings.average == "net",
        )
        if self.settings.average == "net":
            self._keep_met(player, found, weight)
        return found

    def _keep_met(self, player: int, found: SampledSums, weight: float) -> None:
        count = int(found.count[1])
        infosets = found.met[:count]
        first = self.game.infosets.first_slot
        strategy = np.zeros((count, self.met["strategy"].shape[1]), dtype=np.float32)
        for a in range(strategy.shape[1]):
            there = np.flatnonzero(first[infosets] + a < first[infosets + 1])
            strategy[there, a] = self.strategy[first[infosets[there]] + a]
        random = np.random.default_rng([self.seed, self.iteration, player])
        told = found.met_weight[:count] / weight * self._average_weight()
        self.met.add(random, infoset=infosets, weight=told.astype(np.float32), strategy=strategy)

    def _fit_values(self, player: int) -> None:
        self.values.fit(self.strategy, self._seed(NET_VALUES + 2 * player))

    def _fit_table(self, player: int, wanted: Floats, weight: Floats, kind: int = 0, *, restart: bool = False) -> None:
        """What is predicted for a player, by a net or as it is, from means [R, A] that weigh [R]."""
        rows = self.rows[player]
        if self.settings.advantages == "table":
            seen = rows[weight[rows] > 0.0]
            self.tables[kind, seen] = wanted[seen]
        else:
            net = self._net(player, kind)
            if restart:
                net.renew(self._seed(player, kind))
            own = self.settings
            plan = FitPlan(own.steps, own.batch, own.rate, self.anneal)
            net.fit(wanted[rows], weight[rows, None] * self.encoding.legal[rows], plan, self._seed(player, 10 + kind))
            self.tables[kind, rows] = net.table()
        self.fits += 1

    def _match(self, player: int) -> None:
        """The strategy of a player from what is predicted."""
        widths = np.diff(self.game.infosets.first_slot)
        matched = strategies_of(self.encoding, self._advantages(), widths, self.settings.uniform)
        own = np.repeat(self.game.infosets.player == player, widths)
        self.strategy[own] = matched[own]

    def _advantages(self) -> Floats:
        """[R, A] that strategies are matched to."""
        first: Floats = self.tables[0]
        return first

    def _fit_policy(self) -> TabularPolicy:
        """A net for the strategies that were met; its random numbers are not those of learning."""
        encoding, own = self.encoding, self.settings
        infosets, weight = self.met["infoset"], self.met["weight"].astype(np.float64)
        by_infoset = np.bincount(infosets, weights=weight, minlength=len(self.game.infosets)).astype(np.float64)
        mass = encoding.sums_of_infosets(by_infoset)
        total: Floats = np.zeros(self.game.infosets.slots)
        first = self.game.infosets.first_slot
        for a in range(self.met["strategy"].shape[1]):
            there = np.flatnonzero(first[infosets] + a < first[infosets + 1])
            np.add.at(total, first[infosets[there]] + a, weight[there] * self.met["strategy"][there, a])
        wanted = encoding.by_row(total) / np.where(mass > 0.0, mass, 1.0)[:, None]
        net = RowNet(encoding.features, encoding.width, own.width, own.depth, self.device, self._seed(NET_AVERAGE))
        plan = FitPlan(own.policy_steps, own.batch, own.rate, True)
        net.fit(wanted, mass[:, None] * encoding.legal, plan, self._seed(NET_AVERAGE, 1), shares=True)
        return normalise(self.game.infosets, encoding.by_slot(net.shares(encoding.legal)))

    # -- nets and states --------------------------------------------------------------------------------------------------------------

    def _seed(self, *what: int) -> int:
        """A number of its own for every use of random numbers."""
        return int(
            np.random.SeedSequence([self.seed, self.iteration, *what]).generate_state(1, np.uint64)[0] >> np.uint64(2)
        )

    def _net(self, player: int, kind: int = 0) -> RowNet:
        return self.advantage[player * self.nets_per_player + kind]

    def _new_net(self, player: int, kind: int) -> RowNet:
        own, features = self.settings, self.encoding.features[self.rows[player]]
        return RowNet(features, self.encoding.width, own.width, own.depth, self.device, self._seed(player, kind))

    def _new_values(self) -> HistoryValues:
        own = self.settings
        if own.values == "exact":
            return ExactValues(self.plays)
        return LearnedValues(
            self.game,
            self.plays,
            self.encoding,
            plan=FitPlan(own.value_steps, own.batch, own.rate, True),
            width=own.width,
            depth=own.depth,
            restart=own.restart_values,
            device=self.device,
            seed=self._seed(NET_VALUES),
        )

    def small_state(self) -> dict[str, npt.NDArray[Any]]:
        progress = np.array([self.iteration, self.fits, self.seed], dtype=np.int64)
        out = {"progress": progress, "strategy": self.strategy.copy()} | self.plays.arrays() | self.values.arrays()
        if self._small_average:
            out["average"] = self.average.sums.copy()
        if self.settings.advantages == "table":
            return out | {"tables": self.tables.copy()}
        for number, net in enumerate(self.advantage):
            out |= net_arrays(net.net, f"net{number}") | optimiser_arrays(net.optimiser, f"adam{number}")
        return out

    def memories(self) -> dict[str, npt.NDArray[Any]]:
        out: dict[str, npt.NDArray[Any]] = {
            "landed": self.plays.landed[: min(self.plays.steps, len(self.plays.landed))].copy()
        }
        if not self._small_average:
            out["average"] = self.average.sums.copy()
        return out | (self.met.arrays("met") if self.settings.average == "net" else {})

    def restore(self, small: State, memories: State | None) -> None:
        self.iteration, self.fits, self.seed = (int(number) for number in small["progress"])
        if small["strategy"].shape != self.strategy.shape:
            raise ValueError("its strategies are of another game")
        self.strategy = np.array(small["strategy"])
        self.plays.restore(small, None if memories is None else np.asarray(memories["landed"]))
        self._restore_tables(small)
        self.values.restore(small)
        source: Mapping[str, Any] = small if self._small_average else memories or {}
        self.average.total[0] = source.get("average", self._average_weight() * self.strategy)
        if self.settings.average == "net" and memories is not None:
            self.met.restore(memories, "met")
        self._fitted = None

    def _restore_tables(self, small: State) -> None:
        if self.settings.advantages == "table":
            self.tables[:] = small["tables"]
            return
        for number, net in enumerate(self.advantage):
            load_net(net.net, small, f"net{number}")
            net.forget()
            load_optimiser(net.optimiser, small, f"adam{number}")
            player, kind = divmod(number, self.nets_per_player)
            self.tables[kind, self.rows[player]] = net.table()

    def nets(self) -> dict[str, dict[str, npt.NDArray[Any]]]:
        if self.settings.advantages == "table":
            return self.values.nets()
        named = {f"advantage{number + 1}": net_arrays(net.net, "") for number, net in enumerate(self.advantage)}
        return named | self.values.nets()

    @property
    def _small_average(self) -> bool:
        return len(self.strategy) <= AVERAGE_KEPT
