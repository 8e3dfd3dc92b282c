"""A journey with every kind of solution: a command solves; the file is shown, verified, resumed, compared, searched, exploited, played."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.saved_solutions import KINDS, load_solution

pytest.importorskip("fastapi", reason="the browser needs the extra 'web'")

from fastapi.testclient import TestClient

from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.settings import ServerSettings

API = "/api/v1"
SPOT = """
board = "Ks7d2c5h"
pot = 100
stack = 100

[range]
oop = "AhAd,KcQc,JcTc"
ip = "QhQd,AsKd"

[bets]
bet = "100%"
raise = "a"
"""


@dataclass(frozen=True)
class Journey:
    """How a kind is made by a command, and what is special about it on the way."""

    kind: str
    made: tuple[str, ...]  # words of the command that writes FILE
    further: tuple[str, ...]  # and of the one that goes on
    line: str  # a place to look at
    game: str  # as the match says it
    states_values: bool = True
    searched: str = ""  # a decision to search, where that is another place
    exploited: str = ""  # the game of a response to it, where the command names it otherwise


JOURNEYS = (
    Journey(
        "solution",
        ("solve", "leduc", "--iterations", "50", "--out", "FILE"),
        ("solve", "--resume", "FILE", "--iterations", "150", "--out", "MORE"),
        "x:b",
        "leduc",
    ),
    Journey(
        "boards",
        ("solve", "leduc", "--solver", "dcfr(on=boards)", "--iterations", "50", "--threads", "1", "--out", "FILE"),
        ("solve", "--resume", "FILE", "--iterations", "150", "--threads", "1", "--out", "MORE"),
        "x:b",
        "leduc",
    ),
    Journey(
        "spot-solution",
        ("solve", "SPOT", "--iterations", "50", "--threads", "1", "--out", "FILE"),
        ("solve", "--resume", "FILE", "--iterations", "150", "--threads", "1", "--out", "MORE"),
        "x:x:8h",
        "spot Ks7d2c5h, pot 100, stack 100",
        searched="x",
        exploited="SPOT",
    ),
    Journey(
        "buckets",
        ("solve", "--resume", "BUCKETS", "--iterations", "50", "--threads", "1", "--out", "FILE"),
        ("solve", "--resume", "FILE", "--iterations", "150", "--threads", "1", "--out", "MORE"),
        "c",
        "bucket-holdem(buckets=2,boards=0,rounds=2,ranks=5)",
    ),
    Journey(
        "poker-blueprint",
        ("train", "start", "FOLDER", "--game", "leduc", "--cards", "exact", "--iterations", "20000"),
        ("train", "resume", "FOLDER", "--iterations", "40000"),
        "x:b",
        "leduc",
        states_values=False,
    ),
)


class Traveller:
    """Types commands; words in capitals stand for files."""

    def __init__(self, folder: Path) -> None:
        (folder / "turn.toml").write_text(SPOT)
        previous = Path(__file__).parents[1] / "data" / "previous" / "buckets.eqb"
        self.words = {
            "SPOT": folder / "turn.toml",
            "FILE": folder / "solved.eqb",
            "MORE": folder / "further.eqb",
            "FOLDER": folder / "training",
            "BUCKETS": previous,  # games of buckets that are solved by matrices are too large to be solved from the start here
        }

    def types(self, *words: str, code: int = 0) -> str:
        typed = [str(self.words.get(word, word)) for word in words]
        result = CliRunner().invoke(app, typed, prog_name="equilibrist")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output + result.stderr
        return result.stdout

    def asks(self, *words: str) -> dict:
        return json.loads(self.types(*words, "--json"))


# journeys of tables (three seats and more) and spots of three players: tests/interfaces/cli/test_table_cli.py, test_three_way_cli.py
ELSEWHERE = {"table-solution", "three-way-solution"}


def test_every_kind_has_a_journey():
    assert {journey.kind for journey in JOURNEYS} | ELSEWHERE == set(KINDS)


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.kind)
def test_what_was_solved_is_shown_verified_resumed_compared_searched_exploited_played_and_served(journey, tmp_path):
    user = Traveller(tmp_path)
    user.types(*journey.made)
    if journey.kind == "poker-blueprint":
        (tmp_path / "solved.eqb").write_bytes((tmp_path / "training" / "blueprint.eqb").read_bytes())
    first = load_solution(tmp_path / "solved.eqb")
    assert first.kind == journey.kind

    shown = user.asks("show", "FILE", "--line", journey.line)
    rows = shown["infosets"].values() if "infosets" in shown else shown["hands"].values()
    assert rows
    for row in rows:
        mixed = row["strategy"].values() if isinstance(row["strategy"], dict) else row["strategy"]
        assert sum(mixed) == pytest.approx(1.0, abs=1e-5)
    assert journey.line.split(":")[0] in user.types("show", "FILE", "--line", journey.line)

    verified = user.asks("verify", "FILE")
    assert verified["agrees"]
    assert (verified["stated"] is not None) == journey.states_values

    user.types(*journey.further)
    if journey.kind == "poker-blueprint":
        (tmp_path / "further.eqb").write_bytes((tmp_path / "training" / "blueprint.eqb").read_bytes())
        assert "train resume" in CliRunner().invoke(app, ["solve", "--resume", str(tmp_path / "solved.eqb")]).stderr
    second = load_solution(tmp_path / "further.eqb")
    assert second.iterations > first.iterations
    assert second.record.settings.get("seed") == first.record.settings.get("seed")
    measured = [user.asks("verify", word)["recomputed"]["exploitability"] for word in ("FILE", "MORE")]
    assert measured[1] < measured[0]
    if journey.states_values:
        assert first.exploitability == pytest.approx(measured[0], abs=1e-3)
    else:
        assert math.isnan(first.exploitability)

    compared = user.asks("show", "FILE", "--compare", "MORE", "--line", journey.line)
    assert compared["kind"] == "comparison"
    assert 0.0 < compared["difference"] < 1.0

    played = user.asks("match", "FILE", "random", "--hands", "400", "--duplicate")
    assert played["faults"] == 0
    assert played["mbb_per_game"] > 0.0
    itself = user.types("match", "FILE", "MORE", "--hands", "40")
    assert journey.game in itself
    assert (
        user.asks("evaluate", "FILE", "--hands", "20", "--lbr", "", "--against", "always-call")["exploitability"][
            "value"
        ]
        > 0
    )

    searched = user.asks("search", "FILE", "--line", journey.searched or journey.line, "--iterations", "20")
    assert {"technique", "iterations"} <= set(searched)
    assert sum(searched["frequencies"]) == pytest.approx(1.0, abs=1e-4)

    against = user.asks("exploit", journey.exploited or journey.game, "--model", "FILE")
    assert against["model"] == [str(tmp_path / "solved.eqb")]
    assert against["responses"][-1]["gain"] > 0.0  # after 50 iterations a best response still wins more than the value

    with TestClient(create_app(ServerSettings(data=tmp_path / "data")), base_url="http://localhost") as browser:
        said = browser.app.state.services.add_file(tmp_path / "solved.eqb")
        assert "can be played against" in said
        assert "solved.eqb" in [agent["name"] for agent in browser.get(f"{API}/agents").json()]
        strategy = browser.get(f"{API}/agents/solved.eqb/strategy", params={"line": journey.line}).json()
        assert strategy["infosets"]
        facts = browser.get(f"{API}/strategies/solved.eqb").json()
        assert (facts["kind"], facts["iterations"]) == (journey.kind, first.iterations)
        stated = facts["exploitability"]
        assert stated == pytest.approx(first.exploitability) if journey.states_values else stated is None
        place = browser.get(f"{API}/strategies/solved.eqb/place", params={"line": journey.line}).json()
        assert place["kind"] == "decision"
        assert place["count"] == len(place["rows"]) > 0
        assert place["path"][0]["line"] == ""
        assert place["path"][-1]["line"] == place["line"]
        for row in place["rows"]:
            assert sum(row["strategy"]) == pytest.approx(1.0, abs=1e-5)
            assert strategy["infosets"][row["key"]]["strategy"] == pytest.approx(
                dict(zip(row["labels"] or place["labels"], row["strategy"], strict=True)), abs=1e-5
            )
        table = browser.post(f"{API}/tables", json={"agent": "solved.eqb", "game": "", "seed": 3})
        assert table.status_code == 201, table.text
        seen = table.json()
        for _ in range(20):
            if seen["over"]:
                break
            action = seen["choice"]["offers"][0]["label"]
            sent = {"hand": seen["hand"], "move": seen["move"], "action": action}
            answer = browser.post(f"{API}/tables/{seen['id']}/act", json=sent)
            assert answer.status_code == 200, answer.text
            seen = answer.json()
        assert seen["over"]
        assert seen["result"] is not None
        if journey.kind == "spot-solution":
            (row,) = browser.get(f"{API}/solutions").json()["solutions"]
            node = browser.get(f"{API}/solutions/{row['id']}/node", params={"line": journey.line}).json()
            assert node["hands"]
            assert seen["board"].startswith("Ks7d2c5h")
