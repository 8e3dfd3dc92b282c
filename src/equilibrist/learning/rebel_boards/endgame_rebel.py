"""ReBeL on one board of turn endgame hold'em: a network for the end of the turn, learned by self-play ([Brown20, §5.3.3, §5.3.5]).

An iteration searches the turn by CFR-D with the present network, draws iterates with probabilities in proportion to their numbers, solves
the rivers behind every line from the beliefs of each, and fits the network to what both players' hands are worth there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from equilibrist.learning.memories.sampled import SampleMemory
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.learning.rebel.rebel import CLIP, MOST_HALVINGS, huber
from equilibrist.learning.rebel.value_net import ValueNet
from equilibrist.learning.rebel_boards.first_street import FirstStreet, Pair
from equilibrist.learning.rebel_boards.later_streets import SolvedStreets
from equilibrist.learning.rebel_boards.leaf_net import LeafQuestions, StreetNetLeaves
from equilibrist.learning.rebel_boards.street_search import Algorithm, FirstStreetSearch


@dataclass(frozen=True)
class EndgameReBeL:
    """Settings; the text's are width=1536, layers=6, rate=0.0004, halve=100, batch=1024, 2,560,000 examples an epoch."""

    inside: int = 48  # iterations of the turn's search
    rivers: int = 32  # iterations of CFR+ for what is learned; regrets are carried from one question to the next
    drawn: int = 12  # iterates of a search; every line of each is an example
    random_beliefs: bool = False  # drawn evenly from all beliefs in place of self-play
    width: int = 256
    layers: int = 2
    rate: float = 1e-3
    halve: int = 20  # iterations after which the rate is halved, five times at most
    batch: int = 64
    reuse: float = 40.0  # rows trained for each one that was made
    memory: int = 40_000  # newest rows kept


class EndgameLearner:
    """A network at work on one street; random numbers follow from the seed and the iteration."""

    def __init__(self, street: FirstStreet, settings: EndgameReBeL, *, seed: int = 0, device: str = "cpu") -> None:
        self.street, self.settings, self.seed, self.iteration = street, settings, seed, 0
        self.device, self.questions = torch_device(device), LeafQuestions(street)
        torch.manual_seed(seed)
        hands = self.questions.hands
        self.net = ValueNet(self.questions.width, hands, settings.width, settings.layers).to(self.device)
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=settings.rate)
        self.rivers = SolvedStreets(street, settings.rivers)
        self.memory = SampleMemory(
            settings.memory, ring=True, rows=((self.questions.width,), np.float32), values=((hands,), np.float32)
        )
        self.loss = 0.0

    def advance(self) -> None:
        """One round of self-play and the training after it."""
        self.iteration += 1
        random = np.random.default_rng([self.seed, self.iteration])
        made = 0
        for reach in self._drawn(random):
            made += self._solve(reach, random)
        self._train(int(made * self.settings.reuse / self.settings.batch), random)

    def search(self, algorithm: Algorithm = "cfr-d") -> FirstStreetSearch:
        """A search of the street with the present network at its leaves."""
        return FirstStreetSearch(self.street, StreetNetLeaves(self.net, self.questions, self.device), algorithm)

    def error(self, reach: Pair) -> float:
        """Mean absolute error of the network at beliefs of all leaves, as a share of the pot; rivers are solved for it."""
        rows, values = self._examples(reach)
        leaves = StreetNetLeaves(self.net, self.questions, self.device)
        return float(np.abs(leaves.answer(rows) - self.questions.base(rows) - values).mean())

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Everything; regrets of rivers, too, which the next answers begin with."""
        return {
            **net_arrays(self.net, "net"),
            **optimiser_arrays(self.optimiser, "optimiser"),
            **self.memory.arrays("examples"),
            **self.rivers.state(),
            "progress": np.array([self.seed, self.iteration], dtype=np.int64),
            "loss": np.array(self.loss),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on where a state was taken."""
        load_net(self.net, state, "net")
        load_optimiser(self.optimiser, state, "optimiser")
        self.memory.restore(state, "examples")
        self.rivers.restore(state)
        self.seed, self.iteration = (int(number) for number in state["progress"])
        self.loss = float(state["loss"])

    def _drawn(self, random: np.random.Generator) -> list[Pair]:
        """Both players' reach [leaf, H] at the leaves, by self-play or anyhow."""
        own, street = self.settings, self.street
        if own.random_beliefs:
            shape = (len(street.leaves), self.questions.hands)
            return [(random.exponential(size=shape), random.exponential(size=shape)) for _ in range(own.drawn)]
        chances = np.arange(1.0, own.inside + 1.0)
        wanted = np.sort(1 + random.choice(own.inside, size=own.drawn, p=chances / chances.sum()))
        search, found = self.search(), list[Pair]()
        for t in wanted.tolist():
            search.advance(t - search.iteration)
            found.append(leaf_reach(street, search.iterate))
        return found

    def _solve(self, reach: Pair, random: np.random.Generator) -> int:
        rows, values = self._examples(reach)
        self.memory.add(random, rows=rows, values=values)
        return len(rows)

    def _examples(self, reach: Pair) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Rows about both players at all leaves, and values on top of checking down, as shares of the pot."""
        asked, street = self.questions, self.street
        self.rivers.believe(reach)
        assert self.rivers.beliefs is not None
        believed, rows, values = self.rivers.beliefs, [], []
        for me in range(2):
            theirs = believed[1 - me]
            here = asked.rows(me, believed[me], theirs, asked.pots)
            mass = street.met(1 - me, theirs)
            worth = self.rivers.values(me, theirs) / np.where(mass > 0.0, mass, 1.0) / asked.pots[:, None]
            rows.append(here)
            values.append((worth - asked.base(here)).astype(np.float32))
        return np.concatenate(rows), np.concatenate(values)

    def _rate(self) -> float:
        return float(self.settings.rate * 0.5 ** min(MOST_HALVINGS, (self.iteration - 1) // self.settings.halve))

    def _train(self, steps: int, random: np.random.Generator) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = self._rate()
        for _ in range(steps):
            drawn = self.memory.draw(random, self.settings.batch)
            rows, values = (torch.from_numpy(self.memory[name][drawn]).to(self.device) for name in ("rows", "values"))
            loss = 2.0 * huber(self.net(rows), values, torch.ones_like(values, dtype=torch.bool))
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
            self.optimiser.step()
            self.loss = float(loss.detach())


def leaf_reach(street: FirstStreet, profile: Pair) -> Pair:
    """[leaf, H] both players' own reach at the leaves."""
    first, second = (street.reach(p, profile[p])[street.leaves] for p in range(2))
    return first, second
