"""Models with fewer raises: sizes, what real lines mean to them, and play in the real game."""

from __future__ import annotations

import numpy as np
import pytest

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.abstraction.information.methods import abstract
from equilibrist.abstraction.information.raise_caps import (
    CallBeyondCap,
    LikeLastRaise,
    Lookup,
    ReplyRule,
    look_ups,
    with_cap,
)
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.reports.abstraction_study import sequence_counts
from equilibrist.forms.hand_classes.kronecker import kronecker_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.hand_classes.raise_cap_play import action_labels, lift_capped
from equilibrist.solvers.hand_classes.solve_classes import solve_rounds


def rules_of(name: str) -> PokerRules:
    game = load_game(name)
    assert isinstance(game, Poker)
    return game.rules


SMALL = "rhode-island(ranks=3,suits=2)"


def test_sequences_of_rhode_island() -> None:
    """[Gilpin09, §7.3], at 13 - 205 - 1,774."""
    rules = rules_of("rhode-island")
    counts = {cap: sequence_counts(with_cap(rules, cap), (13, 205, 1_774)) for cap in (1, 2, 3)}
    assert counts == {1: (66_377, 66_377), 2: (317_717, 317_717), 3: (883_741, 883_741)}


@pytest.mark.parametrize(
    ("cap", "ends"),
    [  # [Gilpin09, §7.3]: real ends of a round and the modelled ones they stand for
        (1, {"x:x": "x:x", "b:c": "b:c", "b:r:c": "b:c", "b:r:r:c": "b:c", "x:b:c": "x:b:c", "x:b:r:c": "x:b:c", "x:b:r:r:c": "x:b:c"}),
        (2, {"b:c": "b:c", "b:r:c": "b:r:c", "b:r:r:c": "b:r:c", "x:b:c": "x:b:c", "x:b:r:c": "x:b:r:c", "x:b:r:r:c": "x:b:r:c"}),
    ],
)  # fmt: skip
def test_ends_of_rounds(cap: int, ends: dict[str, str]) -> None:
    real = rules_of(SMALL)
    found = look_ups(real, with_cap(real, cap), CallBeyondCap())
    assert {end: found[0, end].line for end in ends} == ends  # player 1 opens the next round there
    assert {end: found[0, f"{end}:x:b"].line for end in ends} == {end: f"{model}:x:b" for end, model in ends.items()}


def test_replies() -> None:
    real = rules_of(SMALL)
    call, like = (look_ups(real, with_cap(real, 1), rule) for rule in (CallBeyondCap(), LikeLastRaise()))
    assert call[0, "b:r"] == call[1, "x:b:r"] == Lookup(None)
    assert like[0, "b:r"] == Lookup("x:b", fold_or_call=True)
    assert like[1, "x:b:r"] == Lookup("b", fold_or_call=True)
    assert {key for key, lookup in call.items() if lookup.line is not None} == {
        key for key, lookup in like.items() if not lookup.fold_or_call
    }


@pytest.mark.parametrize(("game", "cap"), [("leduc(cap=3)", 1), ("leduc(cap=3)", 2), (SMALL, 2)])
def test_two_modelled_players_play_the_model(game: str, cap: int) -> None:
    """Neither raises beyond the model, so the real game goes as the modelled one does."""
    real = rules_of(game)
    model = kronecker_form(with_cap(real, cap), abstract(real, "eb"))
    solution = solve_rounds(model, iterations=60)
    full = kronecker_form(real, shrink(real))
    for rule in (CallBeyondCap(), LikeLastRaise()):
        lifted = lift_capped(solution.strategy, full, rule).evaluate()
        assert lifted.value[0] == pytest.approx(solution.evaluation.value[0], rel=1e-6)
        assert lifted.exploitability > solution.exploitability


class LikeFirstBet:
    """A rule of somebody's own: like the first bet of the round, raises left out."""

    name = "first"

    def reply(self, player: int, start: BettingNode) -> Lookup:
        bet = ["x", "b"] if player == 0 else ["b"]
        return Lookup(":".join([*filter(None, [start.line]), *bet]), fold_or_call=True)


@pytest.mark.parametrize(("cap", "rule"), [(1, LikeLastRaise()), (2, LikeFirstBet())])
def test_lifted_behaviour_line_by_line(cap: int, rule: ReplyRule) -> None:
    """Probabilities at every real infoset, looked up one by one."""
    real = rules_of("leduc(cap=4)")
    model = kronecker_form(with_cap(real, cap), shrink(real))
    strategy = solve_rounds(model, iterations=40).strategy
    full = kronecker_form(real, shrink(real))
    lifted = lift_capped(strategy, full, rule)
    found = look_ups(real, model.rules, rule)
    names, known = action_labels(real), action_labels(model.rules)
    for player in range(2):
        theirs, mine = strategy.behaviour(player), lifted.behaviour(player)
        for r, betting in enumerate(full.rounds):
            columns, there = betting.columns[player], model.rounds[r].columns[player]
            for line, first in zip(columns.labels, columns.first, strict=True):
                lookup = found[player, line]
                assert lookup.line is not None
                place = int(there.first[there.labels.index(lookup.line)])
                model_actions = known[player, lookup.line]
                for row in range(len(mine[r])):
                    chances = dict(zip(model_actions, theirs[r][row, place:], strict=False))
                    kept = {a: p for a, p in chances.items() if a in "fc" or not lookup.fold_or_call}
                    total = sum(kept.values())
                    wanted = [kept.get(action, 0.0) / total for action in names[player, line]]
                    assert np.allclose(mine[r][row, first : first + len(wanted)], wanted, atol=1e-12)


def test_refusals() -> None:
    real = rules_of("leduc")
    with pytest.raises(ParameterError, match="at least one bet"):
        with_cap(real, 0)
    with pytest.raises(NotApplicableError, match="lower cap"):
        look_ups(with_cap(real, 1), real, CallBeyondCap())
