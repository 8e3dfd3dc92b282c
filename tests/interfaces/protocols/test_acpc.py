"""The ACPC protocol: texts read and printed exactly, both ends over a socket, and everything that can go wrong there."""

import contextlib
import random
import socket
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist import load_agent, load_game
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, ParameterError
from equilibrist.evaluation.play.referee import play_hand
from equilibrist.interfaces.protocols.acpc import MatchState, read_game, read_state, score_line, write_game
from equilibrist.interfaces.protocols.acpc_dealer import ACPCDealer
from equilibrist.interfaces.protocols.acpc_player import join
from equilibrist.interfaces.protocols.hands import hand_from_record

NOLIMIT = load_game("nolimit-holdem")
LIMIT = load_game("limit-holdem")

# as distributed with the ACPC server: holdem.limit.2p.reverse_blinds.game
LIMIT_GAME = """GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 10 5
raiseSize = 10 10 20 20
firstPlayer = 2 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""

# examples in the style of the protocol's description: limit and no-limit, before, during and after hands
LIMIT_STATES = [
    "MATCHSTATE:0:0::TdAs|",
    "MATCHSTATE:0:0:r:TdAs|",
    "MATCHSTATE:0:0:rrc/:TdAs|/2c8c3h",
    "MATCHSTATE:0:0:rrc/rc/crc/crrf:TdAs|/2c8c3h/9c/Kh",
    "MATCHSTATE:1:0:rc/:|Qd7c/2h8h5c",
    "MATCHSTATE:1:90:rrc/rc/cc/rrc:5d5c|9hQd/8dAs8s/4h/6d",
]
NOLIMIT_STATES = [
    "MATCHSTATE:1:0::|JsTd",
    "MATCHSTATE:0:30::9s8h|",
    "MATCHSTATE:0:30:c:9s8h|",
    "MATCHSTATE:0:30:cc/r250c/r500c/r1250c:9s8h|9c6h/8c8d5c/6s/2d",
    "MATCHSTATE:1:31:r300r900c/r1800r3600r9000c/r20000c/:|JsTd/6dJc9c/Kh/2s",
    "MATCHSTATE:0:31:r20000c///:KsJs|JsTd/6dJc9c/Kh/2h".replace("KsJs", "KsJd"),
]


@pytest.mark.parametrize("text", LIMIT_STATES)
def test_limit_states_are_printed_as_they_were_read(text):
    assert str(read_state(text, read_game(LIMIT_GAME))) == text


@pytest.mark.parametrize("text", NOLIMIT_STATES)
def test_nolimit_states_are_printed_as_they_were_read(text):
    assert str(read_state(text, NOLIMIT)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "MATCHSTATE:0:0:c", "MATCHSTATE:2:0::|JsTd", "MATCHSTATE:0:0:x:JsTd|", "MATCHSTATE:0:0:r150:JsTd|",
        "MATCHSTATE:0:0:c/:JsTd|", "MATCHSTATE:0:0:cc/:JsTd|/2c8c", "MATCHSTATE:0:0:cc/:JsJs|/2c8c3h", "MATCHSTATE:0:0::JsTdQd|",
        "MATCHSTATE:0:0:r20001:JsTd|", "MATCHSTATE:0:0:ff:JsTd|", "MATCHSTATE:-1:0::JsTd|", "MATCHSTATE:0:0::JsTd", "hello",
    ],
)  # fmt: skip
def test_malformed_states_are_refused(text):
    with pytest.raises(FormatError):
        read_state(text, NOLIMIT)


@given(
    st.text(max_size=60) | st.text(alphabet="MATCHSTATE:0123frc/|2TAcdhs", max_size=60).map("MATCHSTATE:0:0:".__add__)
)
@settings(max_examples=200)
def test_whatever_comes_is_read_or_refused(text):
    with contextlib.suppress(FormatError):
        assert str(read_state(text, NOLIMIT)) == text.strip()


@pytest.mark.parametrize(
    "name", ["nolimit-holdem(stack=2000)", "limit-holdem", "nolimit-holdem(players=3)", "limit-holdem(players=3)"]
)
def test_random_hands_round_trip(name):
    game = load_game(name)
    again = read_game(write_game(game))
    assert write_game(again) == write_game(game)
    players = [load_agent("random") for _ in range(game.players)]
    for seed in range(60):
        draws = [random.Random(f"{seed}/{p}") for p in range(game.players)]
        record = play_hand(game, players, random.Random(seed), draws)
        hand = hand_from_record(game, record.state.hole, record.line)
        assert hand.returns() == record.returns
        text = str(MatchState(1, seed, hand))
        back = read_state(text, again)
        assert str(back) == text
        assert back.hand.returns() == record.returns


def test_games_with_cents_are_counted_in_cents():
    """The protocol knows whole numbers only: with chips of 0.01 a raise to 1.50 is r150."""
    game = load_game("nolimit-holdem(blinds=[0.25,0.5],stack=50.07)")
    text = write_game(game)
    assert "stack = 5007 5007" in text
    assert "blind = 50 25" in text
    state = "MATCHSTATE:0:0:r150c/r5007c//:9s8h|9c6h/8c8d5c/6s/2d"
    read = read_state(state, game)
    assert str(read) == state
    assert read.hand.actions == ("r1.5", "c", "b48.57", "c")
    assert sorted(read.hand.returns()) == [-50.07, 50.07]
    with pytest.raises(FormatError, match="whole numbers"):
        read_game(text.replace("blind = 50 25", "blind = 0.5 0.25"))


def test_scores_are_written_in_full():
    assert score_line([276464, 793300.5, -1069764.5], ["a", "b", "c"]) == "SCORE:276464|793300.5|-1069764.5:a|b|c"


def test_definitions_that_are_wrong_are_refused():
    wrong = [LIMIT_GAME.replace("numRounds = 4", "numRounds = x"), LIMIT_GAME.replace("0 3 1 1", "0 3 1")]
    for bad in ("", "GAMEDEF\nlimit\nEND GAMEDEF", *wrong):
        with pytest.raises(EquilibristError):
            read_game(bad)
    with pytest.raises(NotApplicableError):
        write_game(load_game("leduc"))


# -- over a socket -------------------------------------------------------------------------------------------------


def seated(dealer, seat, name, seed=0):
    """One of our players at a dealer, in a thread; its result is appended to the list returned."""
    out = []
    arguments = (load_agent(name), dealer.game, "127.0.0.1", dealer.ports[seat], seed)
    thread = threading.Thread(target=lambda: out.append(join(*arguments)), daemon=True)
    thread.start()
    return thread, out


@pytest.mark.parametrize("name", ["nolimit-holdem(stack=2000)", "limit-holdem", "nolimit-holdem(stack=1000,players=3)"])
def test_both_ends_play_the_match_that_a_table_plays(name):
    """Players over sockets get the same cards and chances as players at a table: the same result."""
    game = load_game(name)
    dealer = ACPCDealer(game)
    ends = [seated(dealer, seat, "always-raise" if seat else "tight-aggressive") for seat in range(game.players)]
    result = dealer.run(30, seed=4)
    for thread, out in ends:
        thread.join(10)
        assert out[0][0] == 30
    dealer.close()
    assert result.faults == ()
    local = ACPCDealer(game)
    here = {seat: load_agent("always-raise" if seat else "tight-aggressive") for seat in range(game.players)}
    assert local.run(30, seed=4, seats=here).totals == result.totals
    local.close()
    assert sum(result.totals) == 0
    assert result.score(["a"] * game.players).startswith("SCORE:")


class Program:
    """A program at the other end that does what the test wants."""

    def __init__(self, dealer, seat, behave, greeting="VERSION:2.0.0"):
        self.socket = socket.create_connection(("127.0.0.1", dealer.ports[seat]))
        self.socket.sendall(f"{greeting}\r\n".encode())
        self.behave = behave
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        with contextlib.suppress(OSError):  # the dealer may close at any time
            for line in self.socket.makefile():
                answer = self.behave(line.strip())
                if answer == "leave":
                    self.socket.shutdown(socket.SHUT_RDWR)
                    return
                if answer:
                    self.socket.sendall(f"{answer}\r\n".encode())


FAULTS = {
    "garbled": (lambda line: "\x00\xff nonsense", "error", "expected the match state"),
    "illegal": (lambda line: f"{line}:r1", "error", "against the rules"),
    "unknown": (lambda line: f"{line}:z", "error", "no action"),
    "silent": (lambda line: "", "late", "no answer in time"),
    "gone": (lambda line: "leave", "error", ""),
    "flood": (lambda line: "a" * 70_000, "error", ""),
    "stale": (lambda line: "MATCHSTATE:0:999::AsAd|:r300", "late", "no answer in time"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_programs_that_misbehave(what):
    """Every fault is written down, folded or checked, and after a few of them the match ends with a sentence."""
    behave, kind, text = FAULTS[what]
    game = load_game("nolimit-holdem(stack=2000)")
    dealer = ACPCDealer(game)
    Program(dealer, 1, behave)
    result = dealer.run(50, seconds=0.05, patience=3, seats={0: load_agent("always-call")})
    dealer.close()
    assert result.stopped
    assert "Player 2 made more than 3 faults" in result.stopped
    assert {fault.seat for fault in result.faults} == {1}
    assert {fault.kind for fault in result.faults} == {kind}
    assert any(text in fault.text for fault in result.faults)
    assert sum(result.totals) == 0


def test_a_late_answer_is_not_taken_for_the_next_one():
    """The answer to an earlier state is passed over; the one to the state that was asked counts."""
    game = load_game("nolimit-holdem(stack=2000)")
    dealer = ACPCDealer(game)
    Program(dealer, 1, lambda line: f"MATCHSTATE:1:99::|AsAd:r300\r\n# a comment\r\n{line}:c")
    result = dealer.run(5, seconds=2.0, seats={0: load_agent("always-call")})
    dealer.close()
    assert result.faults == ()
    assert result.hands == 5


def test_an_interrupted_dealer_tells_the_score_so_far():
    """Ctrl-C in the fourth hand: three count, and their chips sum to nothing."""
    players = [load_agent("always-call"), load_agent("random")]
    whole = ACPCDealer(NOLIMIT).run(3, seats=dict(enumerate(players)))

    def press_control_c(number, record):
        if number == 3:
            raise KeyboardInterrupt

    stopped = ACPCDealer(NOLIMIT).run(50, seats=dict(enumerate(players)), progress=press_control_c)
    assert (stopped.hands, stopped.totals) == (3, whole.totals)
    assert "Interrupted" in stopped.stopped


def test_dealers_refuse_what_they_cannot_do():
    with pytest.raises(NotApplicableError):
        ACPCDealer(load_game("leduc"))
    with pytest.raises(ParameterError, match="one port"):
        ACPCDealer(NOLIMIT, ports=[0])
    with pytest.raises(ParameterError, match="up to 65535"):
        ACPCDealer(NOLIMIT, ports=[0, 70_000])
    with pytest.raises(ParameterError, match="name of a host"):
        ACPCDealer(NOLIMIT, "x" * 70 + ".é")
    dealer = ACPCDealer(NOLIMIT)
    with pytest.raises(ParameterError, match="Cannot listen"):
        ACPCDealer(NOLIMIT, ports=dealer.ports)
    with pytest.raises(FormatError, match="seat 1"):
        dealer.run(1, start_seconds=0.05)
    Program(dealer, 0, lambda line: "", greeting="HTTP/1.1 GET")
    with pytest.raises(FormatError, match="greets with"):
        dealer.run(1, start_seconds=2.0)
    ports = dealer.ports
    dealer.close()
    with pytest.raises(ParameterError, match="No dealer answers"):
        join(load_agent("random"), NOLIMIT, "127.0.0.1", ports[1])


def test_a_dealer_listens_on_this_machine_only():
    dealer = ACPCDealer(NOLIMIT)
    assert all(each.getsockname()[0] == "127.0.0.1" for each in dealer.sockets)
    dealer.close()
