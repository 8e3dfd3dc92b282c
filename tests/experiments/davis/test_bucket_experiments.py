"""The experiments with hold'em in buckets on a game of a second: they run whole, draw, and go on where they stopped."""

import numpy as np
import pytest

from equilibrist.experiments.davis import cfr_fbr_holdem
from equilibrist.experiments.davis.bucket_holdem import open_setting, solve_to
from equilibrist.experiments.davis.five_bucket import score_while_training, two_routes
from equilibrist.experiments.findings import Request

TINY = "bucket-holdem(buckets=2,boards=0,rounds=2,ranks=5)"
PLAN = cfr_fbr_holdem.Plan(TINY, 20.0, {20: 30, 50: 12}, (20, 50, 200), 4, 2, (20,))


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path))
    monkeypatch.setattr(cfr_fbr_holdem, "FULL", PLAN)
    return tmp_path


def test_a_full_run_is_whole_and_kept(small):
    told = []
    found = cfr_fbr_holdem.run(Request(full=True, progress=lambda text, share: told.append(text)))
    names = [check.name for check in found.checks]
    assert any("ahead" in name for name in names)
    assert found.measured["training"]["CFR-FBR-20"]["iterations"] == [10, 18, 30]
    assert set(found.measured["values"]) == {"CFR", "CFR-FBR-20", "CFR-FBR-50"}
    assert any("CFR-FBR-50: iteration 12 of 12" in text for text in told)
    assert len(list((small / "training" / "cfr-fbr").iterdir())) == 2
    again = cfr_fbr_holdem.run(Request(full=True))
    assert again.measured["values"] == found.measured["values"]
    from matplotlib.figure import Figure

    found.draw(Figure())


def test_an_interrupted_row_goes_on(small, monkeypatch):
    monkeypatch.setattr(cfr_fbr_holdem, "KEPT_SECONDS", 0.0)
    setting = open_setting(TINY, Request())
    whole, curve = cfr_fbr_holdem.train(setting, 20, PLAN, Request())

    def stop(text, share):
        if "iteration 21 " in text:
            raise KeyboardInterrupt

    for file in (small / "training" / "cfr-fbr").iterdir():
        file.unlink()
    with pytest.raises(KeyboardInterrupt):
        cfr_fbr_holdem.train(setting, 20, PLAN, Request(progress=stop))
    resumed, same = cfr_fbr_holdem.train(setting, 20, PLAN, Request())
    assert same.rows == curve.rows
    for ours, theirs in zip(whole, resumed, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert np.array_equal(one, other)


def test_scores_while_training_and_two_routes(small, monkeypatch):
    from equilibrist.experiments.davis import five_bucket

    monkeypatch.setattr(five_bucket, "GOAL", 30.0)
    setting = open_setting(TINY, Request())
    run, reached, curve = score_while_training(setting, Request(), 2, (10,))
    assert reached <= 30.0
    assert sorted(curve) == [10, run.iteration]
    assert two_routes(setting, run.average).passed
    assert solve_to(setting, 30.0, Request())[0].iteration == run.iteration
