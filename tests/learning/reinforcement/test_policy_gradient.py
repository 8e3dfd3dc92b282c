"""PPO and MMD: advantages, the loss, averages, units, going on, and how far they come on small games."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import ParameterError  # noqa: E402
from equilibrist.core.policy import TabularPolicy, normalise  # noqa: E402
from equilibrist.forms.compiled import compiled  # noqa: E402
from equilibrist.learning.catalogue import load_method  # noqa: E402
from equilibrist.learning.reinforcement._kernels.episodes import Decisions, estimate_advantages  # noqa: E402
from equilibrist.learning.reinforcement.magnetic_mirror import action_values, magnetic_step  # noqa: E402
from equilibrist.learning.reinforcement.policy_gradient import (  # noqa: E402
    PlayedBatch,
    PolicyGradient,
    PolicyGradientLearner,
    surrogate_loss,
    value_loss,
)
from equilibrist.solvers.responses.best_response import evaluate_policy  # noqa: E402
from learning.contract import check_learner, scaled  # noqa: E402

SMALL = PolicyGradient("mmd", kl=0.025, steps=60, epochs=2, minibatches=3, width=8, depth=2, rate=1e-2, average="all")


def started(settings: PolicyGradient = SMALL, name: str = "kuhn", seed: int = 3) -> PolicyGradientLearner:
    return settings.start(compiled(name), seed=seed)


def test_advantages_of_an_episode_by_hand() -> None:
    """Player 1 moves at times 0, 2 and 3, player 2 at time 1; discount 0.9, lambda 0.5, payoffs 1 and -1."""
    decisions = Decisions(
        np.array([0, 1, 2, 3], dtype=np.int32), np.zeros(4, dtype=np.int32), np.array([0, 1, 0, 0], dtype=np.int32),
        np.zeros(4), np.zeros(4),
    )  # fmt: skip
    value = np.array([0.1, 0.2, 0.3, 0.4])
    estimate_advantages(np.array([1.0, -1.0]), value, 0, 4, 0.9, 0.5, decisions, np.zeros((2, 2)))
    third = 1.0 - 0.4
    second = (0.9 * 0.4 - 0.3) + 0.45 * third
    first = (0.9 * 0.3 - 0.1) + 0.45 * second
    assert decisions.advantage == pytest.approx([first, -1.2, second, third])
    assert decisions.goal == pytest.approx(decisions.advantage + value)


def test_what_was_played_follows_the_strategy() -> None:
    """Frequencies of actions in 20,000 decisions of a drawn strategy, and whole episodes."""
    learner = started(replace(SMALL, steps=20_000))
    infosets = learner.game.infosets
    strategy = normalise(infosets, np.random.default_rng(1).random(infosets.slots)).probabilities
    count = learner._play(strategy)
    slots = np.bincount(learner.decisions.slot[:count], minlength=infosets.slots)
    widths = np.diff(infosets.first_slot)
    visits = np.repeat(np.add.reduceat(slots, infosets.first_slot[:-1]), widths)
    assert (abs(slots - visits * strategy) < 5.0 * np.sqrt(visits * strategy * (1 - strategy)) + 1.0).all()
    assert np.array_equal(learner.encoding.player[learner.decisions.row[:count]], learner.decisions.player[:count])
    nodes, episodes, decisions = learner.tally
    assert decisions == count
    assert nodes == count + 2 * episodes  # one node of chance, one end


def test_advantages_agree_with_exact_values() -> None:
    """With lambda 1 and no discount, the mean of goals at a row is what the row is worth."""
    learner = started(replace(SMALL, steps=200_000, discount=1.0, trace=1.0))
    game = learner.game
    policy = normalise(game.infosets, np.random.default_rng(2).random(game.infosets.slots) + 0.2)
    count = learner._play(policy.probabilities)
    value = action_values(game, policy) / 2.0  # the largest payoff of Kuhn poker
    worth = np.add.reduceat(policy.probabilities * value, game.infosets.first_slot[:-1])
    rows, goal = learner.decisions.row[:count], learner.decisions.goal[:count]
    for infoset, row in enumerate(learner.encoding.row):
        seen = goal[rows == row]
        assert seen.mean() == pytest.approx(worth[infoset], abs=5.0 * seen.std() / len(seen) ** 0.5 + 1e-9)


def batch_of(old: torch.Tensor, action: torch.Tensor, advantage: torch.Tensor) -> PlayedBatch:
    """Decisions at one row."""
    zeros = torch.zeros(len(action))
    return PlayedBatch(torch.zeros(1, 1), torch.ones(1, len(old), dtype=torch.bool), old.log()[None], zeros.long(), action,
                 advantage, zeros, zeros)  # fmt: skip


def test_the_clipped_loss_by_hand() -> None:
    settings = PolicyGradient(entropy=0.5, clip=0.1, kl=2.0)
    old, new = torch.tensor([0.5, 0.5]), torch.tensor([0.8, 0.2])
    batch = batch_of(old, torch.tensor([0, 0, 1]), torch.tensor([1.0, -1.0, 1.0]))
    loss = surrogate_loss(batch, torch.arange(3), new.log()[None], torch.zeros(1), settings)
    gain = (1.1 - 1.6 + 0.4) / 3  # held, not held, not held
    entropy = -(0.8 * np.log(0.8) + 0.2 * np.log(0.2))
    divergence = 0.8 * np.log(1.6) + 0.2 * np.log(0.4)
    assert float(loss) == pytest.approx(-gain - 0.5 * entropy + 2.0 * divergence, rel=1e-5)


def test_the_value_loss_by_hand() -> None:
    settings = PolicyGradient(clip=0.1)
    loss = value_loss(torch.tensor([0.5, 0.0]), torch.tensor([1.0, 0.0]), torch.tensor([0.0, 0.05]), settings)
    assert float(loss) == pytest.approx(0.5 * (0.9**2 + 0.0) / 2)


def test_without_clipping_the_loss_of_mmd_is_the_magnetic_step() -> None:
    """Where every action is weighed as the old strategy plays it, the best logits are the exact step of [Sokota23]."""
    game = compiled("kuhn")
    policy = normalise(game.infosets, np.random.default_rng(4).random(game.infosets.slots) + 0.2)
    values, temperature, step = action_values(game, policy), 0.3, 2.0
    wanted = magnetic_step(policy, values, temperature, step)
    settings = PolicyGradient("mmd", kl=1.0 / step, entropy=temperature, clip=1e6, value_weight=0.0)
    first = game.infosets.first_slot
    for infoset in range(3):
        old = torch.from_numpy(policy.row(infoset))
        worth = torch.from_numpy(values[first[infoset] : first[infoset + 1]])
        # an action of probability p stands for p decisions: its advantage is p x its value, in n decisions
        batch = batch_of(old, torch.arange(len(old)), old * worth * len(old))
        logits = torch.zeros(len(old), dtype=torch.float64, requires_grad=True)
        optimiser = torch.optim.LBFGS([logits], lr=0.5, max_iter=200, tolerance_grad=1e-12, tolerance_change=1e-14)

        def closure(batch=batch, logits=logits, optimiser=optimiser) -> torch.Tensor:
            optimiser.zero_grad()
            new = torch.log_softmax(logits, dim=0)[None]
            loss = surrogate_loss(batch, torch.arange(len(batch.action)), new, torch.zeros(1), settings)
            loss.backward()
            return loss

        optimiser.step(closure)
        found = torch.softmax(logits, dim=0).detach().numpy()
        assert found == pytest.approx(wanted.row(infoset), abs=1e-5)


def test_the_loss_leaves_out_what_is_no_action() -> None:
    """Outputs of the net that are no action get no gradient, whatever the net says there."""
    learner = started(name="leduc")
    batch = learner._batch(learner._play(learner.last().probabilities), learner.table())
    assert not batch.legal.all()
    logits = torch.randn(batch.legal.shape, requires_grad=True)
    new = torch.log_softmax(logits.masked_fill(~batch.legal, -1e9), dim=1)
    everything = torch.arange(len(batch.place))
    surrogate_loss(batch, everything, new, torch.zeros(len(new)), SMALL).backward()
    assert not logits.grad[~batch.legal].any()
    assert logits.grad[batch.legal].any()
    assert batch.legal[batch.place, batch.action].all()


def test_a_pass_moves_no_output_that_is_no_action() -> None:
    """Decisions at which nobody can fold teach the head nothing of folding."""
    learner = started(replace(SMALL, minibatches=1))
    strategy = learner.last().probabilities
    count = learner._play(strategy)
    fold = int(np.flatnonzero(~learner.encoding.legal[learner.encoding.row[0]])[0])  # of who begins
    unable = ~learner.encoding.legal[learner.decisions.row[:count], fold]
    for column in learner.decisions:
        column[: unable.sum()] = column[:count][unable]
    batch = learner._batch(int(unable.sum()), learner.table())
    learner._pass(batch)
    for slopes in (learner.actor.head.weight.grad, learner.actor.head.bias.grad):
        assert not slopes[fold].any()
        assert slopes.any()


def test_the_average_weighs_strategies_by_reach() -> None:
    """Against sums over the infoset's own actions before it, written out."""
    learner = started(name="leduc(ranks=2,cap=1,suits=merged)")
    infosets, forest = learner.game.infosets, learner.game.forest
    total = np.zeros(infosets.slots)
    for _ in range(3):
        strategy = learner.last().probabilities
        for i in range(len(infosets)):
            reach, slot = 1.0, forest.parent_slot[i]
            while slot >= 0:
                reach *= strategy[slot]
                slot = forest.parent_slot[np.searchsorted(infosets.first_slot, slot, side="right") - 1]
            own = slice(infosets.first_slot[i], infosets.first_slot[i + 1])
            total[own] += reach * strategy[own]
        learner.advance()
    assert learner.policy().probabilities == pytest.approx(normalise(infosets, total).probabilities)
    assert isinstance(learner.last(), TabularPolicy)


