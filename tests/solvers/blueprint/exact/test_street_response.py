"""Best responses from a street on, beside plain recursion over all deals, and from samples of boards."""

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError, ParameterError, TooLargeError
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.blueprint.exact.exact_exploitability import exact_exploitability
from equilibrist.solvers.blueprint.exact.street_response import BOARDS, StreetRun, street_response
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from random_blueprint import LEDUC, NINE_CARDS, random_blueprint, suit_aware, whole_deck
from reference.naive_blueprint_response import naive_gains

RHODE_ISLAND = BlueprintPlan("rhode-island(ranks=3,suits=2)", cards="exact")
NOLIMIT_LEDUC = BlueprintPlan("nolimit-leduc(stack=12,suits=2)", {"menu": {"bet": "50%, 100%, a"}}, "exact")
ALL = 10**9
AGREED = 1e-5  # of a big blind, and of the number itself
CASES = [(NINE_CARDS, 1), (NINE_CARDS, 2), (NINE_CARDS, 3), (LEDUC, 1), (NOLIMIT_LEDUC, 1)]
CASES += [(RHODE_ISLAND, 1), (RHODE_ISLAND, 2)]


@pytest.fixture(scope="module")
def nine_cards():
    return random_blueprint(NINE_CARDS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("plan", "street"), CASES, ids=lambda each: getattr(each, "game_name", None))
def test_plain_recursion_finds_the_same_on_all_boards(plan, street):
    agrees(random_blueprint(plan, seed=street), street)


@pytest.mark.parametrize("street", [1, 2, 3])
def test_buckets_that_look_at_suits_know_which_street_a_card_came_on(street):
    agrees(suit_aware(NINE_CARDS, 3, seed=street), street)


def agrees(blueprint, street):
    plan, found, known = blueprint.plan, street_response(blueprint, street, boards=ALL), naive_gains(blueprint, street)
    assert found.complete
    off = {"rel": AGREED, "abs": AGREED * (load_game(plan.game_name).big_blind or 1.0)}
    assert [each.value for each in found.gain] == pytest.approx(known, **off)
    assert found.mean.value == pytest.approx(sum(known) / 2.0, **off)
    assert (found.mean.low, found.mean.high) == (found.mean.value, found.mean.value)


def test_lines_add_up_and_hands_are_counted(nine_cards):
    found = street_response(nine_cards, 3, boards=ALL)
    assert sum(gain for gain, _ in found.lines.values()) == pytest.approx(found.mean.value)
    assert sum(share for _, share in found.lines.values()) == pytest.approx(found.reached.value)
    assert found.each.value == pytest.approx(found.mean.value / found.reached.value)
    assert 0.0 < found.reached.value < 1.0


def test_later_streets_leave_less_to_gain(nine_cards):
    gains = [street_response(nine_cards, street, boards=ALL).mean.value for street in (1, 2, 3)]
    assert exact_exploitability(nine_cards).judgement.exploitability.least >= gains[0] > gains[1] > gains[2] > 0.0


@pytest.mark.parametrize(
    ("street", "boards", "held"),  # at least so often; of gains, and of what a hand gives away
    [
        (1, BOARDS[1], (0.87, 0.95)),
        (2, BOARDS[2], (0.9, 0.79)),
        (3, BOARDS[3], (0.9, 0.9)),
        (2, 200, (0.92, 0.92)),
        (3, 200, (0.92, 0.92)),
    ],
)
def test_samples_hold_the_truth_as_often_as_the_docs_say(nine_cards, street, boards, held):
    run = StreetRun(nine_cards, street)
    every, complete = run.draw(ALL)
    found = [run.look_at(cards) for cards in every.tolist()]
    known = run.judge(found, complete, 0.0)
    counts, rng = np.zeros(3), np.random.default_rng(1)
    for _ in range(2000):
        some = run.judge([found[n] for n in rng.integers(len(found), size=boards)], False, 0.0)
        pairs = ((some.mean, known.mean), (some.gain[0], known.gain[0]), (some.each, known.each))
        counts += [each.low <= truth.value <= each.high for each, truth in pairs]
    assert (counts / 2000.0 > (held[0], held[0], held[1])).all()


def test_drawn_boards_are_deals_and_threads_change_nothing(nine_cards):
    run = StreetRun(nine_cards, 2)
    drawn, complete = run.draw(40, seed=5)
    assert (drawn.shape, complete) == ((40, 4), False)
    assert all(len(set(cards)) == 4 for cards in drawn.tolist())
    one, two = (street_response(nine_cards, 2, boards=20, seed=5, threads=threads) for threads in (1, 2))
    assert (one.mean, one.gain, one.lines) == (two.mean, two.gain, two.lines)


def test_a_whole_deck_is_looked_at():
    menu = {"menu": {"bet": "a", "raise": "", "turn": {"bet": "100%"}, "preflop": {"bet": "100%", "raise": "a"}}}
    found = street_response(whole_deck(menu), 3, boards=3)
    assert found.mean.value > 0.0
    assert found.boards == 3
    assert not found.complete


def test_an_interrupt_leaves_what_is_done(nine_cards):
    def interrupt(done, boards):
        if done == after:
            raise KeyboardInterrupt

    after = 12
    found = street_response(nine_cards, 2, boards=40, seed=5, threads=2, report=interrupt)
    assert (found.boards, found.complete) == (12, False)
    after = 1
    with pytest.raises(KeyboardInterrupt):
        street_response(nine_cards, 2, boards=40, report=interrupt)


def test_boards_before_an_interrupt_are_drawn_alike(nine_cards):
    run = StreetRun(nine_cards, 2)
    every, complete = run.draw(ALL, seed=5)
    assert complete
    assert len({tuple(cards) for cards in every.tolist()}) == run.all_boards == len(every)
    assert not np.array_equal(every, run.draw(ALL, seed=6)[0])
    first = every[: len(every) // 2, 3]  # the last card of the turn: as often each on the first half of the boards
    assert np.ptp(np.bincount(first, minlength=9)) < 0.5 * len(first) / 9


def test_no_more_boards_are_listed_than_can_be_looked_at(monkeypatch):
    run = StreetRun(whole_deck({"menu": {"bet": "a", "raise": "", "preflop": {"raise": "a"}}}), 3)
    with pytest.raises(ParameterError, match="At most 1,000,000 boards .* these are 51,979,200"):
        run.draw(ALL)
    with pytest.raises(ParameterError, match="these are 2,000,000"):
        run.draw(2_000_000)


def test_what_cannot_be_measured_is_refused(nine_cards, monkeypatch):
    with pytest.raises(ParameterError, match="flop, turn, river"):
        street_response(nine_cards, 0, boards=10)
    with pytest.raises(ParameterError, match="at least 2 boards"):
        street_response(nine_cards, 3, boards=1)
    with pytest.raises(ParameterError, match="at least 2 boards"):
        street_response(nine_cards, 3, boards=0)
    with pytest.raises(ParameterError, match="seed.*but -1"):
        street_response(nine_cards, 3, seed=-1)
    with pytest.raises(NotApplicableError, match="two players"):
        street_response(random_blueprint(BlueprintPlan("kuhn(players=3)", cards="exact")), 1)
    monkeypatch.setenv("EQUILIBRIST_MEMORY", "1000")
    with pytest.raises(TooLargeError, match="fewer threads"):
        street_response(nine_cards, 2, boards=10)
