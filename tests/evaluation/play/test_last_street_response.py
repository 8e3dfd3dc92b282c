"""Best responses on the last street to players that are asked, beside those to blueprints on all lines and boards."""

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.player import Strategy
from equilibrist.evaluation.play.last_street_response import (
    LastStreetResponder,
    judge_last_street,
    last_street_gains,
)
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.blueprint.exact.street_response import StreetRun, street_response
from random_blueprint import NINE_CARDS, random_blueprint


@pytest.fixture(scope="module")
def nine_cards():
    return random_blueprint(NINE_CARDS, seed=1)


@pytest.fixture(scope="module")
def game():
    return load_game(NINE_CARDS.game_name)


def responder(game, blueprint, *more):
    return LastStreetResponder(game, lambda: BlueprintPlayer(blueprint), *more)


def split(line, deck):
    """Betting street by street, and the numbers of the cards."""
    number = {deck.label(card): card for card in range(deck.size)}
    streets, cards = [[]], []
    for word in line.split(":"):
        if word[:2] in number:
            cards += [number[word[n : n + 2]] for n in range(0, len(word), 2)]
            streets.append([])
        else:
            streets[-1].append(word)
    return "/".join(":".join(words) for words in streets[:-1]), cards


def test_each_line_and_board_is_answered_as_on_all_lines(nine_cards, game):
    run, asked = StreetRun(nine_cards, 3), responder(game, nine_cards)
    names = [name.rstrip("/") for name in run.streets.forests[3].before]
    looked = 0
    for found in last_street_gains(asked, 4000):
        if found.line:
            betting, cards = split(found.line, game.rules.deck)
            known, line = run.look_at(cards), names.index(betting)
            assert found.gain == pytest.approx(known.gain[:, line] / known.reached[line], rel=1e-4, abs=1e-3)
            looked += 1
        if looked == 8:
            return
    raise AssertionError("too few hands got to the river")


def test_hands_that_are_dealt_say_what_all_boards_do(nine_cards, game):
    known = street_response(nine_cards, 3, boards=10**9)
    found = judge_last_street(list(last_street_gains(responder(game, nine_cards), 1500, seed=3)))
    assert found.reached == pytest.approx(known.reached.value, abs=4.0 * np.sqrt(known.reached.value / found.hands))
    assert abs(found.mean.mean - known.mean.value) < 4.0 * found.mean.error
    assert found.mean.error < 0.2 * known.mean.value


def test_more_sizes_gain_no_less(game):
    blueprint = random_blueprint(replace(NINE_CARDS, menu={"menu": {"bet": "400%", "raise": ""}}), seed=2)
    plain, more = (list(last_street_gains(responder(game, blueprint, *how), 40)) for how in ((), ((1.0, 2.0), 2)))
    there = [(a, b) for a, b in zip(plain, more, strict=True) if a.line]
    assert there
    for a, b in there:
        assert a.line == b.line
        assert all(large >= small - 1e-6 for small, large in zip(a.gain, b.gain, strict=True))
    assert any(large > small + 1.0 for a, b in there for small, large in zip(a.gain, b.gain, strict=True))


class Coin:
    """A player that calls or folds all its hands by a coin that is tossed before each hand; checks otherwise."""

    def reset(self, seat, rules, rng):
        self.calls = rng.random() < 0.5

    def observe(self, event):
        pass

    def act(self, view, deadline=None):
        return view.passive()

    def strategy(self, view):
        passive = view.passive() if view.chips.round < 3 or self.calls else view.fold()
        return Strategy((passive,), np.ones((36, 1)))


def test_what_is_drawn_hand_by_hand_is_not_known(game):
    """Against a known coin all hands gain by a bet where it folds; against one in two they risk the call."""
    known = judge_last_street(list(last_street_gains(LastStreetResponder(game, Coin, ("a",), 1), 400)))
    hidden = judge_last_street(list(last_street_gains(LastStreetResponder(game, Coin, ("a",), 20), 400)))
    assert hidden.mean.mean < 0.95 * known.mean.mean


def test_what_cannot_be_measured_is_refused(nine_cards, game):
    with pytest.raises(NotApplicableError, match="two players"):
        responder(load_game("kuhn"), nine_cards)
    with pytest.raises(NotApplicableError, match="state its strategy"):
        LastStreetResponder(game, lambda: object())
    with pytest.raises(ParameterError, match="readings=0"):
        responder(game, nine_cards, (), 0)
