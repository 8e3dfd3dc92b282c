"""A strategy for a model with fewer raises, played in the real game: betting by look-up, classes by refinement."""

from __future__ import annotations

import numpy as np

from equilibrist.abstraction.information.raise_caps import CALL, FOLD, CallBeyondCap, Lookup, ReplyRule, look_ups
from equilibrist.core.arrays import Floats
from equilibrist.forms.hand_classes.kronecker import KroneckerForm
from equilibrist.games.poker.betting import BettingNode, first_node
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.solvers.hand_classes.passes import RoundStrategy

Labels = dict[tuple[int, str], tuple[str, ...]]


def lift_capped(strategy: RoundStrategy, form: KroneckerForm, rule: ReplyRule | None = None) -> RoundStrategy:
    """The play of a capped model in a game of the same cards with more raises and, where wanted, finer classes."""
    model = strategy.form
    found = look_ups(form.rules, model.rules, rule or CallBeyondCap())
    names = action_labels(form.rules), action_labels(model.rules)
    sides = []
    for player in range(2):
        behaviour = strategy.behaviour(player)
        rounds = []
        for r, betting in enumerate(form.rounds):
            rows = _translated(form, model, player, r, behaviour[r], found, names)
            inside = form.hand_classes(player).within(model.hand_classes(player), betting.number)
            rounds.append(_in_lane_order(form, player, r, rows)[inside])
        sides.append(rounds)
    return RoundStrategy(form, (sides[0], sides[1]))


def action_labels(rules: PokerRules) -> Labels:
    """Names of the actions at every (player, betting line)."""
    out: Labels = {}
    stack: list[BettingNode] = [first_node(rules)]
    while stack:
        node = stack.pop()
        if node.player == CHANCE:
            stack.append(node.after_deal)
        elif node.player != TERMINAL:
            out[node.player, node.line] = tuple(node.labels)
            stack.extend(node.after(action) for action in range(len(node.labels)))
    return out


def _translated(
    form: KroneckerForm,
    model: KroneckerForm,
    player: int,
    round: int,
    behaviour: Floats,
    found: dict[tuple[int, str], Lookup],
    names: tuple[Labels, Labels],
) -> Floats:
    """[classes of the model, real columns in walk order] probabilities."""
    mine, theirs = form.rounds[round].columns[player], model.rounds[round].columns[player]
    place = {line: int(first) for line, first in zip(theirs.labels, theirs.first, strict=True)}
    out = np.zeros((len(behaviour), mine.count))
    for line, first in zip(mine.labels, mine.first, strict=True):
        lookup, real = found[player, line], names[0][player, line]
        if lookup.line is None:
            out[:, int(first) + real.index(CALL)] = 1.0
            continue
        known = names[1][player, lookup.line]
        for action, label in enumerate(real):
            if label in known and (not lookup.fold_or_call or label in (FOLD, CALL)):
                out[:, int(first) + action] = behaviour[:, place[lookup.line] + known.index(label)]
    return out


def _in_lane_order(form: KroneckerForm, player: int, round: int, rows: Floats) -> Floats:
    """Weights as a `RoundStrategy` holds them; carried columns have one action, which is certain."""
    columns = form.rounds[round].columns[player]
    here = columns.place[:, 0] == round
    out = np.ones((len(rows), columns.width))
    out[:, here] = rows[:, columns.place[here, 1]]
    return out
