"""Street forests: the reference trees to the node, and what holds in every betting tree."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import TooLargeError, UnknownNameError
from equilibrist.forms.boards.poker_streets import betting_streets
from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, StreetForest, street_forests
from equilibrist.games.poker.bet_sizes import BettingSituation, Menu
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_rules import spot_start
from equilibrist.games.spots.street_menus import street_totals

SPOTS = Path(__file__).parents[3] / "examples" / "spots"

# decision nodes, action slots, leaves per street: postflop-solver 9d1509fe (reference file 1.1)
SIZES = {
    "flop": [(10, 26, 12), (50, 130, 64), (113, 255, 163)],
    "turn": [(18, 50, 24), (57, 135, 87)],
    "river": [(44, 128, 85)],
    "xflop": [(8, 20, 10), (24, 60, 30), (72, 180, 117)],
    "xturn": [(8, 20, 10), (24, 60, 39)],
    "xriver": [(12, 32, 21)],
}


def spot(board: str = "Td9d6hQc2s", pot: float = 200, stack: float | None = 900, **keys: Any) -> Spot:
    ranges = {"oop": "AA,KQs", "ip": "QQ-77"}
    return Spot(board=board, pot=pot, stack=stack, range=ranges, **keys)


def example(name: str) -> tuple[StreetForest, ...]:
    return street_forests(Spot.from_toml(SPOTS / f"{name}.toml"))


def at(forest: StreetForest, line: str, root: int = 0) -> int:
    node = root
    for label in line.split(":"):
        node = forest.child(node, label)
    return node


@pytest.mark.parametrize("name", sorted(SIZES))
def test_reference_trees_match_to_the_node(name: str) -> None:
    assert [forest.counts for forest in example(name)] == SIZES[name]


def test_reference_menus() -> None:
    flop, turn = example("flop"), example("turn")
    assert flop[0].names(0) == ("check", "bet 120", "all-in 900")  # the geometric 115 merges into 120
    assert flop[0].labels(0) == ("x", "b120", "b900")
    assert flop[0].names(at(flop[0], "b120")) == ("fold", "call", "raise 300")
    assert turn[0].names(0) == ("check", "bet 120", "bet 216", "all-in 900")
    assert turn[0].names(at(turn[0], "b120")) == ("fold", "call", "raise 300")
    (river,) = example("river")
    assert river.names(0) == ("check", "bet 66", "bet 150", "bet 300", "all-in 900")
    assert river.names(at(river, "b66")) == ("fold", "call", "raise 165", "raise 265", "all-in 900")
    assert river.names(at(river, "b150")) == ("fold", "call", "raise 375", "raise 450", "all-in 900")
    assert river.names(at(river, "b300")) == ("fold", "call", "all-in 900")


def test_donk_menus_are_used_after_oop_called_only() -> None:
    bets = {"bet": "60%", "raise": "a", "river": {"donk": "25%"}}
    turn, river = street_forests(spot("Td9d6hQc", bets=bets))

    def opening(line: str) -> tuple[str, ...]:
        return river.labels(int(turn.next_root[at(turn, line)]))

    assert opening("x:b120:c") == ("x", "b110")  # 25 % of 440
    assert opening("x:x") == ("x", "b120")
    assert opening("b120:c") == ("x", "b264")  # IP called
    called = int(turn.next_root[at(turn, "x:b120:c")])
    assert river.labels(at(river, "x", called)) == ("x", "b264")  # IP's own bet is no donk


def test_players_have_their_own_menus() -> None:
    (river,) = street_forests(spot(bets={"bet": "50%", "river": {"ip": {"bet": "75%", "raise": "3x"}}}))
    assert river.labels(0) == ("x", "b100")
    assert river.labels(at(river, "x")) == ("x", "b150")
    assert river.labels(at(river, "b100")) == ("f", "c", "r300")
    assert river.labels(at(river, "x:b150")) == ("f", "c")


def test_all_in_before_the_river_passes_through_the_streets() -> None:
    flop, turn, river = street_forests(spot("Td9d6h", bets={"bet": "a"}))
    node = at(flop, "b900:c")
    assert flop.kind[node] == DEAL
    root = int(flop.next_root[node])
    assert (turn.kind[root], turn.parent[root], turn.children[root]) == (DEAL, -1, 0)
    assert turn.line(root) == "b900:c/"
    last = int(turn.next_root[root])
    assert river.kind[last] == SHOWDOWN
    assert river.line(last) == "b900:c//"
    assert (river.win[last], river.lose[last], river.tie[last]) == (1000, -1000, 0)
    # flop: OOP, IP after a check, two called all-ins, ...; roots where nobody acts count nowhere
    assert flop.counts == (4, 8, 4)
    assert turn.counts == (4, 8, 4)
    assert river.counts == (4, 8, 5)


def test_a_street_without_all_in_has_no_called_all_in_among_its_leaves() -> None:
    turn, _ = street_forests(spot("Td9d6hQc", bets={"bet": "50%", "river": {"bet": "a"}}))
    assert turn.counts == (4, 8, 2)  # two folds; calls and checks go on


def test_payoffs_without_rake() -> None:
    (river,) = street_forests(spot(bets={"bet": "50%", "raise": "3x"}))
    fold, call = at(river, "b100:r300:f"), at(river, "b100:r300:c")
    assert (river.kind[fold], river.folder[fold]) == (FOLD, 0)
    assert tuple(river.paid[fold]) == (100, 300)
    assert (river.stake[fold], river.win[fold], river.lose[fold]) == (200, 200, -200)  # the uncalled 200 go back
    assert (river.kind[call], river.folder[call]) == (SHOWDOWN, -1)
    assert (river.stake[call], river.win[call], river.lose[call], river.tie[call]) == (400, 400, -400, 0)
    assert (river.win[0], river.lose[0], river.tie[0]) == (0, 0, 0)


def test_payoffs_with_rake() -> None:
    (river,) = street_forests(spot(bets={"bet": "50%", "raise": "3x"}, rake={"rate": 0.05, "cap": 30}))
    checked, fold, call = at(river, "x:x"), at(river, "b100:f"), at(river, "b100:r300:c")
    assert (river.win[checked], river.lose[checked], river.tie[checked]) == (90, -100, -5)  # 5 % of 200
    assert (river.win[fold], river.lose[fold]) == (90, -100)
    assert (river.win[call], river.lose[call], river.tie[call]) == (370, -400, -15)  # 40 of 800, but at most 30


def test_unequal_stacks_play_the_smaller_one() -> None:
    ranges = {"oop": "AA", "ip": "KK"}
    keys: dict[str, Any] = {"board": "Td9d6hQc2s", "pot": 200, "range": ranges, "bets": {"bet": "a"}}
    (river,) = street_forests(Spot(**keys, stacks={"oop": 1500, "ip": 900}))
    assert river.names(0) == ("check", "all-in 900")


def test_fixed_limit_with_a_cap() -> None:
    betting = {"kind": "limit", "size": {"turn": 4, "river": 8}, "cap": {"turn": 2, "river": 4}}
    turn, river = street_forests(spot("Td9d6hQc", pot=8, stack=None, betting=betting))
    assert turn.labels(0) == ("x", "b4")
    assert turn.labels(at(turn, "b4")) == ("f", "c", "r8")
    assert turn.labels(at(turn, "b4:r8")) == ("f", "c")
    assert river.labels(at(river, "b8:r16:r24")) == ("f", "c", "r32")
    assert river.labels(at(river, "b8:r16:r24:r32")) == ("f", "c")
    # a round with cap n has 2 + 2n decision points and 1 + 2n continuations (as in Leduc, chained)
    assert turn.counts == (6, 14, 4)
    assert (turn.kind == DEAL).sum() == 5
    assert river.counts == (5 * 10, 5 * (4 + 3 * 6 + 2 * 2), 5 * (9 + 8))


def test_fixed_limit_ends_all_in_when_the_stack_is_short() -> None:
    (river,) = street_forests(spot(pot=8, stack=10, betting={"kind": "limit", "size": 4}))
    assert river.names(at(river, "b4:r8")) == ("fold", "call", "all-in 10")


def test_raise_cap_in_no_limit() -> None:
    (river,) = street_forests(spot(stack=9000, bets={"bet": "50%", "raise": "3x"}, betting={"cap": 2}))
    assert river.labels(at(river, "b100:r300")) == ("f", "c")
    (free,) = street_forests(spot(stack=9000, bets={"bet": "50%", "raise": "3x"}))
    assert free.labels(at(free, "b100:r300")) == ("f", "c", "r900")


def test_fractions_of_chips() -> None:
    (river,) = street_forests(spot(pot=5.5, stack=97.4, bets={"bet": "33%, e", "raise": "2.5x"}, chip=0.01))
    assert river.names(0) == ("check", "bet 1.82", "all-in 97.4")
    assert river.labels(at(river, "b1.82")) == ("f", "c", "r4.55")
    (exact,) = street_forests(spot(pot=5.5, stack=97.4, bets={"bet": "33%"}, chip=0))
    assert exact.labels(0) == ("x", "b1.815")


def test_actions_by_label_and_by_name() -> None:
    (river,) = example("river")
    assert {river.child(0, text) for text in ("x", "check", "Check")} == {1}
    assert {river.child(0, text) for text in ("b66", "bet 66")} == {2}
    assert {river.child(0, text) for text in ("b900", "a", "all-in", "all-in 900")} == {5}
    with pytest.raises(
        UnknownNameError, match=r"no action 'b67' after ''; expected one of x \(check\), b66 \(bet 66\)"
    ):
        river.child(0, "b67")
    with pytest.raises(UnknownNameError, match="no action 'bet'"):  # which of three?
        river.child(0, "bet")
    with pytest.raises(UnknownNameError, match="after 'x:x'; expected one of none"):
        river.child(at(river, "x:x"), "x")


def test_lines() -> None:
    flop, turn, river = example("flop")
    node = at(flop, "x:b120:c")
    assert flop.line(node) == "x:b120:c"
    root = int(flop.next_root[node])
    assert turn.line(root) == "x:b120:c/"
    node = at(turn, "x:x", root)
    assert turn.line(node) == "x:b120:c/x:x"
    assert river.line(at(river, "x", int(turn.next_root[node]))) == "x:b120:c/x:x/x"


def test_lines_are_told_apart() -> None:
    for forests in (example("flop"), example("xflop")):
        lines = [forest.line(node) for forest in forests for node in range(len(forest))]
        assert len(set(lines)) == len(lines)


def test_menus_that_never_end_are_refused() -> None:
    endless = spot(stack=1e6, bets={"bet": "1c, 2c, 3c", "raise": "1c, 2c, 3c"})
    with pytest.raises(TooLargeError, match="betting on the river has more than 2,000 nodes; offer fewer sizes"):
        street_forests(endless, largest=2000)


@pytest.mark.parametrize("board", ["Td9d6h", "Td9d6hQc", "Td9d6hQc2s"])
def test_spots_and_games_are_bet_by_the_same_rules(board: str) -> None:
    """A spot without rounding, and a game whose ante is half the pot: the same forests, but for what is paid before."""
    forests = street_forests(spot(board, bets={"bet": "100%, a", "raise": "100%, a"}, chip=0))
    rounds = len(forests)
    rules = PokerRules(
        Deck(),
        board=(0,) + (1,) * (rounds - 1),
        menus=(Menu(("100%", "a")),) * rounds,
        caps=(math.inf,) * rounds,
        hole=2,
        ante=100,
        stack=1000,
        minimum_bet=1,
        raise_at_least_last=True,
    )
    game = betting_streets(rules)
    assert len(game) == rounds
    for here, there in zip(forests, game, strict=True):
        for name in ("kind", "parent", "first_child", "children", "slot", "folder", "next_root", "levels"):
            assert np.array_equal(getattr(here, name), getattr(there, name)), name
        for name in ("stake", "win", "lose", "tie"):
            assert np.array_equal(getattr(here, name), getattr(there, name)), name
        assert np.array_equal(here.paid, there.paid - 100)
        assert (here.action, here.name, here.before) == (there.action, there.name, there.before)


def test_who_called_is_known_in_the_next_round() -> None:
    start = spot_start(spot("Td9d6hQc", bets={"bet": "50%", "raise": "a"}))
    called = start.play("b100").play("c").after_deal
    assert called.caller == 1
    answered = start.play("x").play("b100").play("c").after_deal
    assert answered.caller == 0
    assert answered.play("x").caller == 0
    assert start.play("x").play("x").after_deal.caller == -1


def naive(here: Spot) -> dict[str, tuple[int, tuple[float, float]]]:
    """Every line and where it ends, by plain recursion over streets; sizes are asked of the menus one by one."""
    ends: dict[str, tuple[int, tuple[float, float]]] = {}

    def walk(street: int, line: str, paid: list[float], start: float, player: int, acted: int, bets: int, donk: bool):
        if street == 3:
            ends[line] = (SHOWDOWN, (paid[0], paid[1]))
            return
        dealt = "/" if street < 2 else ""
        if start >= here.stack:
            walk(street + 1, line + dealt, paid, start, 0, 0, 0, False)
            return
        joined = line if not line or line.endswith("/") else line + ":"
        other, facing = 1 - player, paid[1 - player] - start
        matched = [paid[other], paid[other]]
        if paid[other] > paid[player]:
            ends[joined + "f"] = (FOLD, (paid[0], paid[1]))
            walk(street + 1, joined + "c" + dealt, matched, matched[0], 0, 0, 0, player == 0)
        elif acted:
            walk(street + 1, joined + "x" + dealt, paid, start, 0, 0, 0, False)
        else:
            walk(street, joined + "x", paid, start, 1, 1, 0, donk)
        cap = here.betting.cap[street - here.street]
        if paid[other] >= here.stack or (cap and bets >= cap):
            return
        own = here.menus[street - here.street][player]
        menu = own.raises if facing else own.donk if donk and player == 0 else own.bet
        owed, behind = paid[other] - paid[player], here.stack - paid[other]
        turn = BettingSituation(here.pot + 2 * paid[other], owed, behind, owed, bet=facing, rounds=3 - street)
        for total in street_totals(menu, turn, here.thresholds, here.chip):
            raised = list(paid)
            raised[player] = start + total
            label = f"{'r' if facing else 'b'}{total:g}"
            walk(street, joined + label, raised, start, other, 1, bets + 1, donk)

    walk(here.street, "", [0.0, 0.0], 0.0, 0, 0, 0, False)
    return ends


menus = st.sampled_from(["", "50%", "a", "33%, 100%", "60%, e, a", "75c"])
raise_menus = st.sampled_from(["", "2.5x", "a", "100%", "3x, a"])


@settings(max_examples=40, deadline=None)
@given(
    board=st.sampled_from(["Td9d6h", "Td9d6hQc", "Td9d6hQc2s"]),
    oop=st.fixed_dictionaries({"bet": menus, "raise": raise_menus, "donk": menus}),
    ip=st.fixed_dictionaries({"bet": menus, "raise": raise_menus}),
    pot=st.integers(10, 300),
    stack=st.integers(5, 1500),
    cap=st.sampled_from([0, 2, 3]),
    merge=st.sampled_from([0.0, 0.1]),
)
def test_forests_are_sound(
    board: str, oop: dict[str, str], ip: dict[str, str], pot: int, stack: int, cap: int, merge: float
) -> None:
    bets = {"bet": "50%", **{name: {"oop": oop, "ip": ip} for name in ("flop", "turn", "river")}}
    bets["river"] = {"oop": oop, "ip": {**ip, "bet": "80%"}}
    here = spot(board, pot, stack, bets=bets, betting={"cap": cap}, thresholds={"merge": merge, "force_allin": 0.1})
    forests = street_forests(here)
    for forest in forests:
        check_shape(forest)
    for before, after in itertools.pairwise(forests):
        deals = np.flatnonzero(before.kind == DEAL)
        assert before.next_root[deals].tolist() == list(range(after.roots))
        assert np.array_equal(before.paid[deals], after.paid[: after.roots])
        assert [before.line(int(n)) + "/" for n in deals] == list(after.before)
    ends = {
        forest.line(int(n)): (int(forest.kind[n]), (float(forest.paid[n, 0]), float(forest.paid[n, 1])))
        for forest in forests
        for n in np.flatnonzero((forest.kind == FOLD) | (forest.kind == SHOWDOWN))
    }
    assert ends == naive(here)


def check_shape(forest: StreetForest) -> None:
    nodes = np.arange(len(forest))
    acting = forest.kind <= 1
    assert np.array_equal(acting, forest.children > 0)
    assert np.array_equal(acting, forest.first_child >= 0)
    # breadth first: children follow one another as their parents do, and fill everything after the roots
    first, count = forest.first_child[acting], forest.children[acting]
    assert np.array_equal(first, forest.roots + np.cumsum(count) - count)
    assert np.array_equal(forest.parent[forest.roots :], np.repeat(nodes[acting], count))
    assert (forest.parent[: forest.roots] == -1).all()
    assert (forest.parent < nodes).all()
    assert (forest.levels[0], forest.levels[1], forest.levels[-1]) == (0, forest.roots, len(forest))
    for top, bottom in zip(forest.levels[1:-1], forest.levels[2:], strict=True):
        assert (forest.parent[top:bottom] < top).all()
    for player in (0, 1):
        own = forest.kind == player
        assert np.array_equal(forest.slot[own], np.cumsum(forest.children[own]) - forest.children[own])
        assert forest.slots[player] == forest.children[own].sum()
    assert (forest.slot[~acting] == -1).all()
    assert np.array_equal(forest.folder >= 0, forest.kind == FOLD)
    assert (forest.paid <= forest.stack).all()
    assert np.array_equal(forest.win, -forest.lose)
    with pytest.raises(ValueError, match="read-only"):
        forest.kind[0] = 0
