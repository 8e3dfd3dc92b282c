"""ReBeL: a value network for public beliefs, learned by self-play in which every move is searched ([Brown20, §5.3]).

Each iteration plays hands against itself with the present network and then fits it to what the roots of those searches were worth.
The first search of a hand is the same for all hands of an iteration, so it is made once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import torch

from equilibrist.core.catalogue import Entry
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.names import Name
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.learner import Learner, State
from equilibrist.learning.memories.sampled import SampleMemory
from equilibrist.learning.networks.state import load_net, load_optimiser, net_arrays, optimiser_arrays
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.learning.rebel.asking import NEEDS_POLICIES
from equilibrist.learning.rebel.averaged_net import AveragedNet
from equilibrist.learning.rebel.belief_game import BeliefGame, belief_game
from equilibrist.learning.rebel.playing import Playing
from equilibrist.learning.rebel.policy_net import PolicyTraining
from equilibrist.learning.rebel.self_play import Examples, SelfPlay, Watch
from equilibrist.learning.rebel.solving import (
    Algorithm,
    SolvedSearches,
    SubgameSolver,
    Targets,
    Updates,
    Weights,
    check_targets,
    check_weights,
)
from equilibrist.learning.rebel.templates import Template, Templates
from equilibrist.learning.rebel.value_net import NetLeaves, NetValues, Questions, ValueNet
from equilibrist.learning.rebel.warm_start import ITERATIONS, PolicyStart

MOST_HALVINGS = 5
CLIP = 5.0  # largest norm of a gradient
PLAYED = "play-throughs"
AVERAGES = "averages"
NEWEST, AVERAGED = "newest", "averaged"
KNOWN = {
    "solver": get_args(Algorithm),
    "updates": get_args(Updates),
    "weights": get_args(Weights),
    "targets": get_args(Targets),
    "asked": (NEWEST, AVERAGED),
    "playing": (PLAYED, AVERAGES),
}
EVALUATION = 7  # seed of the play-throughs that a policy is made of


@dataclass(frozen=True)
class ReBeL:
    """Settings; an iteration is one round of self-play and the training after it.

    The defaults learn small games on one core. The text's are inside=512, width=256, rate=0.0003, halve=400, reuse=4 ([Brown20, §5.3.10]).
    """

    solver: Algorithm = "cfr-d"  # or "modified-cfr-avg" (not proven), "fp", "flop"
    inside: int = 256  # CFR iterations of both players in a search
    updates: Updates = "alternating"
    weights: Weights = "linear"  # of iterations, or "plain"
    recycle: float = 0.0  # fictitious play asks about leaves again once its iterations have grown by so much
    targets: Targets = "iterates"  # of fictitious play also "averages"
    centred: bool = False  # shift what a search is worth to both players until it sums to zero
    depth: int = 0  # moves until a leaf; 0: until the next public draw, or 2 where there is none
    hands: int = 256  # of self-play in an iteration
    exploration: float = 0.25
    random_beliefs: bool = False  # train on beliefs drawn evenly instead of by self-play
    width: int = 128
    layers: int = 2
    rate: float = 1e-3
    halve: int = 60  # iterations after which the rate is halved, five times at most
    batch: int = 512
    reuse: float = 50.0  # examples trained for each one that was made
    memory: int = 2_000_000
    averaged: float = (
        0.0  # what plays are mean weights: those after an iteration count so much as those after the next one
    )
    asked: str = NEWEST  # weights that self-play is searched with, or "averaged"
    policy: bool = False  # learn how searches come out, too, and begin searches from it
    warm: int = ITERATIONS  # iterations that such a beginning stands for
    playing: str = PLAYED  # what `policy` is: the mean of play-throughs, or final averages (not safe)
    throughs: int = 64  # play-throughs; 0: every iterate of the first search
    playing_inside: int = 0  # CFR iterations of a search in play; 0: as in learning
    iterations: int = field(default=300, repr=False)

    def __post_init__(self) -> None:
        for name, known in KNOWN.items():
            if getattr(self, name) not in known:
                raise ParameterError(f"'{name}' is one of {', '.join(known)}, but '{getattr(self, name)}' was given.")
        if self.solver == "cfr-avg":
            raise ParameterError(NEEDS_POLICIES)
        check_weights(self.solver, self.weights)
        check_targets(self.solver, self.targets)
        if self.asked == AVERAGED and not self.averaged:
            raise ParameterError(
                "Self-play is to ask averaged weights, but none are kept; give 'averaged', such as 0.9."
            )
        for name in ("inside", "playing_inside") if self.policy else ():
            if 0 < getattr(self, name) <= self.warm:
                raise ParameterError(
                    f"A search from a policy begins as if after {self.warm} iterations ('warm'), so that '{name}' must be more, "
                    f"but {getattr(self, name)} was given."
                )

    def __repr__(self) -> str:
        given = {key: getattr(self, key) for key, usual in DEFAULTS.items() if getattr(self, key) != usual}
        return str(Name("rebel", given))

    def start(self, game: Compiled, *, seed: int = 0, device: str = "cpu") -> ReBeLLearner:
        return ReBeLLearner(game, self, seed, device)

    def memory_bytes(self, game: Compiled) -> int:
        beliefs = belief_game(game)
        values = _memory(self, len(beliefs.hands)).nbytes
        return values + (_policies(self, Templates(beliefs, self.depth), "cpu").memory.nbytes if self.policy else 0)


class ReBeLLearner(Learner):
    """A value network, a ring of examples, and random numbers that follow from the seed and the iteration alone."""

    def __init__(self, game: Compiled, settings: ReBeL, seed: int, device: str) -> None:
        self.settings, self.seed, self.device = settings, seed, torch_device(device)
        self.game = game
        self.beliefs: BeliefGame = belief_game(game)
        self.templates = Templates(self.beliefs, settings.depth)
        if settings.random_beliefs and not self.templates.asked:
            raise NotApplicableError(
                "No network is asked where every search goes to the end of the game, so there is nothing to learn; give a smaller depth."
            )
        self.questions = Questions(self.templates)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            net = ValueNet(self.questions.width, len(self.beliefs.hands), settings.width, settings.layers)
            self.policies = _policies(settings, self.templates, device) if settings.policy else None
        self.net = net.to(self.device)
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=settings.rate)
        self.memory = _memory(settings, len(self.beliefs.hands))
        self.average = AveragedNet(self.net, settings.averaged) if settings.averaged else None
        self.newest = NetValues(self.net, self.questions, self.device)
        self.values = NetValues(self.average.net, self.questions, self.device) if self.average else self.newest
        self.iteration = self.searches = self.steps = 0
        self.loss = 0.0

    def advance(self) -> None:
        """Self-play, then training on up to `reuse` times as many examples as it made."""
        self.iteration += 1
        random = np.random.default_rng([self.seed, self.iteration])
        own = self.settings
        watch: Watch | None = None
        if (policies := self.policies) is not None:

            def watch(template: Template, found: SolvedSearches, times: int) -> None:
                policies.remember(template, found, times, random)

        values = self.values if own.asked == AVERAGED else self.newest
        play = SelfPlay(self.templates, self._solver(own.inside, values), own.exploration, own.centred, watch)
        made = (play.random if own.random_beliefs else play.play)(own.hands, random)
        for examples in made:
            self._remember(examples, random)
        searches = sum(len(examples.values) for examples in made)
        self.searches += searches
        steps = int(own.reuse * 2 * searches / own.batch)
        self._train(steps, random)
        if self.policies:
            self.policies.train(steps, own.batch, self._rate(), random)
        if self.average:
            self.average.take(self.net, self.iteration)

    def policy(self) -> TabularPolicy:
        """Even before anything is learned; then what `playing` says."""
        if not self.iteration:
            return self.game.infosets.uniform()
        if self.settings.playing == AVERAGES:
            return self.playing().averages()
        return self.playing().play_throughs(self.settings.throughs, np.random.default_rng([EVALUATION, self.seed]))

    def playing(self, inside: int = 0) -> Playing:
        """Whole policies from the present network, or from its mean weights."""
        many = inside or self.settings.playing_inside or self.settings.inside
        return Playing(self.templates, self._solver(many, self.values))

    def leaf_values(self) -> NetLeaves:
        """The network as values at the edge of any depth-limited search."""
        return NetLeaves(self.beliefs, self.values)

    def counts(self) -> dict[str, int]:
        return {"searches": self.searches, "samples": self.memory.offered, "steps": self.steps}

    def small_state(self) -> dict[str, npt.NDArray[Any]]:
        return {
            **net_arrays(self.net, "net"),
            **optimiser_arrays(self.optimiser, "optimiser"),
            **(self.average.small_state() if self.average else {}),
            **(self.policies.small_state() if self.policies else {}),
            "progress": np.array([self.seed, self.iteration, self.searches, self.steps], dtype=np.int64),
            "loss": np.array(self.loss),
            "of": np.frombuffer(self._told().encode(), dtype=np.uint8).copy(),
        }

    def memories(self) -> dict[str, npt.NDArray[Any]]:
        return self.memory.arrays("examples") | (self.policies.memory.arrays("policies") if self.policies else {})

    def restore(self, small: State, memories: State | None) -> None:
        """Without memories the ring begins empty and fills again by self-play."""
        told = bytes(np.asarray(small["of"], dtype=np.uint8)).decode() if "of" in small else "nothing"
        if told != self._told():
            raise ValueError(f"it is of {told}, not of {self._told()}")
        load_net(self.net, small, "net")
        if self.average:
            self.average.restore(small)
        load_optimiser(self.optimiser, small, "optimiser")
        self.seed, self.iteration, self.searches, self.steps = (int(number) for number in small["progress"])
        self.loss = float(small["loss"])
        self.memory = _memory(self.settings, len(self.beliefs.hands))
        if memories is not None:
            self.memory.restore(memories, "examples")
        if self.policies:
            self.policies.restore(small, memories)

    def nets(self) -> dict[str, dict[str, npt.NDArray[Any]]]:
        values = {"values": net_arrays(self.values.net, "")}
        return values | ({"policy": net_arrays(self.policies.net, "")} if self.policies else {})

    def _told(self) -> str:
        """What a state must be of."""
        own = self.settings
        return (
            f"'{self.game.game.name}' searched {self.templates.depth} moves deep, {own.layers} layers of {own.width}"
            + (", with mean weights" if own.averaged else "")
            + (", with a policy" if own.policy else "")
        )

    def _solver(self, iterations: int, values: NetValues) -> SubgameSolver:
        own = self.settings
        warm = PolicyStart(self.policies.policies, own.warm) if self.policies else None
        return SubgameSolver(values, iterations, own.updates, own.solver, own.weights, warm, own.recycle, own.targets)

    def _remember(self, examples: Examples, random: np.random.Generator) -> None:
        """Two examples of each search, one for each player."""
        many = len(examples.values)
        beliefs = examples.beliefs.reshape(many, -1)
        number = self.questions.number[examples.future]
        for player in range(2):
            self.memory.add(
                random,
                state=np.full(many, number, dtype=np.int32),
                player=np.full(many, player, dtype=np.int8),
                beliefs=beliefs.astype(np.float32),
                values=examples.values[:, player].astype(np.float32),
            )

    def _rate(self) -> float:
        halvings = min(MOST_HALVINGS, (self.iteration - 1) // self.settings.halve)
        return float(self.settings.rate * 0.5**halvings)

    def _train(self, steps: int, random: np.random.Generator) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = self._rate()
        for _ in range(steps):
            rows, targets, asked = self._batch(self.memory.draw(random, self.settings.batch))
            found = self.net(rows)
            loss = 2.0 * huber(found, targets, asked)
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
            self.optimiser.step()
            self.loss = float(loss.detach())
        self.steps += steps

    def _batch(self, drawn: npt.NDArray[Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Questions, values, and which hands are possible at all."""
        number, player = self.memory["state"][drawn], self.memory["player"][drawn]
        rows = self.questions.rows(number)
        rows[:, 1] = player
        rows[:, self.questions.beliefs :] = self.memory["beliefs"][drawn]
        arrays = rows, self.memory["values"][drawn], self.questions.possible[number, player]
        first, second, third = (torch.from_numpy(array).to(self.device) for array in arrays)
        return first, second, third


