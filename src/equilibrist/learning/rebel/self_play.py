"""Self-play over public beliefs: search, keep what the root was worth, go on where a random iterate leads ([Brown20, Algorithm 4])."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.learning.rebel._kernels.subgame import walk
from equilibrist.learning.rebel.solving import FICTITIOUS, SolvedSearches, SubgameSolver, leaf_reach, normalised
from equilibrist.learning.rebel.templates import Template, Templates

Watch = Callable[[Template, SolvedSearches, int], None]


@dataclass(frozen=True)
class Examples:
    """Searches from roots of one class and what came out."""

    future: int
    beliefs: Floats  # [B, 2, N] chance included
    values: Floats  # [B, 2, N] expected, for each player's hands


def centred(beliefs: Floats, values: Floats) -> Floats:
    """Both players' values [B, 2, N] shifted alike until what one can expect the other one can expect to lose.

    Iterates do not quite meet each other: where players update in turn CFR says too little to both, and fictitious play says too much.
    Searches whose leaves are asked of a network learned from such values would add their own share.
    """
    worth = (beliefs * values).sum(axis=2) / beliefs.sum(axis=2)
    out: Floats = values - 0.5 * worth.sum(axis=1)[:, None, None]
    return out


@dataclass(frozen=True)
class SelfPlay:
    """Hands played side by side; searches from roots of one class run in lock-step."""

    templates: Templates
    solver: SubgameSolver
    exploration: float = 0.25
    centred: bool = False
    watch: Watch | None = None  # is shown every search, and how many hands it stands for

    def play(self, hands: int, random: np.random.Generator) -> list[Examples]:
        """Every search of so many hands. The first one is the same for all, and no network is ever asked about its root."""
        first = self.templates.of(int(self.templates.game.future[0]))
        wanted = self.solver.drawn(random, (1, hands))
        begin = np.ones((1, *first.prior.shape))
        found = self.solver.solve(first, begin, wanted)
        if self.watch:
            self.watch(first, found, hands)
        roots = self._next(first, found, hands, random)
        examples: list[Examples] = []
        while roots:
            below = list[dict[int, Floats]]()
            for future in self._ready(roots):
                example, ends = self._search(future, roots.pop(future), random)
                examples.append(example)
                below.append(ends)
            roots = _joined([roots, *below])
        return examples

    def _ready(self, roots: Mapping[int, Floats]) -> list[int]:
        """Classes to search next: what lies below a class has a lower number, so that nobody comes to the highest one later.

        Where everything is seen a search is over at once, and waiting for others would cost more than it saves.
        """
        return sorted(roots) if len(self.templates.game.hands) == 1 else [max(roots)]

    def random(self, searches: int, random: np.random.Generator) -> list[Examples]:
        """Searches from beliefs drawn evenly from all beliefs, at classes drawn evenly: without self-play."""
        asked = self.templates.asked
        drawn = np.bincount(random.integers(0, len(asked), size=searches), minlength=len(asked))
        examples = []
        for future, count in zip(asked, drawn.tolist(), strict=True):
            if count:
                prior = self.templates.of(future).prior
                beliefs = random.exponential(size=(count, *prior.shape)) * (prior > 0.0)
                reach = beliefs / np.where(prior > 0.0, prior, 1.0)
                examples.append(self._search(future, reach, random, onward=False)[0])
        return examples

    def _search(
        self, future: int, reach: Floats, random: np.random.Generator, onward: bool = True
    ) -> tuple[Examples, dict[int, Floats]]:
        template = self.templates.of(future)
        onward = onward and len(template.leaves) > 0
        wanted = self.solver.drawn(random, (len(reach), int(onward)))
        found = self.solver.solve(template, reach, wanted)
        if self.watch:
            self.watch(template, found, 1)
        ends = self._next(template, found, len(reach), random) if onward else {}
        beliefs = found.start * template.prior
        return Examples(future, beliefs, centred(beliefs, found.root) if self.centred else found.root), ends

    def _next(
        self, template: Template, found: SolvedSearches, hands: int, random: np.random.Generator
    ) -> dict[int, Floats]:
        """Where hands of play end that follow the iterates; at leaves, roots [J, 2, N] of the next searches by class.

        In fictitious play the exploring player follows its newest answer, the other one its average ([Brown20, §5.3.3, footnote 14]).
        """
        kept, strategy = (each.reshape(hands, *each.shape[2:]) for each in (found.kept, found.iterates))
        start = np.ascontiguousarray(np.broadcast_to(found.start, (hands, *found.start.shape[1:])))
        out = np.zeros(hands, dtype=np.int32)
        explorer = random.integers(0, 2, size=hands)
        dice = random.random((hands, 1 + 2 * len(template.nodes)))
        if self.solver.algorithm in FICTITIOUS:
            strategy = np.where((template.slot_player == explorer[:, None])[:, :, None], strategy, kept)
        walk(template.shape, start, strategy, explorer, self.exploration, dice, out)
        played = np.flatnonzero(template.shape.leaf[out] >= 0)
        if not len(played):
            return {}
        reach = leaf_reach(template, kept[played], start[played])[np.arange(len(played)), out[played]]
        leaf = template.shape.leaf[out[played]]
        return _by_class(template, leaf, reach)


def _by_class(template: Template, leaf: Ints, reach: Floats) -> dict[int, Floats]:
    """Reach [J, 2, N] at leaves, players in the order of each leaf's class."""
    reach = normalised(template.leaf_prior[leaf], reach)
    turned = np.where(template.leaf_swapped[leaf][:, None, None], reach[:, ::-1], reach)
    futures = template.leaf_future[leaf]
    return {int(future): turned[futures == future] for future in np.unique(futures)}


def _joined(parts: list[dict[int, Floats]]) -> dict[int, Floats]:
    futures = sorted({future for part in parts for future in part})
    return {future: np.concatenate([part[future] for part in parts if future in part]) for future in futures}
