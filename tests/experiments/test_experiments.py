"""The registry, and every quick experiment that takes seconds: each must come out."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from equilibrist.core.errors import FormatError, MissingExtraError, NotApplicableError, ParameterError, UnknownNameError
from equilibrist.experiments import registry
from equilibrist.experiments.brown.depth_limits import liars_dice
from equilibrist.experiments.brown.discounting import bandit, dcfr_leduc
from equilibrist.experiments.davis import leduc_constants
from equilibrist.experiments.findings import (
    Findings,
    Kind,
    Request,
    Status,
    attainable,
    attainable_status,
    close,
    is_text,
)
from equilibrist.experiments.lu import kuhn
from equilibrist.experiments.registry import experiment_cards, find_experiment, run_experiment
from equilibrist.experiments.rounding_replicas import Spread
from equilibrist.experiments.tables import table_checks
from equilibrist.forms.compiled import compiled

ROOT = Path(__file__).parents[2]
SECONDS = [  # run in the ordinary tests; the others are marked slow
    "brown/bandit",
    "brown/slow-cfr-plus",
    "brown/coin-toss",
    "brown/rps-plus",
    "brown/aivat",
    "davis/leduc-constants",
    "davis/rnr",
    "ganzfried/small-games",
    "ganzfried/clairvoyance",
    "ganzfried/purification",
    "ganzfried/icm",
    "gilpin/gameshrink",
    "lu/kuhn",
    "lu/exploitation",
]
KNOWN_TO_FAIL = {  # by the names of checks; their experiments say why
    "brown/bet-sizing": r"Figure 4\.7: (first|second) bet from ",
    "brown/multi-valued-states": r"one value: player 1 loses|off-tree bet: 16 values / in the abstraction",
    "brown/nested-everywhere": r"Table 5\.4: maxmargin < resolve",
    "brown/nested-flops": r"Table 5\.4: maxmargin < resolve",
    "davis/five-bucket": r"CFR against FBR-10000, mbb/g",
    "ganzfried/flop-duel": r"potential-aware against distribution-aware",
    "ganzfried/purification": r"8\.2: improved pairs of 24",
    "ganzfried/tournament": r"Table 9\.14, single hand: big blind after fold, jam",
    "ganzfried/translation": r"7\.6 [\w-]+, player 2",
    "gilpin/action-abstraction": r"13-25-125: two bets ahead of three",
    "gilpin/gs-phases": r"Table 6\.1, against new abstraction, without estimates",
    "gilpin/information-abstraction": r"13-\d+-\d+: EB less EB2 against an equilibrium",
    "lu/asymmetric-leduc": r"(exploitability|average) of ",
}
FIELDS = {
    "id", "status", "parts", "published", "recomputed", "measured", "checks", "setting", "seconds", "figure",
}  # fmt: skip


def told_statuses() -> list[tuple[str, str]]:
    """Id and status of the quick setting of every row, from the table of docs/experiments.md."""
    page = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| `\w+/[\w-]+` \|", line)]
    return [(row[0].strip("`"), re.split("[;:,]", row[-1])[0]) for row in rows]


def told_parts(name: str) -> set[str]:
    """Statuses that docs/algorithms.md tells of results which the quick setting of an experiment computes."""
    page = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if f"`equilibrist reproduce {name}`" in line]
    return {row[-1].split(";")[0] for row in rows} - {"works", "narrower"}


ROWS = told_statuses()
TOLD = dict(ROWS)


def test_the_page_tells_of_all_experiments_and_says_nothing_that_cannot_be() -> None:
    cards = {card.id: card for card in experiment_cards()}
    assert sorted(name for name, _ in ROWS) == sorted(cards), "one row for each experiment"
    for name, status in TOLD.items():
        assert status in get_args(Status), name
        best = attainable_status(cards[name].quick)
        order = get_args(Status).index
        assert order(status) >= order(best) or best == "differs from the text", f"{name} is at best {best}"
        assert cards[name].source.startswith(("[Brown20, ", "[Davis15, ", "[Ganzfried15, ", "[Gilpin09, ", "[Lu16, "))
        assert 0 < cards[name].seconds_quick <= min(cards[name].seconds_full, 120)


@pytest.mark.parametrize("name", sorted(TOLD))
def test_statuses_of_algorithms_are_those_of_parts(name: str) -> None:
    """A result of docs/algorithms.md claims no more than a part of its experiment can come to."""
    card = next(card for card in experiment_cards() if card.id == name)
    for options, parts in (("", card.quick), (" --full", card.full), (" --data FOLDER", card.data)):
        parts = parts or card.quick
        can_be = {*attainable(parts).values(), "not reproduced"}
        if any({"printed", "pattern"} <= set(kinds) and is_text(part) for part, kinds in parts.items()):
            can_be.add("pattern reproduced")  # a printed number may fail
        assert told_parts(name + options) <= can_be
    if card.data:
        assert told_parts(name + " --full --data FOLDER") <= {*attainable(card.data).values(), "not reproduced"}


def test_every_card_declares_the_game_of_the_text() -> None:
    for card in experiment_cards():
        assert card.text, card.id
        for parts in (card.quick, card.full or card.quick, card.data or card.quick):
            assert parts, card.id
            assert all(kinds and set(kinds) <= set(get_args(Kind)) for kinds in parts.values()), card.id


def test_undeclared_checks_are_refused() -> None:
    card = find_experiment("brown/bandit")
    findings = Findings("", [close("x", 1.0, 1.0, 0.1)])
    with pytest.raises(FormatError, match=r"brown/bandit.*'text': printed"):
        registry._refuse_undeclared(card, Request(), findings)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SECONDS else pytest.mark.slow) for name in sorted(TOLD)]
)
def test_quick_setting_comes_to_the_status_that_the_page_tells(name: str) -> None:
    result = run_experiment(name)
    failed = [check.name for check in result.checks if not check.passed]
    known = KNOWN_TO_FAIL.get(name)
    assert [each for each in failed if known is None or not re.match(known, each)] == []
    assert result.status == TOLD[name]
    assert told_parts(name) <= {*result.parts.values(), "not reproduced"}
    found = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert set(found) >= FIELDS
    assert found["id"] == name
    assert found["figure"] is None
    assert all(set(check) >= {"name", "kind", "target", "measured", "tolerance", "passed"} for check in found["checks"])


@pytest.mark.slow
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


def test_jobs_are_for_experiments_of_several_pieces() -> None:
    with pytest.raises(NotApplicableError, match="one piece of work; leave --jobs.*rebel-liars-dice"):
        run_experiment("brown/bandit", jobs=2)
    with pytest.raises(ParameterError, match="0 were asked for"):
        run_experiment("brown/rebel-liars-dice", jobs=0)


def test_a_device_is_for_experiments_that_can_use_it() -> None:
    with pytest.raises(NotApplicableError, match="'brown/bandit' runs on the CPU; .* used by: .*brown/flop-holdem, "):
        run_experiment("brown/bandit", device="cuda")
    with pytest.raises(UnknownNameError, match="no device 'gpu'"):
        run_experiment("brown/flop-holdem", device="gpu")
    assert run_experiment("brown/bandit", device="auto").status == "reproduced"
