"""Solved tables before the flop on the server: looked at, trained on, played."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from equilibrist.core.errors import NotApplicableError
from equilibrist.games.tables.table import Table
from equilibrist.interfaces.cli.play.served_tables import solved_files
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.settings import ServerSettings
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.tables.solve_table import solve_table
from web_server import API

FILE = "three.eqb"


@pytest.fixture(scope="module")
def solved():
    return solve_table(Table(stacks=[12, 8, 10], blinds=[0.5, 1], payouts=[50, 30, 20]), iterations=40)


@pytest.fixture(scope="module")
def browser(solved, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    solved.save(folder / FILE)
    with TestClient(create_app(ServerSettings(data=folder / "data")), base_url="http://localhost") as client:
        client.app.state.services.add_file(folder / FILE)
        yield client


def ask(client, path, status=200, **asked):
    answer = client.get(f"{API}/{path}", params=asked)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_the_trainer_asks_about_tables(browser, solved):
    for seed in range(6):
        asked = ask(browser, f"trainer/{FILE}/question", seed=seed, player="BB")
        assert (asked["player"], asked["players"], asked["unit"]) == ("BB", ["BTN", "SB", "BB"], "prize money")
        hand = solved.at(asked["line"]).to_json()["hands"][asked["hand"]]
        for label, value in zip(asked["labels"], hand["ev_by_action"], strict=True):
            graded = ask(browser, f"trainer/{FILE}/grade", seed=seed, player="BB", answer=label)
            assert graded["ev_loss"] == pytest.approx(max(hand["ev_by_action"]) - value)
            assert {key: graded[key] for key in asked} == asked
    assert ask(browser, f"trainer/{FILE}/question", seed=1, line="f")["line"] in ("f", "f:a")
    assert "no seat 'CO'" in ask(browser, f"trainer/{FILE}/question", 422, seed=1, player="CO")["message"]
    ask(browser, "trainer/nothing.eqb/question", 404, seed=1)
    ask(browser, "trainer/0123456789ab/question", 404, seed=1)


def test_a_person_plays_against_the_solution_and_learns_what_decisions_cost(browser, solved):
    answer = browser.post(f"{API}/tables", json={"agent": FILE, "game": "", "seed": 3})
    assert answer.status_code == 201, answer.text
    table, valued = answer.json(), 0
    for number in range(6):
        assert [seat["name"] for seat in table["seats"]] == ["BTN", "SB", "BB"]
        assert (table["seat"], table["payoffs"]) == (number % 3, "prize money")
        while not table["over"]:
            labels = [offer["label"] for offer in table["choice"]["offers"]]
            assert set(labels) <= {"f", "c", "a"}
            body = {"hand": number, "move": table["move"], "action": labels[-1]}
            table = browser.post(f"{API}/tables/{table['id']}/act", json=body).json()
        assert 0.0 <= table["result"] <= 50.0
        assert not table["board"] or len(table["board"]) == 10
        for review in table["reviews"]:
            value = ask(browser, f"tables/{table['id']}/hands/{number}/decisions/{review['move']}")
            assert (value["method"], value["unit"], value["ev"][0]) == ("solved", "prize money", 0.0)
            assert value["loss"] == pytest.approx(max(value["ev"]) - value["ev"][value["chosen"]])
            valued += 1
        table = browser.post(f"{API}/tables/{table['id']}/deal").json()
    assert valued >= 3
    assert ask(browser, f"tables/{table['id']}/history", 409)["message"].startswith("Hand histories are for poker")


def test_places_of_a_table_have_values_for_every_class_and_seat(browser, solved):
    facts = ask(browser, f"strategies/{FILE}")
    assert [seat["name"] for seat in facts["seats"]] == ["BTN", "SB", "BB"]
    assert [seat["ev"] for seat in facts["seats"]] == pytest.approx(solved.value)
    assert [seat["gain"] for seat in facts["seats"]] == pytest.approx(list(solved.gains.values()))
    assert facts["model"] == solved.model
    for line in ("", "f", "f:a", "a:c"):
        place, node = ask(browser, f"strategies/{FILE}/place", line=line), solved.at(line)
        assert (place["kind"], place["grid"], place["count"], place["player"]) == ("decision", True, 169, node.seat())
        assert (place["labels"], place["actions"]) == (list(node.labels), list(node.actions))
        assert (place["pot"], place["stacks"]) == (node.pot, list(node.stacks))
        assert place["values"] == pytest.approx([node.range_ev(player) for player in node.players])
        hands = node.to_json()["hands"]
        for row in place["rows"]:
            if row["weight"] > 1e-9 and row["value"] is not None:
                assert row["value"] == pytest.approx(hands[row["hand"]]["ev"])
                assert row["action_values"] == pytest.approx(hands[row["hand"]]["ev_by_action"])
        assert [step["chosen"] for step in place["path"]] == [*line.split(":"), None] if line else [None]
    over = ask(browser, f"strategies/{FILE}/place", line="f:a:c")
    assert (over["kind"], over["rows"], over["note"]) == ("over", [], "SB, BB show their cards for 16.")
    assert "'x' is no action" in ask(browser, f"strategies/{FILE}/place", 422, line="x")["message"]


def test_charts_are_the_most_frequent_decisions_of_a_seat(browser, solved):
    chart = ask(browser, f"strategies/{FILE}/chart", seat="BB", lines=2)
    assert [place["line"] for place in chart["places"]] == solved.likely_lines("BB", 2)
    assert all(len(place["rows"]) == 169 for place in chart["places"])
    assert "no seat 'CO'" in ask(browser, f"strategies/{FILE}/chart", 422, seat="CO")["message"]


def test_table_files_are_solved_before_they_are_served_and_only_once(tmp_path, monkeypatch):
    monkeypatch.setattr("equilibrist.compute.kernel.cache_folder", lambda: tmp_path / "cache")
    (tmp_path / "own.toml").write_text("stacks = [10, 10]\nblinds = [0.5, 1]\n")
    other = Path("other.eqb")
    found, same = solved_files([tmp_path / "own.toml", other], threads=1)
    assert same == other
    assert load_solution(found).table == Table(stacks=[10, 10], blinds=[0.5, 1])
    stamp = found.stat().st_mtime_ns
    assert solved_files([tmp_path / "own.toml"], threads=1) == [found]
    assert found.stat().st_mtime_ns == stamp
    found.write_bytes(found.read_bytes()[:200])
    assert load_solution(solved_files([tmp_path / "own.toml"], threads=1)[0]).converged  # solved again
    (tmp_path / "own.toml").write_text("stacks = [9, 9]\nblinds = [0.5, 1]\n")
    assert solved_files([tmp_path / "own.toml"], threads=1) != [found]
    (tmp_path / "spot.toml").write_text("board = 'Td9d6h'\n")
    with pytest.raises(NotApplicableError, match="is a spot"):
        solved_files([tmp_path / "spot.toml"], threads=1)
