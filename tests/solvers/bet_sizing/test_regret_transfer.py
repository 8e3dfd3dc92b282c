"""Regret transfer: the past replayed at other payoffs, and how much of it may be kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equilibrist as eq
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.forms.history_tree.game_tree import affine_tree
from equilibrist.forms.history_tree.parameters import family_of
from equilibrist.games.library.matrix import MatrixGame
from equilibrist.solvers.bet_sizing.affine_cfr import SampledAffineRun, SequenceAffineRun
from equilibrist.solvers.bet_sizing.regret_transfer import payoff_scale, transfer, transfer_weight
from reference.naive_transfer import naive_replay

LEDUC = family_of("leduc(suits=merged)", "bets")


def test_a_run_at_one_point_is_cfr():
    """Two routes: regrets as coefficients, and the ordinary kernel."""
    run = SequenceAffineRun(LEDUC.tree())
    run.advance(200)
    plain = eq.solve("leduc(suits=merged)", "cfr", iterations=200)
    assert run.average().probabilities == pytest.approx(plain.policy.probabilities, abs=1e-9)
    assert run.values() == pytest.approx(plain.value, abs=1e-9)


@pytest.mark.parametrize("theta", [(2.0, 4.0), (2.1, 4.1), (5.0, 1.0)])
def test_regrets_read_elsewhere_are_a_replay(theta):
    """R at theta' equals the regrets of the same strategies replayed in the game with those payoffs."""
    family = family_of("kuhn", "ante,bet")
    run = SequenceAffineRun(family.tree([1.0, 1.0]))
    run.advance(20)
    expected = naive_replay(family(1.0, 1.0), family(*theta), 20)
    got = dict.fromkeys(expected, 0.0)
    form, regrets = run.form, run.regrets(theta)
    for s, slot in enumerate(form.slot):
        if slot >= 0:
            i = int(np.searchsorted(form.infosets.first_slot, slot, side="right")) - 1
            got[(int(form.infosets.player[i]), form.infosets.keys[i], int(slot - form.infosets.first_slot[i]))] = (
                regrets[s]
            )
    assert got == pytest.approx(expected, abs=1e-9)


def test_published_growth_and_weight_on_leduc():
    """(2, 4) to (2.1, 4.1): delta = 0.0071, and w = 0.125 at T = 1e6 with U = 4.95 ([Brown20, §4.2.4])."""
    run = SequenceAffineRun(LEDUC.tree())
    run.advance(3000)
    run.weight, run.regret = 1e6, run.regret * (1e6 / 3000)  # the same averages after a million iterations
    assert transfer_weight(run, [2.1, 4.1], scale=4.95) == pytest.approx(0.125, abs=0.004)
    moved = transfer(run, [2.1, 4.1], scale=4.95)
    assert moved.delta == pytest.approx(0.0071, abs=1e-4)
    assert run.weight == pytest.approx(1e6 * moved.weight)


def test_the_sharper_form_keeps_more():
    run = SequenceAffineRun(LEDUC.tree())
    run.advance(1000)
    assert transfer_weight(run, [2.5, 5.0], "sharp") >= transfer_weight(run, [2.5, 5.0], "bound")
    assert transfer_weight(run, [2.0, 4.0]) == 1.0


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 4), st.integers(2, 4), st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 60),
    st.sampled_from(["theory", "bound", "sharp"]),
)  # fmt: skip
def test_potential_after_a_transfer_is_bounded(rows, columns, seed, first, second, rule):
    """Lemma 15, Theorem 16: sum of squared positive regrets <= (w T + T2) Delta^2 |A| after the change."""
    rng = np.random.default_rng(seed)
    base, slope = rng.uniform(-1, 1, (rows, columns)), rng.uniform(-1, 1, (rows, columns))

    def family(theta):
        return MatrixGame("m", (base + theta * slope).tolist())

    tree = affine_tree(family, [0.0])
    run = SequenceAffineRun(tree)
    run.advance(first)
    spread = max(float(np.ptp(base)), float(np.ptp(base + slope)))
    transfer(run, [1.0], weight=rule, scale=spread)
    run.advance(second)
    regrets = np.maximum(run.regrets(), 0.0) ** 2
    for i in range(2):
        own = regrets[run.form.first_sequence[i] : run.form.first_sequence[i] + run.form.actions[i]]
        assert own.sum() <= run.weight * spread**2 * run.form.actions[i] * (1 + 1e-9)


