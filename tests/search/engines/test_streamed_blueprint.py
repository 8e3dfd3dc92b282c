"""Blueprints with one deal of board cards searched on a board, beside the tree of the whole game."""

from __future__ import annotations

import gc
import json
import weakref
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.recipe import make_recipe
from equilibrist.cards.deck import Deck
from equilibrist.core.errors import EquilibristError
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.interfaces.cli.app import app
from equilibrist.interfaces.cli.views.search_view import print_streamed, streamed_facts
from equilibrist.search.engines.streamed import every_board
from equilibrist.search.engines.streamed.blueprint_lines import search_streamed
from equilibrist.search.engines.streamed.blueprint_trunk import deals_one_board, trunk_of
from equilibrist.search.engines.streamed.every_board import search_all_boards
from equilibrist.search.requests.request import SearchRequest
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker, FittedBuckets, lift
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.strategy import PokerBlueprint, load_blueprint
from equilibrist.solvers.responses.public_response import evaluate_public
from reference.plain_boards_apart import PlainBoards

DECK = Deck(4, 2)
LINE = "c:x:JcQdKc"


def game() -> Poker:
    rules = PokerRules(
        DECK,
        board=(0, 3),
        menus=(Menu(("100%",)), Menu(("100%",))),
        caps=(1, 1),
        hole=2,
        blinds=(100, 50),
        first=(1, 0),
        stack=1200.0,
        minimum_bet=100,
        raise_at_least_last=True,
    )
    return Poker("eight cards", rules)


@cache
def blueprint() -> PokerBlueprint:
    """Random play in four buckets a flop."""
    streets = Streets(DECK, (2, 3))
    cards = build_abstraction(make_recipe("ehs-equal", (streets.hands(0).size, 4), streets=streets))
    abstract = AbstractPoker(betting_tree(game().rules), FittedBuckets(cards))
    rng, packed = np.random.default_rng(3), np.zeros(abstract.slots, np.uint8)
    for node in abstract.tree.decisions.tolist():
        width, rows = int(abstract.tree.children[node]), cards.sizes[abstract.tree.round[node]]
        shares = np.floor(rng.dirichlet(np.ones(width), rows) * 255).astype(np.int64)
        shares[:, 0] += 255 - shares.sum(axis=1)
        first = int(abstract.first_slot[node])
        packed[first : first + width * rows] = shares.ravel()
    return PokerBlueprint(BlueprintPlan("eight cards", {}), abstract, packed)


def test_the_trunk_plays_what_the_blueprint_plays() -> None:
    tree = public_tree(game())
    policy = lift(blueprint().abstract, tree.infosets, blueprint().packed)
    best = evaluate_public(tree, policy).best_response_value
    assert best is not None
    assert [each.average for each in trunk_of(blueprint()).best] == pytest.approx(list(best), abs=1e-3)