def huber(found: torch.Tensor, targets: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
    """Mean Huber loss over hands that are possible; others reach no gradient."""
    each = torch.nn.functional.smooth_l1_loss(found, targets, reduction="none")
    return torch.where(asked, each, torch.zeros_like(each)).sum() / asked.sum()


def _memory(settings: ReBeL, hands: int) -> SampleMemory:
    return SampleMemory(
        settings.memory,
        ring=True,
        state=((), np.int32),
        player=((), np.int8),
        beliefs=((2 * hands,), np.float32),
        values=((hands,), np.float32),
    )


def _policies(settings: ReBeL, templates: Templates, device: str) -> PolicyTraining:
    own = settings
    return PolicyTraining(templates, own.width, own.layers, own.rate, own.memory, torch_device(device))


DEFAULTS: Mapping[str, Any] = {
    key: getattr(ReBeL(), key)
    for key in (
        "solver", "inside", "updates", "weights", "recycle", "targets", "centred", "depth", "hands", "exploration",
        "random_beliefs", "width", "layers", "rate", "halve", "batch", "reuse", "memory", "averaged", "asked",
        "policy", "warm", "playing", "throughs", "playing_inside",
    )
}  # fmt: skip

ENTRIES = (
    Entry(
        "rebel",
        "values of public beliefs from self-play in which every move is searched",
        ReBeL,
        DEFAULTS,
        words={},
        bounds={
            "inside": (1, 100_000),
            "recycle": (0.0, 1.0),
            "depth": (0, 100),
            "hands": (1, 100_000),
            "exploration": (0.0, 1.0),
            "width": (1, 4096),
            "layers": (1, 10),
            "rate": (0.0, 1.0),
            "halve": (1, 1_000_000),
            "batch": (1, 100_000),
            "reuse": (0.0, 1000.0),
            "memory": (1, 100_000_000),
            "averaged": (0.0, 0.9999),
            "warm": (1, 100_000),
            "throughs": (0, 100_000),
            "playing_inside": (0, 100_000),
        },
    ),
)
