"""Full poker games on boards: the same numbers as through the trees of the rules."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.cards.deck import Deck
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError, TooLargeError, UnknownNameError
from equilibrist.evaluation.verification.boards import verify_boards
from equilibrist.forms.boards.poker_streets import betting_streets, deal_of
from equilibrist.forms.boards.street_betting import DEAL
from equilibrist.forms.boards.street_boards import board_after, deal_boards
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.family import leduc
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.cfr.warm_start import substitute_values
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy, Place
from equilibrist.solvers.postflop.solutions.game_solution import load_board_solution
from equilibrist.solvers.postflop.solve_game import start_boards
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.postflop.warm_start import start_from_averages
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.responses.best_response import evaluate_policy

# values by LP on the sequence form: Leduc recomputed, Kuhn exact, the others measured by `lp` below
SMALL = (
    "kuhn",
    "leduc",
    "leduc(suits=merged)",
    "leduc(ranks=3,suits=3)",
    "nolimit-leduc(stack=5)",
    "rhode-island(ranks=2,suits=2)",
    "rhode-island(ranks=5,suits=1)",
    "flop-holdem(ranks=7,suits=1)",
    pytest.param("flop-holdem(ranks=4,suits=2)", marks=pytest.mark.slow),
    pytest.param("turn-endgame-holdem(ranks=9,suits=1,stack=300)", marks=pytest.mark.slow),
)


def _solve(name, iterations=200, solver="dcfr(on=boards)", **settings):
    return eq.solve(name, solver, iterations=iterations, **settings)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.sampled(1)
def test_policy_is_worth_what_the_boards_say(name):
    """The policy read out of the boards, evaluated on the tree of the rules by code that knows no boards."""
    solution = _solve(name, 60)
    again = evaluate_policy(eq.compiled(name), solution.tabular())
    close = 1e-6 * float(np.abs(eq.compiled(name).tree.returns).max())  # single precision
    assert solution.value == pytest.approx(again.value, abs=close)
    assert solution.evaluation.best_response_value == pytest.approx(again.best_response_value, abs=close)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc(suits=merged)", "rhode-island(ranks=2,suits=2)"])
def test_bounds_hold_the_value_of_the_lp(name):
    exact = eq.solve(name, "lp").value[0]
    solution = _solve(name, 400)
    low, high = solution.bounds
    assert low - 1e-4 <= exact <= high + 1e-4
    assert high - low < 0.02 * (eq.load_game(name).pot or 1)


def test_leduc_has_the_known_value():
    solution = _solve("leduc", 2000, "dcfr(on=boards)")
    assert solution.value[0] == pytest.approx(-0.0856064, abs=2e-4)  # by linear program
    assert solution.infosets == 936


def test_merged_suits_are_isomorphic_ones():
    apart, merged = _solve("leduc", 50), _solve("leduc(suits=merged)", 50)
    assert apart.value == merged.value
    assert merged.policy["K:x:b"] == pytest.approx(apart.policy["Kc:x:b"], abs=1e-5)
    assert merged.policy["K:x:x:K"] == pytest.approx(apart.policy["Kc:x:x:Kd"], abs=1e-5)


# hands that are alike but for suits are nearly indifferent here: they must play alike to the last digit
NEAR_TIES = PokerRules(
    Deck(2, 3), (0, 2), (Menu(("100%",)),) * 2, (1, 2), hole=2, ante=1.0, blinds=(1.0, 0.5), minimum_bet=1.0
)


@st.composite
def small_rules(draw):
    """Games with at most some thousand histories per deal: any mix of decks, deals, blinds and bets."""
    hole = draw(st.integers(1, 2))
    deck = Deck(draw(st.integers(2, 4)), draw(st.integers(1, 3)))
    board = draw(st.sampled_from([(0,), (0, 1), (0, 2), (0, 1, 1), (0, 3), (0, 0, 1)]))
    assume(2 * hole + sum(board) <= deck.size <= 9)
    menu = draw(st.sampled_from([Menu(("1c",)), Menu(("50%", "a")), Menu(("100%",)), Menu(("2c", "a"))]))
    finite = "a" in menu.tokens
    return PokerRules(
        deck,
        board=board,
        menus=(menu,) * len(board),
        caps=tuple(draw(st.integers(0, 2)) for _ in board),
        hole=hole,
        ante=1.0,
        blinds=draw(st.sampled_from([(), (1.0, 0.5), (0.0, 1.0)])),
        first=tuple(draw(st.integers(0, 1)) for _ in board),
        stack=6.0 if finite else float("inf"),
        minimum_bet=1.0,
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(small_rules(), st.integers(1, 40))
@example(NEAR_TIES, 3)
def test_any_small_game_agrees_with_its_tree(rules, iterations):
    game = Poker("generated", rules)
    if game.histories() > 8_000:
        return
    solution = eq.solve(game, "dcfr(on=boards)", iterations=iterations)
    again = evaluate_policy(eq.compiled(game), solution.tabular())
    assert solution.value == pytest.approx(again.value, abs=3e-5)
    assert solution.evaluation.best_response_value == pytest.approx(again.best_response_value, abs=3e-5)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["rhode-island(ranks=3,suits=3)", "flop-holdem(ranks=3,suits=3)"])
def test_isomorphic_boards_are_worth_what_all_boards_are(name):
    """One policy, on kept boards and written out on all of them: rounding sends two runs apart, not two evaluations."""
    game = eq.load_game(name)
    rules, forests, deal = game.rules, betting_streets(game.rules), deal_of(game.rules)
    weights, schedule = [np.ones(len(deal.hands))] * 2, make_solver("dcfr").schedule
    merged, plain = (BoardCFR(forests, deal, weights, schedule, isomorphism=alike) for alike in (True, False))
    merged.advance(30)
    policy = BoardPolicy(game, forests, lambda: merged)
    for depth, street in enumerate(plain.streets):
        for board, cards in enumerate(street.boards.cards):
            at = _walk_to(policy, rules, cards)
            for node in np.flatnonzero(forests[depth].kind < 2):
                player = int(forests[depth].kind[node])
                _write(street, player, board, int(node), deal, policy, replace(at, node=int(node)))
    found, expected = merged.evaluate(), plain.evaluate()
    assert found.value == pytest.approx(expected.value, rel=1e-5, abs=1e-5)
    assert found.best_response_value == pytest.approx(expected.best_response_value, rel=1e-5, abs=1e-5)
    assert merged.memory_bytes < plain.memory_bytes / 2


def _walk_to(policy, rules, cards):
    """A place on the board of these cards, whatever the betting."""
    at = Place()
    for count in (cards for cards in rules.board if cards):
        dealt, cards = cards[:count], cards[count:]
        if not dealt:
            break
        deals = np.flatnonzero(policy.forests[len(at.path)].kind == DEAL)
        at = policy.deal(replace(at, node=int(deals[0])), dealt)
    return at


def _write(street, player, board, node, deal, policy, place):
    """A policy's strategy at one node into the average table of another run."""
    own, first = street.boards.player[player], int(street.forest.slot[node])
    table = policy.table(place, player)
    rows = {int(hand): row for hand, row in zip(policy.hands(place, player), table, strict=True)}
    average = street.tables[player].average.reshape(street.shape(player))[board]
    for spot in range(int(own.count[board])):
        block, lane = divmod(spot, own.block)
        average[block, first : first + table.shape[1], lane] = rows[int(own.pair[board, spot])]


