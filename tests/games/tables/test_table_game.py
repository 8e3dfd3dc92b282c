"""Tables as games: real cards for every seat, betting by the menus, boards run out."""

import itertools
import random

import numpy as np
import pytest

from equilibrist.agents.matches.match import MatchSettings, play_match
from equilibrist.cards.evaluator import evaluate
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.core.errors import NotApplicableError
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.games.tables.betting import play_line
from equilibrist.games.tables.table import Table
from equilibrist.games.tables.table_game import NOT_DEALT, TableGame
from equilibrist.solvers.tables.solve_table import solve_table
from equilibrist.testing.games import check_game
from reference.naive_pots import naive_settlement

RAISES = {"open": "2.5x", "3bet": "a", "limp": True}
TABLES = {
    "heads-up": {"seats": 2, "stack": 10, "blinds": [0.5, 1]},
    "raises": {"stacks": [20, 6, 12], "blinds": [1, 2], "ante": 0.5, "menu": RAISES, "straddle": 4},
    "prizes": {"stacks": [10, 6, 14, 3], "blinds": [0.5, 1], "payouts": [50, 30, 20], "range": {"SB": "TT+,AK", "BB": "22+,72o:0.5"}},
    "all stay": {"stacks": [10, 6, 14, 3], "blinds": [0.5, 1], "players_to_flop": 4, "payouts": [50, 30]},
    "rake": {"stacks": [20, 20], "blinds": [0.5, 1], "menu": RAISES, "rake": {"rate": 0.05, "cap": 1}},
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_a_game(name):
    game = TableGame(Table(**TABLES[name]))
    check_game(game, histories=30)
    assert load_game(game.name).name == game.name
    assert game.seat_names == game.table.names


@pytest.mark.parametrize("name", TABLES)
def test_chips_and_prizes_are_kept(name):
    table = Table(**TABLES[name])
    game = TableGame(table)
    for seed in range(60):
        state, rng = game.start(), random.Random(seed)
        while state.player != TERMINAL:
            if state.player >= 0:
                chips = state.chips(state.player)
                assert chips.pot + sum(chips.behind) == pytest.approx(sum(table.stacks))
                assert STANDARD.size - len({*chips.hole}) == 50
            count = len(state.actions())
            state = state.child(state.sample_chance(rng) if state.player == CHANCE else rng.randrange(count))
        paid = sum(state.returns())
        if name == "rake":
            assert -1.0 <= paid <= 1e-9
        else:
            assert paid == pytest.approx(table.prize_pool, abs=1e-6)
        if state.board:
            held = [
                card for hand in state.hands for card in (hands_of(STANDARD).low[hand], hands_of(STANDARD).high[hand])
            ]
            assert len({*held, *state.board}) == 2 * table.seats + 5
            assert set(state.shown()) == set(state.here.staying)


def test_four_hands_are_paid_as_unit_by_unit():
    """The same end with many deals: side pots among four, in whatever order they rank."""
    game = TableGame(Table(**{**TABLES["all stay"], "payouts": []}))
    end, held, rng = play_line(game.table, "a:c:c:c"), hands_of(STANDARD), np.random.default_rng(1)
    for _ in range(40):
        deck = rng.permutation(52)
        cards = [sorted(deck[2 * seat : 2 * seat + 2].tolist()) for seat in range(4)]
        hands = [int(np.flatnonzero((held.low == low) & (held.high == high))[0]) for low, high in cards]
        board = deck[8:13].tolist()
        strength = evaluate(np.array([[*pair, *board] for pair in cards], dtype=np.uint8)).tolist()
        net = naive_settlement([10, 6, 14, 3], [False] * 4, strength, whole=False)
        assert game.payoffs(end, hands, board) == pytest.approx([float(each) for each in net], abs=1e-8)


def test_hands_of_ranges_are_dealt_as_often_as_their_weights_say():
    """Against all triples of hands, listed."""
    ranges = {"BTN": "AA,AKs:0.5,KK:0.25", "SB": "AKs,AKo:0.75,QQ", "BB": "KK,AA:0.5,AQs"}
    table = Table(stacks=[10, 10, 10], blinds=[0.5, 1], range=ranges)
    deals, hands = TableGame(table).deals, hands_of(STANDARD)
    bits = [(1 << int(low)) | (1 << int(high)) for low, high in zip(hands.low, hands.high, strict=True)]
    weights = [{int(h): float(each.weights[h]) for h in np.flatnonzero(each.weights)} for each in table.ranges]
    listed = {
        deal: weights[0][deal[0]] * weights[1][deal[1]] * weights[2][deal[2]]
        for deal in itertools.product(*weights)
        if not (bits[deal[0]] & bits[deal[1]] or bits[deal[0]] & bits[deal[2]] or bits[deal[1]] & bits[deal[2]])
    }
    total = sum(listed.values())
    dealt, waiting = {}, [((NOT_DEALT,) * 3, 1.0)]
    while waiting:
        held, chance = waiting.pop()
        if NOT_DEALT not in held:
            dealt[held] = chance
            continue
        seat = deals.next_seat(held)
        for hand, share in zip(*deals.next_hands(held), strict=True):
            waiting.append(((*held[:seat], int(hand), *held[seat + 1 :]), chance * share))
    assert dealt.keys() == listed.keys()
    for deal, chance in dealt.items():
        assert chance == pytest.approx(listed[deal] / total, rel=1e-9)


def test_how_it_was_solved_is_no_part_of_the_rules():
    plain = Table(stacks=[10, 10, 10], blinds=[0.5, 1])
    for other in ({"bunching": True}, {"three_way": "table"}, {"lock": [{"line": "f", "strategy": {"a": 1.0}}]}):
        assert TableGame(plain.changed(**other)).name == TableGame(plain).name
    prizes = plain.changed(payouts=[50, 30, 20])
    assert TableGame(prizes.changed(fgs=1)).name == TableGame(prizes).name != TableGame(plain).name
    with pytest.raises(NotApplicableError, match="goes on after the flop"):
        TableGame(Table(stacks=[10, 10], blinds=[0.5, 1], menu=RAISES, leaves={"flops": 25}))
    many = dict.fromkeys(("CO", "BTN", "SB", "BB"), "22+")
    with pytest.raises(NotApplicableError, match="4 seats of this table have ranges of their own"):
        TableGame(Table(stacks=[10] * 4, blinds=[0.5, 1], range=many))


@pytest.mark.parametrize(("name", "hands"), [("heads-up", 5000), ("prizes", 2000)])
def test_seats_that_play_the_solution_win_what_it_says(name, hands, tmp_path):
    """Cards, betting and pots hand by hand against the solver's sums over classes; four standard errors, and what the model leaves out."""
    solution = solve_table(Table(**TABLES[name]), iterations=60)
    solution.save(tmp_path / "t.eqb")
    file = str(tmp_path / "t.eqb")
    game = TableGame(solution.table)
    result = play_match(MatchSettings((file,) * game.players, game.name, hands=hands, block=1000))
    scale = game.big_blind or 1.0
    missing = 0.0 if name == "heads-up" else 0.05  # prize money
    for found, value in zip(result.estimates, solution.value, strict=True):
        assert abs(found.mean / scale - value) <= 4.0 * found.error / scale + missing
    assert result.faults == (0,) * game.players
    assert result.seats == solution.table.names
