"""What an opponent faces who knows the algorithm but not its random numbers: policies of the whole game ([Brown20, §5.3.4, §5.3.6])."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.policy import TabularPolicy
from equilibrist.learning.rebel.solving import SolvedSearches, SubgameSolver, leaf_reach
from equilibrist.learning.rebel.templates import Template, Templates

HELD_AT_ONCE = 20_000_000  # numbers of strategies that are kept


@dataclass
class SearchRoots:
    """Where searches begin, in play: public states, reach of both players, and how much of all play-throughs they stand for."""

    state: Ints  # [J]
    reach: Floats  # [J, 2, N] own reach from the beginning of the game
    share: Floats  # [J]


class Playing:
    """Plays a game by searches from its first decision down, every line at once."""

    def __init__(self, templates: Templates, solver: SubgameSolver) -> None:
        self.templates, self.solver, self.game = templates, solver, templates.game

    def play_throughs(
        self, count: int, random: np.random.Generator, iterates_only: bool = False, thinned: bool = False
    ) -> TabularPolicy:
        """The mean of `count` play-throughs: in each, one random iterate of every search is played.

        Iterates of the first search are spread evenly over their distribution instead of drawn. Inside a search the mean over all of
        its iterates is taken, which has the same expectation with less noise, unless `iterates_only`. Solvers that keep averages always
        play those up to the iterations drawn.

        `thinned` follows every iterate of the first search, and fewer of them to public states that both players seldom reach, each for
        several: expected sums are the same.
        """
        return self._play(count, random, iterates_only or self.solver.keeps_averages, thinned)

    def all_iterates(self, random: np.random.Generator) -> TabularPolicy:
        """Every iterate of the first search followed up: no noise in games of two searches."""
        return self._play(0, random, self.solver.keeps_averages)

    def averages(self) -> TabularPolicy:
        """Always the final average and the beliefs that follow from it: the usual way, which is not safe."""
        return self._play(-1, np.random.default_rng(0), False)

    def _play(
        self, count: int, random: np.random.Generator, iterates_only: bool, thinned: bool = False
    ) -> TabularPolicy:
        game = self.game
        if len(game.hands) == 1:  # everything is seen, and iterates are one and the same
            count = -1
        sums = np.zeros((game.slots, len(game.hands)))
        hands = len(game.hands)
        roots = [SearchRoots(np.zeros(1, dtype=np.int32), np.ones((1, 2, hands)), np.ones(1))]
        first = True
        while roots:
            group, roots = _of_highest_class(game.future, roots)
            group = thinner(group, count, random) if thinned and not first else group
            followed = self._followed(0 if thinned else count, first, group.state, random)
            roots += self._search(group, followed, count < 0, iterates_only, sums)
            first = False
        return game.policy(sums)

    def _followed(self, count: int, first: bool, state: Ints, random: np.random.Generator) -> tuple[Ints, Floats]:
        """Iterations [J, K] that are followed up, and what share of its root each one is."""
        if not first:
            return spread_iterates(random, self.solver.shares(), state)[:, None], np.ones(1)
        shares = self.solver.shares()
        if count <= 0:
            every = np.flatnonzero(shares).astype(np.int32)
            return every[None] + 1, shares[every]
        spread = np.searchsorted(np.cumsum(shares), (np.arange(count) + 0.5) / count).astype(np.int32) + 1
        return spread[None], np.full(count, 1.0 / count)

    def _search(
        self, roots: SearchRoots, followed: tuple[Ints, Floats], average: bool, iterates_only: bool, sums: Floats
    ) -> list[SearchRoots]:
        template = self.templates.of(int(self.game.future[roots.state[0]]))
        wanted, shares = followed
        if average or (not len(template.leaves) and not iterates_only):
            wanted = wanted[:, :0]
        found, below = self._in_parts(template, roots, wanted), list[SearchRoots]()
        for span, solved in found:
            part = SearchRoots(roots.state[span], roots.reach[span], roots.share[span])
            once = np.ones(1)
            if not iterates_only or average:
                self._add(template, part, solved.average[:, None], once, sums)
            else:
                self._add(template, part, solved.kept, shares, sums)
            if len(template.leaves):
                ways = (solved.average[:, None], once) if average else (solved.kept, shares)
                below.append(self._leaves(template, part, *ways))
        return below

    def _in_parts(self, template: Template, roots: SearchRoots, wanted: Ints) -> list[tuple[slice, SolvedSearches]]:
        """Searches in groups whose strategies fit in memory."""
        swapped = self.game.swapped[roots.state]
        reach = np.where(swapped[:, None, None], roots.reach[:, ::-1], roots.reach)
        size = max(1, HELD_AT_ONCE // (max(1, wanted.shape[1]) * max(1, template.slots) * reach.shape[-1]))
        spans = [slice(at, at + size) for at in range(0, len(reach), size)]
        return [(span, self.solver.solve(template, reach[span], wanted[span])) for span in spans]

    def _ways(self, template: Template, roots: SearchRoots, strategy: Floats) -> Floats:
        """[J K, M, 2, N] reach from the beginning of the game under strategies [J, K, S, N], players as in the template."""
        many = strategy.shape[1]
        swapped = self.game.swapped[roots.state][:, None, None]
        start = np.repeat(np.where(swapped, roots.reach[:, ::-1], roots.reach), many, axis=0)
        return leaf_reach(template, strategy.reshape(-1, *strategy.shape[2:]), start)

    def _add(self, template: Template, roots: SearchRoots, strategy: Floats, shares: Floats, sums: Floats) -> None:
        """Reach times strategy into [slots, N] of the game."""
        game, shape = self.game, template.shape
        reach = self._ways(template, roots, strategy)
        weight = (roots.share[:, None] * shares[None]).reshape(-1, 1, 1)
        flat = strategy.reshape(-1, *strategy.shape[2:])
        nodes = np.repeat(np.stack([self.templates.nodes_at(int(s)) for s in roots.state]), len(shares), axis=0)
        for m in np.flatnonzero(shape.player >= 0).tolist():
            first, width = int(shape.first_slot[m]), int(shape.width[m])
            amount = weight * reach[:, m, shape.player[m], None] * flat[:, first : first + width]
            np.add.at(sums, game.first_slot[nodes[:, m], None] + np.arange(width), amount)

    def _leaves(self, template: Template, roots: SearchRoots, strategy: Floats, shares: Floats) -> SearchRoots:
        """The next searches."""
        reach = self._ways(template, roots, strategy)[:, template.leaves]
        nodes = np.repeat(np.stack([self.templates.nodes_at(int(s)) for s in roots.state]), len(shares), axis=0)
        weight = (roots.share[:, None] * shares[None]).reshape(-1, 1)
        turned = np.repeat(self.game.swapped[roots.state], len(shares))[:, None, None, None]
        reach = np.where(turned, reach[:, :, ::-1], reach)
        every = np.broadcast_to(weight, reach.shape[:2])
        hands = reach.shape[-1]
        return SearchRoots(nodes[:, template.leaves].reshape(-1), reach.reshape(-1, 2, hands), every.reshape(-1))


def _of_highest_class(future: Ints, roots: list[SearchRoots]) -> tuple[SearchRoots, list[SearchRoots]]:
    """Roots of the highest class, and all others: what lies below a class has a lower number, so that nobody comes later.

    Those that neither player reaches are left out.
    """
    state = np.concatenate([part.state for part in roots])
    reach = np.concatenate([part.reach for part in roots])
    share = np.concatenate([part.share for part in roots])
    seen = reach.max(axis=(1, 2)) > 0.0
    now = future[state] == future[state[seen]].max(initial=-1)
    here, rest = np.flatnonzero(seen & now), np.flatnonzero(seen & ~now)
    parts = [SearchRoots(state[k], reach[k], share[k]) for k in (here, rest)]
    return parts[0], parts[1:] if len(rest) else []


def spread_iterates(random: np.random.Generator, shares: Floats, state: Ints) -> Ints:
    """[J] iterations from 1, as likely as their shares say, spread evenly over roots of one public state."""
    order = np.lexsort((random.random(len(state)), state))
    _, first, count = np.unique(state[order], return_index=True, return_counts=True)
    rank = np.arange(len(state)) - np.repeat(first, count)
    drawn = np.empty(len(state))
    drawn[order] = (rank + random.random(len(state))) / np.repeat(count, count)
    found = np.searchsorted(np.cumsum(shares), drawn, side="right").astype(np.int32) + 1
    return np.minimum(found, np.int32(len(shares)))


def thinner(roots: SearchRoots, count: int, random: np.random.Generator) -> SearchRoots:
    """Fewer roots where the player more likely to be there seldom is: `count` times its reach to the power of 2/3 of each public state.

    Drawn by share and reach, one in so many; shares grow by as much, so that every expected sum is what it was.
    """
    kept, share = list[Ints](), list[Floats]()
    for state in np.unique(roots.state):
        here = np.flatnonzero(roots.state == state).astype(np.int32)
        reach = roots.share[here, None] * roots.reach[here].mean(axis=2)  # [K, 2]
        total = reach.sum(axis=0)
        most = max(1, int(np.ceil(count * total.max() ** (2 / 3))))
        chance = (reach / np.where(total > 0.0, total, 1.0)).sum(axis=1) / (total > 0.0).sum()
        ends = np.floor(np.cumsum(chance) / chance.sum() * most + random.random())
        times = np.diff(ends, prepend=0.0) if len(here) > most else np.ones(len(here))
        kept.append(here[times > 0.0])
        factor = times / (most * chance) if len(here) > most else times
        share.append((roots.share[here] * factor)[times > 0.0])
    at = np.concatenate(kept)
    return SearchRoots(roots.state[at], roots.reach[at], np.concatenate(share))
