"""Post-processing: making a strategy found in an abstraction purer before it is played ([Ganzfried15, chapter 8]).

A rule turns the probabilities of one infoset into others; it is a value, read from a name: `purify`, `threshold(0.15)`,
`generalised(fold=0.2)`. `postprocess` applies one to a whole table, `ProcessedPolicy` to any policy as it is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.catalogue import Entry, Makers
from equilibrist.core.errors import ParameterError
from equilibrist.core.policy import Policy, TabularPolicy

EQUAL = 1e-7  # probabilities nearer than this count as equal


class Rule(Protocol):
    """What happens to the probabilities of one infoset."""

    def row(self, actions: Sequence[str], probabilities: Floats) -> Floats:
        """Probabilities of the same actions, summing to one."""


@dataclass(frozen=True)
class Purify:
    """All weight on the likeliest action; actions that are equally likely share it."""

    def row(self, actions: Sequence[str], probabilities: Floats) -> Floats:
        best = probabilities >= probabilities.max() - EQUAL
        return np.asarray(best / best.sum())


@dataclass(frozen=True)
class Threshold:
    """Actions below a probability are dropped and the others scaled up; if none is left, the likeliest stays."""

    least: float = 0.15

    def __post_init__(self) -> None:
        if not 0.0 <= self.least <= 1.0:
            raise ParameterError(f"A threshold is a probability from 0 to 1, but {self.least} was given.")

    def row(self, actions: Sequence[str], probabilities: Floats) -> Floats:
        kept = np.where(probabilities >= self.least, probabilities, 0.0)
        total = kept.sum()
        return np.asarray(kept / total) if total > 0 else Purify().row(actions, probabilities)


@dataclass(frozen=True)
class Generalised:
    """Folds surely above `fold`; otherwise purifies among fold, call and all bets together, then among the bets.

    With fold=0.2 this is "New-0.2". `among` and `inside` keep a share below purification: thresholds between the groups and inside
    the bets. `grouped=False` makes every action its own group, which with fold=1 is plain purification.
    """

    fold: float = 0.2
    among: float = 1.0
    inside: float = 1.0
    grouped: bool = True

    def __post_init__(self) -> None:
        for name in ("fold", "among", "inside"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ParameterError(f"'{name}' is a probability from 0 to 1, but {getattr(self, name)} was given.")

    def row(self, actions: Sequence[str], probabilities: Floats) -> Floats:
        if "f" in actions:
            folding = list(actions).index("f")
            if probabilities[folding] > self.fold:
                return np.asarray(np.arange(len(actions)) == folding, dtype=np.float64)
        groups = [self._group(action) for action in actions]
        names = list(dict.fromkeys(groups))
        member = np.array([[group == name for group in groups] for name in names])
        weights = _thin(self.among, member @ probabilities)
        out = np.zeros(len(actions))
        for weight, inside in zip(weights, member, strict=True):
            if weight > 0:
                out[inside] += weight * _thin(self.inside, probabilities[inside])
        return out

    def _group(self, action: str) -> str:
        if not self.grouped or action[:1] not in ("b", "r"):
            return action
        return "bet"


def _thin(least: float, weights: Floats) -> Floats:
    """Purified where the threshold is 1, else thresholded, of weights that need not sum to one."""
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1.0 / len(weights))
    rule: Rule = Purify() if least >= 1.0 else Threshold(least)
    return rule.row((), np.asarray(shares))


ENTRIES = [
    Entry("purify", "all weight on the likeliest action", Purify),
    Entry("threshold", "actions below a probability are dropped", Threshold, {"least": 0.15}),
    Entry(
        "generalised",
        "folds surely above a probability, else purifies by kind of action",
        Generalised,
        {"fold": 0.2, "among": 1.0, "inside": 1.0, "grouped": True},
    ),
]
LONE = {"threshold": "least", "generalised": "fold"}  # the parameter that a number without a name is

RULES: Makers[Entry, Rule] = Makers(
    kind="post-processing",
    package="equilibrist.abstraction.bets",
    table={"purification": [entry.name for entry in ENTRIES]},
    hint="There are purify, threshold(0.15) and generalised(0.2).",
)


def find_rule(name: str) -> Rule:
    """A rule by name: `purify`, `threshold(0.15)` or `threshold(least=0.15)`, `generalised(fold=0.2)`."""
    base, _, inside = name.partition("(")
    if inside and "=" not in inside and base.strip() in LONE:
        name = f"{base}({LONE[base.strip()]}={inside}"
    return RULES.make(name)


def postprocess(policy: TabularPolicy, rule: Rule, *, keep: Collection[str] = ()) -> TabularPolicy:
    """The whole table under a rule; public states in `keep` stay as they are (such as the first action of a hand)."""
    infosets, out = policy.infosets, policy.probabilities.copy()
    first = infosets.first_slot
    for i, actions in enumerate(infosets.actions):
        if not (keep and infosets.public[i] in keep):
            out[first[i] : first[i + 1]] = rule.row(actions, policy.row(i))
    return TabularPolicy(infosets, out)


@dataclass(frozen=True)
class ProcessedPolicy:
    """Any policy under a rule, infoset by infoset as it is asked for."""

    policy: Policy
    rule: Rule

    def __getitem__(self, key: str) -> Mapping[str, float]:
        found = self.policy[key]
        row = self.rule.row(tuple(found), np.fromiter(found.values(), dtype=np.float64))
        return dict(zip(found, row.tolist(), strict=True))

    def at(self, public_state: str, player: int) -> Floats:
        """[private state, action]; where the policy does not say what its columns are, groups are not told apart."""
        rows = self.policy.at(public_state, player)
        actions = _actions_at(self.policy, public_state, player, rows.shape[1])
        return np.stack([self.rule.row(actions, row) for row in rows])


def _actions_at(policy: Policy, public_state: str, player: int, width: int) -> Sequence[str]:
    if isinstance(policy, TabularPolicy):
        return policy.infosets.actions[policy.infosets.at(public_state, player)[0]]
    labels = getattr(policy, "actions_at", None)
    return tuple(labels(public_state)) if labels is not None else tuple(str(a) for a in range(width))
