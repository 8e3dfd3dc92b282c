"""`check_form` names the rule that a form breaks."""

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.compiled import compiled
from equilibrist.forms.sequence_form.operator_form import OperatorForm
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.on_form import start_on
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


class Bent:
    """The form of Leduc with some members replaced."""

    def __init__(self, **bent):
        self.bent = bent

    def __getattr__(self, member):
        bent = self.__dict__["bent"]
        if member in bent:
            if bent[member] is None:
                raise AttributeError(member)
            return bent[member]
        return getattr(FORM, member)


def writes(player, plan, out):
    FORM.gradient(player, plan, out)
    plan[0] += 1.0


def not_a_number(player, plan, out):
    out[:] = np.nan


def raises(player, plan, out):
    raise RuntimeError("out of order")


START, COLUMN, VALUE = FORM.matrix
FINE = Bent(gradient=FORM.gradient, matrix=FORM.matrix, spread=FORM.spread, policy=FORM.policy)


def test_a_form_made_of_members_passes():
    check_form(FINE, "leduc")


@pytest.mark.parametrize(
    ("bent", "rule"),
    [
        ({"matrix": (START, COLUMN, 2.0 * VALUE)}, "`matrix` and `gradient` of 'leduc' are not the same game"),
        ({"matrix": (START, COLUMN, np.zeros_like(VALUE))}, "not the same game"),
        ({"matrix": (START[:-1], COLUMN, VALUE)}, r"`matrix` of 'leduc' is start \[\d+\].* shapes are"),
        ({"matrix": (START, COLUMN, VALUE[:-1])}, "shapes are"),
        ({"matrix": (START, COLUMN + len(START), VALUE)}, "columns are sequences 0 to"),
        ({"matrix": [START, COLUMN, VALUE]}, "three NumPy arrays, but list"),
        ({"spread": lambda: "much"}, r"`spread\(\)` of 'leduc' raised ValueError"),
        ({"spread": lambda: FORM.spread()[:-1]}, r"`spread\(\)` of 'leduc' gives an array of shape"),
        ({"spread": lambda: -FORM.spread()}, "finite number of at least 0"),
        ({"policy": lambda behaviour: "raise"}, "gives str; it gives a policy"),
        ({"policy": lambda behaviour: None}, "gives NoneType; it gives a policy"),
        ({"policy": lambda behaviour: FORM.policy(0.5 * behaviour)}, "add up to 0.5, not to 1"),
        ({"policy": lambda behaviour: FORM.infosets.uniform()}, "is another strategy than `behaviour`"),
        ({"gradient": writes}, "writes into `plan`"),
        ({"gradient": not_a_number}, "is nan at its sequence 0; payoffs are finite"),
        ({"gradient": raises}, r"raised RuntimeError \(out of order\)"),
        ({"gradient": None}, "has no `gradient"),
        ({"offset": FORM.offset.tolist()}, "`offset` of 'leduc' is list; a form has NumPy arrays"),
        ({"offset": FORM.offset.astype(float)}, "`offset` of 'leduc' is an array of float64"),
        ({"offset": FORM.offset[:2]}, "it has three numbers"),
        ({"parent": None}, "`parent` of 'leduc' is missing"),
        ({"name": None}, "A form has a `name`"),
    ],
)
def test_each_broken_member_is_named(bent, rule):
    with pytest.raises(AssertionError, match=rule):
        check_form(Bent(**bent), "leduc")


def test_solvers_refuse_what_is_no_form():
    for bent in ({"gradient": not_a_number}, {"matrix": (START, COLUMN, 2.0 * VALUE)}):
        with pytest.raises(NotApplicableError):
            CFR().on(Bent(**bent))
    with pytest.raises(NotApplicableError, match="at least 0"):
        CFR(minimiser="hedge").on(Bent(spread=lambda: -FORM.spread()))


class MyCFR(CFR):
    """A class of a user that derives from ours."""


class SequenceForm(Bent):
    """A form of a user that happens to have the name of one of ours."""


def test_runs_are_found_by_class_and_not_by_name():
    mine, theirs = MyCFR().on(FORM), CFR().on(FORM)
    assert type(mine) is type(theirs)
    bent = CFR().on(SequenceForm(gradient=FORM.gradient))
    assert type(bent) is not type(theirs)
    for run in (mine, theirs, bent):
        run.advance(5)
    assert mine.evaluate() == theirs.evaluate()
    assert bent.evaluate().exploitability == pytest.approx(theirs.evaluate().exploitability, rel=1e-9)
    with pytest.raises(NotApplicableError, match="has no run on forms"):
        start_on(object(), FORM)
