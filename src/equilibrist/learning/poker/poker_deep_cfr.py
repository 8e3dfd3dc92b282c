"""Deep CFR and SD-CFR on poker whose histories fit nowhere: walks side by side on tensors, nets that see cards and betting."""

from __future__ import annotations

import copy
import itertools
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from equilibrist.core.arrays import Floats32
from equilibrist.core.policy import Policy
from equilibrist.core.solution import BaseSolution, Evaluation, SolveRecord
from equilibrist.forms.compiled import Compiled
from equilibrist.games.poker.game import Poker
from equilibrist.learning.learner import Learner, State
from equilibrist.learning.memories.on_device import DeviceReservoir
from equilibrist.learning.networks.card_net import CardNet
from equilibrist.learning.networks.state import generator_array, load_generator, load_net, net_arrays
from equilibrist.learning.networks.torch_extra import captures, quick_products, torch_device
from equilibrist.learning.poker.betting import BettingLines
from equilibrist.learning.poker.hands import HandCards, deal_random
from equilibrist.learning.poker.refills import averages_again, refill
from equilibrist.learning.poker.samples import PokerSamples, shown_places
from equilibrist.learning.poker.table_responses import TableResponses
from equilibrist.learning.poker.tables import Seen, StrategyTables, lossless_game, matched, packed
from equilibrist.learning.poker.walks import Found, walk
from equilibrist.learning.regression.fitting import FitPlan, fit, fit_captured
from equilibrist.learning.regression.kept_nets import KEPT, KeptNets
from equilibrist.learning.regression.settings import POLICY_STEPS, DeepCFRSettings
from equilibrist.learning.regression.step_graphs import StepGraph
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.mccfr.run import fitting

WALKS_AT_ONCE = 1 << 13
WALKS_ON_DEVICE = 1 << 17  # at once
MEMORY = 4_000_000  # samples, where nobody says otherwise; [Brown20, §4.1.2] has 40 million
SAMPLE_BYTES = 24
KEPT_BYTES, HALF = 40_000_000, 2  # nets of as many iterations as this takes in half precision: 208 of the text's
STRATEGIES = 2  # number of their memory; those of regrets are the players'


