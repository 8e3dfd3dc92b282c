"""Continuations on all flops against hand-by-hand sums over all deals, on eight cards; a GPU's order of tables by plain programs."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from equilibrist.core.arrays import Floats
from equilibrist.experiments.brown.depth_limits.off_tree_flops import (
    KNOWN,
    MBB,
    OPPONENT,
    SEARCHER,
    Continuation,
    FlopSetting,
    OffTreeFlops,
)
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.subforest import nodes_below
from equilibrist.search.depth_limited.flop_continuations import FlopContinuations
from equilibrist.search.depth_limited.hand_classes import ClassStreet
from equilibrist.search.depth_limited.preflop_search import LeafedPreflop
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.maxmargin import Maxmargin
from equilibrist.search.off_tree.translated import pseudo_harmonic
from equilibrist.search.resolve import Resolve
from equilibrist.solvers.cfr.schedules import PLUS, VANILLA, Schedule
from equilibrist.solvers.postflop.gpu.device_boards import in_forest_order, to_device_order
from equilibrist.solvers.postflop.solve_game import start_boards
from reference.naive_flops import NaiveFlops
from reference.plain_boards_apart import ProgramBoards

SETTING = FlopSetting(ranks=4, suits=2, trained=30, searched=30)


@cache
def game() -> OffTreeFlops:
    return OffTreeFlops(SETTING, lambda doing, share: None)


@cache
def naive() -> NaiveFlops:
    return NaiveFlops(game().deal, game().boards[1])


def played(player: int, table: Any) -> Any:
    """A player's blueprint before the flop, and a table on it."""
    own = game()

    def strategy(forest: StreetForest, node: int, board: tuple[int, ...]) -> Floats:
        if board:
            return naive().on_boards(table, forest, node, board)
        first, n = int(forest.slot[node]), int(forest.children[node])
        return own.first[player][first : first + n][:, own.street.class_of]

    return strategy


def by_class(values: Floats) -> Floats:
    street = game().street
    kept = values[..., street.first]
    assert values == pytest.approx(kept[..., street.class_of], rel=1e-9, abs=1e-6)  # suits make no difference
    return np.asarray(kept)


def test_a_best_response_is_that_of_the_run_and_of_naive_sums() -> None:
    own = game()
    run = start_boards(SETTING.game(KNOWN), "cfr+")
    run.advance(SETTING.trained)
    got = own.street.average(own.street.up(OPPONENT, own.reach, own.below))
    assert got == pytest.approx(run.best_response_value(OPPONENT), abs=1e-3)
    ways = [(naive().apart, played(SEARCHER, own.tables[SEARCHER]))]
    values = by_class(naive().values(own.known, 0, OPPONENT, ways, None))
    assert got == pytest.approx(float(values @ own.street.size) / own.street.pairs, abs=1e-3)


@pytest.mark.parametrize("line", [0, 4])
def test_worth_of_a_continuation_is_that_of_naive_sums(line: int) -> None:
    """Of a biased continuation, against each class of hands."""
    own = game()
    table = own.flops.biased(OPPONENT, own.tables[OPPONENT], "call", 10.0)
    worth = own.worth_of(table)[line]
    own_rows = played(OPPONENT, own.flops.strategy(OPPONENT, table))
    for number in (0, 7, 15):
        held = (own.street.class_of == number).astype(np.float64)
        ways = [(naive().apart * held, played(SEARCHER, own.tables[SEARCHER]))]
        plain = by_class(naive().flop_values(own.known[1], line, OPPONENT, ways, own_rows))
        assert worth[number] == pytest.approx(plain, rel=1e-4, abs=1e-4 * np.abs(plain).max())


def test_a_reply_gets_what_a_best_response_gets() -> None:
    own, rng = game(), np.random.default_rng(3)
    rows = rng.random((own.known[1].roots, own.street.hands))
    own._play(own.tables[OPPONENT])
    before = own.flops.engine.table("average", SEARCHER)
    table = own.reply(rows)
    assert (own.flops.engine.table("average", SEARCHER) == before).all()
    best = own.flops.best(OPPONENT, rows)
    worse = own.flops.followed(OPPONENT, rows)
    own._play(table)
    assert own.flops.followed(OPPONENT, rows) == pytest.approx(best, rel=1e-5, abs=1e-3)
    assert (best > worse + 1.0).any()


