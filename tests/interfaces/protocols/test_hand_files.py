"""PHH and histories of sites: read, written, checked by the rules and by pokerkit."""

import contextlib
import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist import load_agent, load_game
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError
from equilibrist.evaluation.play.referee import play_hand
from equilibrist.interfaces.protocols.hands import hand_from_record
from equilibrist.interfaces.protocols.phh import read_phh, read_phh_file, read_phhs, write_phh, write_phhs
from equilibrist.interfaces.protocols.site_history import read_histories

STARS = """PokerStars Hand #210:  Hold'em No Limit ($0.50/$1.00 USD) - 2021/03/01 12:00:00 ET
Table 'Example' 6-max Seat #2 is the button
Seat 2: Bea ($100 in chips)
Seat 4: Carl ($87.50 in chips)
Seat 5: Dora Mae ($210 in chips)
Carl: posts small blind $0.50
Dora Mae: posts big blind $1
*** HOLE CARDS ***
Dealt to Bea [Ah Kd]
Bea: raises $2 to $3
Carl: folds
Dora Mae: calls $2
*** FLOP *** [Ks 7h 2d]
Dora Mae: checks
Bea: bets $4.25
Dora Mae: raises $8 to $12.25
Bea: calls $8
*** TURN *** [Ks 7h 2d] [9c]
Dora Mae: bets $194.75 and is all-in
Bea: calls $84.75 and is all-in
Uncalled bet ($110) returned to Dora Mae
*** RIVER *** [Ks 7h 2d 9c] [3s]
*** SHOW DOWN ***
Dora Mae: shows [7c 7d] (three of a kind, Sevens)
Bea: shows [Ah Kd] (a pair of Kings)
Dora Mae collected $200.50 from pot
*** SUMMARY ***
Total pot $200.50 | Rake $0
"""


def hands_of(name, count):
    game = load_game(name)
    players = [load_agent("random") for _ in range(game.players)]
    for seed in range(count):
        draws = [random.Random(f"{seed}/{p}") for p in range(game.players)]
        record = play_hand(game, players, random.Random(seed), draws)
        yield hand_from_record(game, record.state.hole, record.line, [f"p{p}" for p in range(game.players)]), record


TABLES = [
    "nolimit-holdem(stack=2000)",
    "nolimit-holdem(stack=1000,players=6,ante=5)",
    "limit-holdem",
    "nolimit-holdem(stacks=[500,2000,900],players=3)",
]


@pytest.mark.parametrize("name", TABLES)
def test_hands_round_trip_and_pokerkit_agrees(name):
    pokerkit = pytest.importorskip("pokerkit")
    for hand, record in hands_of(name, 40):
        text = write_phh(hand, author="tests", hand=7)
        back = read_phh(text)
        assert (back.actions, back.hole, back.board, back.names) == (hand.actions, hand.hole, hand.board, hand.names)
        assert back.returns() == record.returns
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            *_, last = pokerkit.HandHistory.loads(text)
        won = tuple(after - before for after, before in zip(last.stacks, last.starting_stacks, strict=True))
        assert won == record.returns or len(record.returns) > 2  # they leave all odd chips to one winner
        assert sum(won) == 0


def test_many_hands_in_one_file(tmp_path):
    hands = [hand for hand, _ in hands_of("nolimit-holdem(stack=2000)", 12)]
    (tmp_path / "x.phhs").write_text(write_phhs(hands))
    assert [hand.actions for hand in read_phh_file(tmp_path / "x.phhs")] == [hand.actions for hand in hands]


def test_a_published_hand():
    """Phil Ivey against Tom Dwan, 2009, as in the documentation of the format: Dwan wins a pot of 1,109,500 on the turn."""
    text = """variant = "NT"
ante_trimming_status = true
antes = [500, 500, 500]
blinds_or_straddles = [1000, 2000, 0]
min_bet = 2000
starting_stacks = [1125600, 2000000, 553500]
actions = [
  "d dh p1 Ac2d", "d dh p2 ????", "d dh p3 7h6h", "p3 cbr 7000", "p1 cbr 23000", "p2 f", "p3 cc", "d db Jc3d5c",
  "p1 cbr 35000", "p3 cc", "d db 4h", "p1 cbr 90000", "p3 cbr 232600", "p1 cbr 1067100", "p3 cc", "p1 sm Ac2d",
  "p3 sm 7h6h", "d db Jh",
]
"""
    hand = read_phh(text)
    assert hand.returns() == (-553500.0, -2500.0, 556000.0)
    assert hand.names == ()


