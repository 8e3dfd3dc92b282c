"""Parts of the experiments on tournaments: printed grids, checks that can fail, programs against play, searches that go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equilibrist.cards.allins.classes import class_number
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.experiments.findings import Request
from equilibrist.experiments.ganzfried.tournaments import ftpl, tournament
from equilibrist.experiments.ganzfried.tournaments.printed_grids import GRIDS, SINGLE_HAND, TOURNAMENT, printed_grid
from equilibrist.experiments.ganzfried.tournaments.runs import equity_groups, jam_shares, run_method
from equilibrist.experiments.ganzfried.tournaments.tournament_heads_up import with_one_mixed_hand
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.solvers.stochastic_games.heads_up_programs import improve
from equilibrist.solvers.stochastic_games.jam_fold_stages import HeadsUpStages
from equilibrist.solvers.stochastic_games.outer_loops import Search
from equilibrist.solvers.stochastic_games.policy_iteration import ex_post_check
from equilibrist.solvers.stochastic_games.three_way_stages import ThreeWayStages
from reference.toy_showdowns import toy_joint, toy_showdowns


def test_grids_are_those_of_the_text() -> None:
    assert len(GRIDS) == 14
    assert all(printed_grid(table).shape == (169,) for table in GRIDS)
    assert printed_grid("9.4")[class_number("93s")] == 0.23  # [Ganzfried15, §9.8.4] says so, too
    assert printed_grid("9.4")[class_number("93o")] == 0.0
    assert printed_grid("9.11")[class_number("Q5s")] == 0.0  # a misprint
    assert sorted(printed_grid("9.16")) == list(range(169))


def test_shares_of_jams_follow_from_the_printed_grids() -> None:
    """[Ganzfried15, Table 9.14]: the text's own numbers agree with its own grids."""
    for kind, tables in (("tournament", TOURNAMENT), ("single hand", SINGLE_HAND)):
        shares = jam_shares(np.stack([printed_grid(table) for table in tables]))
        assert shares == pytest.approx(tournament.TABLE_9_14[kind], abs=0.002)


def test_printed_strategies_pass_and_others_fail() -> None:
    jams = np.stack([printed_grid(table) for table in SINGLE_HAND])
    checks, _ = tournament.grid_checks(SINGLE_HAND, jams)
    assert all(check.passed for check in [*checks, *tournament.share_checks("single hand", jams, 0.01)])
    checks, _ = tournament.grid_checks(SINGLE_HAND, 1.0 - jams)
    assert not any(check.passed for check in checks)
    assert not any(check.passed for check in tournament.share_checks("single hand", jams[::-1], 0.01))


def test_a_ranking_explains_what_follows_it_and_not_the_print() -> None:
    equal, unequal = printed_grid("9.4"), printed_grid("9.15")
    assert (tournament.unexplained(equal), tournament.unexplained(unequal)) == (22, 2)
    assert all(check.passed for check in tournament.ranking_checks(equal, unequal))
    ranked = (printed_grid("9.16") < 60).astype(float)
    assert tournament.unexplained(ranked) == 0
    assert (
        sum(check.passed for check in tournament.ranking_checks(ranked, ranked)) == 1
    )  # two hands of 9.15 are within three


def test_icm_alone_does_not_pass_for_the_solution() -> None:
    rules = JamFold()
    checks, found = tournament.icm_checks(rules, rules.guess())
    assert not any(check.passed for check in checks if "average" in check.name or "largest" in check.name)
    assert found["largest"] == 0.0


def test_groups_have_about_the_same_weight() -> None:
    groups = equity_groups(20)
    assert groups[class_number("AA")] == 0
    assert groups[class_number("32o")] == 19
    assert set(groups) == set(range(20))


def test_searches_go_on_where_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages = ThreeWayStages(JamFold(chips=1500), toy_joint())
    guess, kept = stages.rules.guess(), Checkpoints(tmp_path, "test")
    told: list[str] = []
    request = Request(progress=lambda doing, share: told.append(doing))
    whole = run_method(stages, "pi-fp", request, Checkpoints(None, ""), values=guess, name="a", most=3, least=3)
    run_method(stages, "pi-fp", request, kept, values=guess, name="a", most=2, least=2)
    told.clear()
    again = run_method(stages, "pi-fp", request, kept, values=guess, name="a", most=3, least=3)
    assert told[0].startswith("a: iteration 3, largest gain ")
    assert np.array_equal(again.jams, whole.jams)
    assert again.points[:, 3] == pytest.approx(whole.points[:, 3])
    monkeypatch.setattr(Search, "check", lambda search: pytest.fail("what is done was checked again"))
    done = run_method(stages, "pi-fp", request, kept, values=guess, name="a", most=3, least=3)
    assert np.array_equal(done.values, whole.values)
    assert done.checked == whole.checked


def test_linear_programs_end_where_nothing_is_left_to_gain() -> None:
    stages = HeadsUpStages(JamFold(1000, 50, (100, 200), (1.0, 0.0)), toy_showdowns(2)[1])
    values = stages.rules.guess()
    for _ in range(5):
        plan, values = improve(stages, values)
    assert ex_post_check(stages, plan).gain < 1e-9
    assert ex_post_check(stages, stages.start()).gain > 0.01
    assert values.sum(axis=1) == pytest.approx(1.0)


def test_one_hand_stays_mixed() -> None:
    jams = np.array([[[0.4, 0.9, 1.0], [0.0, 0.2, 1.0]]])
    assert with_one_mixed_hand(jams).tolist() == [[[0.4, 1.0, 1.0], [0.0, 0.2, 1.0]]]


def test_slopes_are_measured() -> None:
    counts = np.arange(1, 5001)
    assert ftpl.slope(counts**-0.5) == pytest.approx(-0.5)
    assert ftpl.slope(np.ones(5000)) == pytest.approx(0.0)
    assert ftpl.expected_regrets(2048, 1.0)[-1] < 0.1 * ftpl.expected_regrets(2048, 0.0)[-1]