def test_translation_is_a_draw_between_neighbours() -> None:
    own, low = game(), pseudo_harmonic(0.5, 0.75, 1.0)
    found = own.translated()
    forests, inside = own.whole, own.roots[1]
    lines = {own.known[0].line(n): n for n in range(len(own.known[0]))}
    values = []
    for node in range(1, 1 + int(forests[0].children[0])):
        if node != inside:
            ways = [(naive().apart, played(SEARCHER, own.tables[SEARCHER]))]
            values.append(naive().values(own.known, lines[forests[0].line(node)], OPPONENT, ways, None))
            continue
        ways = [
            (share * naive().apart, _as_after(root)) for share, root in ((low, own.roots[0]), (1.0 - low, own.roots[2]))
        ]
        values.append(naive().values(own.after, 0, OPPONENT, ways, None))
    plain = by_class(np.max(values, axis=0))
    assert found == pytest.approx(MBB * float(plain @ own.street.size) / own.street.pairs, abs=0.01)


def _as_after(root: int) -> Any:
    """The searcher's blueprint after a known raise, for nodes after the unknown one; forests are alike, so nodes have the same numbers."""
    own = game()
    first = nodes_below(own.known[0], [root])[0]
    lines = own.known[0].next_root[first]
    later = nodes_below(own.known[1], lines[lines >= 0])[0]
    known = played(SEARCHER, own.tables[SEARCHER])

    def strategy(forest: StreetForest, node: int, board: tuple[int, ...]) -> Floats:
        return known(own.known[1], int(later[node]), board) if board else known(own.known[0], int(first[node]), board)

    return strategy


def test_a_search_before_the_flop_comes_to_an_equilibrium_of_its_leaves() -> None:
    """What both best responses gain falls; values of the two players cancel, and more ways are never worse for who chooses."""
    own = game()
    worth = [
        own.first_continuation.worth,
        *(own.worth_of(own.flops.biased(OPPONENT, own.tables[OPPONENT], k, 10.0)) for k in ("fold", "raise")),
    ]
    gaps, street = [], own.street
    search = LeafedPreflop(street, np.stack(worth, axis=1), OPPONENT, PLUS)
    for _ in range(3):
        search.advance(100)
        best = [float(search.values(p, respond=True) @ street.size) / street.pairs for p in range(2)]
        mean = [float(search.values(p) @ street.size) / street.pairs for p in range(2)]
        assert mean[0] == pytest.approx(-mean[1], abs=1e-3)
        gaps.append(sum(best))
    assert gaps[-1] < 0.5 * gaps[0]
    assert 0.0 <= gaps[-1] < 2.0
    alone = LeafedPreflop(street, worth[0][:, None], OPPONENT, PLUS)
    alone.advance(300)
    one, three = (float(each.values(OPPONENT) @ street.size) / street.pairs for each in (alone, search))
    assert three > one - gaps[-1]


class ProgramFlops(ProgramBoards):
    """Boards by the programs that a GPU follows; tables lie in its order."""

    def table(self, name: str, player: int) -> Any:
        return in_forest_order(self.street, name, player)

    def put(self, name: str, player: int, table: Any) -> None:
        to_device_order(self.street, name, player, table)

    def search(self, searcher: int, gadget: Any, inputs: Any, held: Any, iterations: int) -> Any:
        self.clear()
        run = GadgetRun(self, searcher, gadget, inputs, held)
        run.advance(iterations)
        return run.answer()


def by_programs(street: ClassStreet, forest: StreetForest, schedule: Schedule) -> FlopContinuations:
    own = game()
    whole: Any = SimpleNamespace(last=forest, last_boards=own.boards[1], deal=own.deal)
    trunk: Any = SimpleNamespace(abstract=whole)
    engine = ProgramFlops(trunk, range(len(own.boards[1].cards)), schedule)
    return FlopContinuations(street, forest, own.boards[1], engine)


