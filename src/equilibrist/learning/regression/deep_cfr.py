"""Deep CFR and SD-CFR: external-sampling CFR whose regrets are predicted by a network ([Brown20, §4.1], [Steinberger19]).

Each iteration and player: `traversals` walks under the strategies that the nets predict, then a new net fitted to all regrets found so
far, iteration t counting t times. Deep CFR fits one more net to the strategies that were played, SD-CFR averages over all nets.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.catalogue import Entry
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.compiled import Compiled
from equilibrist.games.poker.game import Poker
from equilibrist.learning.encoders.infosets import Encoding, encode
from equilibrist.learning.learner import Learner, State
from equilibrist.learning.networks.feature_net import FeatureNet
from equilibrist.learning.networks.state import generator_array, load_generator, load_net, net_arrays
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.learning.regression._kernels.walks import Store
from equilibrist.learning.regression.experience import (
    ExactAverage,
    Walks,
    empty_store,
    load_store,
    store_arrays,
    strategies_of,
)
from equilibrist.learning.regression.fitting import Targets, fit, predict
from equilibrist.learning.regression.kept_nets import KeptNets, load_kept
from equilibrist.learning.regression.settings import BOUNDS, OWN, POLICY_STEPS, DeepCFRSettings
from equilibrist.solvers.mccfr.run import fitting

AVERAGE_KEPT = 500_000  # slots up to which sums of strategies are part of the small state


@dataclass(frozen=True, repr=False)
class DeepCFR(DeepCFRSettings):
    """Deep CFR or SD-CFR, on histories where they fit in memory, on betting and hands of two-player hold'em."""

    def start(self, game: Compiled, *, seed: int = 0, device: str = "cpu") -> Learner:
        if self.average == "net" and game.game.players != 2:
            raise NotApplicableError(
                f"Deep CFR samples the average strategy of two players, but '{game.game.name}' has {game.game.players}; "
                "use sd-cfr, whose average is exact."
            )
        if self.window and not self.memory:
            raise ParameterError("A window needs a number of samples; give memory=100000, say.")
        if not has_own_hands(game):
            return DeepCFRLearner(game, self, seed, device)
        if self.window:
            raise NotApplicableError(f"On '{game.game.name}' memories are reservoirs; leave 'window' out.")
        if self.depth != OWN["depth"]:
            raise NotApplicableError(f"On '{game.game.name}' nets have the layers of the text; leave 'depth' out.")
        from equilibrist.learning.poker.poker_deep_cfr import PokerDeepCFRLearner

        return PokerDeepCFRLearner(game, self, seed, device)

    def memory_bytes(self, game: Compiled) -> int:
        if has_own_hands(game):
            from equilibrist.learning.poker.poker_deep_cfr import MEMORY, SAMPLE_BYTES
            from equilibrist.learning.poker.tables import refuse_other_poker, table_bytes

            assert isinstance(game.game, Poker)
            refuse_other_poker(game.game)
            return 3 * (self.memory or MEMORY) * SAMPLE_BYTES + table_bytes(game.game)
        infosets = game.infosets
        width = max(map(len, infosets.actions), default=1)
        sums = 8 * (infosets.slots + len(infosets))
        return 3 * (self.memory * (8 + 4 * width) if self.memory else sums)


def has_own_hands(game: Compiled) -> bool:
    """Hold'em of two players: hands are told apart up to suits, and histories are never laid out."""
    rules = game.game
    return isinstance(rules, Poker) and rules.players == 2 and rules.rules.hole == 2


