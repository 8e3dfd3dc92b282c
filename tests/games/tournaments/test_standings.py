"""Standings as people write them: texts, files, moves of chips and of bounties."""

from __future__ import annotations

import pytest

from equilibrist.core.errors import EquilibristError, FormatError, ParameterError
from equilibrist.games.tournaments.standings import make_standings, parse_amounts, read_standings


def test_amounts():
    assert parse_amounts("stacks", "5000, 3000;2e3 7.5") == [5000, 3000, 2000, 7.5]
    assert parse_amounts("payouts", "100x3,50") == [100, 100, 100, 50]
    assert parse_amounts("payouts", "") == []


@pytest.mark.parametrize(
    "text", ["a", "5x", "x5", "5x1.5", "5x0", "5x-1", "5x20001", "1x20000,1", "5x99999999999999999999"]
)
def test_bad_amounts_are_refused(text):
    with pytest.raises(ParameterError, match="of the stacks is no number|makes no stacks"):
        parse_amounts("stacks", text)


def test_names():
    plain = make_standings([5, 3], [1])
    assert plain.names == ("1", "2")
    assert plain.player("2") == 1
    named = make_standings({"Ann": 5, "2": 3, "Cem": 1}, [1], bounties={"Cem": 4})
    assert [named.player(name) for name in ("Ann", "2", "3", "1")] == [0, 1, 2, 0]
    assert named.bounties == (0, 0, 4)
    with pytest.raises(ParameterError, match=r"no player 'Anne'.* Did you mean 'Ann'"):
        named.player("Anne")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"names": ["Ann"]}, "1 names were given for 2 stacks"),
        ({"names": ["Ann", "Ann"]}, "Two players are called 'Ann'"),
        ({"names": ["Ann", ""]}, "printable letters"),
        ({"names": ["Ann", 3]}, "printable letters"),
        ({"names": ["Ann", "B\x1b[31m"]}, "printable letters"),
        ({"bounties": {"Zoe": 1}}, "'Zoe', who has no stack"),
        ({"bounties": [1]}, "for each of the 2"),
        ({"bounties": [1, 1], "progressive": 2}, "share from 0 to 1"),
        ({"bounties": [1, 1], "progressive": "half"}, "finite number"),
        ({"stacks": {"Ann": 1}, "names": ["Bob"]}, "names already"),
        ({"stacks": {"Ann": "much"}}, "list of numbers"),
    ],
)
def test_bad_standings_are_refused(given, told):
    with pytest.raises(EquilibristError, match=told):
        make_standings(**{"stacks": [5, 3], "payouts": [1]} | given)


def test_files(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text("payouts = [3, 1]\n[stacks]\nAnn = 5\nBob = 2.5\n")
    found = make_standings(**read_standings(path))
    assert (found.names, found.stacks, found.payouts) == (("Ann", "Bob"), (5, 2.5), (3, 1))
    path.write_text("payout = [3, 1]\n")
    with pytest.raises(FormatError, match="no 'payout'.*Did you mean 'payouts'"):
        read_standings(path)
    path.write_text("payouts = 3\n")
    with pytest.raises(FormatError, match="'payouts' of standings"):
        read_standings(path)


def test_chips_and_bounties_move():
    start = make_standings([5, 3, 2], [1], bounties=[10, 8, 6], progressive=0.5)
    after, cash = start.moved(1, 0)
    assert (after.stacks, after.bounties, cash) == ((8, 0, 2), (14, 0, 6), (4, 0, 0))
    part, cash = start.moved(0, 2, 1.5)
    assert (part.stacks, part.bounties, cash) == ((3.5, 3, 3.5), (10, 8, 6), (0, 0, 0))
    for giver, taker, chips in ((0, 0, 1), (1, 0, 4), (1, 0, 0), (1, 0, float("nan"))):
        with pytest.raises(ParameterError):
            start.moved(giver, taker, chips)
    with pytest.raises(ParameterError, match="has 0 chips"):
        after.moved(1, 0)
