"""Spots of other programs: TexasSolver command files, Libratus subgames."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from equilibrist.cards.ranges import hand_number
from equilibrist.core.errors import EquilibristError, FormatError
from equilibrist.forms.boards.street_betting import DEAL, FOLD, SHOWDOWN, street_forests
from equilibrist.games.spots.imports import IGNORED_COMMANDS, spot_from_subgame, spot_from_texas_solver
from equilibrist.games.spots.spot import Spot

# --- TexasSolver ---------------------------------------------------------------------------------------------------

COMMANDS = """set_pot 50
set_effective_stack 200
set_board Qs,Jh,2h,7d
set_range_oop AA,KK:0.5,AKs
set_range_ip QQ,JJ:0.75,T9s
set_bet_sizes oop,turn,bet,50,100
set_bet_sizes oop,turn,raise,60
set_bet_sizes oop,turn,allin
set_bet_sizes ip,turn,bet,75
set_bet_sizes ip,turn,raise,60
set_bet_sizes oop,river,bet,50
set_bet_sizes oop,river,donk,30
set_bet_sizes ip,river,bet,50
set_bet_sizes ip,river,allin
set_allin_threshold 0.67
build_tree
set_thread_num 8
set_accuracy 0.5
set_max_iteration 200
set_print_interval 10
set_use_isomorphism 1
start_solve
set_dump_rounds 2
dump_result output_result.json
"""


def without(command: str) -> str:
    return "\n".join(line for line in COMMANDS.splitlines() if not line.startswith(command))


def test_a_texas_solver_file() -> None:
    spot = spot_from_texas_solver(COMMANDS)
    assert (spot.board_text, spot.pot, spot.stack) == ("QsJh2h7d", 50, 200)
    assert spot.weights(0)[hand_number("KsKc")] == 0.5
    assert spot.weights(1)[hand_number("JsJc")] == 0.75
    (turn_oop, turn_ip), (river_oop, river_ip) = spot.menus
    assert (str(turn_oop.bet), str(turn_oop.raises)) == ("50%, 100%, a", "60%, a")
    assert (str(turn_ip.bet), str(turn_ip.raises)) == ("75%", "60%")
    assert (str(river_oop.bet), str(river_oop.raises), str(river_oop.donk)) == ("50%", "", "30%")
    assert (str(river_ip.bet), str(river_ip.raises)) == ("50%, a", "a")
    assert spot.thresholds.commit_allin == 0.67
    assert spot.betting.cap == (4, 4)  # TexasSolver's raise_limit where no command sets it
    assert Spot.from_text(spot.to_toml()) == spot


def test_texas_solver_sizes_and_threshold() -> None:
    turn, _ = street_forests(spot_from_texas_solver(COMMANDS))
    assert turn.names(0) == ("check", "bet 25", "bet 50", "all-in 200")
    # facing 50: a raise by 60 % of the pot of 150 is to 140; 25 + 140 in of 225 is 0.73 > 0.67, hence all-in
    assert turn.names(turn.child(0, "b50")) == ("fold", "call", "all-in 200")
    assert turn.names(turn.child(0, "b25")) == ("fold", "call", "raise 85")  # 25 + 60 % of 100
    for off in ("1.0", "2"):
        turn, _ = street_forests(spot_from_texas_solver(COMMANDS.replace("threshold 0.67", f"threshold {off}")))
        assert turn.names(turn.child(0, "b50")) == ("fold", "call", "raise 140")


def test_texas_solver_builds_the_plain_reference_trees() -> None:
    """Reference 1.1: with 50 % and all-in bets and all-in raises, TexasSolver's tree is xturn."""
    lines = ["set_pot 200", "set_effective_stack 900", "set_board Td,9d,6h,Qc", "set_range_oop AA", "set_range_ip KK"]
    for player in ("oop", "ip"):
        for street in ("turn", "river"):
            lines += [f"set_bet_sizes {player},{street},{kind}" for kind in ("bet,50", "allin")]
    lines += ["set_bet_sizes oop,river,donk,50", "set_allin_threshold 1", "build_tree"]
    forests = street_forests(spot_from_texas_solver("\r\n".join(lines)))
    assert [forest.counts for forest in forests] == [(8, 20, 10), (24, 60, 39)]


