"""Matches: known results, duplicate deals, seats, resuming, faults, ledgers."""

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import asdict

import numpy as np
import pytest

from equilibrist import solve
from equilibrist.agents.matches.identity import match_identity
from equilibrist.agents.matches.ledger import Ledger
from equilibrist.agents.matches.match import (
    MatchSettings,
    MatchStoppedError,
    play_block,
    play_match,
    read_match,
    result_facts,
)
from equilibrist.agents.registry import load_agent
from equilibrist.agents.simple import AlwaysCall
from equilibrist.agents.tabulate import tabulate
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.evaluation.play.referee import play_hand
from equilibrist.forms.compiled import compiled
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.responses.best_response import counterfactual_values


def facts(*players, **settings):
    return result_facts(play_match(MatchSettings(players, **settings)))


def test_always_fold_loses_three_quarters_of_a_blind():
    """[Gilpin09, Table 6.2]: half a small bet and a whole one in turn, 0.75 small bets a hand."""
    found = facts("always-fold", "always-raise", game="limit-holdem", hands=200, aivat="off")
    assert found["mbb_per_game"] == pytest.approx(-750.0)
    assert facts("always-fold", "always-raise", hands=200, aivat="off")["mbb_per_game"] == pytest.approx(-750.0)


def test_results_have_the_keys_of_the_contract():
    found = facts("always-call", "random", hands=20)
    assert {"players", "game", "hands", "mbb_per_game", "interval", "aivat", "unit"} <= set(found)
    assert found["game"] == "nolimit-holdem(stack=2000)"
    assert found["unit"] == "mbb/g"
    assert found["hands"] == 20
    assert found["results"][0]["mbb_per_game"] == pytest.approx(-found["results"][1]["mbb_per_game"])
    assert sum(row["p"] for row in found["results"]) == pytest.approx(1.0)


def test_duplicate_deals_take_the_cards_out():
    """The same player on both sides wins nothing at all, whatever the cards."""
    found = facts("always-call", "always-call", hands=100, duplicate=True)
    assert found["mbb_per_game"] == 0.0
    assert found["interval"] == [0.0, 0.0]
    plain = facts("always-call", "always-call", hands=100)
    assert plain["interval"][1] > 0.0


@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_player_takes_every_seat(players):
    game = f"nolimit-holdem(stack=1000,players={players})" if players > 2 else "nolimit-holdem(stack=1000)"
    block = play_block(MatchSettings(("always-call",) * players, game, hands=12, aivat="off"), 0, records=True)
    seats = np.array([kept["seats"] for kept in block["records"]])
    assert all(set(seats[:, seat]) == set(range(players)) for seat in range(players))
    double = play_block(MatchSettings(("random",) * players, game, 2 * players, duplicate=True, aivat="off"), 0, True)
    holes = [kept["hole"] for kept in double["records"] if kept["deal"] == 0]
    assert len(holes) == players
    assert all(hole == holes[0] for hole in holes)


def test_tables_do_not_change_the_result():
    settings = MatchSettings(("random", "tight-aggressive"), hands=40, block=10, aivat="off")
    alone, together = result_facts(play_match(settings)), result_facts(play_match(settings, tables=2))
    assert alone == together


def test_a_small_interval_ends_the_match():
    found = facts("always-fold", "random", hands=100_000, block=50, until_interval=100.0, aivat="off")
    assert 100 <= found["hands"] < 20_000
    assert found["interval"][1] - found["interval"][0] <= 200.0 + 1e-9


