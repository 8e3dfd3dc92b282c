"""PPO and MMD in self-play: policy gradients whose entropy bonus is large enough for games of imperfect information ([Rudolph26]).

One net plays all seats (what it sees tells whose turn it is), another one predicts values. An iteration plays whole episodes under a
table of the net's strategies and takes `epochs` passes of Adam over their decisions. MMD adds a penalty on moving away from the
strategy that played: with the entropy bonus its objective is the step of magnetic mirror descent ([Sokota23]).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from equilibrist.core.arrays import Floats
from equilibrist.core.catalogue import Entry
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.core.policy import TabularPolicy, normalise
from equilibrist.forms.compiled import Compiled
from equilibrist.learning.encoders.infosets import encode
from equilibrist.learning.learner import Learner, State
from equilibrist.learning.networks.feature_net import FeatureNet
from equilibrist.learning.networks.state import (
    generator_array,
    load_generator,
    load_net,
    load_optimiser,
    net_arrays,
    optimiser_arrays,
)
from equilibrist.learning.networks.torch_extra import torch_device
from equilibrist.learning.regression.experience import ExactAverage
from equilibrist.learning.reinforcement._kernels.episodes import Decisions, play_episodes
from equilibrist.learning.reinforcement.rewards import packed_with_unit_payoffs
from equilibrist.solvers.mccfr._kernels import packing

Array = npt.NDArray[Any]
AVERAGES = ("last", "all")
NEVER = -1e9  # logit of what is no action


@dataclass(frozen=True)
class PolicyGradient:
    """Settings; the defaults are those that [Rudolph26] found best for Liar's Dice, nets excepted (theirs: 3 layers of 512)."""

    title: str = field(default="ppo", repr=False, compare=False)
    kl: float = 0.0  # weight of KL(new, old)
    entropy: float = 0.1
    clip: float = 0.025
    rate: float = 6.25e-5  # of Adam, falling to 0 in a line
    annealed: int = 4883  # iterations until it is 0: 10 million decisions
    steps: int = 2048  # decisions an iteration; the last episode is played to its end
    epochs: int = 8
    minibatches: int = 1
    value_weight: float = 0.0625
    discount: float = 0.99
    trace: float = 0.95  # lambda of generalised advantages
    norm: float = 0.5  # largest norm of a gradient
    width: int = 64
    depth: int = 3
    average: str = "last"  # what it would play: its last strategy, or the exact average of all
    iterations: int = field(default=4883, repr=False)

    def __post_init__(self) -> None:
        if self.average not in AVERAGES:
            raise ParameterError(f"'average' is one of {', '.join(AVERAGES)}, but '{self.average}' was given.")
        if self.minibatches > self.steps:
            raise ParameterError(
                f"{self.steps:,} decisions cannot be cut into {self.minibatches:,} minibatches; ask for fewer."
            )

    def __repr__(self) -> str:
        plain = PolicyGradient(self.title, **_OWN[self.title])
        given = {key: getattr(self, key) for key in PARAMETERS if getattr(self, key) != getattr(plain, key)}
        return str(Name(self.title, given))

    def start(self, game: Compiled, *, seed: int = 0, device: str = "cpu") -> PolicyGradientLearner:
        """A learner at iteration 0."""
        return PolicyGradientLearner(self, game, seed, device)

    def memory_bytes(self, game: Compiled) -> int:
        """The decisions of one iteration, and the sums of an average."""
        return 28 * self.steps + (16 * game.infosets.slots if self.average == "all" else 0)


