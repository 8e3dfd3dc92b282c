"""The registry, and every quick experiment that takes seconds: each must come out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from equilibrist.core.errors import MissingExtraError, ParameterError, UnknownNameError
from equilibrist.experiments.brown.depth_limits import liars_dice
from equilibrist.experiments.brown.discounting import bandit, dcfr_leduc
from equilibrist.experiments.davis import leduc_constants
from equilibrist.experiments.findings import Request
from equilibrist.experiments.lu import kuhn
from equilibrist.experiments.registry import experiment_cards, run_experiment
from equilibrist.experiments.rounding_replicas import Spread
from equilibrist.experiments.tables import table_checks
from equilibrist.forms.compiled import compiled

SECONDS = [
    "brown/bandit",
    "brown/slow-cfr-plus",
    "brown/liars-dice",
    "brown/flop-holdem",
    "brown/warm-start",
    "brown/coin-toss",
    "brown/rps-plus",
    "brown/aivat",
    "davis/leduc-constants",
    "davis/rnr",
    "ganzfried/small-games",
    "ganzfried/clairvoyance",
    "ganzfried/purification",
    "gilpin/repeated-games",
    "lu/kuhn",
    "lu/exploitation",
]
DIFFERING = ["gilpin/gameshrink", "ganzfried/translation"]  # all checks hold, and some printed numbers cannot come out
DIFFERING_SLOWLY = ["gilpin/rhode-island", "brown/nested-everywhere"]
MINUTES = [
    "brown/dcfr-leduc",
    "brown/dcfr-goofspiel",
    "brown/pruning",
    "brown/thresholding",
    "brown/bl26-subgames",
    "brown/nlfh-subgames",
    "brown/nested",
    "brown/dice-leaves",
    "brown/bet-sizing",
    "brown/saef",
    "davis/uct",
    "davis/fbr",
    "davis/strength-curve",
    "davis/five-bucket",
    "davis/cfr-fbr-holdem",
    "ganzfried/safe-exploitation",
    "ganzfried/dbbr",
    "ganzfried/card-abstraction",
    "gilpin/databases",
    "gilpin/egt",
    "gilpin/smoothing",
    "gilpin/sampling",
]
ABSTRACTION = ["gilpin/information-abstraction", "gilpin/action-abstraction"]  # tested in a file of their own
# tested in a file of their own
BOTS = [
    "brown/modicum-lite",
    "brown/pluribus-lite",
    "ganzfried/flop-duel",
    "ganzfried/river-solving",
    "ganzfried/tartanian",
    "gilpin/gs-bots",
    "gilpin/gs-phases",
    "lu/endgame-agent",
]
ENDGAMES = ["ganzfried/endgame", "lu/endgame-leduc"]
WITH_DATA = ["brown/dcfr-hunl", "brown/mccfr-hunl"]  # tested in files of their own
FIELDS = {"id", "status", "published", "recomputed", "measured", "checks", "setting", "seconds", "figure"}


def test_all_experiments_are_tested_here() -> None:
    assert {experiment.id for experiment in experiment_cards()} == {
        *SECONDS,
        *DIFFERING,
        *MINUTES,
        *WITH_DATA,
        *DIFFERING_SLOWLY,
        *ABSTRACTION,
        *ENDGAMES,
        *BOTS,
        "lu/asymmetric-leduc",  # in test_actions.py
        "lu/asymmetric-holdem",  # in test_asymmetric_holdem.py
        "brown/multi-valued-states",  # pattern reproduced: tested below
    }
    for experiment in experiment_cards():
        assert 0 < experiment.seconds_quick <= min(experiment.seconds_full, 120)
        assert experiment.source.startswith(("[Brown20, ", "[Davis15, ", "[Ganzfried15, ", "[Gilpin09, ", "[Lu16, "))


@pytest.mark.parametrize("name", SECONDS)
def test_quick_setting_comes_out(name: str) -> None:
    result = run_experiment(name)
    assert [check.name for check in result.checks if not check.passed] == []
    assert result.status == "reproduced"
    found = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert set(found) >= FIELDS
    assert found["id"] == name
    assert found["figure"] is None
    assert all(set(check) >= {"name", "target", "measured", "tolerance", "passed"} for check in found["checks"])


@pytest.mark.parametrize(
    "name", [*DIFFERING, *(pytest.param(name, marks=pytest.mark.slow) for name in DIFFERING_SLOWLY)]
)
def test_what_differs_from_the_text_comes_out_otherwise(name: str) -> None:
    result = run_experiment(name)
    assert [check.name for check in result.checks if not check.passed] == []
    assert result.status == "differs from the text"
    json.dumps(result.to_json(), allow_nan=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", MINUTES)
def test_longer_quick_setting_comes_out(name: str) -> None:
    result = run_experiment(name)
    assert [check.name for check in result.checks if not check.passed] == []
    assert result.status == "reproduced"


@pytest.mark.slow
def test_multi_valued_states_keep_their_pattern() -> None:
    """How much one value per leaf loses for player 1 depends on which of many solutions is found."""
    result = run_experiment("brown/multi-valued-states")
    failed = {check.name for check in result.checks if not check.passed}
    assert failed <= {"one value: player 1 loses", "off-tree bet: 16 values / in the abstraction"}
    assert result.status == "pattern reproduced"


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDGAMES)
def test_endgames_keep_their_pattern(name: str) -> None:
    result = run_experiment(name)
    assert result.status in ("reproduced", "pattern reproduced")
    assert all(check.passed for check in result.checks if check.kind == "pattern")


def test_leduc_to_a_hundred_iterations() -> None:
    """The part of the recomputed table of Leduc that rounding hardly moves: 24 cells, nearly all steady."""
    found = dcfr_leduc.rerun_leduc(Request(), 100)
    checks = table_checks([found])
    assert [check.name for check in checks if not check.passed] == []
    steady, overall = checks[-2:]
    assert int(steady.name.split(" cells")[0].split()[-1]) >= 20
    assert steady.measured < 0.005
    assert overall.measured == pytest.approx(1.0, abs=0.005)


def test_unknown_experiment_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match=r"brown/bandits.*Did you mean 'brown/bandit'\?"):
        run_experiment("brown/bandits")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_picture_is_written_only_when_asked_for(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"picture.{ending}"
    name = {"png": "brown/slow-cfr-plus", "svg": "lu/kuhn", "pdf": "ganzfried/clairvoyance"}[ending]
    assert run_experiment(name, figure=str(path)).figure == str(path)
    assert path.stat().st_size > 5_000
    assert list(tmp_path.iterdir()) == [path]


def test_curves_are_drawn(tmp_path: Path) -> None:
    from equilibrist.experiments.findings import Findings
    from equilibrist.experiments.pictures import curves, write_picture

    pytest.importorskip("matplotlib")
    found = dcfr_leduc.rerun_leduc(Request(), 10)
    tables = {"one": found, "two": found, "three": found}
    findings = Findings("quick", (), draw=lambda figure: curves(figure, tables, "iterations", "exploitability"))
    write_picture("Curves", findings, str(tmp_path / "curves.png"))
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("path", ["picture.bmp", "nowhere/picture.png"])
def test_picture_that_cannot_be_written_is_refused_first(tmp_path: Path, path: str) -> None:
    with pytest.raises(ParameterError, match="picture"):
        run_experiment("brown/dcfr-goofspiel", full=True, figure=str(tmp_path / path))


def test_missing_matplotlib_is_told_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"equilibrist\[plots\]"):
        run_experiment("brown/dcfr-goofspiel", full=True, figure=str(tmp_path / "picture.png"))


def test_progress_is_reported() -> None:
    seen: list[tuple[str, float | None]] = []
    run_experiment("brown/bandit", progress=lambda doing, share: seen.append((doing, share)))
    assert [doing for doing, _ in seen] == [f"bandit: {solver}" for solver in bandit.REFERENCE]
    assert seen[0][1] == 0.0


def test_kuhn_example_is_built_from_the_text() -> None:
    """[Lu16, §4.2.4]: the entries, with P1's and P2's blocks in the order J, Q, K."""
    plans, answers, payoff = kuhn.worked_matrices()
    assert plans.shape == answers.shape == (7, 13)
    assert np.count_nonzero(payoff) == 30
    queen_bets, jack_folds, king_calls = 4 + 4, 3, 8 + 4
    assert payoff[queen_bets, jack_folds] == pytest.approx(1 / 6)
    assert payoff[queen_bets, king_calls] == pytest.approx(-1 / 3)
    assert (plans.sum(axis=1)[1:] == 1).all()  # two sequences after, one before


def test_a_wrong_game_fails_the_matrix_comparison() -> None:
    checks = kuhn.matrix_checks(compiled("kuhn(bet=2)"))
    assert [check.name for check in checks if not check.passed] == ["A: largest difference"]


def test_fixed_strategies_play_as_named() -> None:
    choose = leduc_constants.FIXED
    assert choose["always-raise"](("f", "c", "r")) == [0.0, 0.0, 1.0]
    assert choose["always-raise"](("f", "c")) == [0.0, 1.0]
    assert choose["probe"](("x", "b")) == [0.5, 0.5]
    assert choose["probe"](("f", "c")) == [0.0, 1.0]
    assert choose["always-fold"](("x", "b")) == [1.0, 0.0]
    assert not leduc_constants.cfr_plus_check(100, Spread((0.0140, 0.0140))).passed


def test_liars_dice_sizes_are_named_as_the_authors_counted_hands() -> None:
    assert liars_dice.game_name("2x3") == "liars-dice(dice=2,faces=3,ordered=true)"
    assert liars_dice.game_name("1x5") == "liars-dice(dice=1,faces=5,ordered=false)"