def test_boards_are_counted_as_in_the_literature():
    """1,755 flops ([Ganzfried15, §6.1.2]); in Rhode Island 13 and 325 boards."""
    flops = deal_boards(deal_of(eq.load_game("flop-holdem").rules), [np.ones(1326)] * 2)
    assert [len(street.cards) for street in flops] == [1, 1755]
    assert flops[1].copies.sum() == 22100
    island = deal_boards(deal_of(eq.load_game("rhode-island").rules), [np.ones(52)] * 2)
    assert [len(street.cards) for street in island] == [1, 13, 325]
    assert [int(street.copies.sum()) for street in island[1:]] == [52, 325 + 26 * 13]


def test_every_deal_finds_its_board():
    rules = eq.load_game("rhode-island(ranks=3,suits=4)").rules
    deal, weights = deal_of(rules), [np.ones(12)] * 2
    streets = deal_boards(deal, weights)
    for flop in range(12):
        first, move = board_after(deal, streets, weights, (), [flop])
        assert streets[1].cards[first] == (move[flop],)
        for turn in range(12):
            if turn == flop:
                continue
            second, further = board_after(deal, streets, weights, (first,), [int(move[turn])])
            assert streets[2].cards[second] == (further[move[flop]], further[move[turn]])


def test_threads_and_sixteen_bits_agree():
    one = _solve("rhode-island(ranks=5,suits=3)", 50)
    two = _solve("rhode-island(ranks=5,suits=3)", 50, threads=2)
    half = _solve("rhode-island(ranks=5,suits=3)", 50, bits=16)
    for other in (two, half):  # rounding differs, so strategies drift apart, but not how good they are
        assert other.exploitability == pytest.approx(one.exploitability, rel=0.1)
        assert max(other.bounds[0], one.bounds[0]) < min(other.bounds[1], one.bounds[1])
    assert half.memory_bytes < 0.65 * one.memory_bytes  # boards of 15 hands: a scale for 16


