"""Subgames on one board of a solved run: betting lines of a spot or of a whole poker game, searched side by side.

The blueprint's tables give ranges, upper bounds, estimates and gifts; a new run learns below the lines. What was found is a
blueprint again, so searches nest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import DEAL, FOLD, IP, SHOWDOWN, StreetForest
from equilibrist.forms.boards.street_boards import Deal
from equilibrist.forms.boards.subforest import forests_below
from equilibrist.search.alternatives import expected
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.techniques import Technique
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

Path = tuple[int, ...]  # a board of each street after the first

NOBODY = 2e-6  # of all reach: hands that meet less of the searcher's range than rounding meet nobody


class BoardProfile:
    """A run's average strategies with all that search asks of them, each board's numbers computed once."""

    def __init__(
        self, run: BoardCFR, forests: Sequence[StreetForest], dealt: tuple[Floats, Floats] | None = None
    ) -> None:
        """`dealt` of each player [hand of the deal]: how often it comes here by chance; by the run's weights, if absent."""
        self.run, self.forests = run, tuple(forests)
        self._dealt = (run.weights[0] / run.normaliser, run.weights[1] / run.normaliser) if dealt is None else dealt
        self._kept: dict[tuple[str, Path, int], Floats] = {}

    def hands(self, path: Path, player: int) -> Longs:
        """Numbers of a player's hands on a board, in the order of its tables."""
        own, board = self.run.streets[len(path)].boards.player[player], path[-1] if path else 0
        hands: Longs = own.pair[board, : own.count[board]].astype(np.int64)
        return hands

    def dealt(self, path: Path, player: int) -> Floats:
        """[hand of the deal] how often a player is dealt a hand and the board comes, per unit of the other's reach."""
        held = self._dealt[player]
        for depth, board in enumerate(path, start=1):
            street = self.run.streets[depth]
            held = held * float(street.factor) * int(street.boards.copies[board])
        return held

    def reach(self, path: Path, player: int) -> Floats:
        """[node, hand] own reach."""
        return self._look("reach", path, player)

    def values(self, path: Path, player: int, *, respond: bool) -> Floats:
        """[node, hand] counterfactual, following the average strategy or responding as well as possible."""
        return self._look("bound" if respond else "value", path, player)

    def met(self, path: Path, player: int, node: int) -> Floats:
        """[hand] reach of the other player's hands that share no card with a hand; less than rounding is nothing."""
        deal = self.run.deal
        held = np.zeros(len(deal.hands))
        held[self.hands(path, 1 - player)] = self.reach(path, 1 - player)[node]
        return compatible(deal, held, self.hands(path, player))

    def _look(self, what: str, path: Path, player: int) -> Floats:
        if (what, path, player) not in self._kept:
            run, chance = self.run, math.prod(float(street.factor) for street in self.run.streets[1 : len(path) + 1])
            if what == "reach":
                rows = run.reach_at(path, player)
            else:
                rows = run.value_at(path, player, respond=what == "bound")
            found = rows[:, : len(self.hands(path, player))].astype(np.float64) / chance
            self._kept[what, path, player] = found
        return self._kept[what, path, player]

    def gifts(self, path: Path, node: int, player: int, *, split: bool = True) -> Floats:
        """[hand] what the player gave away on its way to a node by not ending the hand at once ([Brown20, §5.1.4])."""
        hands = self.hands(path, player)
        whole, draws = np.zeros(len(self.run.deal.hands)), 1.0
        while True:
            forest = self.forests[len(path)]
            while node >= forest.roots:
                above = int(forest.parent[node])
                if forest.kind[above] == player:
                    whole[self.hands(path, player)] += draws * self._given(path, above, node, player)
                node = above
            if not path:
                return whole[hands]
            node = int(np.flatnonzero(self.forests[len(path) - 1].next_root == node)[0])
            path = path[:-1]
            draws *= 1.0 if split else self._draws(len(path))

    def _given(self, path: Path, above: int, node: int, player: int) -> Floats:
        forest, values = self.forests[len(path)], self.values(path, player, respond=True)
        children = np.arange(forest.first_child[above], forest.first_child[above] + forest.children[above])
        ends = children[np.isin(forest.kind[children], (FOLD, SHOWDOWN))]
        lost = np.maximum(values[ends].max(axis=0, initial=-np.inf) - values[node], 0.0)
        return expected(lost, self.met(path, player, above))

    def _draws(self, depth: int) -> float:
        """How many deals of the next street a hand can see."""
        deal = self.run.deal
        dealt = len(deal.board_cards) + sum(deal.streets[:depth])
        return float(math.comb(deal.deck.size - deal.hole - dealt, deal.streets[depth]))


