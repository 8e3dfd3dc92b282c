"""An off-tree bet answered by a search that stops before the board, with k values per leaf, then safe search on every board.

The bet of 0.75 pot has no continuation of its own in the blueprint. Below its leaf both players are taken to play as after 0.5 or after 1
pot, half of the time each, and a hand's alternative payoff on a board is the mean of what it has after these two ([Brown20, §5.2.3]).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

import numpy as np

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.bl26 import MILLI, known_blueprint, pot_fraction_game, solved_blueprint
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.search.alternatives import upper_bounds
from equilibrist.search.depth_limited.depth_limited import best_reply, draws_below, self_generated
from equilibrist.search.depth_limited.multi_valued_states import EdgePayoffs, Payoffs, biased_set, joined
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.off_tree.nested_search import answer_inexpensive
from equilibrist.search.off_tree.off_tree import OffTree, translate_everywhere
from equilibrist.search.off_tree.translated import pseudo_harmonic, translate_lines
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import search
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import infostate_values, reach_of

BETS = {1: ("b1", "b1.5", "b2"), 0: ("x:b1", "x:b1.5", "x:b2")}  # searcher -> 0.5, 0.75 and 1 pot by its opponent
TECHNIQUE = "resolve"
TRAINED, SEARCHED = 1000, 600
ROOT = 1  # right after the private cards

Answers = Callable[[int], TabularPolicy]  # of each searcher


class OffTreeLeaves:
    """The game, a blueprint that does not know the bet, and one that does."""

    def __init__(self) -> None:
        self.tree = public_tree(pot_fraction_game(("50%", "75%", "100%")))
        self.off_tree = OffTree(self.tree, tuple(sorted(self.tree.number(bets[1]) for bets in BETS.values())))
        self.known = known_blueprint(self.off_tree, TRAINED)
        self.layout = lay_out(self.tree)

    def opponent_gets(self, policy: TabularPolicy, searcher: int) -> float:
        """Best response of an opponent that may bet 0.75 pot, milli-antes."""
        reach = reach_of(self.layout, self.layout.strategy(policy.probabilities))
        values = infostate_values(self.layout, reach, 1 - searcher).value
        return MILLI * float(values[self.layout.at((0,), 1 - searcher)].sum())

    @cached_property
    def in_abstraction(self) -> TabularPolicy:
        """What a blueprint of the same length plays that has the bet."""
        return solved_blueprint(self.tree, TRAINED).policy

    def translated(self, searcher: int) -> TabularPolicy:
        low = pseudo_harmonic(0.5, 0.75, 1.0)
        return translate_everywhere(self.off_tree, self.known.policy, searcher, (low, 1.0 - low))

    def called(self, searcher: int) -> tuple[int, int, int]:
        """Public states at the end of round 1 after each of the three bets."""
        low, middle, high = (self.tree.number(f"{bet}:c") for bet in BETS[searcher])
        return low, middle, high

    def followed(self, searcher: int) -> TreeProfile:
        """The blueprint with both players' play after the off-tree bet and a call: as after its neighbours, half each."""
        low, middle, high = self.called(searcher)
        policy = self.known.policy
        for player in (0, 1):
            policy = translate_lines(self.tree, policy, player, [middle], [([low], 0.5), ([high], 0.5)])
        return TreeProfile(self.tree, policy)

    def answers(self, searcher: int, counts: Sequence[int]) -> dict[int, TabularPolicy]:
        """By number of values: continuations are best responses to the answers found with the ones before."""
        extended, edge = self.followed(searcher), EdgePayoffs(self.tree, [self.called(searcher)[1]])
        found: dict[int, TabularPolicy] = {}
        newest, tables = extended.policy, list[Payoffs]()
        for count in range(1, max(counts) + 1):
            tables.append(self._payoffs(edge, searcher, extended.policy, [newest]))
            answer = self._answer(searcher, extended, joined(tables, 1 - searcher))
            if count in counts:
                found[count] = self._on_boards(answer, searcher)
            newest = best_reply(answer, 1 - searcher)
        return found

    def from_the_start(self, searcher: int, count: int) -> TabularPolicy:
        """The same with continuations generated once for all, from the start of the known game, as the text says."""
        low, middle, high = self.called(searcher)
        edge = [s for s in draws_below(self.tree, 0) if s not in {self.called(p)[1] for p in (0, 1)}]
        policies = self_generated(self.known, ROOT, edge, searcher, count, iterations=SEARCHED)
        near = self._payoffs(EdgePayoffs(self.tree, [low, high]), searcher, self.known.policy, policies)
        leaf = {middle: (near[low] + near[high]) / 2.0}
        return self._on_boards(self._answer(searcher, self.followed(searcher), leaf), searcher)

    def biased(self, searcher: int) -> TabularPolicy:
        """Four biased continuations."""
        extended, edge = self.followed(searcher), EdgePayoffs(self.tree, [self.called(searcher)[1]])
        leaf = self._payoffs(edge, searcher, extended.policy, biased_set(extended.policy))
        return self._on_boards(self._answer(searcher, extended, leaf), searcher)

    def right_answer(self, searcher: int) -> TabularPolicy:
        """The answer of a blueprint that has the bet, and only the boards searched: what no leaf value can improve on."""
        extended = self.followed(searcher)
        answer = lay_out(self.tree, [self.tree.number(BETS[searcher][1])], [self.called(searcher)[1]])
        policy = extended.policy.probabilities.copy()
        policy[answer.slot] = self.in_abstraction.probabilities[answer.slot]
        return self._on_boards(TreeProfile(self.tree, TabularPolicy(self.tree.infosets, policy)), searcher)

    def _payoffs(
        self, edge: EdgePayoffs, searcher: int, own: TabularPolicy, opponents: Sequence[TabularPolicy]
    ) -> Payoffs:
        return edge.of([own], opponents) if searcher == 0 else edge.of(opponents, [own])

    def _answer(self, searcher: int, extended: TreeProfile, leaf: Payoffs) -> TreeProfile:
        root = self.tree.number(BETS[searcher][1])
        return answer_inexpensive(
            self.known, extended, root, TECHNIQUE, continuations=leaf, iterations=SEARCHED
        ).blueprint

    def _on_boards(self, blueprint: TreeProfile, searcher: int) -> TabularPolicy:
        low, middle, high = self.called(searcher)
        opponent = 1 - searcher
        subgame = Subgame.of(blueprint, self._boards(middle))
        near = [upper_bounds(self.known, self.known.at(self._boards(s), opponent), opponent) for s in (low, high)]
        door = GadgetInputs(
            subgame.mass(opponent), subgame.groups(opponent), subgame.ranges[opponent], (near[0] + near[1]) / 2.0
        )
        return search(subgame, searcher, TECHNIQUE, blueprint=blueprint, inputs=door, iterations=SEARCHED).policy

    def _boards(self, state: int) -> list[int]:
        return [int(s) for s in np.flatnonzero(self.tree.parent == state)]


def exploitabilities(counts: Sequence[int], *, from_the_start: Sequence[int] = ()) -> dict[str, float]:
    """Mean over seats of what the opponent gets, in milli-antes: the exploitability of each way to answer."""
    game = OffTreeLeaves()
    ways: dict[str, Answers] = {"in the abstraction": lambda p: game.in_abstraction, "translation": game.translated}
    ways |= {"right answer, boards searched": game.right_answer, "4 biased": game.biased}
    seats = [game.answers(p, counts) for p in (0, 1)]
    ways |= {str(count): _picked(seats, count) for count in counts}
    for count in from_the_start:
        ways[f"{count}, generated from the start"] = partial(game.from_the_start, count=count)
    return {name: _mean(game, way) for name, way in ways.items()}


def _picked(seats: Sequence[Mapping[int, TabularPolicy]], count: int) -> Answers:
    return lambda p: seats[p][count]


def _mean(game: OffTreeLeaves, way: Answers) -> float:
    return sum(game.opponent_gets(way(p), p) for p in (0, 1)) / 2.0