def test_texas_solver_offers_no_donk_bet_without_sizes() -> None:
    turn, river = street_forests(spot_from_texas_solver(without("set_bet_sizes oop,river,donk")))
    called = turn.child(turn.child(turn.child(0, "x"), "b38"), "c")
    assert river.labels(int(turn.next_root[called])) == ("x",)


def test_settings_of_the_run_are_ignored() -> None:
    bare = "\n".join(line for line in COMMANDS.splitlines() if line.split()[0] not in IGNORED_COMMANDS)
    assert len(bare.splitlines()) == 15
    assert spot_from_texas_solver(bare) == spot_from_texas_solver(COMMANDS)
    assert spot_from_texas_solver(COMMANDS + "set_raise_limit 2\n").betting.cap == (2, 2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (COMMANDS + "set_potato 5", "Line 25 has the unknown command 'set_potato'"),
        ("set_bord Qs,Jh,2h", "Did you mean 'set_board'?"),
        (without("set_pot"), "The TexasSolver file has no 'set_pot'"),
        (without("set_range_ip"), "has no 'set_range_ip'"),
        (COMMANDS.replace("set_pot 50", "set_pot fifty"), "Line 1: 'set_pot' takes a number, but 'fifty'"),
        (
            COMMANDS.replace("oop,turn,bet,50", "oop,trun,bet,50"),
            "cannot be read at 'trun'; expected one of flop, turn",
        ),
        (
            COMMANDS.replace("oop,turn,bet,50", "oop,turn"),
            "Line 6: 'set_bet_sizes oop,turn,100' cannot be read at '100'",
        ),
        (COMMANDS.replace("oop,turn,bet,50", "oop,turn,bet,0"), "Line 6: bet sizes are per cent of the pot above 0"),
        (COMMANDS.replace("oop,turn,bet,50", "oop,turn,bet,2x"), "Line 6: 'set_bet_sizes' takes a number, but '2x'"),
        (COMMANDS.replace("set_pot 50", "set_pot -1"), "'pot' must be above 0, but -1"),
        (COMMANDS.replace("Qs,Jh,2h,7d", "Qs,Jh"), "'board' must have 3 to 5 cards"),
        ("", "The TexasSolver file has no 'set_pot'"),
    ],
)
def test_bad_texas_solver_files(text: str, sentence: str) -> None:
    with pytest.raises(EquilibristError, match=re.escape(sentence)):
        spot_from_texas_solver(text)


# --- Libratus subgames ---------------------------------------------------------------------------------------------

Write = Callable[[dict[str, str]], Path]


def place(first: str, second: str) -> int:
    """Where a hand stands in the file: pairs of cards in order, suits s, h, d, c inside ranks 2 to A."""
    order = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    return pairs.index((first, second))


def reach(**weights: float) -> list[float]:
    numbers = [0.0] * 2652
    for name, weight in weights.items():
        player, first, second = name.split("_")
        numbers[place(first, second) + (1326 if player == "button" else 0)] = weight
    return numbers


REACH = reach(oop_2s_2h=0.5, oop_Ks_As=0.25, oop_3d_4c=1.0, button_2s_2h=0.125, button_Qd_Qc=1e-9)
GOOD = {"round": "4", "board": "JsKh5cQs7d", "pot": "3750", "reach": " ".join(map(str, REACH))}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(sections: dict[str, str]) -> Path:
        path = tmp_path / "subgame.txt"
        path.write_text("".join(f"-{key} {value}\n" for key, value in sections.items()), encoding="utf-8")
        return path

    return written


def test_a_subgame(write: Write) -> None:
    spot = spot_from_subgame(write(GOOD))
    assert (spot.board_text, spot.pot, spot.stack) == ("JsKh5cQs7d", 3750, 20_000 - 1875)
    assert {hand_number(name): weight for name, weight in (("2s2h", 0.5), ("AsKs", 0.25), ("4c3d", 1.0))} == {
        int(hand): spot.weights(0)[hand] for hand in np.flatnonzero(spot.weights(0))
    }
    assert np.flatnonzero(spot.weights(1)).tolist() == sorted([hand_number("2s2h"), hand_number("QdQc")])
    (river,) = street_forests(spot)
    assert river.names(0) == ("check", "bet 1875", "bet 3750", "all-in 18125")
    assert river.names(river.child(0, "b1875")) == ("fold", "call", "raise 9375", "all-in 18125")


def test_subgame_with_another_stack(write: Write) -> None:
    assert spot_from_subgame(write(GOOD), stack=10_000).stack == 10_000 - 1875