def test_programs_of_a_gpu_answer_as_the_cpu_does() -> None:
    """Translation, and flops searched after an answer: everything that is asked of a device, with its order and width of tables."""
    own, other = game(), copy(game())
    other.flops, other._off_flops = (
        by_programs(own.street, own.known[1], VANILLA),
        by_programs(own.off, own.after[1], PLUS),
    )
    widths = [own_table.shape[2] for own_table in (other.flops.engine.table("average", p) for p in range(2))]
    other.tables = [_fitted(own.tables[p], widths[p]) for p in range(2)]
    other.__dict__.pop("_neighbours_alternatives", None)
    assert other.translated() == pytest.approx(own.translated(), abs=0.1)
    here = own.answer([own.first_continuation])
    near = other.tables[OPPONENT][:, other._near]
    there = replace(here, continuations=(replace(own.first_continuation, near=near),))
    rows = own.off.down(SEARCHER, here.strategy)[own.off.deals]
    alternatives = own._chosen_alternatives(here, rows), own._neighbours_alternatives
    again = other._chosen_alternatives(there, rows), other._neighbours_alternatives
    for mine, theirs in zip(alternatives, again, strict=True):
        assert theirs == pytest.approx(mine, rel=2e-3, abs=2e-3 * np.abs(mine).max())
    # one iteration: from the second on rounding decides between actions that are worth exactly the same on so short a deck
    found = [each._off_flops.search(SEARCHER, Resolve(), rows, alternatives[0], 1) for each in (own, other)]
    assert found[1] == pytest.approx(found[0], rel=1e-5, abs=1e-5 * np.abs(found[0]).max())


def test_programs_of_a_gpu_find_the_same_replies() -> None:
    own, rng = game(), np.random.default_rng(5)
    other = by_programs(own.street, own.known[1], VANILLA)
    engine: Any = other.engine
    rows = rng.random((own.known[1].roots, own.street.hands))
    own._play(own.tables[OPPONENT])
    for player in range(2):
        engine.put("average", player, _fitted(own.tables[player], engine.street.places[player]))
    best = own.flops.best(OPPONENT, rows)
    assert other.best(OPPONENT, rows) == pytest.approx(best, rel=1e-4, abs=0.05)
    table = other.best_reply(OPPONENT, rows, _fitted(own.tables[OPPONENT], engine.street.places[OPPONENT]))
    engine.put("average", OPPONENT, table)
    assert other.followed(OPPONENT, rows) == pytest.approx(best, rel=1e-4, abs=0.05)


def _fitted(table: Any, places: int) -> Any:
    """With as many places as a GPU has."""
    out = np.zeros((*table.shape[:2], places))
    kept = min(places, table.shape[2])
    out[:, :, :kept] = table[:, :, :kept]
    return out


@pytest.mark.gpu
def test_a_gpu_finds_what_the_cpu_finds() -> None:
    cpu, gpu = game(), OffTreeFlops(SETTING, lambda doing, share: None, device="cuda")
    gpu.first = cpu.first
    for player in range(2):
        table = gpu.flops.xp.asarray(_fitted(cpu.tables[player], gpu.tables[player].shape[2]), dtype="float32")
        gpu.tables[player] = table
    gpu._settle()
    assert gpu.translated() == pytest.approx(cpu.translated(), abs=0.1)
    assert gpu.first_continuation.worth == pytest.approx(cpu.first_continuation.worth, rel=1e-3, abs=0.5)
    # rounding decides between actions that are worth exactly the same, and so what a reply is worth against other hands
    rows = np.random.default_rng(8).random((cpu.known[1].roots, cpu.street.hands))
    replies = [own.continuation(own.reply(rows)) for own in (cpu, gpu)]
    values = [np.einsum("ls,lso->lo", rows, reply.worth) for reply in replies]
    assert values[0] == pytest.approx(cpu.flops.best(OPPONENT, rows), rel=1e-4, abs=0.05)
    assert values[1] == pytest.approx(values[0], rel=1e-3, abs=0.5)
    found = cpu.self_generated(2)
    there = [
        Continuation(each.worth, gpu.flops.xp.asarray(_fitted(each.near, gpu.tables[OPPONENT].shape[2])))
        for each in found
    ]
    answers = [cpu.answer(found), replace(cpu.answer(found), continuations=tuple(there))]
    for means in (False, True):
        got = [own.searched(answer, means=means) for own, answer in zip((cpu, gpu), answers, strict=True)]
        assert got[1] == pytest.approx(got[0], rel=0.05)  # actions that are worth the same, again


