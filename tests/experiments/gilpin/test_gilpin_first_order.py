"""Parts of the experiments on first-order methods that take seconds."""

from __future__ import annotations

import pytest

from equilibrist.experiments.findings import Request
from equilibrist.experiments.gilpin.abstraction.class_programs import size_with_classes
from equilibrist.experiments.gilpin.equilibria import egt, sampling, smoothing
from equilibrist.experiments.gilpin.equilibria.instances import (
    HUNDRED_SIXTY_THOUSAND,
    TEN_THOUSAND,
    draw_curves,
    game_instance,
)
from equilibrist.games.poker.family import leduc, rhode_island

LEDUC = game_instance("leduc(ranks=6)", "10k")


def test_sizes_of_table_8_1() -> None:
    assert [check.name for check in egt.size_checks() if not check.passed] == []
    # Rhode Island hold'em with suit isomorphism only (recomputed), and without abstraction ([Gilpin09, §5.2.1])
    assert size_with_classes(rhode_island().rules, (13, 325, 9_997)).rows == 6_889_976
    assert size_with_classes(rhode_island().rules, (52, 2_652, 132_600)).columns == 91_224_226


@pytest.mark.slow
def test_instances_have_the_printed_sizes() -> None:
    """10,421 and 161,481 sequences a player, from the sizes of [Gilpin09, Table 8.1]."""
    assert int(TEN_THOUSAND.form().offset[1]) == 10_421
    assert int(HUNDRED_SIXTY_THOUSAND.form().offset[1]) == 161_481


def test_sizes_agree_with_a_built_game() -> None:
    """Leduc: two rounds of at most two bets, 3 and 9 classes; its first round has no class-dependent lines."""
    form = game_instance("leduc(suits=merged)", "").form()
    size = size_with_classes(leduc().rules, (3, 9))
    sequences, infosets = int(form.offset[1]), int(form.first_infoset[1])
    assert (size.rows, size.columns) == (sequences + infosets + 1, sequences + infosets + 1)


def test_heuristics_on_a_small_instance() -> None:
    prox, heuristics = egt.prox_curves(LEDUC, Request()), egt.heuristic_curves(LEDUC, Request())
    assert [check.name for check in egt.instance_checks(LEDUC, prox, heuristics) if not check.passed] == []
    assert [curve.label for curve in prox] == ["entropy", "euclidean"]
    assert all(curve.seconds == sorted(curve.seconds) for curve in heuristics)


def test_matrices_keep_their_bound() -> None:
    checks, means = egt.matrix_checks([0])
    assert checks[0].passed
    assert means["EGT-2"] < means["plain"]


def test_random_matrices_are_one_game_however_they_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    sparse = smoothing.random_form(12, 3)
    monkeypatch.setattr(smoothing, "FUSED", 5)
    dense = smoothing.random_form(12, 3)
    steps = [smoothing.iterated_smoothing().on(form).reach(1e-3, 5_000) for form in (sparse, dense)]
    assert steps[0] == steps[1] > 0


def test_steps_to_each_accuracy_are_counted() -> None:
    group = smoothing.Group("10x10", [smoothing.random_form(10, seed) for seed in range(3)], [1e-1, 1e-2, 1e-3])
    found = smoothing.count_steps(group, Request())
    assert all(row == sorted(row) for row in found.mean.values())
    assert found.ended == dict.fromkeys(smoothing.METHODS, 0)
    assert smoothing.slope([1e-1, 1e-2, 1e-3], [10, 100, 1000]) == pytest.approx(1.0)


def test_larger_samples_take_over() -> None:
    curves = [sampling.static_curve(LEDUC, share, Request()) for share in (0.04, 0.16, 0.64)]
    assert curves[0].gaps[-1] > curves[1].gaps[-1] > curves[2].gaps[-1]
    assert curves[0].sampled[-1] < 0.1 * curves[0].gaps[-1]
    best = list(sampling.best_shares(curves).values())
    assert best[-1] == "64.0%"
    assert sampling.dynamic_curve(LEDUC, 0.05, 1.0, Request()).work_to(1.0) > 0


def test_work_counts_products() -> None:
    curve = sampling.SampleCurve("c", work=[1.0, 2.0, 4.0], gaps=[3.0, 2.0, 1.0])
    assert curve.gap_within(3.0) == 2.0
    assert curve.gap_within(0.5) == float("inf")
    assert curve.work_to(2.5) == 2.0


def test_curves_are_drawn() -> None:
    figures = pytest.importorskip("matplotlib.figure")
    figure = figures.Figure()
    draw_curves(figure, {"one": egt.prox_curves(LEDUC, Request())})
    assert len(figure.axes[0].lines) == 2