def test_transfer_beats_scratch_and_scaling_pays_later():
    """[Brown20, Figure 4.5] in small: right after the move the transferred run is far better than a new one."""
    old = SequenceAffineRun(LEDUC.tree())
    old.advance(20_000)
    transfer(old, [2.1, 4.1], scale=4.95)
    old.advance(100)
    new = SequenceAffineRun(LEDUC.tree([2.1, 4.1]))
    new.advance(100)
    assert old.evaluate().exploitability < 0.25 * new.evaluate().exploitability


def test_chance_sampling_finds_the_same_game():
    run = SampledAffineRun(LEDUC.tree(), seed=3)
    run.advance(200_000)
    found = run.evaluate()
    assert found.exploitability < 0.05
    assert found.value[0] == pytest.approx(-0.0856, abs=0.03)  # by linear program: -0.085606
    exact = SequenceAffineRun(LEDUC.tree())
    exact.advance(2000)
    grown, expected = (r.regrets([2.1, 4.1]) - r.regrets() for r in (run, exact))
    assert (grown / run.weight).max() == pytest.approx((expected / exact.weight).max(), abs=1e-3)


def test_the_solver_goes_on_with_another_member():
    name = "transfer-cfr(vary=bets)"
    old = eq.solve("leduc(suits=merged)", name, iterations=2000)
    again = eq.solve("leduc(suits=merged)", name, iterations=2100, resume=old)
    assert again.iterations == 2100
    moved = eq.solve("leduc(suits=merged,bets=[2.1,4.1])", name, iterations=2100, resume=old)
    assert moved.settings["parameters"] == {"bets[1]": 2.1, "bets[2]": 4.1}
    assert 0.0 < moved.settings["transferred_weight"] < 1.0
    scratch = eq.solve("leduc(suits=merged,bets=[2.1,4.1])", "cfr", iterations=100)
    assert moved.exploitability < scratch.exploitability


def test_what_cannot_be_transferred_is_refused():
    old = eq.solve("leduc(suits=merged)", "transfer-cfr(vary=bets)", iterations=10)
    with pytest.raises(FormatError, match="in more than"):
        eq.solve("leduc(suits=merged,bets=[2,5],cap=3)", "transfer-cfr(vary=bets)", iterations=20, resume=old)
    plain = eq.solve("leduc(suits=merged)", "cfr", iterations=10)
    with pytest.raises(FormatError, match="does not remember"):
        eq.solve("leduc(suits=merged,bets=[2,5])", "transfer-cfr(vary=bets)", iterations=20, resume=plain)
    with pytest.raises(NotApplicableError, match="vary=bets"):
        eq.make_solver("transfer-cfr")
    with pytest.raises(ParameterError, match="Did you mean 'bets'"):
        family_of("leduc", "bet")
    with pytest.raises(ParameterError, match="has no number"):
        family_of("leduc", "bets[3]")
    with pytest.raises(ParameterError, match="cannot be varied"):
        family_of("leduc(suits=merged)", "suits")
    with pytest.raises(NotApplicableError, match="not affine"):
        affine_tree(lambda x: MatrixGame("m", [[x * x, 0.0], [0.0, 1.0]]), [1.0])
    with pytest.raises(ParameterError, match="whole number"):
        family_of("kuhn", "cards").tree()


def test_size_of_payoffs():
    assert payoff_scale(family_of("kuhn", "bet").tree()) == pytest.approx(1.4)  # five ends per deal: 1, 1, 1, 2, 2