class PolicyGradientLearner(Learner):
    """PPO or MMD at work."""

    def __init__(self, settings: PolicyGradient, game: Compiled, seed: int, device: str) -> None:
        self.settings, self.game, self.iteration = settings, game, 0
        self.device = torch_device(device)
        self.encoding = encode(game)
        self.tree = packed_with_unit_payoffs(game.tree)
        self.random, self.tally = packing.random_state(seed), np.zeros(3, dtype=np.int64)
        self.shuffles = torch.Generator().manual_seed(seed)
        inputs = self.encoding.features.shape[1]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.actor = FeatureNet(inputs, self.encoding.width, settings.width, settings.depth).to(self.device)
            self.critic = FeatureNet(inputs, 1, settings.width, settings.depth).to(self.device)
        self.parameters = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimiser = torch.optim.Adam(self.parameters, lr=settings.rate, eps=1e-5)
        self.features = torch.from_numpy(self.encoding.features).to(self.device)
        self.legal = torch.from_numpy(self.encoding.legal).to(self.device)
        self.average = ExactAverage(game) if settings.average == "all" else None
        self.decisions = _room(settings.steps + packing.depth(game.tree.parent, game.tree.terminal >= 0))

    def advance(self) -> None:
        """Play, then passes over what was played."""
        table = self.table()
        strategy = self.encoding.by_slot(table)
        if self.average is not None:
            for player in range(self.game.game.players):
                self.average.add(player, 1.0, strategy)
        batch = self._batch(self._play(strategy), table)
        self.optimiser.param_groups[0]["lr"] = self.rate
        for _ in range(self.settings.epochs):
            self._pass(batch)
        self.iteration += 1

    @property
    def rate(self) -> float:
        """Of the coming iteration."""
        return self.settings.rate * max(1.0 - self.iteration / self.settings.annealed, 0.0)

    def table(self) -> Floats:
        """[R, A] what the net plays at every row."""
        with torch.no_grad():
            logits = self.actor(self.features).masked_fill(~self.legal, NEVER)
            found: Floats = torch.softmax(logits.double(), dim=1).cpu().numpy()
        return found

    def policy(self) -> TabularPolicy:
        if self.average is not None and self.iteration:
            return normalise(self.game.infosets, self.average.sums)
        return self.last()

    def last(self) -> TabularPolicy:
        """What the net plays now."""
        return TabularPolicy(self.game.infosets, self.encoding.by_slot(self.table()))

    def counts(self) -> dict[str, int]:
        nodes, episodes, decisions = self.tally.tolist()
        return {"nodes": nodes, "episodes": episodes, "decisions": decisions}

    def small_state(self) -> dict[str, Array]:
        return (
            net_arrays(self.actor, "actor")
            | net_arrays(self.critic, "critic")
            | optimiser_arrays(self.optimiser, "optimiser")
            | {
                "random": self.random.copy(),
                "shuffles": generator_array(self.shuffles),
                "tally": self.tally.copy(),
                "iteration": np.array(self.iteration, dtype=np.int64),
            }
            | ({"average": self.average.sums.copy()} if self.average is not None else {})
        )

    def memories(self) -> dict[str, Array]:
        """Nothing: decisions are used once."""
        return {}

    def restore(self, small: State, memories: State | None) -> None:
        """Take a state over; it is all there is."""
        load_net(self.actor, small, "actor")
        load_net(self.critic, small, "critic")
        load_optimiser(self.optimiser, small, "optimiser")
        load_generator(self.shuffles, small["shuffles"])
        self.random[:], self.tally[:] = small["random"], small["tally"]
        self.iteration = int(small["iteration"])
        if self.average is not None:
            self.average.sums[:] = small["average"]

    def nets(self) -> dict[str, dict[str, Array]]:
        return {"actor": net_arrays(self.actor, ""), "critic": net_arrays(self.critic, "")}

    def _play(self, strategy: Floats) -> int:
        """Episodes under a strategy [S]; how many decisions there were."""
        with torch.no_grad():
            value = self.critic(self.features)[:, 0].double().cpu().numpy()
        settings, after = self.settings, np.zeros((self.game.game.players, 2))
        with np.errstate(over="ignore"):  # random numbers wrap around; kernels left as Python would warn
            count = play_episodes(
                self.tree, self.encoding.slot_row, strategy, value, settings.steps, settings.discount, settings.trace,
                self.decisions, after, self.random, self.tally,
            )  # fmt: skip
        self.tally[2] += count
        return int(count)

    def _batch(self, count: int, table: Floats) -> PlayedBatch:
        """Decisions as tensors; nets are asked once for each row that occurs."""
        rows, place = np.unique(self.decisions.row[:count], return_inverse=True)
        action = self.encoding.output[self.decisions.slot[:count]]
        advantage, goal = self.decisions.advantage[:count], self.decisions.goal[:count]
        to = functools.partial(torch.as_tensor, device=self.device)
        return PlayedBatch(
            self.features[to(rows).long()],
            self.legal[to(rows).long()],
            to(table[rows]).float().clamp_min(1e-12).log(),
            to(place.reshape(-1)).long(),
            to(action).long(),
            to((advantage - advantage.mean()) / (advantage.std() + 1e-8)).float(),
            to(goal).float(),
            to(goal - advantage).float(),
        )

    def _pass(self, batch: PlayedBatch) -> None:
        """Steps of Adam over all decisions once."""
        parts = self.settings.minibatches
        count = len(batch.place)
        order = torch.arange(count) if parts == 1 else torch.randperm(count, generator=self.shuffles)
        for chosen in order.to(self.device).tensor_split(parts):
            logits = self.actor(batch.features).masked_fill(~batch.legal, NEVER)
            values = self.critic(batch.features)[:, 0]
            loss = surrogate_loss(batch, chosen, torch.log_softmax(logits, dim=1), values, self.settings)
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.parameters, self.settings.norm)
            self.optimiser.step()


