"""OpenSpiel's own learners on Leduc poker for a given time: NFSP and Deep CFR in PyTorch, with the settings of its examples.

The unit is ours: chips (an ante is one chip), exploitability as the mean over both players, which is NashConv / 2 of OpenSpiel. Time
spent on measuring is not counted; the policy net of Deep CFR is fitted once, at the end, and that is.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from typing import Any

import pyspiel
import torch
from open_spiel.python import policy as policies
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import exploitability
from open_spiel.python.pytorch import deep_cfr, nfsp

GAME = "leduc_poker"
NFSP_SETTINGS = {  # of open_spiel/python/examples/nfsp_leduc_pytorch.py
    "hidden_layers_sizes": [128],
    "reservoir_buffer_capacity": 2_000_000,
    "anticipatory_param": 0.1,
    "replay_buffer_capacity": 200_000,
    "min_buffer_size_to_learn": 1000,
    "batch_size": 128,
    "learn_every": 64,
    "rl_learning_rate": 0.01,
    "sl_learning_rate": 0.01,
    "optimizer_str": "sgd",
    "loss_str": "mse",
    "update_target_network_every": 19_200,
    "discount_factor": 1.0,
    "epsilon_decay_duration": 20_000_000,
    "epsilon_start": 0.06,
    "epsilon_end": 0.001,
}
DEEP_CFR_SETTINGS = {  # recommended in open_spiel/python/examples/deep_cfr_pytorch.py
    "policy_network_layers": (64, 64, 64),
    "advantage_network_layers": (64, 64, 64),
    "num_iterations": 1_000_000,  # until time is up
    "num_traversals": 1500,
    "learning_rate": 1e-3,
    "batch_size_advantage": 2048,
    "batch_size_strategy": 2048,
    "memory_capacity": 1_000_000,
    "policy_network_train_steps": 5000,
    "advantage_network_train_steps": 750,
}


@dataclass(frozen=True)
class Learned:
    """What a learner came to."""

    name: str
    nodes: int  # histories that it visited
    episodes: int  # hands, or walks through the tree
    seconds: float
    exploitability: float  # chips, mean over both players


def run_nfsp(seconds: float, seed: int = 0) -> Learned:
    """Hands of two NFSP agents until time is up."""
    environment = rl_environment.Environment(GAME)
    environment.seed(seed)
    inputs = environment.observation_spec()["info_state"][0]
    actions = environment.action_spec()["num_actions"]
    agents = [nfsp.NFSP(p, inputs, actions, seed=seed + 10 * p, **NFSP_SETTINGS) for p in range(2)]
    nodes = episodes = 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        moment = environment.reset()
        while not moment.last():
            answer = agents[moment.observations["current_player"]].step(moment)
            moment = environment.step([answer.action])
            nodes += 1
        for agent in agents:
            agent.step(moment)
        episodes += 1
    spent = time.perf_counter() - begin

    def ask(state: Any) -> dict[int, float]:
        player, legal = state.current_player(), state.legal_actions()
        told = {"current_player": player, "info_state": [None, None], "legal_actions": [None, None]}
        told["info_state"][player], told["legal_actions"][player] = state.information_state_tensor(player), legal
        asked = rl_environment.TimeStep(observations=told, rewards=None, discounts=None, step_type=None)
        with agents[player].temp_mode_as(nfsp.MODE.AVERAGE_POLICY):
            shares = agents[player].step(asked, is_evaluation=True).probs
        return {action: float(shares[action]) for action in legal}

    return Learned("OpenSpiel NFSP", nodes, episodes, spent, measured(environment.game, ask))


class _OutOfTimeError(Exception):
    pass


class _TimedDeepCFR(deep_cfr.DeepCFRSolver):  # type: ignore[misc]
    """Counts what it visits, and stops after the iteration in which time is up."""

    nodes = walks = 0
    deadline = float("inf")

    def _traverse_game_tree(self, state: Any, player: int) -> Any:
        self.nodes += 1
        self.walks += state.history() == []
        return super()._traverse_game_tree(state, player)

    def _learn_advantage_network(self, player: int) -> Any:
        loss = super()._learn_advantage_network(player)
        if player == 1 and time.perf_counter() > self.deadline:
            raise _OutOfTimeError
        return loss


def run_deep_cfr(seconds: float, seed: int = 0) -> Learned:
    """Iterations of Deep CFR until time is up, then its policy net."""
    game = pyspiel.load_game(GAME)
    solver = _TimedDeepCFR(game, seed=seed, **DEEP_CFR_SETTINGS)
    begin = time.perf_counter()
    solver.deadline = begin + seconds
    try:
        solver.solve()
    except _OutOfTimeError:
        solver._learn_strategy_network()
    spent = time.perf_counter() - begin

    def ask(state: Any) -> dict[int, float]:
        with torch.no_grad():
            shares = solver.action_probabilities(state)
        total = float(sum(shares.values()))
        return {action: float(share) / total for action, share in shares.items()}

    return Learned("OpenSpiel Deep CFR", solver.nodes, solver.walks, spent, measured(game, ask))


def measured(game: Any, ask: Any) -> float:
    """Exploitability in our unit."""
    table = policies.tabular_policy_from_callable(game, ask)
    return float(exploitability.nash_conv(game, table)) / 2.0


LEARNERS = {"nfsp": run_nfsp, "deep-cfr": run_deep_cfr}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    given = parser.parse_args()
    torch.set_num_threads(1)
    print(json.dumps([asdict(LEARNERS[name](given.seconds, given.seed)) for name in given.learners], indent=2))


if __name__ == "__main__":
    main()
