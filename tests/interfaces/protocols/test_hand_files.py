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
from equilibrist.interfaces.histories import read_histories as read_folder
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
    "nolimit-holdem(blinds=[0.25,0.5],stack=50)",
    "nolimit-holdem(blinds=[0.05,0.1],stacks=[9.97,4.13,0.09,12.01],players=4,ante=0.02)",
    "nolimit-holdem(blinds=[1,2],stack=40,players=3,chip=0.01)",
    "limit-holdem(players=3)",
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
        won = [float(after - before) for after, before in zip(last.stacks, last.starting_stacks, strict=True)]
        chip = 1.0 if all(isinstance(stack, int) for stack in last.stacks) else 0.01
        assert won == pytest.approx(record.returns, abs=0 if len(won) == 2 else len(won) * chip)  # odd chips differ
        assert sum(won) == pytest.approx(0, abs=1e-8)


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
    assert hand.actions == ("r3", "f", "c", "x", "b4.25", "r12.25", "c", "b194.75", "c")
    assert hand.returns() == (-0.5, 100.5, -100.0)
    assert hand.public_line() == "r3:f:c:Ks7h2d:x:b4.25:r12.25:c:9c:b194.75:c:3s"
    assert hand.game.rules.chip == 0.01
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


CENTS = """variant = "NT"
ante_trimming_status = true
antes = [0, 0]
blinds_or_straddles = [0.25, 0.5]
min_bet = 0.5
starting_stacks = [50, 50]
actions = ["d dh p1 AcAd", "d dh p2 KcKd", "p2 f"]
"""


def theirs(text):
    """What each player wins by pokerkit; nothing where it is not installed."""
    pokerkit = pytest.importorskip("pokerkit")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        *_, last = pokerkit.HandHistory.loads(text)
    return tuple(float(amount) for amount in last.payoffs)


def table(antes, blinds, stacks, actions, **more):
    fields = {
        "antes": antes,
        "blinds_or_straddles": blinds,
        "min_bet": 2,
        "starting_stacks": stacks,
        "actions": actions,
    }
    lines = [f"{key} = {value}" for key, value in (fields | more).items()]
    return 'variant = "NT"\nante_trimming_status = false\n' + "\n".join(lines) + "\n"


DEALT = ["d dh p1 AcAd", "d dh p2 KcKd", "d dh p3 QcQd", "d dh p4 JcJd"]
RUNOUT = ["d db 2c7d9h", "d db 3s", "d db 4h"]
SHOWN = [f"p{seat} sm {cards}" for seat, cards in enumerate(("AcAd", "KcKd", "QcQd", "JcJd"), 1)]


def checked_down(seats):
    """The rest of a hand in which these seats check three streets and show."""
    checks = [f"p{seat} cc" for seat in seats]
    return [*(action for card in RUNOUT for action in (card, *checks)), *(SHOWN[seat - 1] for seat in seats)]