def test_subgame_with_reach_above_one_is_scaled(write: Write) -> None:
    spot = spot_from_subgame(write({**GOOD, "reach": " ".join(str(4 * x) for x in REACH)}))
    assert spot.weights(0)[hand_number("4c3d")] == 1.0
    assert spot.weights(0)[hand_number("2s2h")] == 0.5


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"round": "3"}, "'-round 3' does not fit a board of 5 cards; expected 4"),
        ({"reach": "0.5 0.5"}, "'-reach' has 2 numbers; expected 2,652"),
        ({"reach": GOOD["reach"].replace("0.25", "x")}, "'-reach' holds 'x'; expected a number"),
        ({"reach": GOOD["reach"].replace("0.25", "-0.25")}, "'-reach' holds -0.25; expected weights of at least 0"),
        ({"reach": GOOD["reach"].replace("0.25", "nan")}, "'-reach' holds 'nan'"),
        ({"board": "JsKh5c"}, "'-round 4' does not fit a board of 3 cards"),
        ({"board": "JsJs5c"}, "In 'board': The card 'Js'"),
        ({"pot": ""}, "'-pot' is missing or empty"),
        ({"pot": "50000"}, "'stack' must be above 0, but -5000"),
        ({"blinds": "100"}, "'-blinds' is unknown"),
    ],
)
def test_bad_subgames(write: Write, changes: dict[str, str], sentence: str) -> None:
    path = write({**GOOD, **changes})
    with pytest.raises(FormatError, match=re.escape(sentence)) as caught:
        spot_from_subgame(path)
    assert str(path) in str(caught.value)


def test_foreign_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        spot_from_subgame(tmp_path / "absent.txt")
    (tmp_path / "foreign.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(FormatError, match="begins with 'hello'"):
        spot_from_subgame(tmp_path / "foreign.txt")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match="is not text"):
        spot_from_subgame(tmp_path / "binary.txt")


# Public data of others, used by path where it lies beside the project and never copied into it.
DATA = Path(__file__).parents[4] / "shared" / "reference" / "libratus"

# [Brown20, §3.1.3], recomputed: board, pot, sums of reach, hands with reach above 0 (OOP, button, union), decision /
# fold / showdown / chance nodes with cards dealt, infoset-actions of the river subgames
PUBLISHED = {
    1: ("7s9h9cTc", 500, (486.205, 465.315), (828, 965, 965), (12320, 10878, 12336, 31), None),
    2: ("Ts6hAh7c", 4780, (7.32547, 185.404), (855, 405, 859), (3088, 2414, 3120, 15), None),
    3: ("4s8hTc9h2s", 500, (319.508, 293.801), (1033, 1059, 1076), (32, 30, 31, 0), 98_992),
    4: ("JsKs5cQs7d", 3750, (91.4547, 7.35825), (705, 982, 1023), (20, 18, 19, 0), 57_288),
}


@pytest.mark.skipif(not DATA.is_dir(), reason="the Libratus subgames are not here")
@pytest.mark.parametrize("number", sorted(PUBLISHED))
def test_libratus_subgames(number: int) -> None:
    board, pot, sums, hands, nodes, infoset_actions = PUBLISHED[number]
    spot = spot_from_subgame(DATA / f"subgame{number}.txt")
    assert (spot.board_text, spot.pot, spot.stack) == (board, pot, 20_000 - pot / 2)
    weights = [spot.weights(player) for player in (0, 1)]
    assert [w.sum() for w in weights] == pytest.approx(sums, rel=3e-6)  # printed with six digits
    # nothing is lost to the board: the suits are those of the file
    assert all(np.array_equal(w, r.weights) for w, r in zip(weights, spot.ranges, strict=True))
    held = [w > 0 for w in weights]
    assert (held[0].sum(), held[1].sum(), (held[0] | held[1]).sum()) == hands
    forests = street_forests(spot)
    counts = np.zeros(4, dtype=int)
    for forest in forests:
        kinds = forest.kind
        found = [(kinds <= 1).sum(), (kinds == FOLD).sum(), (kinds == SHOWDOWN).sum(), (kinds == DEAL).sum()]
        counts += np.array(found) * 48 ** (forest.street - spot.street)
    assert tuple(counts) == nodes
    if infoset_actions is not None:
        assert sum(forests[0].slots) * hands[2] == infoset_actions  # the table counts both players' hands in the union