@pytest.mark.parametrize("factor", [0.25, 1024.0])
def test_the_unit_of_payoffs_changes_nothing(factor: float) -> None:
    usual, other = SMALL.start(compiled("leduc"), seed=1), SMALL.start(scaled(compiled("leduc"), factor), seed=1)
    for each in (usual, other):
        each.advance()
        each.advance()
    assert np.array_equal(usual.policy().probabilities, other.policy().probabilities)


KINDS = {
    "last": replace(SMALL, average="last"),
    "all": SMALL,
    "ppo": replace(SMALL, title="ppo", kl=0.0, minibatches=1, average="last"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_contract_of_learners(kind: str) -> None:
    check_learner(KINDS[kind], "kuhn")


def test_without_memories_everything_goes_on() -> None:
    learner, again = started(), started(seed=99)
    learner.advance()
    again.restore(learner.small_state(), None)
    learner.advance()
    again.advance()
    assert np.array_equal(learner.last().probabilities, again.last().probabilities)
    assert np.array_equal(learner.policy().probabilities, again.policy().probabilities)


def test_the_rate_falls_to_nothing() -> None:
    learner = started(replace(SMALL, annealed=2))
    assert learner.rate == SMALL.rate
    learner.advance()
    assert learner.rate == SMALL.rate / 2
    learner.advance()
    before = learner.last().probabilities
    learner.advance()
    assert learner.rate == 0.0
    assert np.array_equal(before, learner.last().probabilities)


def test_names_and_parameters() -> None:
    assert repr(load_method("ppo(entropy=0.2)")) == "ppo(entropy=0.2)"
    assert load_method("mmd") == PolicyGradient("mmd", kl=0.025)
    assert load_method("ppo").kl == 0.0
    for wrong in ("ppo(kl=0.1)", "mmd(discount=2.0)", "ppo(average=some)", "ppo(steps=8,minibatches=9)"):
        with pytest.raises(ParameterError):
            load_method(wrong)


@pytest.mark.parametrize("name", ["ppo", "mmd"])
def test_they_learn_kuhn_poker(name: str) -> None:
    """The exact average of all strategies, from 458 thousandths of an ante to below 60."""
    learner = load_method(f"{name}(steps=512,rate=0.003,annealed=150,clip=0.1,average=all)").start(
        compiled("kuhn"), seed=0, device="cpu"
    )
    for _ in range(150):
        learner.advance()
    assert evaluate_policy(learner.game, learner.policy()).exploitability < 0.06