REAL_TABLES = {
    "cents": CENTS,
    "a big-blind ante": table(
        [0, 2, 0, 0], [1, 2, 0, 0], [100, 100, 100, 100],
        [*DEALT, "p3 f", "p4 cbr 6", "p1 f", "p2 cc", *checked_down([2, 4])],
    ),
    "a big-blind ante with side pots": table(
        [0, 2, 0, 0], [1, 2, 0, 0], [100, 30, 100, 9.5],
        [*DEALT, "p3 cbr 6", "p4 cbr 9.5", "p1 cbr 40", "p2 cc", "p3 f", *RUNOUT, *(SHOWN[n] for n in (0, 1, 3))],
    ),
    "a blind posted out of turn": table(
        [0] * 4, [1, 2, 0, -2], [100, 100, 100, 100], [*DEALT, "p3 f", "p4 cc", "p1 f", "p2 cc", *checked_down([2, 4])]
    ),
    "unknown stacks": table(
        [0] * 4, [0.5, 1, 0, 0], ["inf"] * 4, [*DEALT, "p3 cbr 3.5", "p4 f", "p1 f", "p2 cc", *checked_down([2, 3])], min_bet=1
    ).replace("'inf'", "inf"),
    "heads-up, large before small": table(
        [0, 0], [10, 5], [100, 100], [*DEALT[:2], "p1 cc", "p2 cc", *checked_down([1, 2])], min_bet=10
    ),
    "an ante that a stack does not cover": table(
        [3] * 4, [1, 2, 0, 0], [100, 100, 4, 100], [*DEALT, "p3 f", "p4 cbr 8", "p1 f", "p2 cc", *checked_down([2, 4])]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL_TABLES)
def test_hands_of_real_tables_have_the_results_of_pokerkit(name):
    """Cents, antes of one player, blinds out of turn, unknown stacks: as in the hands of the public dataset."""
    text = REAL_TABLES[name]
    hand = read_phh(text)
    assert hand.over
    assert sum(hand.returns()) == 0
    assert hand.returns() == theirs(text)
    again = write_phh(hand)
    back = read_phh(again)
    assert (back.game.rules, back.actions, back.returns()) == (hand.game.rules, hand.actions, hand.returns())
    assert theirs(again) == hand.returns()


def test_a_hand_with_cents():
    assert read_phh(CENTS).returns() == (0.25, -0.25)


def test_the_chip_decides_about_ties_and_is_written_where_amounts_do_not_tell_it():
    tied = table([0] * 3, [1, 2, 0], [10] * 3, [
        "d dh p1 AcKd", "d dh p2 AdKc", "d dh p3 2c2d", "p3 f", "p1 cc", "p2 cc", "d db 2s7d9h", "p1 cc", "p2 cc", "d db 3s",
        "p1 cc", "p2 cc", "d db 4h", "p1 cc", "p2 cc", "p1 sm AcKd", "p2 sm AdKc",
    ])  # fmt: skip
    assert "_chip" not in write_phh(read_phh(tied))
    odd = tied.replace("blinds_or_straddles = [1, 2, 0]", "blinds_or_straddles = [1, 2, 1]")
    whole, money = read_phh(odd), read_phh(odd + "currency_symbol = '$'\n")
    assert (whole.returns(), money.returns()) == ((1, 0, -1), (0.5, 0.5, -1))
    assert "_chip = 0.01" in write_phh(money)
    assert read_phh(write_phh(money)).returns() == money.returns()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CENTS.replace("p2 f", 'p2 cc", "p1 f'), "answers no bet"),
        (CENTS.replace("0.25", "0.250001"), "four decimals"),
        (CENTS.replace("antes = [0, 0]", "antes = [0, 1]"), "only some players"),
        (CENTS + "_chip = 0.1\n", "multiple of the smallest chip"),
    ],
)
def test_what_cannot_be_read_is_named(text, said):
    with pytest.raises(EquilibristError, match=said):
        read_phh(text)


def test_one_bad_hand_costs_itself_only(tmp_path):
    """A file of many hands is read without those that cannot be; the sentence says how many and why."""
    good, bad = CENTS, CENTS.replace('"NT"', '"PO"')
    texts = [good, bad, good, good, CENTS.replace("p2 f", "p2 cbr 900"), bad]
    (tmp_path / "x.phhs").write_text("\n".join(f"[{number}]\n{text}" for number, text in enumerate(texts, 1)))
    hands = read_phh_file(tmp_path / "x.phhs")
    assert (len(hands), [one.where for one in hands.left_out]) == (3, ["hand 2", "hand 5", "hand 6"])
    said = hands.sentence()
    assert said.startswith("Left out 3 of 6 hands (2 such as hand 2: The variant 'PO' is not hold'em")
    assert "1 such as hand 5: A bet or raise to 900 after '' is against the rules: 1 to 50 are allowed" in said
    (tmp_path / "diary.txt").write_text("dear diary")
    (tmp_path / "stars.txt").write_text(STARS + "\n\n" + STARS.replace("Carl: folds\n", ""))
    everything = read_folder(tmp_path)
    assert (len(everything), len(everything.left_out)) == (4, 5)
    (tmp_path / "bad.phhs").write_text(f"[1]\n{bad}\n[2]\n{bad}")
    with pytest.raises(FormatError, match="No hand of .*bad.phhs' can be read. Left out 2 of 2"):
        read_folder(tmp_path / "bad.phhs")


@pytest.mark.parametrize("seat", ["p0", "p-1", "p3", "q1", "p" + "1" * 5000])
@pytest.mark.parametrize("action", ["d dh {} KcKd", "{} sm KcKd"])
def test_cards_of_players_who_are_not_there_are_refused(seat, action):
    """`p0` is nobody, not the last player."""
    actions = ["d dh p1 AcAd", "d dh p2 ????", "p2 f", action.format(seat)]
    head = 'variant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\nstarting_stacks = [50, 50]\n'
    with pytest.raises(FormatError, match="no player"):
        read_phh(f"{head}actions = {actions}")
