"""Dominated sequences and sizes of linear programs: published counts, and values that do not move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.experiments.gilpin.abstraction.class_programs import (
    cannot_lose,
    idle_counts,
    size_of_form,
    size_with_classes,
    unbeatable_hands,
    unbeatable_sequences,
)
from equilibrist.forms.compiled import compiled
from equilibrist.forms.hand_classes.kronecker import kronecker_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.linear_programs.dominance import dominated_sequences
from equilibrist.solvers.linear_programs.plan_program import PlanProgram
from equilibrist.solvers.linear_programs.program_size import program_size
from equilibrist.solvers.linear_programs.sequence_lp import SequenceFormLP
from random_games import RandomGame, small_zero_sum_games


def rules_of(name: str) -> PokerRules:
    game = load_game(name)
    assert isinstance(game, Poker)
    return game.rules


RHODE_ISLAND = rules_of("rhode-island")
HOLDEM = rules_of("limit-holdem")

SIZES = [  # [Gilpin09, §5.2.1, §6.3.1 and Table 8.1]: rules, classes, rows, columns
    (RHODE_ISLAND, (52, 2_652, 132_600), 91_224_226, 91_224_226),
    (RHODE_ISLAND, (13, 205, 1_774), 1_237_238, 1_237_238),
    (RHODE_ISLAND, (13, 325, 9_997), 6_889_976, 6_889_976),
    (replace(HOLDEM, caps=(3, 3, 0, 0)), (169, 2_465, 1, 1), 243_938, 244_107),  # GS1, first phase
    (replace(HOLDEM, caps=(3, 3, 3, 3)), (10, 150, 750, 3_750), 18_536_842, 18_536_852),  # "Texas"
    (HOLDEM, (20, 800, 4_800, 28_800), 299_477_082, 299_477_102),  # "GS4"
    (replace(RHODE_ISLAND, caps=(3, 3, 0)), (13, 147, 1), 14_590, 14_590),  # "10k"
    (RHODE_ISLAND, (13, 100, 315), 226_074, 226_074),  # "160k"
]


@pytest.mark.parametrize(("rules", "classes", "rows", "columns"), SIZES)
def test_sizes_by_counting(rules: PokerRules, classes: tuple[int, ...], rows: int, columns: int) -> None:
    size = size_with_classes(rules, classes)
    assert (size.rows, size.columns) == (rows, columns)
    assert size.nonzeros is None


def test_size_of_the_signature_game() -> None:
    """[Gilpin09, §5.2.1]: 50,428,638 non-zeros, and the counts of [Gilpin09, §10.2.1]."""
    size = size_of_form(kronecker_form(RHODE_ISLAND, shrink(RHODE_ISLAND, "signature")))
    assert (size.rows, size.columns, size.payoff_nonzeros, size.nonzeros) == (
        1_237_238,
        1_237_238,
        47_954_164,
        50_428_638,
    )
    assert (size.sequences, size.infosets) == ((883_741,) * 2, (353_496,) * 2)


def test_size_of_a_program_at_hand() -> None:
    """The sizes are those of the matrices; [Lu16, §4.2.4]: E and F of Kuhn are 7 x 13, A has 30 entries."""
    form = compiled("kuhn").sequence_form
    size = program_size(form)
    program = PlanProgram(form, 0)
    assert (size.rows, size.columns) == (20, 20)
    assert size.payoff_nonzeros == program.payoff.nnz == 30
    assert size.nonzeros == program.payoff.nnz + program.own.nnz + program.other.nnz


def test_published_counts_of_dominated_sequences() -> None:
    """[Gilpin09, §5.2.1]."""
    form = kronecker_form(RHODE_ISLAND, shrink(RHODE_ISLAND, "signature"))
    gone = unbeatable_sequences(form)
    removed = (int(gone[: form.offset[1]].sum()), int(gone[form.offset[1] :].sum()))
    assert removed == (46_795, 56_154)
    smaller = size_of_form(form).without(removed)
    assert (smaller.rows, smaller.columns) == (1_190_443, 1_181_084)
    assert int(cannot_lose(RHODE_ISLAND, form.classes[0]).sum()) == 191
    hands, (first, second) = unbeatable_hands(RHODE_ISLAND), idle_counts(RHODE_ISLAND)
    assert (hands, first, second) == (7_152, 5 * 49, 6 * 49)
    whole = size_with_classes(RHODE_ISLAND, (52, 2_652, 132_600)).without((hands * first, hands * second))
    assert (whole.rows, whole.columns) == (89_471_986, 89_121_538)


def test_the_general_rule_finds_what_cannot_lose() -> None:
    rules = rules_of("rhode-island(ranks=2,suits=2)")
    form = kronecker_form(rules, shrink(rules))
    general, special = dominated_sequences(form), unbeatable_sequences(form)
    assert special.sum() > 0
    assert not (special & ~general).any()
    exact = PlanProgram(form, 0).maximise().guarantee
    for gone in (general, special):
        for player in range(2):
            found = PlanProgram(form, player, gone).maximise()
            assert found.guarantee == pytest.approx(exact if player == 0 else -exact, abs=1e-7)
            assert found.plan[gone[form.offset[player] : form.offset[player + 1]]] == pytest.approx(0.0, abs=1e-9)


def test_matrix_games_lose_dominated_rows_and_columns() -> None:
    # row 1 beats row 3; then column 2 beats column 3; then row 2 survives beside row 1 (all by hand)
    game = compiled(MatrixGame("dominated", [[3.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, -1.0, 9.0]]))
    gone = dominated_sequences(game.sequence_form)
    assert gone.tolist() == [False, False, False, False, False, False, False, False]
    game = compiled(MatrixGame("dominated", [[3.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, -1.0, 1.0]]))
    gone = dominated_sequences(game.sequence_form)
    assert np.flatnonzero(gone).tolist() == [3]
    twins = compiled(MatrixGame("twins", [[1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]))
    assert int(dominated_sequences(twins.sequence_form).sum()) == 1  # one of two equal rows stays


def test_kuhn_by_hand() -> None:
    """A jack never calls, a king never folds nor checks behind, and a queen that cannot gain by betting still may."""
    form = compiled("kuhn").sequence_form
    gone = dominated_sequences(form)
    names = set()
    for s in np.flatnonzero(gone):
        slot = int(form.slot[s])
        i = int(np.searchsorted(form.infosets.first_slot, slot, side="right")) - 1
        names.add((form.infosets.keys[i], form.infosets.actions[i][slot - form.infosets.first_slot[i]]))
    assert {("J:x:b", "c"), ("K:x:b", "f"), ("J:b", "c"), ("K:b", "f"), ("K:x", "x")} <= names
    assert ("Q:x:b", "c") not in names
    assert ("Q:b", "c") not in names
    assert ("Q:b", "f") not in names


@settings(max_examples=25, deadline=None)
@given(small_zero_sum_games())
def test_the_value_stays(game: RandomGame) -> None:
    target = compiled(game)
    plain, smaller = (SequenceFormLP(eliminate=given).solve(target, Stop()) for given in (False, True))
    assert smaller.value[0] == pytest.approx(plain.value[0], abs=1e-8)
    assert smaller.exploitability <= 1e-8


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice(dice=1,faces=4)"])
def test_known_values_stay(name: str) -> None:
    game = compiled(name)
    plain, smaller = (SequenceFormLP(eliminate=given).solve(game, Stop()) for given in (False, True))
    assert smaller.value[0] == pytest.approx(plain.value[0], abs=1e-9)
    assert sum(smaller.settings["eliminated"]) > 0
