"""Payoffs of continuations by playing hands out: the slow, plain twin of `exact_payoffs`."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.gadget_game import histories_at
from equilibrist.forms.public_tree.public_tree import PublicTree
from equilibrist.games.rules import CHANCE, TERMINAL, State


def rollout_payoffs(tree: PublicTree, leaf: int, policies: Sequence[TabularPolicy], rollouts: int) -> Floats:
    """[joint entry, player] of one leaf when both play on by one policy each."""
    span = slice(int(tree.first_joint[leaf]), int(tree.first_joint[leaf + 1]))
    tops = _histories_by_entry(tree, leaf)
    table = np.zeros((span.stop - span.start, 2))
    for e, pair in enumerate(tree.joint[span].tolist()):
        for n in range(rollouts):
            table[e] += np.array(_play_out(tops[tuple(pair)], policies, random.Random(f"{leaf}/{e}/{n}"))) / rollouts
    return table


def _histories_by_entry(tree: PublicTree, leaf: int) -> dict[tuple[int, ...], list[tuple[State, float]]]:
    places = []
    for player in range(2):
        span = tree.privates(leaf, player)
        keys = tree.private[player].keys[span]
        places.append({key: span.start + j for j, key in enumerate(keys)})
    found: dict[tuple[int, ...], list[tuple[State, float]]] = {}
    for state, weight in histories_at(tree, leaf):
        found.setdefault(tuple(places[p][state.infoset(p)] for p in range(2)), []).append((state, weight))
    return found


def _play_out(
    tops: list[tuple[State, float]], policies: Sequence[TabularPolicy], rng: random.Random
) -> tuple[float, ...]:
    (state,) = rng.choices([s for s, _ in tops], [w for _, w in tops])
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.child(state.sample_chance(rng))
        else:
            policy = policies[state.player]
            key = state.infoset(state.player)
            row = policy.row(policy.infosets.number(key))
            state = state.child(rng.choices(range(len(row)), row.tolist())[0])
    return state.returns()