class PokerDeepCFRLearner(Learner):
    """Deep CFR at work on a betting tree with two players."""

    def __init__(self, game: Compiled, settings: DeepCFRSettings, seed: int, device: str) -> None:
        rules = game.game
        assert isinstance(rules, Poker)
        self.game, self.settings, self.seed = game, settings, seed
        self.device = torch_device(device)
        self.captures = captures(self.device)
        self.plan, self.abstract = lossless_game(rules)
        self.hands, self.betting = HandCards(self.abstract), BettingLines(self.abstract.tree)
        self.cards = torch.from_numpy(self.hands.cards).to(self.device)
        self.numbers = torch.from_numpy(self.betting.numbers).to(self.device)
        self.tables = StrategyTables(self.hands, self.betting, self.device)
        self.unit = float(self.abstract.tree.paid.min(axis=1).max())  # the most that a hand can win
        capacity = settings.memory or MEMORY
        self.regrets = [self._memory(capacity) for _ in range(2)]
        self.strategies = self._memory(capacity if settings.average == "net" else 1)
        self.deals = deal_random(seed)
        self.random = torch.Generator().manual_seed(seed)
        self.draws = (
            torch.Generator(self.device).manual_seed(seed) if self.captures else self.random
        )  # of walks, memories
        deck = self.hands.rules.deck.size
        shown = shown_places(self.cards, self.hands.groups, deck) if self.captures else self.cards
        self.samples = [
            PokerSamples(memory, self.cards, self.numbers, self.tables.legal, shown) for memory in self.all_memories()
        ]
        self._graphs: dict[int, StepGraph] = {}
        self.advantage = [self._new_net(self.random) for _ in range(2)]
        self.sums = torch.zeros(self.abstract.slots, device=self.device)  # of reach times strategy, over all nets
        self.iteration = self.steps_taken = self.nodes = 0
        self.loss = np.zeros(2)
        weights = sum(weight.numel() for net in self.advantage for weight in net.parameters())
        self.kept = KeptNets(max(KEPT, KEPT_BYTES // (HALF * weights)), half=True)
        self._fitted: tuple[int, Tensor] | None = None

    def advance(self) -> None:
        self.iteration += 1
        self.kept.keep(self.iteration, self.advantage)
        for player in range(2):
            self.collect(player, self.settings.traversals, self.weight(self.iteration))
            self.add_average(1 - player, self.weight(self.iteration))
            self.improve(player)

    def policy(self) -> Policy:
        return self._blueprint(SolveRecord(repr(self.settings))).policy

    def measure(self) -> tuple[float, Evaluation | None]:
        return self._exploitability(self.average_sums()), None

    def measure_nets(self) -> float:
        """Of the average over all nets, whichever of both averages is played."""
        return self._exploitability(self.sums)

    def _exploitability(self, sums: Tensor) -> float:
        if self.captures:
            return self._responses.of_sums(sums)
        shares = packed(self.abstract, sums.cpu().numpy()).astype(np.float32)  # as a file keeps them
        return float(self._responses.exploitability(shares, np.zeros_like(shares)))

    def solution(self, record: SolveRecord, evaluation: Evaluation | None) -> BaseSolution:
        return self._blueprint(record)

    def average(self) -> Floats32:
        """[slots] the average strategy, or sums of which it is the shares."""
        average: Floats32 = self.average_sums().cpu().numpy()
        return average

    def average_sums(self) -> Tensor:
        """The same where it lies."""
        if self.settings.average == "nets":
            return self.sums
        if self._fitted is None or self._fitted[0] != self.iteration:
            self._fitted = self.iteration, self._fit_average()
        return self._fitted[1]

    def counts(self) -> dict[str, int]:
        return {
            "nodes": self.nodes,
            "samples": sum(memory.offered for memory in self.regrets),
            "steps": self.steps_taken,
        }

    def small_state(self) -> dict[str, npt.NDArray[Any]]:
        out: dict[str, npt.NDArray[Any]] = {
            "deals": self.deals.copy(),
            "random": generator_array(self.random),
            **({} if self.draws is self.random else {"draws": generator_array(self.draws)}),
            "progress": np.array([self.iteration, self.steps_taken, self.seed, self.nodes], dtype=np.int64),
            "loss": self.loss.copy(),
            "offered": np.array([memory.offered for memory in self.all_memories()], dtype=np.int64),
        }
        for player, net in enumerate(self.advantage):
            out |= net_arrays(net, f"net{player}")
        return out | self.kept.arrays()

    def memories(self) -> dict[str, npt.NDArray[Any]]:
        out = {"sums": self.sums.cpu().numpy().copy()}
        for number, memory in enumerate(self.all_memories()):
            out |= memory.arrays(f"memory{number}")
        return out

    def restore(self, small: State, memories: State | None) -> None:
        for player, net in enumerate(self.advantage):
            load_net(net, small, f"net{player}")
        self.iteration, self.steps_taken, self.seed, self.nodes = (int(number) for number in small["progress"])
        self.loss[:] = small["loss"]
        self.kept.restore(small, 2)
        if memories is None:
            refill(self, small["offered"])
        else:
            self._take(memories)
        self.deals[:] = fitting(small["deals"], 4, "deals")
        load_generator(self.random, small["random"])
        if self.draws is not self.random and "draws" in small:
            load_generator(self.draws, small["draws"])
        self.nodes = int(small["progress"][3])

    def nets(self) -> dict[str, dict[str, npt.NDArray[Any]]]:
        return {f"advantage{player + 1}": net_arrays(net, "") for player, net in enumerate(self.advantage)}

    @cached_property
    def _responses(self) -> TableResponses:
        return TableResponses(self.abstract, device=self.device.type)

    def _memory(self, capacity: int) -> DeviceReservoir:
        columns = {
            "hand": ((), torch.int32),
            "decision": ((), torch.int16),
            "weight": ((), torch.float32),
            "values": ((self.betting.outputs,), torch.float32),
        }
        return DeviceReservoir(capacity, self.device, fixed=self.captures, **columns)

    def all_memories(self) -> list[DeviceReservoir]:
        return [*self.regrets, self.strategies]

    def weight(self, iteration: float) -> float:
        return float(iteration) if self.settings.linear else 1.0

    def _new_net(self, random: torch.Generator) -> CardNet:
        deck = self.hands.rules.deck
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(torch.randint(2**62, (1,), generator=random)))
            net = CardNet(
                self.hands.groups,
                deck.ranks,
                deck.suits,
                self.numbers.shape[1],
                self.betting.outputs,
                self.settings.width,
            )
        net.to(self.device)
        return net

    def _seen(self, player: int) -> Seen:
        return Seen(self.advantage[player], self.cards, self.numbers)

    def collect(self, player: int, walks: int, weight: float) -> None:
        """Walks of one player under what both nets predict."""
        seen = [self._seen(who) for who in range(2)]
        at_once = WALKS_ON_DEVICE if self.captures else WALKS_AT_ONCE
        for begin in range(0, walks, at_once):
            count = min(at_once, walks - begin)
            dealt, wins = self.hands.deal(self.deals, count)
            hands = torch.from_numpy(dealt).to(self.device)
            draws = torch.rand(len(self.betting.decisions), count, generator=self.draws, device=self.device)
            found = walk(
                self.betting,
                player,
                hands,
                torch.from_numpy(wins * (1 if player == 0 else -1)).float().to(self.device),
                self._strategies(seen, hands),
                draws,
                self.unit,
            )
            self.nodes += found.nodes
            self._offer(self.regrets[player], found.regrets, weight)
            if self.settings.average == "net":
                self._offer(self.strategies, found.strategies, weight)

    def _strategies(self, seen: list[Seen], hands: Tensor) -> Tensor:
        """[decision, walk, output] of whoever acts."""
        out = torch.zeros(len(self.betting.decisions), len(hands), self.betting.outputs, device=self.device)
        with quick_products(self.device):
            for player, street in itertools.product(range(2), range(len(self.hands.sizes))):
                own = np.flatnonzero((self.betting.player == player) & (self.betting.round == street))
                if len(own):
                    predicted = seen[player].outputs(hands[:, player, street], own.tolist())
                    legal = self.tables.legal[own.tolist()].unsqueeze(1)
                    out[own.tolist()] = matched(predicted, legal, self.settings.uniform)
        return out

    def _offer(self, memory: DeviceReservoir, found: Found, weight: float) -> None:
        memory.add(
            self.draws,
            hand=found.hand,
            decision=found.decision,
            weight=torch.full((len(found.hand),), weight, device=self.device),
            values=found.values,
        )

    def add_average(self, player: int, weight: float) -> None:
        self.tables.add_reached(self.sums, self._seen(player), player, weight, self.settings.uniform)

    def improve(self, player: int) -> None:
        """A net for all regrets of a player so far."""
        if self.settings.restart or self.iteration == 1:
            self.advantage[player] = self._new_net(self.random)
        plan = self.settings.fit_plan(self.iteration)
        self.loss[player] = self._fit(player, self.advantage[player], plan, self.random)
        self.steps_taken += plan.steps

    def _fit(self, memory: int, net: CardNet, plan: FitPlan, random: torch.Generator, shares: bool = False) -> float:
        """Fit a net to a memory: step by step on a CPU, by captured steps elsewhere."""
        samples, batches = self.samples[memory], self._batches(random)
        samples.begin()
        if not (self.captures and samples.seen):
            return fit(net, samples, plan, batches, shares=shares)
        if memory not in self._graphs:
            self._graphs[memory] = StepGraph(copy.deepcopy(net), samples, plan.batch, shares)
        return fit_captured(self._graphs[memory], net, plan, batches)

    def _batches(self, random: torch.Generator) -> torch.Generator:
        """Random numbers of one fit, drawn on the device."""
        made = torch.Generator(self.device)
        made.manual_seed(int(torch.randint(2**62, (1,), generator=random)))
        return made

    def _fit_average(self) -> Tensor:
        """A net for the strategies that were played; its random numbers are not those of learning."""
        random = torch.Generator().manual_seed((self.seed * 1_000_003 + self.iteration) % 2**62)
        net, plan = self._new_net(random), self.settings.fit_plan(max(self.iteration, 1))
        longer = FitPlan(POLICY_STEPS * plan.steps, plan.batch, plan.rate, plan.anneal)
        self._fit(STRATEGIES, net, longer, random, shares=True)
        return self.tables.filled([Seen(net, self.cards, self.numbers)] * 2)

    def _blueprint(self, record: SolveRecord) -> PokerBlueprint:
        return PokerBlueprint(self.plan, self.abstract, packed(self.abstract, self.average()), record)

    def _take(self, memories: State) -> None:
        for number, memory in enumerate(self.all_memories()):
            memory.restore(memories, f"memory{number}")
        if "sums" not in memories:  # of a version that did not keep them beside a net of the average
            averages_again(self)
            return
        if memories["sums"].shape != tuple(self.sums.shape):
            raise ValueError("its sums are of another game")
        self.sums = torch.from_numpy(np.array(memories["sums"])).to(self.device)