def test_four_streets_go_through_the_same_engine():
    """Three deals of one card each: the levels above the last two streets, and four-card hands, which no table ranks."""
    menu = Menu(("1c",))
    rules = PokerRules(Deck(3, 2), board=(0, 1, 1, 1), menus=(menu,) * 4, caps=(1, 0, 1, 1), ante=1.0)
    game = Poker("four streets", rules)
    solution = eq.solve(game, "dcfr(on=boards)", iterations=20)
    again = evaluate_policy(eq.compiled(game), solution.tabular())
    assert solution.value == pytest.approx(again.value, abs=1e-5)
    assert solution.evaluation.best_response_value == pytest.approx(again.best_response_value, abs=1e-5)


@pytest.mark.parametrize("name", ["leduc", "rhode-island(ranks=3,suits=3)", "flop-holdem(ranks=4,suits=2)"])
def test_a_second_opinion_agrees_and_notices(name):
    solution = _solve(name, 20)
    assert verify_boards(solution).agrees
    wrong = replace(solution, evaluation=replace(solution.evaluation, value=(0.1, -0.1)))
    assert not verify_boards(wrong).agrees


def test_save_open_and_go_on(tmp_path):
    whole = _solve("leduc", 120)
    _solve("leduc", 60).save(tmp_path / "half.eqb")
    opened = eq.load_solution(tmp_path / "half.eqb")
    assert opened.policy["Kc:x"] == _solve("leduc", 60).policy["Kc:x"]
    assert opened.evaluation == _solve("leduc", 60).evaluation
    on = eq.solve("leduc", "dcfr(on=boards)", iterations=120, resume=opened)
    assert on.value == whole.value
    data = (tmp_path / "half.eqb").read_bytes()
    (tmp_path / "cut.eqb").write_bytes(data[: len(data) // 2])
    with pytest.raises(FormatError, match=r"cut\.eqb"):
        load_board_solution(tmp_path / "cut.eqb")
    with pytest.raises(FormatError, match="'dcfr"):
        eq.solve("leduc", "cfr+(on=boards)", iterations=10, resume=opened)


def test_large_games_choose_boards_by_themselves():
    solution = eq.solve("rhode-island(ranks=6,suits=4)", iterations=3)
    assert solution.settings["representation"] == "boards"
    assert eq.solve("leduc", iterations=3).settings["representation"] == "sequence"


@pytest.mark.parametrize(
    ("game", "solver", "problem", "words"),
    [
        ("kuhn(players=3)", "dcfr(on=boards)", NotApplicableError, "3 players"),
        ("liars-dice", "dcfr(on=boards)", NotApplicableError, "Only poker games"),
        ("leduc", "cfr(on=boards,pruning=partial)", NotApplicableError, r"offered as cfr\(pruning=rbp\)"),
        ("limit-holdem", "dcfr", TooLargeError, "final boards"),
        ("nolimit-flop-holdem(stack=200000)", "dcfr", TooLargeError, "fewer bet sizes"),
    ],
)
def test_refusals(game, solver, problem, words):
    with pytest.raises(problem, match=words):
        eq.solve(game, solver, iterations=1)


def test_what_boards_do_not_have_is_refused():
    profile = _solve("leduc", 5)
    with pytest.raises(NotApplicableError, match="on boards only"):
        eq.solve("leduc", "cfr", iterations=50, warm_start=profile)
    with pytest.raises(NotApplicableError, match="keep_best"):
        eq.solve("leduc", "dcfr(on=boards)", iterations=5, keep_best=True)
    with pytest.raises(UnknownNameError, match="a card comes there"):
        profile.policy["Kc:x:x"]
    with pytest.raises(UnknownNameError, match="the hand is over there"):
        profile.policy["Kc:b:f"]


def test_memory_limits_are_numbers(monkeypatch):
    for text in ("abc", "-5", "nan"):
        monkeypatch.setenv("EQUILIBRIST_MEMORY", text)
        with pytest.raises(ParameterError, match="EQUILIBRIST_MEMORY"):
            start_boards(eq.load_game("rhode-island"), "dcfr")


def test_tables_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setenv("EQUILIBRIST_MEMORY", "1e6")
    with pytest.raises(TooLargeError, match="0.0 GB are available"):
        start_boards(eq.load_game("rhode-island"), "dcfr")


def test_places_that_do_not_exist():
    policy = _solve("leduc", 5).policy
    for key in ("Kc:b:b", "2c:x", "Kc:x:x:Kc:x", "Kc:x:x", "Kc:x:x:7d"):
        with pytest.raises(UnknownNameError):
            policy[key]
    with pytest.raises(UnknownNameError, match="Player 1"):
        policy.at("x", 0)
    assert policy.at("x:x:Kd", 0).shape == (5, 2)


@pytest.mark.slow
def test_rhode_island_meets_the_proven_bracket():
    """The full game is worth -65.679 to -65.572 chips to player 1 (recomputed)."""
    low, high = _solve("rhode-island", 400, threads=2).bounds
    assert low <= -65.572
    assert high >= -65.679
    assert high - low < 2.0


def test_leduc_value_object_needs_no_name():
    assert eq.solve(leduc(ranks=4), "dcfr(on=boards)", iterations=20).exploitability < 1.0


def test_warm_starts_stand_for_iterations():
    """[Brown20, §3.2]: the same substitute values as on the tree at lambda = 0, and a run that goes on as if nothing had happened."""
    profile = _solve("leduc", 100, "cfr(on=boards)")
    exact = substitute_values("leduc", profile.tabular(), 100, 0.0)
    run = start_boards(eq.load_game("leduc"), "cfr")
    for mine, theirs in zip(run.streets, profile.policy.run.streets, strict=True):
        for tables, others in zip(mine.tables, theirs.tables, strict=True):
            tables.average[:] = others.average
    assert start_from_averages(run, 100, 0.0).values == pytest.approx(exact.values, abs=1e-5)
    warm = eq.solve("leduc", "cfr(on=boards)", iterations=1000, warm_start=profile, warm_iterations=100)
    assert warm.iterations == 1000
    through = _solve("leduc", 1000, "cfr(on=boards)")
    assert warm.exploitability < 1.35 * through.exploitability
    with pytest.raises(NotApplicableError, match="too exploitable"):
        eq.solve("leduc", "cfr(on=boards)", iterations=10**6, warm_start=_solve("leduc", 2), warm_iterations=900_000)
    with pytest.raises(NotApplicableError, match="'leduc'"):
        eq.solve("kuhn", "cfr(on=boards)", iterations=10, warm_start=profile)
