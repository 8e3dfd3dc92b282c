"""Leaks of random blueprints: they add up to what `evaluate --from` says, and each is what plain recursion finds."""

import signal
from collections import defaultdict
from itertools import combinations
from math import comb

import numpy as np
import pytest

from equilibrist.evaluation.diagnosis import leaks
from equilibrist.evaluation.diagnosis.leaks import street_leaks
from equilibrist.evaluation.diagnosis.situations import (
    AN_ALL_IN,
    ANSWERS,
    FACED,
    answers,
    bets_faced,
    line_of_slot,
    pot_kinds,
    pot_sizes,
)
from equilibrist.forms.betting_tree.betting_tree import DECISION, FOLD
from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
from equilibrist.solvers.blueprint.exact.street_response import street_response
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from random_blueprint import LEDUC, NINE_CARDS, random_blueprint, suit_aware, whole_deck
from reference.naive_blueprint_response import NaiveResponse

ALL = 10**9
NOLIMIT_LEDUC = BlueprintPlan("nolimit-leduc(stack=12,suits=2)", {"menu": {"bet": "50%, 100%, a"}}, "exact")
TABLES = ("pots", "sizes", "faced", "answers")


@pytest.fixture(scope="module")
def nine_cards():
    return random_blueprint(NINE_CARDS)


def close(mean):
    return pytest.approx((mean.value, mean.low, mean.high), rel=1e-4, abs=1e-4)


def told(mean):
    return mean.value, mean.low, mean.high


@pytest.mark.parametrize("street", [1, 2, 3])
@pytest.mark.parametrize("boards", [12, ALL])
def test_leaks_add_up_to_the_street_response_of_the_same_boards(nine_cards, street, boards):
    if (street, boards) == (1, ALL):
        boards = 20
    found, known = (measure(nine_cards, street, boards=boards, seed=3) for measure in (street_leaks, street_response))
    assert (found.boards, found.complete) == (known.boards, known.complete)
    assert [told(each) for each in found.gain] == [close(each) for each in known.gain]
    assert told(found.mean) == close(known.mean)
    assert found.here.value + found.later.value == pytest.approx(found.mean.value)
    for name in TABLES:
        assert sum(each.loss.value for each in getattr(found, name)) == pytest.approx(found.here.value), name
    for name in ("pots", "sizes"):
        assert sum(each.reached for each in getattr(found, name)) == pytest.approx(known.reached.value), name


@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_lost_later_is_what_the_next_street_loses(seed):
    """Over all boards: the turn's decisions and the river's together are everything from the turn on."""
    blueprint = suit_aware(NINE_CARDS, 3, seed=seed)
    turn, river = (street_leaks(blueprint, street, boards=ALL) for street in (2, 3))
    assert turn.later.value == pytest.approx(river.mean.value, rel=1e-4)
    assert river.here == river.mean
    assert river.later.value == 0.0
    assert turn.here.value > 0.0


@pytest.mark.parametrize("plan", [LEDUC, NOLIMIT_LEDUC], ids=lambda plan: plan.game_name)
def test_plain_recursion_finds_the_same_decisions(plan, monkeypatch):
    monkeypatch.setattr(leaks, "LINES", 10**6)
    blueprint = random_blueprint(plan, seed=4)
    found = {(each.seat, each.line): each.loss.value for each in street_leaks(blueprint, 1, boards=ALL).lines}
    known = naive_losses(blueprint, 1)
    assert len(known) > 8
    for key in {*found, *known}:  # two actions that are worth the same change places by rounding
        assert found.get(key, 0.0) == pytest.approx(known.get(key, 0.0), rel=1e-4, abs=1e-3), key
    by_decision, decisions = decided(found), decided(known)
    assert {key: by_decision.get(key, 0.0) for key in decisions} == {
        key: pytest.approx(loss, rel=1e-4, abs=1e-6) for key, loss in decisions.items()
    }
    assert sum(found.values()) == pytest.approx(sum(known.values()), rel=1e-4)


def decided(losses):
    """By seat and line before the action."""
    out = defaultdict(float)
    for (seat, line), loss in losses.items():
        out[seat, line[: max(line.rfind(":"), line.rfind("/")) + 1]] += loss
    return out


def naive_losses(blueprint, first):
    """By seat and line: chips a hand that a best response wins there by its best action, instead of the blueprint's row."""
    out = defaultdict(float)
    for me in range(2):
        response = NaiveResponse(blueprint, me, respond=True, first=first)
        hands = len(response.hands)
        walk(response, out, 0, "", (), 0, np.ones(hands), np.ones(hands), first)
    return dict(out)