def test_what_a_reply_is_worth_against_the_hands_it_was_made_for() -> None:
    own = game()
    rows = np.random.default_rng(8).random((own.known[1].roots, own.street.hands))
    worth = own.continuation(own.reply(rows)).worth
    assert np.einsum("ls,lso->lo", rows, worth) == pytest.approx(own.flops.best(OPPONENT, rows), rel=1e-4, abs=0.05)


class Stepped:
    """Flops as an engine without a search of its own: one gadget for all of them, step by step, as on a GPU."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def search(self, searcher: int, gadget: Any, inputs: Any, held: Any, iterations: int) -> Any:
        self.engine.clear()
        run = GadgetRun(self.engine, searcher, gadget, inputs, held)
        run.advance(iterations)
        return run.answer()


@pytest.mark.parametrize("gadget", [Resolve(), Maxmargin()])
def test_flops_searched_one_by_one_and_at_once_are_worth_the_same(gadget: Any) -> None:
    own = game()
    flops = own._off_flops
    rows = np.random.default_rng(7).random((flops.forest.roots, own.street.hands))
    alternative = own._neighbours_alternatives
    alone = flops.search(SEARCHER, gadget, rows, alternative, 20)
    engine: Any = Stepped(flops.engine)
    together = FlopContinuations(own.off, own.after[1], own.boards[1], engine)
    found = together.search(SEARCHER, gadget, rows, alternative, 20)
    assert found == pytest.approx(alone, rel=1e-3, abs=1e-3 * np.abs(alone).max())


def test_alternatives_on_flops_add_up_to_the_value_of_the_leaf() -> None:
    """What a hand has on all flops by the continuations that it chose is what the search before the flop gave it."""
    own = game()
    found = own.answer([own.first_continuation, *own.biased()[1:]])
    rows = own.off.down(SEARCHER, found.strategy)[own.off.deals]
    low, high = own.neighbours
    worth = np.stack([(c.worth[low] + c.worth[high]) / 2.0 for c in found.continuations], axis=1)
    leaf = np.einsum("lc,lwcd,lwd->ld", rows, worth, found.choices)
    mass = own._off_flops.mass(rows)
    flops = own._off_flops.gathered((own._chosen_alternatives(found, rows) * mass).ravel())
    assert flops == pytest.approx(
        leaf, rel=1e-2, abs=5e-3 * np.abs(leaf).max()
    )  # continuations are kept in halves of a float


@pytest.mark.slow
def test_flops_searched_together_give_no_hand_more_than_its_alternative_over_all_of_them() -> None:
    """Alternatives that a strategy on all flops leaves are kept to, line by line and class by class; a gadget a flop keeps to more."""
    own = game()
    flops, street = own._off_flops, own.street
    rows = np.random.default_rng(9).random((flops.forest.roots, street.hands))
    flops.engine.clear()  # even play
    bound = flops.best(OPPONENT, rows)
    alternative = bound / street.met(rows)
    found = flops.search_together(SEARCHER, Resolve(), rows, alternative, 200)
    assert np.all(found <= bound + 2e-3 * np.abs(bound).max())
    flops.engine.clear()
    by_flop = flops.search(SEARCHER, Resolve(), rows, flops.bounds(OPPONENT, rows), 200)
    assert np.all(by_flop <= bound + 2e-3 * np.abs(bound).max())
    free = flops.search_together(SEARCHER, Resolve(), rows, np.zeros_like(alternative) - 1e6, 200)  # all must enter
    assert (free * street.size).sum() <= (by_flop * street.size).sum() + 2e-3 * np.abs(bound).max() * street.size.sum()