class DeepCFRLearner(Learner):
    """Deep CFR at work: one advantage net and one memory per player, one memory of strategies."""

    def __init__(self, game: Compiled, settings: DeepCFRSettings, seed: int, device: str) -> None:
        self.game, self.settings, self.seed = game, settings, seed
        self.device = torch_device(device)
        self.players = game.game.players
        self.encoding: Encoding = encode(game)
        self.widths: Ints = np.diff(game.infosets.first_slot)
        self.rows = [self.encoding.rows_of(player) for player in range(self.players)]
        self.walks = Walks(game, seed)
        width = int(self.widths.max(initial=1))
        self.regrets = [empty_store(game, settings.memory, width, settings.window) for _ in range(self._regret_stores)]
        self.strategies = self._strategy_store(width)
        self.average = ExactAverage(game)
        self.random = torch.Generator().manual_seed(seed)
        self.advantage = [self._new_net(self.random) for _ in range(self.players)]
        self.strategy: Floats = np.zeros(game.infosets.slots)  # [S] of all players, from the nets
        for player in range(self.players):
            self._match(player)
        self.iteration = self.steps_taken = 0
        self.loss = np.zeros(self.players)
        self.kept = KeptNets()
        self._fitted: tuple[int, TabularPolicy] | None = None

    def _strategy_store(self, width: int) -> Store:
        """Of strategies met, for the net of the average; where there is none, one place that is written over."""
        if self.settings.average == "net":
            return empty_store(self.game, self.settings.memory, width, self.settings.window)
        return empty_store(self.game, 1, width, ring=True)

    @property
    def _regret_stores(self) -> int:
        return self.players if self.settings.memory else 1  # sums of all players have places of their own

    def advance(self) -> None:
        self.iteration += 1
        self.kept.keep(self.iteration, self.advantage)
        for player in range(self.players):
            self._collect(player, self.settings.traversals, self._weight(self.iteration))
            self._improve(player)

    def policy(self) -> TabularPolicy:
        if self.settings.average == "nets" or not self.iteration:
            return self.averaged()
        if self._fitted is None or self._fitted[0] != self.iteration:
            self._fitted = self.iteration, self._fit_policy()
        return self._fitted[1]

    def averaged(self) -> TabularPolicy:
        """The average over all nets, whichever of both averages is played."""
        return normalise(self.game.infosets, self.average.sums)

    def last(self) -> TabularPolicy:
        """What the newest nets play."""
        return TabularPolicy(self.game.infosets, self.strategy.copy())

    def counts(self) -> dict[str, int]:
        samples = sum(int(store.offered[0]) for store in self.regrets)
        return {"nodes": self.walks.nodes, "samples": samples, "steps": self.steps_taken}

    def small_state(self) -> dict[str, npt.NDArray[Any]]:
        out = self.walks.arrays() | {
            "random": generator_array(self.random),
            "progress": np.array([self.iteration, self.steps_taken, self.seed], dtype=np.int64),
            "loss": self.loss.copy(),
            "offered": np.array([store.offered[0] for store in self._stores()], dtype=np.int64),
        }
        for player, net in enumerate(self.advantage):
            out |= net_arrays(net, f"net{player}")
        if self._small_average:
            out["average"] = self.average.sums.copy()
        return out | self.kept.arrays()

    def memories(self) -> dict[str, npt.NDArray[Any]]:
        out = {} if self._small_average else {"average": self.average.sums.copy()}
        for number, store in enumerate(self._stores()):
            out |= store_arrays(store, f"store{number}")
        return out

    def restore(self, small: State, memories: State | None) -> None:
        for player, net in enumerate(self.advantage):
            load_net(net, small, f"net{player}")
            self._match(player)
        self.iteration, self.steps_taken, self.seed = (int(number) for number in small["progress"])
        self.loss[:] = small["loss"]
        self.kept.restore(small, self.players)
        self.walks.restore(small)
        load_generator(self.random, small["random"])
        if memories is None:
            self._refill(small["offered"])
            self.walks.restore(small)
        known = small if self._small_average else memories
        if known is not None:
            self.average.total[0] = fitting(known["average"], len(self.average.sums), "average")
        if memories is None:
            return
        for number, store in enumerate(self._stores()):
            load_store(store, memories, f"store{number}")

    def nets(self) -> dict[str, dict[str, npt.NDArray[Any]]]:
        return {f"advantage{player + 1}": net_arrays(net, "") for player, net in enumerate(self.advantage)}

    @property
    def _small_average(self) -> bool:
        """Whether sums of strategies belong to the small state."""
        return len(self.average.sums) <= AVERAGE_KEPT

    def _stores(self) -> list[Any]:
        return [*self.regrets, self.strategies]

    def _weight(self, iteration: float) -> float:
        return float(iteration) if self.settings.linear else 1.0

    def _new_net(self, random: torch.Generator) -> FeatureNet:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(torch.randint(2**62, (1,), generator=random)))
            net = FeatureNet(
                self.encoding.features.shape[1], self.encoding.width, self.settings.width, self.settings.depth
            )
        net.to(self.device)
        return net

    def _match(self, player: int) -> None:
        """The strategy of a player from its net."""
        predicted = predict(self.advantage[player], self.encoding, self.rows[player], self.device)
        found = strategies_of(self.encoding, predicted, self.widths, self.settings.uniform)
        own = np.repeat(self.game.infosets.player == player, self.widths)
        self.strategy[own] = found[own]

    def _collect(self, player: int, walks: int, weight: float) -> None:
        """Walks of one player; the next one's strategy enters the average."""
        regrets = self.regrets[player if self.settings.memory else 0]
        self.walks.collect(player, walks, weight, self.strategy, regrets, self.strategies)
        self.average.add((player + 1) % self.players, weight, self.strategy)

    def _improve(self, player: int) -> None:
        """A net for all regrets of a player so far."""
        if self.settings.restart or self.iteration == 1:
            self.advantage[player] = self._new_net(self.random)
        regrets = self.regrets[player if self.settings.memory else 0]
        targets = Targets(self.encoding, self.rows[player], regrets, self.device)
        plan = self.settings.fit_plan(self.iteration)
        self.loss[player] = fit(self.advantage[player], targets, plan, self.random)
        self.steps_taken += plan.steps
        self._match(player)

    def _fit_policy(self) -> TabularPolicy:
        """A net for the strategies that were played; its random numbers are not those of learning."""
        random = torch.Generator().manual_seed((self.seed * 1_000_003 + self.iteration) % 2**62)
        net, plan = self._new_net(random), self.settings.fit_plan(self.iteration)
        out = np.zeros(self.encoding.legal.shape)
        every = np.arange(self.encoding.rows, dtype=np.int32)
        fit(
            net,
            Targets(self.encoding, every, self.strategies, self.device),
            replace(plan, steps=POLICY_STEPS * plan.steps),
            random,
            shares=True,
        )
        logits = np.where(self.encoding.legal, predict(net, self.encoding, every, self.device), -np.inf)
        out = np.exp(logits - logits.max(axis=1, keepdims=True))
        return normalise(self.game.infosets, self.encoding.by_slot(out))

    def _refill(self, offered: npt.NDArray[Any]) -> None:
        """New walks under the nets that were kept, each for the iterations until the next one."""
        now = [net_arrays(net, "net") for net in self.advantage]
        share = 1.0
        if self.settings.memory and len(offered) and int(offered.max()) > 0:
            share = min(1.0, 1.5 * self.settings.memory / int(offered.max()))
        for begin, end, nets in self.kept.spans(self.iteration + 1):
            self._play(nets)
            count = end - begin
            weight = sum(self._weight(t) for t in range(begin, end))
            for player in range(self.players):
                if self.settings.memory:
                    walks = max(1, round(share * count * self.settings.traversals))
                    self._collect(player, walks, weight / count)
                    self.average.add((player + 1) % self.players, weight - weight / count, self.strategy)
                else:
                    self._collect(player, self.settings.traversals, weight)
        for number, store in enumerate(self._stores()):
            store.offered[0] = max(int(offered[number]), int(store.offered[0]))
        self._play(now)

    def _play(self, nets: list[dict[str, npt.NDArray[Any]]]) -> None:
        load_kept(self.advantage, nets)
        for player in range(self.players):
            self._match(player)


def _entry(title: str, summary: str, average: str) -> Entry:
    return Entry(title, summary, functools.partial(DeepCFR, title, average), OWN, bounds=BOUNDS)


ENTRIES = (
    _entry(
        "sd-cfr", "Single Deep CFR: the average over all advantage nets, exact for games that fit in memory", "nets"
    ),
    _entry("deep-cfr", "Deep CFR: advantage nets, and one net for the average strategy", "net"),
)