@pytest.mark.parametrize(
    "text",
    [
        "", "variant = 3", 'variant = "NT"', "not toml at all [", 'variant = "PO"\nstarting_stacks = [1]',
        'variant = "NT"\nantes = [0,0]\nblinds_or_straddles = [1,2]\nmin_bet = 2\nstarting_stacks = [100,100]\nactions = ["p1 f"]',
        'variant = "NT"\nantes = [0,0]\nblinds_or_straddles = [1,2]\nmin_bet = 2\nstarting_stacks = [100,100]\nactions = ["p2 cbr 3"]',
        'variant = "NT"\nantes = [0,0]\nblinds_or_straddles = [1,2]\nmin_bet = 2\nstarting_stacks = [100,100]\nactions = ["p2 zz", ""]',
    ],
)  # fmt: skip
def test_malformed_hands_are_refused(text):
    with pytest.raises(EquilibristError):
        read_phh(text)


TRIED = [
    "p1 f", "p2 cc", "p2 cbr 6", "p1 cc", "d db 2c3c4c", "d dh p1 AsKs", "p1 sm", "x", "p9 f", "d", "p2 cbr x", "d dh p7 2c2d",
]  # fmt: skip


@given(st.lists(st.sampled_from(TRIED), max_size=6))
@settings(max_examples=150)
def test_whatever_actions_come_are_read_or_refused(actions):
    listed = ", ".join(f'"{action}"' for action in actions)
    head = 'variant = "NT"\nantes = [0,0]\nblinds_or_straddles = [1,2]\nmin_bet = 2\nstarting_stacks = [100,100]\n'
    with contextlib.suppress(EquilibristError):
        read_phh(f"{head}actions = [{listed}]")


def test_games_that_the_format_does_not_know_are_refused():
    leduc = load_game("leduc")
    with pytest.raises(NotApplicableError):
        write_phh(hand_from_record(leduc, [(0,), (1,)], "x:x"))


def test_a_history_of_a_site():
    """Bea on the button loses her whole stack of $100 to three sevens; Carl his small blind."""
    (hand,) = read_histories(STARS)
    assert hand.names == ("Carl", "Dora Mae", "Bea")
    assert hand.actions == ("r300", "f", "c", "x", "b425", "r1225", "c", "b19475", "c")
    assert hand.returns() == (-50.0, 10050.0, -10000.0)
    assert hand.public_line() == "r300:f:c:Ks7h2d:x:b425:r1225:c:9c:b19475:c:3s"
    assert read_phh(write_phh(hand)).returns() == hand.returns()


def test_histories_that_cannot_be_read_are_refused():
    with pytest.raises(FormatError, match="no hand"):
        list(read_histories("nothing here"))
    with pytest.raises(NotApplicableError):
        list(read_histories("PokerStars Hand #1:  Omaha Pot Limit ($1/$2)\n"))
    with pytest.raises(FormatError, match="turn of"):
        list(read_histories(STARS.replace("Carl: folds\n", "")))
    with pytest.raises(FormatError, match="against the rules"):
        list(read_histories(STARS.replace("raises $2 to $3", "raises $0.20 to $1.20")))


def test_tables_of_a_hand_and_hands_in_tables():
    hand = PHH_OF_TWO
    own = f'{hand}[_notes]\nauthor = "x"\n'
    assert [each.actions for each in read_phhs(own)] == [("r300", "f")]
    many = f'# two hands\n[1]\n{hand}[1._notes]\nauthor = "x"\n[2]\n{hand}'
    assert [each.actions for each in read_phhs(many)] == [("r300", "f")] * 2
    with pytest.raises(FormatError, match="comes twice"):
        list(read_phhs(f"[1]\n{hand}[1]\n{hand}"))


PHH_OF_TWO = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = [
  "d dh p1 AcKc",
  "d dh p2 QsJs",
  "p2 cbr 300",
  "p1 f",
]
"""
