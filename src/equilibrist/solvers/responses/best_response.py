"""Best responses and what they say: exploitability, NashConv, counterfactual best-response values.

Exact for any number of players with perfect recall: one bottom-up pass over the responder's infosets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.forms.history_tree.infoset_forest import InfosetForest
from equilibrist.games.rules import Game
from equilibrist.solvers.cfr._kernels.history_cfr import reach_down, values_up
from equilibrist.solvers.responses._kernels.response import respond, terminal_gradient, walk_down


@dataclass(frozen=True)
class Response:
    """A best response of one player, at every infoset, reached or not (counterfactual best response)."""

    player: int
    value: float
    policy: TabularPolicy  # the responder plays it; other players' rows are those of the profile answered
    infoset_value: Floats  # [I] counterfactual value of the responder's infosets, 0 elsewhere
    slot_value: Floats  # [slots] counterfactual value of each action


def own_reach(forest: InfosetForest, probabilities: Floats) -> Floats:
    """[slots] product of own probabilities up to and including each slot."""
    infosets = forest.tree.infosets
    plan = np.empty(infosets.slots)
    walk_down(infosets.first_slot, forest.parent_slot, probabilities, plan)
    return plan


def best_response(game: str | Game | GameTree | Compiled, policy: TabularPolicy, player: int) -> Response:
    """The best `player` can do against the others' rows of `policy`."""
    return _values(compiled(game).forest, policy, player, maximise=True)


def counterfactual_values(game: str | Game | GameTree | Compiled, policy: TabularPolicy, player: int) -> Response:
    """The same quantities when `player` follows `policy` too: counterfactual values of a profile."""
    return _values(compiled(game).forest, policy, player, maximise=False)


def _values(forest: InfosetForest, policy: TabularPolicy, player: int, maximise: bool) -> Response:
    infosets = forest.tree.infosets
    plan = own_reach(forest, policy.probabilities)
    slot_value, infoset_value = np.zeros(infosets.slots), np.zeros(len(infosets))
    returns = np.ascontiguousarray(forest.tree.returns)
    root = terminal_gradient(forest.terminal_slot, forest.terminal_chance, returns, plan, player, slot_value)
    choice = policy.probabilities.copy()
    root += respond(
        infosets.first_slot, infosets.player, forest.parent_slot, player, maximise, choice, slot_value, infoset_value
    )
    return Response(player, float(root), TabularPolicy(infosets, choice), infoset_value, slot_value)


def evaluate_policy(game: str | Game | GameTree | Compiled, policy: TabularPolicy) -> Evaluation:
    """Value of a profile for each player and of a best response to it."""
    target = compiled(game)
    if not _same_infosets(target.infosets, policy.infosets):
        policy = translate(policy, target.infosets)
    players = range(target.game.players)
    if not target.game.perfect_recall:
        return Evaluation(history_values(target.tree, policy), None)
    return Evaluation(
        value=tuple(counterfactual_values(target, policy, p).value for p in players),
        best_response_value=tuple(best_response(target, policy, p).value for p in players),
    )


def exploitability(game: str | Game | GameTree | Compiled, policy: TabularPolicy) -> float:
    """What a best response gains on average over the players: NashConv / players, in chips or points."""
    return evaluate_policy(game, policy).exploitability


def nash_conv(game: str | Game | GameTree | Compiled, policy: TabularPolicy) -> float:
    """Sum over the players of what a best response gains."""
    return evaluate_policy(game, policy).nash_conv


def history_values(tree: GameTree, policy: TabularPolicy) -> tuple[float, ...]:
    """Expected payoffs by a pass over all histories; needs no perfect recall."""
    reach, value = np.empty((tree.histories, tree.players + 1)), np.empty(tree.histories)
    histories, returns, unused = tree.nodes, np.ascontiguousarray(tree.returns), np.zeros(tree.infosets.slots)
    reach_down(histories, policy.probabilities, reach)
    found = (values_up(p, histories, returns, policy.probabilities, reach, value, unused) for p in range(tree.players))
    return tuple(map(float, found))


def _same_infosets(first: InfosetIndex, second: InfosetIndex) -> bool:
    return first is second or first.keys == second.keys


def translate(policy: TabularPolicy, infosets: InfosetIndex) -> TabularPolicy:
    """The same behaviour on another numbering of the same infosets."""
    rows = [policy.row(policy.infosets.number(key)) for key in infosets.keys]
    return TabularPolicy(infosets, np.concatenate(rows) if rows else np.zeros(0))