@pytest.mark.parametrize("technique", ["resolve", "maxmargin", "unsafe", "reach-maxmargin"])
def test_all_boards_are_searched_and_measured(technique: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = search_all_boards(blueprint(), technique, 100)
    assert report.before == pytest.approx(trunk_of(blueprint()).exploitability)
    assert report.safe == (technique != "unsafe")
    if report.safe:
        assert report.after < report.before  # random play can be improved on every board
    assert streamed_facts(report)["boards"] == len(trunk_of(blueprint()).abstract.boards[1].cards)
    print_streamed(report)
    assert "exploitability" in capsys.readouterr().out


def test_one_board_is_answered_hand_by_hand() -> None:
    found = search_streamed(blueprint(), SearchRequest(LINE, technique="maxmargin", iterations=200))
    assert found.player == found.searcher == 0  # the big blind acts first on the flop
    assert found.actions[0] == "x"
    assert len(found.hands) == 10  # two of the five cards left
    assert all(sum(row) == pytest.approx(1.0) for row in found.hands.values())
    assert found.margin > 0
    assert found.tolerance == pytest.approx(0.0, abs=1e-6)
    after = search_streamed(blueprint(), SearchRequest(f"{LINE}:x", technique="maxmargin", iterations=50))
    assert after.player == after.searcher == 1


def test_even_a_few_iterations_keep_their_word() -> None:
    report = search_all_boards(blueprint(), "maxmargin", 3)
    assert report.safe
    assert report.tolerance > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("technique", ["maxmargin", "unsafe"])
def test_boards_that_are_searched_at_once_come_to_the_same(technique: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain boards in place of those on a device, in pieces of five, of which no two are there at a time."""
    one_by_one = search_all_boards(blueprint(), technique, 20)
    asked, made = list[str](), list[weakref.ref[PlainBoards]]()

    def plain_boards(*given: Any) -> PlainBoards:
        gc.collect()
        assert all(each() is None for each in made)
        boards = PlainBoards(*given)
        made.append(weakref.ref(boards))
        return boards

    def wanted(device: str, obstacle: str | None, *, streets: int) -> bool:
        asked.append(device)
        return True

    monkeypatch.setattr(every_board, "wants_gpu", wanted)
    monkeypatch.setattr(every_board, "most_boards", lambda forest, boards: 5)
    monkeypatch.setattr(every_board, "boards_on_gpu", plain_boards)
    monkeypatch.setattr(every_board, "trunk_of", lambda blueprint, threads, device: trunk_of(blueprint, threads))
    at_once = search_all_boards(blueprint(), technique, 20, device="cuda")
    assert asked == ["cuda"]
    assert len(made) > 1
    assert at_once.before == one_by_one.before
    assert at_once.after == pytest.approx(one_by_one.after, rel=1e-3)
    assert at_once.tolerance == pytest.approx(one_by_one.tolerance, rel=1e-3, abs=1e-3, nan_ok=True)


@pytest.mark.gpu
def test_a_gpu_searches_all_boards() -> None:
    cpu, gpu = (search_all_boards(blueprint(), "maxmargin", 100, device=device) for device in ("cpu", "cuda"))
    assert gpu.before == pytest.approx(cpu.before, rel=1e-4)
    assert gpu.after == pytest.approx(cpu.after, abs=0.02 * cpu.before)
    assert gpu.safe


def test_before_the_board_buckets_are_searched() -> None:
    found = search_streamed(blueprint(), SearchRequest("c:x", technique="maxmargin", iterations=200))
    assert list(found.hands) == [f"bucket {number}" for number in range(1, 5)]
    assert found.player == 0
    assert all(sum(row) == pytest.approx(1.0) for row in found.hands.values())
    assert found.margin > 0  # random play can be improved before the cards come, too
    assert found.tolerance == 0.0
    plain = search_streamed(blueprint(), SearchRequest("c:x", technique="unsafe", iterations=50))
    assert np.isnan(plain.margin)


def test_suits_may_be_renamed() -> None:
    asked = [SearchRequest(line, iterations=60) for line in (LINE, "c:x:JdQcKd")]
    one, two = (search_streamed(blueprint(), request).hands for request in asked)
    swap = str.maketrans("cd", "dc")
    other = {frozenset((hand[:2], hand[2:])): row for hand, row in two.items()}
    for hand, row in one.items():
        renamed = hand.translate(swap)
        assert other[frozenset((renamed[:2], renamed[2:]))] == pytest.approx(row)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (SearchRequest("c:x", bet="50%"), "is answered on a board"),
        (SearchRequest("c", bet="50%", searcher="1"), "itself acts"),
        (SearchRequest("c", bet="100%"), "adds nothing"),
        (SearchRequest("c", leaves="cfr-d"), "--leaves"),
        (SearchRequest("c:c:JcQdKc"), "No board comes after"),
        (SearchRequest("c:x:JcQd"), "3 cards of its deck"),
        (SearchRequest("c:x:JcQdKc:b7"), "no action 'b7'"),
        (SearchRequest("c:x:JcQdKc:x:x"), "Nobody acts"),
        (SearchRequest(LINE, depth="street"), "no depth to limit"),
        (SearchRequest(LINE, bet="75%", technique="unsafe"), "with which hands"),
        (SearchRequest(LINE, nested=True), "name it with --searcher"),
        (SearchRequest("75%", nested=True, searcher="2"), "acts from its own strategy"),
        (SearchRequest(LINE, until="1"), "--iterations"),
        (SearchRequest(LINE, technique="bold"), "no search technique"),
    ],
)
def test_clear_errors(request_: SearchRequest, says: str) -> None:
    assert deals_one_board(blueprint())
    with pytest.raises(EquilibristError, match=says):
        search_streamed(blueprint(), request_)


def test_from_training_to_search(tmp_path: Path) -> None:
    """`train` without sampling, `search` on a board, before it and everywhere; exploitability is that of `verify`."""

    def told(*words: str | Path) -> Any:
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    run, trained = tmp_path / "run", "nolimit-flop-holdem(stack=400,sizes=[1,a],ranks=4,suits=2)"
    how = ("--method", "dcfr", "--cards", "ehs-equal(sizes=all/4)", "--iterations", "20")
    told("train", "start", run, "--game", trained, *how, "--json")
    file = run / "blueprint.eqb"
    board = told("search", file, "--line", LINE, "--technique", "maxmargin", "--iterations", "20", "--json")
    assert len(board["strategy"]) == 10
    before = told("search", file, "--line", "c:x", "--iterations", "5", "--json")
    assert list(before["strategy"]) == [f"bucket {number}" for number in range(1, 5)]
    first = told("search", file, "--line", "c", "--technique", "unsafe", "--iterations", "5", "--json")
    assert first["player"] == 1
    assert len(first["strategy"]) == 16  # of four ranks four pairs, six suited and six offsuit hands
    everywhere = told("search", file, "--everywhere", "--iterations", "20", "--json")
    assert everywhere["safe"]
    tree = public_tree(load_game(trained))
    stored = load_blueprint(file)
    measured = evaluate_public(tree, lift(stored.abstract, tree.infosets, stored.packed)).exploitability
    assert everywhere["exploitability"]["before"] == pytest.approx(measured, abs=1e-3)
    refused = CliRunner().invoke(app, ["search", str(file), "--everywhere", "--line", "c"])
    assert refused.exit_code == 2
    assert "leave out --line" in " ".join(refused.stderr.split())
