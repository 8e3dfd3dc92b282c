"""An opening raise of 0.75 pot that the blueprint does not know, in no-limit flop hold'em without card abstraction ([Brown20, §5.2.3]).

The answer is searched to the end of the first betting round with k values per leaf infoset; values of the off-tree leaves are means of
those after 0.5 and 1 pot. Then all flops are searched safely. Strategies on flops are tables over all boards, on the CPU or on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from equilibrist.cards.deck import Deck
from equilibrist.core.arrays import Floats, Floats32, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.subforest import forests_below, nodes_below
from equilibrist.games.poker.abstracted_holdem import BIG_BLIND, STACK
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.search.alternatives import expected
from equilibrist.search.depth_limited.flop_continuations import FlopContinuations
from equilibrist.search.depth_limited.hand_classes import ClassStreet
from equilibrist.search.depth_limited.multi_valued_states import POLICIES, THESIS_FACTOR, UNBIASED
from equilibrist.search.depth_limited.preflop_search import LeafedPreflop
from equilibrist.search.engines.streamed.flop_engines import flop_averages, flop_engine
from equilibrist.search.gadget_run import GadgetRun, on_host
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.off_tree.translated import pseudo_harmonic
from equilibrist.search.resolve import Resolve
from equilibrist.solvers.cfr.schedules import PLUS, VANILLA
from equilibrist.solvers.postflop._kernels.layout import VALUE
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.solve_game import deal_game, start_boards
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

MBB = 1000.0 / BIG_BLIND  # chips to thousandths of a big blind
KNOWN, OPENING = Menu(("50%", "100%")), Menu(("50%", "75%", "100%"))
CAPS = (2, 2)  # raises before the flop, bets on it
SEARCHER, OPPONENT = 0, 1  # the big blind answers an opening raise of the small blind
LOW, UNKNOWN, HIGH = 1, 2, 3  # raises of 0.5, 0.75 and 1 pot among the opening raises

Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class FlopSetting:
    """Cards and iterations."""

    ranks: int = 13
    suits: int = 4
    stack: float = STACK
    trained: int = 1000  # iterations of CFR+ for each blueprint
    searched: int = 600  # of each answer, and of the flops after it
    generated: int = 300  # of each search that a continuation responds to

    def game(self, opening: Menu) -> Poker:
        """Raises of half the pot and the pot, two before the flop and two bets on it; the first raise may have sizes of its own."""
        rules = PokerRules(
            Deck(self.ranks, self.suits),
            board=(0, 3),
            menus=(KNOWN, KNOWN),
            caps=CAPS,
            hole=2,
            blinds=(BIG_BLIND, BIG_BLIND / 2),
            first=(1, 0),
            stack=self.stack,
            minimum_bet=BIG_BLIND,
            raise_at_least_last=True,
            menus_at={"": opening},
        )
        cards = self.ranks * self.suits
        return Poker(f"no-limit flop hold'em with {cards} cards, opening raises of {opening} pot", rules)


@dataclass(frozen=True)
class Continuation:
    """A way for the opponent to play on after the flop."""

    worth: Floats  # [root, class of the searcher, class of the opponent] what it gets by it
    near: Any  # [board, slot, place] how it plays after the neighbours of the raise


@dataclass(frozen=True)
class SearchedAnswer:
    """What the searcher does after the raise, and how the opponent would go on."""

    strategy: Floats  # [slot, class]
    choices: Floats32  # [leaf, continuation, class]
    continuations: tuple[Continuation, ...]


class OffTreeFlops:
    """The game with the raise, a blueprint that does not know it, and one that does."""

    def __init__(self, setting: FlopSetting, report: Report, *, device: str = "cpu", threads: int = 1) -> None:
        self.setting, self.report, self.device, self.threads = setting, report, device, threads
        self.gpu = wants_gpu(device, None, streets=2)
        known, whole = setting.game(KNOWN), setting.game(OPENING)
        dealt = deal_game(known)
        self.deal, self.boards, self.known = dealt.deal, dealt.boards, tuple(dealt.forests)
        self.whole = tuple(deal_game(whole).forests)
        images = self.boards[0].player[0].images[:, : len(self.deal.hands)].astype(np.int64)
        self.street, self.full = (ClassStreet(forests[0], self.deal, images) for forests in (self.known, self.whole))
        self.roots = tuple(self._opened(size) for size in (LOW, UNKNOWN, HIGH))
        self.after = forests_below(self.whole, 0, self.roots[1])
        self.off = ClassStreet(self.after[0], self.deal, images)
        self._learn(known)

    def _opened(self, size: int) -> int:
        """Node after an opening raise: in the game with the raise for that, else in the known one."""
        forest = self.whole[0] if size == UNKNOWN else self.known[0]
        raises = [n for n in range(1, 1 + int(forest.children[0])) if forest.action[n].startswith("r")]
        return raises[size - 1] if size == UNKNOWN else raises[(size - 1) // 2]

    def _train(self, game: Poker, what: str) -> BoardCFR:
        run = start_boards(game, "cfr+", threads=self.threads, device=self.device)
        self._go_on(run, self.setting.trained, what)
        return run

    def _go_on(self, run: BoardCFR, until: int, what: str) -> None:
        while run.iteration < until:
            run.advance(min(100, until - run.iteration))
            self.report(f"{what}: {run.iteration} of {until} iterations", None)

    def _learn(self, known: Poker) -> None:
        """The blueprint, and everything that is asked of it."""
        run = self._train(known, "blueprint")
        self.residual = MBB * run.exploitability()
        engine = flop_engine(self.known[1], self.boards[1], self.deal, VANILLA, gpu=self.gpu, threads=self.threads)
        self.flops = FlopContinuations(self.street, self.known[1], self.boards[1], engine)
        pair = self.boards[0].player[0].pair[0]
        place = np.argsort(pair[: len(self.deal.hands)])  # of a hand
        self.first = [run.streets[0].strategies(0, p)[:, place[self.street.first]] for p in range(2)]
        self.tables = [self.flops.strategy(p, flop_averages(run, p)) for p in range(2)]
        self._settle()

    def _settle(self) -> None:
        """What the opponent can get from the blueprint, on the flops and with each hand at the start."""
        self._play(self.tables[OPPONENT])
        self.reach = self.street.down(SEARCHER, self.first[SEARCHER])
        self.below = self.flops.best(OPPONENT, self.reach[self.street.deals])
        best = self.street.up(OPPONENT, self.reach, self.below)
        self.alternatives = expected(best[0], self.street.met(self.reach[0]))

    def _play(self, opponent: Any) -> None:
        """What both follow on the flops: the searcher always its blueprint."""
        for player, table in ((SEARCHER, self.tables[SEARCHER]), (OPPONENT, opponent)):
            self.flops.engine.put("average", player, table)

    def worth_of(self, opponent: Any) -> Floats:
        """[root, class of the searcher, class of the opponent] of a continuation, all known lines."""
        self._play(opponent)
        return self.flops.worth(OPPONENT)

    def continuation(self, opponent: Any) -> Continuation:
        """Of a table on all flops; halves of a float will do for what is kept of it."""
        near = self.flops.xp.asarray(self._near)
        return Continuation(self.worth_of(opponent), opponent[:, near].astype("float16"))

    @cached_property
    def _near(self) -> Longs:
        """The opponent's slots on the neighbours' lines."""
        return _slots_below(self.known[1], np.concatenate(self.neighbours), OPPONENT)

    @cached_property
    def first_continuation(self) -> Continuation:
        return self.continuation(self.tables[OPPONENT])

    def reply(self, rows: Floats) -> Any:
        """The opponent's best response on the flops, where the searcher comes with `rows` [root, class]."""
        return self.flops.best_reply(OPPONENT, rows, self.tables[OPPONENT])

    def self_generated(self, count: int) -> list[Continuation]:
        """As the text says: best responses to searches of the whole first round, from the start, with the continuations before."""
        found = [self.first_continuation]
        while len(found) < count:
            self.report(f"continuation {len(found) + 1} of {count}", None)
            search = LeafedPreflop(self.street, np.stack([c.worth for c in found], axis=1), OPPONENT, PLUS)
            search.advance(self.setting.generated)
            reach = self.street.down(SEARCHER, search.strategy(SEARCHER))
            found.append(self.continuation(self.reply(reach[self.street.deals])))
        return found

    def biased(self) -> list[Continuation]:
        """The blueprint, and three that fold, call or raise ten times as readily."""
        plain = self.tables[OPPONENT]
        towards = [name for name in POLICIES if name != UNBIASED]
        tables = [self.flops.biased(OPPONENT, plain, name, THESIS_FACTOR) for name in towards]
        return [
            self.first_continuation,
            *(self.continuation(self.flops.strategy(OPPONENT, table)) for table in tables),
        ]

    def answer(self, continuations: Sequence[Continuation]) -> SearchedAnswer:
        """Searched to the end of the first round with these continuations; safe by Resolve."""
        search = LeafedPreflop(self.off, self._leaves(continuations), OPPONENT, PLUS)
        everybody = np.ones(self.off.hands)
        inputs = GadgetInputs(
            mass=self.off.met(everybody),
            group=np.zeros(self.off.hands, dtype=np.int32),
            reach=everybody,
            alternative=self.alternatives,
        )
        GadgetRun(search, SEARCHER, Resolve(), inputs, everybody).advance(self.setting.searched)
        return SearchedAnswer(search.strategy(SEARCHER), search.choices.strategy(VALUE), tuple(continuations))

    def _leaves(self, continuations: Sequence[Continuation]) -> Floats:
        """[line, continuation, class of the searcher, class of the opponent] means of the neighbours."""
        low, high = self.neighbours
        return np.stack([(c.worth[low] + c.worth[high]) / 2.0 for c in continuations], axis=1)

    @cached_property
    def neighbours(self) -> tuple[Longs, Longs]:
        """Lines of the known game to the flop that go as those after the unknown raise do."""
        found = []
        for root in (self.roots[0], self.roots[2]):
            nodes, _ = nodes_below(self.known[0], [root])
            lines = self.known[0].next_root[nodes]
            found.append(lines[lines >= 0].astype(np.int64))
            if not _same_shape(forests_below(self.known, 0, root), self.after):
                raise NotApplicableError("The betting after neighbouring raises differs in shape; use deeper stacks.")
        return found[0], found[1]

    def _beside(self, rows: Floats) -> Floats:
        """[root, class] of the known game: these rows on the neighbours' lines, the blueprint's on all others."""
        out = self.reach[self.street.deals].copy()
        for lines in self.neighbours:
            out[lines] = rows
        return out

    @cached_property
    def _off_flops(self) -> FlopContinuations:
        engine = flop_engine(self.after[1], self.boards[1], self.deal, PLUS, gpu=self.gpu, threads=self.threads)
        return FlopContinuations(self.off, self.after[1], self.boards[1], engine)

    def searched(self, answer: SearchedAnswer, *, means: bool = False) -> float:
        """The opponent's best response, mbb, where all flops after the raise are searched safely.

        A hand's alternative on a flop is what it gets there in the search before: by the continuations that it chose. Or it is the mean of
        what it could get from the blueprint on the neighbours' lines.
        """
        rows = self.off.down(SEARCHER, answer.strategy)[self.off.deals]
        alternative = self._neighbours_alternatives if means else self._chosen_alternatives(answer, rows)
        below = self._off_flops.search(SEARCHER, Resolve(), rows, alternative, self.setting.searched)
        return self.opponent_gets(answer.strategy, below)

    def searched_together(self, answer: SearchedAnswer) -> float:
        """The same with one search of all flops after each line: a hand's alternative is what it gets there in the search before."""
        rows = self.off.down(SEARCHER, answer.strategy)[self.off.deals]
        by_way = np.einsum("ls,lwso->lwo", rows, self._leaves(answer.continuations))
        alternative = expected((answer.choices * by_way).sum(axis=1), self.off.met(rows))
        below = self._off_flops.search_together(SEARCHER, Resolve(), rows, alternative, self.setting.searched)
        return self.opponent_gets(answer.strategy, below)

    @cached_property
    def _neighbours_alternatives(self) -> Floats:
        """[board, line, hand]"""
        self._play(self.tables[OPPONENT])
        return self._mean(self.flops.bounds(OPPONENT, self.reach[self.street.deals]))

    def _chosen_alternatives(self, answer: SearchedAnswer, rows: Floats) -> Floats:
        """[board, line, hand] means over the neighbours' lines, to which the searcher comes as to its own."""
        flops, there, out = self.flops, self._beside(rows), np.zeros(())
        reach, mass, near = flops.reach(there), self._off_flops.mass(rows), flops.xp.asarray(self._near)
        for way, continuation in enumerate(answer.continuations):
            table = self.tables[OPPONENT].copy()
            table[:, near] = continuation.near
            self._play(table)
            values = self._mean(on_host(flops.engine.values(OPPONENT, reach=reach)).reshape(flops.shape))
            share = answer.choices[:, way][:, self.street.class_of[flops.hands]].transpose(1, 0, 2)
            out = out + share * expected(values, mass)
        return out

    def _mean(self, lines: Floats) -> Floats:
        """[board, line after the raise, hand] from numbers of all known lines."""
        low, high = self.neighbours
        return np.asarray((lines[:, low] + lines[:, high]) / 2.0)

    def translated(self) -> float:
        """The same where the raise is taken for one of its neighbours, drawn once per hand."""
        low = pseudo_harmonic(0.5, 0.75, 1.0)
        shares, first, later = (low, 1.0 - low), np.zeros(1), 0.0
        for share, root, lines in zip(shares, (self.roots[0], self.roots[2]), self.neighbours, strict=True):
            rows = self.first[SEARCHER][_slots_below(self.known[0], np.array([root]), SEARCHER)]
            reach = self.off.down(SEARCHER, rows)
            first = first + share * self.off.by_slot(SEARCHER, reach)
            there = self.flops.xp.asarray(_slots_below(self.known[1], lines, SEARCHER))
            table = self.tables[SEARCHER][:, there]
            later = later + share * self._off_flops.sequences(SEARCHER, table, reach[self.off.deals])
        self._off_flops.engine.put("average", SEARCHER, later)
        answer = self.off.matched(SEARCHER, first)
        below = self._off_flops.best(OPPONENT, self.off.down(SEARCHER, answer)[self.off.deals])
        return self.opponent_gets(answer, below)

    def opponent_gets(self, answer: Floats, below: Floats) -> float:
        """Best response in the game with the raise, mbb: known lines as the blueprint plays them, the rest as given."""
        forest, reach = self.whole[0], np.ones((len(self.whole[0]), self.full.hands))
        values = np.zeros((self.whole[1].roots, self.full.hands))
        inside, _ = nodes_below(forest, [self.roots[1]])
        lines = {self.known[0].line(n): n for n in range(len(self.known[0]))}
        own = self.off.down(SEARCHER, answer)
        for number, node in enumerate(inside.tolist()):
            reach[node] = own[number]
            if forest.next_root[node] >= 0:
                values[forest.next_root[node]] = below[self.after[0].next_root[number]]
        for node in sorted(set(range(len(forest))) - set(inside.tolist())):
            there = lines[forest.line(node)]
            reach[node] = self.reach[there]
            if forest.next_root[node] >= 0:
                values[forest.next_root[node]] = self.below[self.known[0].next_root[there]]
        return MBB * self.full.average(self.full.up(OPPONENT, reach, values))

    def in_abstraction(self) -> tuple[float, float, float]:
        """What the opponent gets from a blueprint that has the raise, and bounds on the value of the game to it, mbb."""
        run = self._train(self.setting.game(OPENING), "blueprint with the raise")
        got = MBB * run.expected_value(OPPONENT, respond=True)
        self._go_on(run, 2 * self.setting.trained, "value of the game")
        best = [MBB * run.expected_value(p, respond=True) for p in range(2)]
        return got, -best[SEARCHER], best[OPPONENT]


def _same_shape(one: Sequence[StreetForest], other: Sequence[StreetForest]) -> bool:
    pairs = zip(one, other, strict=True)
    return all(a.kind.tolist() == b.kind.tolist() and a.parent.tolist() == b.parent.tolist() for a, b in pairs)


def _slots_below(forest: StreetForest, roots: Longs, player: int) -> Longs:
    """A player's slots below some nodes, in the order of `forests_below`."""
    nodes, _ = nodes_below(forest, roots)
    own = nodes[forest.kind[nodes] == player]
    return np.concatenate([forest.slot[n] + np.arange(forest.children[n]) for n in own]).astype(np.int64)