def walk(response, out, node, line, board, dealt, mine, theirs, first):
    tree, rules = response.tree, response.rules
    here = int(tree.round[node])
    if (tree.kind[node] == DECISION and here > dealt) or (
        tree.kind[node] not in (DECISION, FOLD) and dealt < len(rules.board) - 1
    ):
        free = [card for card in range(rules.deck.size) if card not in board]
        chance = 1.0 / comb(len(free) - 2 * rules.hole, rules.board[dealt + 1])
        for new in combinations(free, rules.board[dealt + 1]):
            live = response.live((*board, *new))
            walk(response, out, node, line + "/", (*board, *new), dealt + 1, chance * mine * live, theirs * live, first)
        return
    if tree.kind[node] != DECISION:
        return
    start, width, played = int(tree.first_child[node]), int(tree.children[node]), response.play(node, board)
    lines = [line + ("" if line[-1:] in ("", "/") else ":") + label for label in tree.actions(node)]
    if tree.player[node] == response.me and here >= first:
        below = np.array([response.node(start + a, board, dealt, theirs) for a in range(width)])
        lost = mine * (below.max(axis=0) - (played.T * below).sum(axis=0)) / response.apart.sum()
        for action in range(width):
            out[response.me, lines[action]] += float(lost[below.argmax(axis=0) == action].sum())
    for action in range(width):
        own = played[:, action]
        if tree.player[node] == response.me:
            walk(response, out, start + action, lines[action], board, dealt, mine * own, theirs, first)
        else:
            walk(response, out, start + action, lines[action], board, dealt, mine, theirs * own, first)


def test_threads_change_nothing_and_interrupts_keep_what_is_done(nine_cards):
    def interrupt(done, boards):
        if done == after:
            raise KeyboardInterrupt

    one, two = (street_leaks(nine_cards, 2, boards=12, seed=5, threads=threads) for threads in (1, 2))
    assert (one.mean, one.pots, one.faced, one.lines) == (two.mean, two.pots, two.faced, two.lines)
    after = 5
    some = street_leaks(nine_cards, 2, boards=12, seed=5, report=interrupt)
    assert (some.boards, some.asked, some.complete) == (5, 12, False)
    after = 1
    with pytest.raises(KeyboardInterrupt):
        street_leaks(nine_cards, 2, boards=12, report=interrupt)


def test_an_interrupt_in_the_middle_of_a_board_counts_all_of_it(nine_cards, monkeypatch):
    sums, calls = leaks._Grouping.sums, []

    def interrupted(self, losses):
        calls.append(1)
        if len(calls) == 14:  # the second table of the fourth board
            signal.raise_signal(signal.SIGINT)
        return sums(self, losses)

    monkeypatch.setattr(leaks._Grouping, "sums", interrupted)
    found = street_leaks(nine_cards, 3, boards=12, seed=5)
    assert (found.boards, found.asked) == (4, 12)
    for name in TABLES:
        assert sum(each.loss.value for each in getattr(found, name)) == pytest.approx(found.here.value), name


def test_a_line_has_the_interval_of_its_boards(nine_cards, monkeypatch):
    monkeypatch.setattr(leaks, "LINES", 10**6)
    run = leaks.LeakRun(nine_cards, 3)
    drawn, _ = run.run.draw(9, seed=2)
    rows = []
    for cards in drawn.tolist():
        each = run.run.look_into(cards)
        rows.append(each[0].here)
        run.add(each)
    found = {(line.seat, line.line): told(line.loss) for line in run.judge(9, False, 0.0).lines}
    assert len(found) > 10
    for player in range(2):
        samples = np.array([row[player] for row in rows])
        for slot in np.flatnonzero(samples.any(axis=0)).tolist():
            known = leaks.board_mean(samples[:, slot], False)
            assert found[player, line_of_slot(run.forest, player, slot)] == pytest.approx(
                told(known), rel=1e-6, abs=1e-9
            )


def test_situations_have_their_names():
    """20 big blinds: limped, raised and reraised pots, bets of 60 % and of the pot, all-ins."""
    menu = {"menu": {"bet": "60%, 100%", "raise": "100%, a", "preflop": {"bet": "", "raise": "100%"}}}
    forest = BucketedStreets.of(whole_deck(menu)).forests[1]
    pots, sizes = pot_kinds(forest, True), pot_sizes(forest, 100.0)
    by_line = {line: (pots.names[pots.of[n]], sizes.names[sizes.of[n]]) for n, line in enumerate(forest.before)}
    assert by_line["c:x/"] == ("limped", "0–2 bb")
    assert by_line["r300:c/"] == ("raised", "4–8 bb")
    assert by_line["c:r300:c/"] == ("raised", "4–8 bb")
    assert next(value for line, value in by_line.items() if line.count("r") == 2)[0] == "3-bet"
    assert pot_kinds(forest, False).names[:2] == ("checked", "one bet")
    for player in range(2):
        faced, done = bets_faced(forest, player), answers(forest, player)
        assert set(faced.names) <= set(FACED)
        assert set(done.names) <= set(ANSWERS)
        rows = {
            line_of_slot(forest, player, slot): (faced.names[faced.of[slot]], done.names[done.of[slot]])
            for slot in range(forest.slots[player])
        }
        own = "c:x/" if player == 0 else "c:x/x:"
        other = "c:x/b120:" if player == 1 else "c:x/x:b120:"
        assert rows[f"{own}x"] == ("no bet", "check")
        assert rows[f"{own}b120"] == ("no bet", "bet or raise of 40–80 %")
        assert rows[f"{own}b200"] == ("no bet", "bet or raise of 80–120 %")
        assert rows[f"{other}c"] == ("a bet of 40–80 %", "call")
        assert rows[f"{other}f"] == ("a bet of 40–80 %", "fold")
        assert any(answer == "all-in" for _, answer in rows.values())
        assert any(kind == AN_ALL_IN for kind, _ in rows.values())