def compatible(deal: Deal, held: Floats, hands: Longs) -> Floats:
    """Weight of all hands `held` [H] that share no card with each of `hands`."""
    cards = deal.hands.astype(np.int64)
    by_card = np.bincount(cards.ravel(), np.repeat(held, deal.hole), deal.deck.size)
    left = held.sum() - by_card[cards[hands]].sum(axis=1)
    if deal.hole > 1:  # the same hand was taken away once for each of its cards
        left += held[hands]
    return np.where(left > NOBODY * held.sum(), left, 0.0)


@dataclass(frozen=True)
class BoardSubgame:
    """Some lines of one board; `below` is the betting to be searched, which may have more actions than the blueprint's."""

    blueprint: BoardProfile = field(repr=False)
    path: Path
    nodes: tuple[int, ...]  # of the street's forest, none below another: where ranges and values are read
    below: tuple[StreetForest, ...] = field(repr=False)
    off_tree: bool = False  # the subgame begins after an action that the blueprint does not know

    @classmethod
    def of(cls, blueprint: BoardProfile, path: Sequence[int], nodes: Sequence[int]) -> BoardSubgame:
        """The lines as the blueprint knows them."""
        forest = blueprint.forests[len(path)]
        if not nodes or any(forest.kind[node] > IP for node in nodes):
            raise NotApplicableError("A subgame begins where a player acts; give lines to such decisions.")
        return cls(blueprint, tuple(path), tuple(nodes), forests_below(blueprint.forests, len(path), tuple(nodes)))

    @cached_property
    def deal(self) -> Deal:
        """What is still to be dealt."""
        whole, depth = self.blueprint.run.deal, len(self.path)
        cards = self.blueprint.run.streets[depth].boards.cards[self.path[-1] if self.path else 0]
        begun = len(whole.board_cards)
        new = tuple(cards[begun + sum(whole.streets[:d]) : begun + sum(whole.streets[: d + 1])] for d in range(depth))
        return Deal(whole.deck, whole.hole, (*whole.board, *new), whole.streets[depth:])

    @property
    def held(self) -> list[Floats]:
        """Per player [hand of the deal]: whether a hand is on this board at all."""
        weights = [np.zeros(len(self.deal.hands)) for _ in range(2)]
        for player, there in enumerate(weights):
            there[self.blueprint.hands(self.path, player)] = 1.0
        return weights

    def start(
        self, schedule: Schedule, *, threads: int = 1, predictive: bool = False, on_gpu: bool = False
    ) -> BoardCFR:
        """A run below the lines. All hands of the board are there, each line with the blueprint's ranges."""
        kind = BoardCFR
        if on_gpu:
            from equilibrist.solvers.postflop.gpu.device_cfr import DeviceCFR

            kind = DeviceCFR
        run = kind(
            self.below, self.deal, self.held, schedule, threads=threads, predictive=predictive, isomorphism=False
        )
        self.set_ranges(run)
        return run

    def set_ranges(self, run: BoardCFR) -> None:
        """Root weights line by line, so that what was found has the ranges it is reached with."""
        for player in range(2):
            rows = run.root_weights[player].reshape(len(self.nodes), -1)
            held = self.ranges(player)
            rows[:, : held.shape[1]] = held

    @cached_property
    def _order(self) -> tuple[Longs, Longs]:
        """Per player: where each hand of a run below stands in the blueprint's tables of this board."""
        found = []
        for player in range(2):
            hands = self.blueprint.hands(self.path, player)
            place = np.full(len(self.deal.hands), -1)
            place[hands] = np.arange(len(hands))
            found.append(place[self.hands(player)])
        return found[0], found[1]

    def hands(self, player: int) -> Longs:
        """Numbers of a player's hands, in the order of a run below: by strength where no card is to come, else rising."""
        numbers = np.sort(self.blueprint.hands(self.path, player))
        if not self.deal.streets:
            numbers = numbers[np.argsort(self.deal.strengths(self.deal.board_cards)[numbers], kind="stable")]
        return numbers

    def ranges(self, player: int) -> Floats:
        """[line, hand] with which the blueprint comes here."""
        reach = self.blueprint.reach(self.path, player)
        out: Floats = reach[np.array(self.nodes)][:, self._order[player]]
        return out

    def inputs(self, technique: Technique, opponent: int) -> GadgetInputs:
        """What the technique's gadget needs to know about the opponent's hands at all lines."""
        path, order = self.path, self._order[opponent]
        mass = np.concatenate([self.blueprint.met(path, opponent, node)[order] for node in self.nodes])
        group = np.repeat(np.arange(len(self.nodes), dtype=np.int32), len(order))
        plain = GadgetInputs(mass, group, self.ranges(opponent).ravel())
        if self.off_tree:
            technique.check_off_tree()
        if not technique.gadget.needs_values:
            return plain
        worth, deviation = technique.alternatives(
            self._expected(opponent, mass, respond=True),
            self._expected(opponent, mass, respond=False) if technique.estimated else None,
            self._gifts(opponent, split=technique.split) if technique.gift_scale else None,
        )
        return replace(plain, alternative=worth, deviation=deviation)

    def _expected(self, player: int, mass: Floats, *, respond: bool) -> Floats:
        values = self.blueprint.values(self.path, player, respond=respond)
        return expected(values[np.array(self.nodes)][:, self._order[player]].ravel(), mass)

    def _gifts(self, player: int, *, split: bool) -> Floats:
        order = self._order[player]
        found = [self.blueprint.gifts(self.path, node, player, split=split)[order] for node in self.nodes]
        return np.concatenate(found)

    def splice(self, run: BoardCFR, player: int, into: BoardCFR) -> None:
        """Write a player's average strategy below the lines into the tables of a run of the whole game.

        Boards that stand for several are written for all of them, so a subgame with cards to come needs a run without isomorphism.
        """
        if len(self.below) > 1 and into.isomorphism:
            raise NotApplicableError(
                "A searched board with cards to come cannot be written into tables that keep boards up to suits; solve without "
                "isomorphism, or search the last street."
            )
        inside = np.array(self.nodes)
        if any((street.boards.copies > 1).any() for street in run.streets[1:]):
            raise NotApplicableError("A search that kept boards up to suits cannot be written board by board.")
        if into.bits != 32:
            raise NotApplicableError("Searched strategies are written into 32-bit tables; solve the game with 32 bits.")
        boards: dict[Path, tuple[Path, Path]] = {(): ((), self.path)}  # board cards dealt below -> paths in both runs
        whole = self.blueprint.forests[len(self.path) :]
        for depth, (mine, theirs) in enumerate(zip(self.below, whole, strict=True)):
            pairs = matching_nodes(mine, theirs, inside)
            for here, there in boards.values():
                _copy(run, into, here, there, player, pairs, mine, theirs)
            inside = np.array([theirs.next_root[pairs[n]] for n in np.flatnonzero(mine.kind == DEAL).tolist()])
            if depth + 1 < len(self.below):
                boards = _children(run, into, boards)