def test_a_killed_match_goes_on_to_the_same_result(tmp_path):
    """kill -9 in the middle, then the same command: the same numbers as without the interruption."""
    ledger, settings = tmp_path / "ledger.db", ("rule-based", "random", "--hands", "400", "--json")
    command = [sys.executable, "-m", "equilibrist", "match", *settings]
    running = subprocess.Popen([*command, "--out", str(ledger)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        time.sleep(0.05)
        if running.poll() is not None or (ledger.exists() and _blocks(ledger) > 0):
            break
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert _blocks(ledger) > 0
    resumed = subprocess.run([*command, "--out", str(ledger)], capture_output=True, text=True, check=True)
    whole = subprocess.run(command, capture_output=True, text=True, check=True)
    assert resumed.stdout == whole.stdout


def _blocks(path):
    try:
        with sqlite3.connect(path) as file:
            return file.execute("SELECT COUNT(*) FROM blocks").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_a_finished_match_is_read_from_the_ledger(tmp_path):
    settings = MatchSettings(("random", "always-call"), hands=30, block=10, aivat="off")
    with Ledger(tmp_path / "l.db") as ledger:
        first = play_match(settings, ledger=ledger)
        again = play_match(settings, ledger=ledger, makers=_only_once())
        assert result_facts(first) == result_facts(again)
        assert [match["result"]["hands"] for match in ledger.matches()] == [30]


def test_a_changed_file_is_another_player(tmp_path, monkeypatch):
    """The ledger knows players by the content of their files, not by the path."""
    monkeypatch.chdir(tmp_path)
    solved = {}
    for iterations in (1, 100):
        solved[iterations] = tmp_path / f"{iterations}.eqb"
        solve("leduc", iterations=iterations).save(solved[iterations])
    settings = MatchSettings(("p.eqb", "always-call"), "leduc", hands=60, aivat="off")
    said = []
    with Ledger("l.db") as ledger:
        for iterations in (1, 100):
            shutil.copy(solved[iterations], "p.eqb")
            found = play_match(settings, ledger=ledger, tell=said.append)
            assert result_facts(found) == result_facts(play_match(settings))
        assert len(said) == 1
        assert "other files or by another version" in said[0]
        shutil.copy(solved[1], "p.eqb")  # the first file again: its hands are still there
        again = play_match(settings, ledger=ledger, makers=_only_once(), tell=said.append)
        assert result_facts(again) == result_facts(play_match(settings))
        assert "60 of 60 hands are read" in said[-1]


def test_another_version_plays_anew(tmp_path, monkeypatch):
    settings, said = MatchSettings(("random", "always-call"), hands=20, aivat="off"), []
    with Ledger(tmp_path / "l.db") as ledger:
        play_match(settings, ledger=ledger)
        monkeypatch.setattr("equilibrist.agents.matches.identity.__version__", "99.0")
        play_match(settings, ledger=ledger, tell=said.append)
        assert len(ledger.matches()) == 2
    assert "another version" in said[0]


def test_entries_of_old_ledgers_are_never_used(tmp_path):
    """They say which path a player had, but not what was in the file."""
    settings, said = MatchSettings(("random", "always-call"), hands=20, block=20, aivat="off"), []
    wrong = play_block(MatchSettings(("always-fold", "always-call"), hands=20, block=20, aivat="off"), 0)
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.add_block(ledger.match(asdict(settings) | {"records": False}), 0, wrong)
        found = play_match(settings, ledger=ledger, tell=said.append)
        assert len(ledger.matches()) == 2
    assert result_facts(found) == result_facts(play_match(settings))
    assert "without the content of its files" in said[0]


def test_files_are_found_wherever_a_name_holds_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trained").mkdir()
    for name in ("a b(1).eqb", "trained/blueprint.eqb", "my.py", "base.eqb"):
        (tmp_path / name).write_text(name)
    players = ("a b(1).eqb(post=purify)", "tartanian7(blueprint=trained)", "rwywe(equilibrium=base.eqb)", "random")
    found = match_identity(players, "my.py:Game(size=3)")["files"]
    assert set(found) == {"a b(1).eqb", "trained/blueprint.eqb", "my.py", "base.eqb"}
    assert len(set(found.values())) == 4


def _only_once():
    """Players may be made to be checked, but must not act."""

    def make(text):
        player = load_agent(text)
        player.act = lambda view, deadline=None: pytest.fail("nothing is left to play")
        return player

    return make


def test_foreign_and_damaged_ledgers_are_refused(tmp_path):
    path = tmp_path / "l.db"
    path.write_text("this is no ledger, whatever its name says; it is long enough to be looked at" * 20)
    with pytest.raises(FormatError, match="not a ledger"):
        Ledger(path)
    path.unlink()
    with Ledger(path) as ledger:
        number = ledger.match({"a": 1})
        ledger.add_block(number, 0, {"won": []})
    with sqlite3.connect(path) as file:
        file.execute("UPDATE blocks SET data = x'00112233'")
    with Ledger(path) as ledger, pytest.raises(FormatError, match="damaged"):
        ledger.blocks(number)


@pytest.mark.slow
def test_a_full_disk_is_said_and_loses_nothing(tmp_path, monkeypatch):
    """SQLite's own limit on pages stands in for a full disk: the match goes on, and all of it is kept in another place."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    said = []
    settings = MatchSettings(("random", "random"), hands=5000, block=500, aivat="off")
    with Ledger(tmp_path / "l.db") as ledger:
        pages = ledger._file.execute("PRAGMA page_count").fetchone()[0]
        ledger._file.execute(f"PRAGMA max_page_count = {pages + 4}")
        played = play_match(settings, ledger=ledger, records=True, tell=said.append)
        kept = ledger.blocks(1)
        assert 0 < len(kept) < 10
        ledger._file.execute("PRAGMA max_page_count = 100000")
        assert sorted(kept) == list(range(len(kept)))
        resumed = play_match(settings, ledger=ledger, records=True)
    assert result_facts(resumed) == result_facts(played) == result_facts(play_match(settings, records=True))
    assert "full" in said[0]
    assert "tried again" in said[0]
    with Ledger(re.search("in the ledger '(.*)' instead", said[-1])[1]) as elsewhere:
        assert len(elsewhere.blocks(1)) == 10
        assert elsewhere.matches()[0]["result"] == result_facts(played)


class Broken(AlwaysCall):
    """Does one forbidden thing in every hand of a given kind."""

    def __init__(self, how):
        self.how = how

    def act(self, view, deadline=None):
        if self.how == "error":
            raise ZeroDivisionError("a bug")
        if self.how == "late":
            time.sleep(0.05)
            return view.passive()
        return {"illegal": "b1", "garbled": 17, "none": None}[self.how]


class FailsWithHighCards(AlwaysCall):
    """The referee checks for it, which changes no result against a player that never bets."""

    def act(self, view, deadline=None):
        if view.chips.hole[0] >= 4:
            raise ZeroDivisionError("a bug")
        return super().act(view, deadline)


def test_faults_that_depend_on_cards_bias_nothing():
    """If hands without faults alone had decisions corrected, high cards would count for more than they win."""
    settings = MatchSettings(("good", "bad"), "leduc", hands=600, block=50)
    ledger = Ledger(":memory:")
    found = play_match(
        settings, ledger=ledger, makers=lambda name: FailsWithHighCards() if name == "bad" else AlwaysCall()
    )
    assert found.method == "chance"
    assert found.faults[1] > 100
    for each in (found.estimates[0], found.adjusted[0]):
        assert abs(each.mean) < 4 * each.error
    assert result_facts(read_match(settings, ledger)) == result_facts(found)
    clean = play_match(settings, makers=lambda name: AlwaysCall())
    assert clean.method == "aivat"
    assert clean.adjusted[0].error < found.adjusted[0].error


@pytest.mark.parametrize(
    ("how", "kind"),
    [("error", "error"), ("late", "late"), ("illegal", "illegal"), ("garbled", "illegal"), ("none", "illegal")],
)
def test_faults_are_counted_and_the_hand_goes_on(how, kind):
    game = load_game("nolimit-holdem(stack=2000)")
    players = [AlwaysCall(), Broken(how)]
    record = play_hand(game, players, random.Random(1), [random.Random(2), random.Random(3)], seconds=0.02)
    assert {fault.kind for fault in record.faults} == {kind}
    assert {fault.seat for fault in record.faults} == {1}
    assert record.returns == (50.0, -50.0)  # the small blind folds instead
    with pytest.raises(MatchStoppedError, match="broke the rules"):
        play_match(
            MatchSettings(("good", "bad"), hands=20, seconds=0.02, patience=3, aivat="off"),
            makers=lambda text: Broken(how) if text == "bad" else AlwaysCall(),
        )


def test_a_table_that_dies_is_said(monkeypatch, tmp_path):
    """A worker process that is killed stops the match with a sentence; what was finished is in the ledger."""
    from equilibrist.agents.matches import match

    monkeypatch.setattr(match, "play_block", _die)
    with Ledger(tmp_path / "l.db") as ledger, pytest.raises(MatchStoppedError, match="ended without a word"):
        play_match(MatchSettings(("random", "random"), hands=20, block=5, aivat="off"), tables=2, ledger=ledger)


def _die(*_):
    os._exit(9)


def test_an_interrupted_match_keeps_what_was_played():
    """Ctrl-C after the second block."""

    def stop(played, of):
        if played >= 20:
            raise KeyboardInterrupt

    found = play_match(MatchSettings(("random", "random"), hands=100, block=10, aivat="off"), progress=stop)
    assert (found.hands, found.finished) == (20, False)


def test_settings_are_checked():
    with pytest.raises(ParameterError, match="2 to 9"):
        MatchSettings(("random",))
    with pytest.raises(ParameterError, match="for 2 players"):
        play_match(MatchSettings(("random",) * 3, hands=2))
    with pytest.raises(ParameterError, match="aivat"):
        MatchSettings(("random", "random"), aivat="maybe")


@pytest.mark.parametrize("game", ["leduc", "liars-dice", "goofspiel(cards=3)", "kuhn"])
def test_other_games_can_be_played(game):
    found = facts("random", "random", game=game, hands=50)
    assert found["hands"] == 50
    assert found["faults"] == 0


def test_exact_values_leave_hardly_any_luck_in_small_games(monkeypatch):
    """Both players state their strategies; the same match with estimates for values is the control."""
    settings = MatchSettings(("rule-based", "always-call"), "leduc", hands=60, duplicate=True)
    exact = play_block(settings, 0)
    monkeypatch.setattr("equilibrist.agents.matches.match.fits_exact_values", lambda game: False)
    rough = play_block(settings, 0)
    spread = [np.array(block["fair"])[:, 0].std() for block in (exact, rough)]
    assert exact["method"] == rough["method"] == "aivat"
    assert spread[0] < 1e-9 < 0.1 < spread[1]
    game = compiled("leduc")
    both = [tabulate(load_agent(name), game.game) for name in settings.players]
    worth = [chips_a_hand(game, both[0], both[1], seat) for seat in (0, 1)]
    assert np.array(exact["fair"])[:, 0].mean() == pytest.approx(sum(worth) / 2)


def chips_a_hand(game, mine, theirs, seat):
    """Chips a hand of a player in a seat, by the game tree."""
    owner = np.repeat(game.infosets.player, np.diff(game.infosets.first_slot))
    joined = type(mine)(game.infosets, np.where(owner == seat, mine.probabilities, theirs.probabilities))
    return counterfactual_values(game, joined, seat).value