@dataclass(frozen=True)
class PlayedBatch:
    """N decisions at U different rows."""

    features: Tensor  # [U, F]
    legal: Tensor  # [U, A]
    old: Tensor  # [U, A] logarithms of the strategy that played
    place: Tensor  # [N] which of the U rows
    action: Tensor  # [N]
    advantage: Tensor  # [N] mean 0, variance 1
    goal: Tensor  # [N]
    expected: Tensor  # [N] values when it was played


def surrogate_loss(batch: PlayedBatch, chosen: Tensor, new: Tensor, values: Tensor, settings: PolicyGradient) -> Tensor:
    """The clipped loss of PPO ([Schulman17], equations 7 and 9) with MMD's KL(new, old); `new` [U, A] are logarithms."""
    place, action, advantage = batch.place[chosen], batch.action[chosen], batch.advantage[chosen]
    ratio = (new[place, action] - batch.old[place, action]).exp()
    gain = torch.minimum(ratio * advantage, ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip) * advantage).mean()
    share = new.exp()
    entropy = -(share * new).sum(dim=1)[place].mean()
    loss = -gain - settings.entropy * entropy
    if settings.kl:
        loss = loss + settings.kl * (share * (new - batch.old)).sum(dim=1)[place].mean()
    return loss + settings.value_weight * value_loss(
        values[place], batch.goal[chosen], batch.expected[chosen], settings
    )


def value_loss(value: Tensor, goal: Tensor, expected: Tensor, settings: PolicyGradient) -> Tensor:
    """Half the squared error, of the value or of the value held near what it was, whichever is larger."""
    held = expected + (value - expected).clamp(-settings.clip, settings.clip)
    return 0.5 * torch.maximum((value - goal) ** 2, (held - goal) ** 2).mean()


def _room(most: int) -> Decisions:
    row, slot, player = (np.zeros(most, dtype=np.int32) for _ in range(3))
    return Decisions(row, slot, player, np.zeros(most), np.zeros(most))


PARAMETERS = (
    "entropy", "clip", "rate", "annealed", "steps", "epochs", "minibatches", "value_weight", "discount", "trace", "norm",
    "width", "depth", "average",
)  # fmt: skip
_OWN: dict[str, dict[str, Any]] = {"ppo": {}, "mmd": {"kl": 0.025}}
_BOUNDS = {
    "kl": (0.0, 1e6), "entropy": (0.0, 1e6), "clip": (1e-6, 1e6), "rate": (1e-9, 1.0), "annealed": (1, 10**9),
    "steps": (1, 10**7), "epochs": (1, 1000), "minibatches": (1, 10**6), "value_weight": (0.0, 1e6),
    "discount": (1e-6, 1.0), "trace": (0.0, 1.0), "norm": (1e-6, 1e6), "width": (1, 4096), "depth": (1, 32),
}  # fmt: skip


def _entry(title: str, summary: str) -> Entry:
    names = (*_OWN[title], *PARAMETERS)
    plain = PolicyGradient(title, **_OWN[title])
    return Entry(
        title,
        summary,
        functools.partial(PolicyGradient, title, **_OWN[title]),
        {name: getattr(plain, name) for name in names},
        bounds={name: bound for name, bound in _BOUNDS.items() if name in names},
    )


ENTRIES = (
    _entry("ppo", "proximal policy optimisation in self-play with a large entropy bonus"),
    _entry("mmd", "magnetic mirror descent in self-play: PPO with a penalty on moving away from the last strategy"),
)