def matching_nodes(mine: StreetForest, theirs: StreetForest, roots: Longs) -> dict[int, int]:
    """Each node of a cut forest in the forest it was cut from, by labels."""
    pairs = {number: int(node) for number, node in enumerate(roots.tolist())}
    for node in range(len(mine)):
        if mine.first_child[node] >= 0:
            known = theirs.labels(pairs[node])
            for a, label in enumerate(mine.labels(node)):
                pairs[int(mine.first_child[node]) + a] = int(theirs.first_child[pairs[node]]) + known.index(label)
    return pairs


def _children(run: BoardCFR, into: BoardCFR, boards: dict[Path, tuple[Path, Path]]) -> dict[Path, tuple[Path, Path]]:
    """Boards one street further, by the cards dealt."""
    out: dict[Path, tuple[Path, Path]] = {}
    for dealt, (here, there) in boards.items():
        cards = []
        for whole, path in ((run, here), (into, there)):
            first = whole.streets[len(path)].boards.first_child
            number = path[-1] if path else 0
            count = whole.deal.streets[len(path)]
            below = range(int(first[number]), int(first[number + 1]))
            cards.append({whole.streets[len(path) + 1].boards.cards[b][-count:]: (*path, b) for b in below})
        out |= {(*dealt, *new): (cards[0][new], cards[1][new]) for new in cards[0]}
    return out


def _copy(
    run: BoardCFR,
    into: BoardCFR,
    here: Path,
    there: Path,
    player: int,
    pairs: dict[int, int],
    mine: StreetForest,
    theirs: StreetForest,
) -> None:
    """One board's strategies of a player, hand by hand."""
    source, target = run.streets[len(here)], into.streets[len(there)]
    board, other = here[-1] if here else 0, there[-1] if there else 0
    own, held = source.boards.player[player], target.boards.player[player]
    place = np.full(len(run.deal.hands), -1)
    place[held.pair[other, : held.count[other]]] = np.arange(held.count[other])
    where = place[own.pair[board, : own.count[board]]]
    shape = target.shape(player)
    table = target.tables[player].average.reshape(shape)[other]
    size = shape[3]
    for node in np.flatnonzero(mine.kind == player).tolist():
        rows = source.strategy(board, node)[:, : len(where)]
        first = int(theirs.slot[pairs[node]])
        table[where // size, first : first + int(theirs.children[pairs[node]]), where % size] = 0.0
        known = theirs.labels(pairs[node])
        for a, label in enumerate(mine.labels(node)):
            table[where // size, first + known.index(label), where % size] = rows[a]
