"""`check_form` names the rule that a form breaks."""

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.forms.compiled import compiled
from equilibrist.forms.sequence_form.operator_form import OperatorForm
from equilibrist.testing import check_form

FORM = compiled("leduc").sequence_form
ARRAYS = (FORM.offset, FORM.first_infoset, FORM.first_sequence, FORM.actions, FORM.parent)


class Operator:
    """The payoffs of Leduc, bent by a function of (player, gradient)."""

    def __init__(self, bend):
        self.bend = bend

    def gradient(self, player, plan):
        return self.bend(player, FORM.payoff.gradient(player, plan))


def bent(bend):
    return OperatorForm("bent", *ARRAYS, Operator(bend))


def test_good_forms_pass():
    check_form(FORM, "leduc")
    check_form(bent(lambda player, gradient: gradient), "leduc")


@pytest.mark.parametrize(
    ("bend", "rule"),
    [
        (lambda player, gradient: gradient * (1.0 + player), "not those of one zero-sum matrix"),
        (
            lambda player, gradient: gradient + 0.01 * np.sign(gradient) * gradient**2 * (1 - 2 * player),
            "matrix|not linear",
        ),
        (lambda player, gradient: gradient[:-1], "does not fit its infoset trees"),
    ],
)
def test_broken_products_are_named(bend, rule):
    with pytest.raises(AssertionError, match=rule):
        check_form(bent(bend))


def test_trees_that_do_not_fit_are_named():
    with pytest.raises(AssertionError, match="do not fit together"):
        check_form(replace(FORM, actions=FORM.actions[:-1]))
    parent = FORM.parent.copy()
    parent[3] = FORM.offset[2] - 1
    with pytest.raises(AssertionError, match="Infoset 3 of 'leduc'"):
        check_form(replace(FORM, parent=parent))


def test_gradients_that_remember_are_named():
    seen = []

    def drifting(player, gradient):
        seen.append(player)
        return gradient * (1.0 + 1e-15 * len(seen))

    with pytest.raises(AssertionError, match="differs when it is asked again"):
        check_form(bent(drifting))


def test_another_game_is_told_apart():
    with pytest.raises(AssertionError, match="is not the game 'kuhn'"):
        check_form(FORM, "kuhn")
