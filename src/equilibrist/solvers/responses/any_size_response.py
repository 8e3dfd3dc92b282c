"""Exploitability where bets are any share of the pot: exact best responses against a strategy that translates bets ([Brown20, §4.3.3]).

The responder to a bet between two sizes of its menu draws one of them by the pseudo-harmonic mapping. The bettor's best response is taken
branch by branch, as in the text: as if the bettor saw which size was drawn. What it finds is therefore an upper bound where it does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.forms.history_tree.game_tree import GameTree
from equilibrist.forms.history_tree.infoset_forest import InfosetForest
from equilibrist.games.poker.game import Poker, betting_line
from equilibrist.games.rules import Game
from equilibrist.solvers.responses._kernels.any_size_response import respond_on_intervals
from equilibrist.solvers.responses._kernels.response import terminal_gradient
from equilibrist.solvers.responses.best_response import counterfactual_values, own_reach

LEAST, MOST = 0.01, 1.0  # shares of the pot that may be bet in continuous Leduc


@dataclass(frozen=True)
class BetSizes:
    """Which slots of a pot-scaled poker game are bets, and how large."""

    forest: InfosetForest
    share: Floats  # [slots] of the pot after the call; 0 for other actions
    first_bet: Ints  # [I] first slot that is a bet; the next infoset's first slot if there is none
    folds: tuple[Floats, Floats]  # for each player payoffs [Z, 2] at ends where the other one folded, 0 elsewhere
    lines: tuple[str, ...]  # betting lines where somebody decides
    members: Ints  # infosets by line
    start: Ints  # [lines + 1] into members

    @property
    def tree(self) -> GameTree:
        return self.forest.tree

    def folded(self, player: int, plan: Floats) -> Floats:
        """[slots] what each bet of a player earns by folds at once, against a plan [slots]."""
        out = np.zeros(self.tree.infosets.slots)
        chance = (self.forest.terminal_slot, self.forest.terminal_chance)
        terminal_gradient(*chance, self.folds[player], plan, player, out)
        return out


def bet_sizes(game: Compiled) -> BetSizes:
    """For two-player poker whose bets are shares of the pot and whose stacks never end."""
    poker = pot_scaled(game.game)
    tree, infosets = game.tree, game.tree.infosets
    share = np.zeros(infosets.slots)
    first_bet = infosets.first_slot[1:].astype(np.int32).copy()
    by_line: dict[str, list[int]] = {}
    for i, public in enumerate(infosets.public):
        by_line.setdefault(betting_line(public), []).append(i)
    for line, members in by_line.items():
        shares = poker.node_at(line).shares
        bets = np.flatnonzero(np.array(shares) > 0.0)
        for i in members:
            first = infosets.first_slot[i]
            share[first : first + len(shares)] = shares
            if len(bets):
                first_bet[i] = first + bets[0]
    counts = [len(members) for members in by_line.values()]
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    order = np.array([i for group in by_line.values() for i in group], dtype=np.int32)
    return BetSizes(game.forest, share, first_bet, _fold_payoffs(tree), tuple(by_line), order, start)


def _fold_payoffs(tree: GameTree) -> tuple[Floats, Floats]:
    ends = np.flatnonzero(tree.terminal >= 0)
    fold = tree.labels.index("f") if "f" in tree.labels else -1
    folded = tree.label[ends] == fold
    folder = np.where(folded, tree.player[tree.parent[ends]], -1)
    out = []
    for p in range(2):
        kept = np.zeros_like(tree.returns)
        mine = ends[folder == 1 - p]
        kept[tree.terminal[mine]] = tree.returns[tree.terminal[mine]]
        out.append(np.ascontiguousarray(kept))
    return out[0], out[1]


def pot_scaled(game: Game) -> Poker:
    """The game, if all its payoffs after a bet scale with the pot."""
    if isinstance(game, Poker):
        rules = game.rules
        menus = [*rules.menus, *rules.menus_at.values()]
        shares = all(token.endswith("%") for menu in menus for token in menu.tokens)
        if rules.players == 2 and shares and not math.isfinite(rules.stack) and not any(rules.blinds):
            return game
    raise NotApplicableError(
        f"Bets of any size need two-player poker with bets as shares of the pot, antes and no stacks, which '{game.name}' is "
        "not; use continuous-leduc."
    )


@dataclass(frozen=True)
class IntervalResponse:
    """The best one player can do when every bet may be any share of the pot."""

    value: float
    share: Floats  # [I] best bet, 0 where another action is better
    infoset_value: Floats  # [I] counterfactual
    slot_value: Floats  # [slots] of actions on the menu
    fold: Floats  # [slots] the part of a bet's value that comes from folds at once


def interval_response(
    sizes: BetSizes, plan: Floats, player: int, *, least: float = LEAST, most: float = MOST
) -> IntervalResponse:
    """Against the other player's plan [slots] (own reach; sums of plans give sums of values)."""
    forest, infosets = sizes.forest, sizes.tree.infosets
    slot_value, infoset_value = np.zeros(infosets.slots), np.zeros(len(infosets))
    chosen, fold = np.zeros(len(infosets)), sizes.folded(player, plan)
    returns = np.ascontiguousarray(sizes.tree.returns)
    root = terminal_gradient(forest.terminal_slot, forest.terminal_chance, returns, plan, player, slot_value)
    root += respond_on_intervals(
        least, most, infosets.first_slot, infosets.player, forest.parent_slot, player, sizes.first_bet, sizes.share, fold,
        slot_value, infoset_value, chosen,
    )  # fmt: skip
    return IntervalResponse(float(root), chosen, infoset_value, slot_value, fold)


def evaluate_on_intervals(
    game: str | Game | GameTree | Compiled | BetSizes,
    policy: TabularPolicy,
    *,
    least: float = LEAST,
    most: float = MOST,
) -> Evaluation:
    """Value of a profile, and of best responses that bet any share of the pot from `least` to `most`."""
    sizes = game if isinstance(game, BetSizes) else bet_sizes(compiled(game))
    plan = own_reach(sizes.forest, policy.probabilities)
    target = Compiled(sizes.tree.game, sizes.tree)
    return Evaluation(
        value=tuple(counterfactual_values(target, policy, p).value for p in range(2)),
        best_response_value=tuple(interval_response(sizes, plan, p, least=least, most=most).value for p in range(2)),
    )
