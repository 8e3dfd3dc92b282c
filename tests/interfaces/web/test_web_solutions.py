"""The library and the places in it: the same numbers as the package gives."""

import json

import pytest

import equilibrist as eq
from equilibrist.interfaces.web.data.store import Store
from equilibrist.interfaces.web.models.solutions import SolutionList
from web_server import API, RIVER, TURN, solve


@pytest.fixture
def river(client):
    return solve(client, name="river of queens")


def test_a_node_says_what_the_cursor_says(client, river):
    cursor = eq.solve(eq.Spot(**RIVER), until="0.5%").at("x:b100")
    node = client.get(f"{API}/solutions/{river}/node", params={"line": "x:b100"}).json()
    facts = cursor.to_json()
    assert (node["player"], node["labels"], node["pot"]) == ("oop", list(cursor.labels), cursor.pot)
    assert node["hands"] == list(facts["hands"])
    for number, name in enumerate(node["hands"]):
        row = facts["hands"][name]
        assert node["weight"][number] == pytest.approx(row["weight"], abs=1e-4)
        assert node["hand_ev"][number] == pytest.approx(row["ev"], abs=1e-4)
        assert node["hand_equity"][number] == pytest.approx(row["equity"], abs=1e-4)
        assert node["strategy"][number] == pytest.approx(row["strategy"], abs=1e-4)
        assert node["ev_by_action"][number] == pytest.approx(row["ev_by_action"], abs=1e-4)
    assert [card["chosen"] for card in node["path"]] == ["x", "b100", None]
    assert node["path"][1]["player"] == "ip"


def test_the_other_player_can_be_looked_at(client, river):
    node = client.get(f"{API}/solutions/{river}/node", params={"line": "x", "player": "oop"}).json()
    assert (node["player"], node["hands_of"], node["strategy"]) == ("ip", "oop", [])
    assert "AsAh" in node["hands"]


def test_runouts_categories_and_report(client):
    turn = solve(client, TURN, until="2%")
    runouts = client.get(f"{API}/solutions/{turn}/runouts", params={"line": "x:x"}).json()
    assert len(runouts["cards"]) == 48
    assert sum(row["probability"] for row in runouts["cards"]) == pytest.approx(1.0, abs=1e-6)
    kinds = client.get(f"{API}/solutions/{turn}/categories", params={"line": ""}).json()
    made = [row for row in kinds["rows"] if "draw" not in row["name"] and row["name"] != "gutshot"]
    assert sum(row["share"] for row in made) == pytest.approx(1.0, abs=1e-6)
    assert {row["name"] for row in made} >= {"overpair", "straight"}  # AA and KK; 87s on T 9 6
    report = client.get(f"{API}/report", params={"line": "x"}).json()
    assert report["rows"][0]["frequencies"] != []
    missing = client.get(f"{API}/report", params={"line": "b7"}).json()
    assert "b7" in missing["rows"][0]["problem"]


def test_two_solutions_are_compared(client, river):
    other = solve(client, RIVER | {"range": {"oop": "AA,KK,QJs,87s", "ip": RIVER["range"]["ip"]}})
    found = client.get(f"{API}/compare", params={"first": river, "second": other}).json()
    assert found["first"]["ev"]["oop"] != found["second"]["ev"]["oop"]
    same = client.get(f"{API}/compare", params={"first": river, "second": river}).json()
    assert same["difference"] == pytest.approx(0.0)


def test_rows_of_earlier_versions_are_told_as_new_ones(tmp_path):
    """They kept values as a pair; parts of dials are told apart, but not to the page."""
    store = Store(tmp_path / "catalogue.sqlite")
    facts = {
        "id": "0123456789ab", "created": 1.0, "name": "old", "board": "Qs2d2h", "street": "flop", "pot": 20.0, "stack": 90.0,
        "solver": "dcfr", "iterations": 7, "exploitability": 0.1, "percent_of_pot": 0.5, "converged": True, "locks": 0, "bytes": 9,
    }  # fmt: skip
    body = json.dumps({**facts, "ev": [11.0, 9.0], "notes": "", "part_of": ""})
    store._rows("insert into solution (id, created, text, body) values (?, 1.0, 'old', ?)", facts["id"], body.encode())
    row = store.solution(facts["id"])
    assert (row.ev.oop, row.ev.ip, row.part_of) == (11.0, 9.0, "")
    row.notes = "seen again"
    store.put_solution(row)
    assert store.solutions("seen")[1] == [row]
    told = SolutionList(count=1, solutions=[row]).model_dump()["solutions"][0]
    assert told == facts | {"ev": {"oop": 11.0, "ip": 9.0}, "notes": "seen again"}
    store.close()


def test_the_library_is_searched_renamed_and_emptied(client, river, data):
    for query, count in (("queens", 1), ("TD9D river", 1), ("turn", 0), ("%", 0)):
        assert client.get(f"{API}/solutions", params={"query": query}).json()["count"] == count, query
    client.patch(f"{API}/solutions/{river}", json={"notes": "bluffs too often"})
    assert client.get(f"{API}/solutions", params={"query": "bluffs"}).json()["count"] == 1
    assert client.delete(f"{API}/solutions/{river}").status_code == 204
    assert client.get(f"{API}/solutions/{river}").status_code == 404
    assert not list((data / "solutions").glob("*.eqb"))


def test_trainer_questions_are_fixed_by_their_seed_and_graded_by_ev(client, river):
    for seed in range(8):
        asked = client.get(f"{API}/trainer/{river}/question", params={"seed": seed}).json()
        assert asked == client.get(f"{API}/trainer/{river}/question", params={"seed": seed}).json()
        node = client.get(f"{API}/solutions/{river}/node", params={"line": asked["line"]}).json()
        place = node["hands"].index(asked["hand"])
        assert node["player"] == asked["player"]
        losses = []
        for label in asked["labels"]:
            graded = client.get(f"{API}/trainer/{river}/grade", params={"seed": seed, "answer": label}).json()
            assert graded["ev_by_action"] == pytest.approx(node["ev_by_action"][place], abs=1e-4)
            losses.append(graded["ev_loss"])
        assert min(losses) == 0.0
        assert max(losses) == pytest.approx(max(graded["ev_by_action"]) - min(graded["ev_by_action"]), abs=1e-9)
    assert client.get(f"{API}/trainer/{river}/grade", params={"seed": 1, "answer": "b7"}).status_code == 422


def test_ranges_are_read_and_written(client):
    found = client.post(f"{API}/ranges", json={"text": "KK+,AKs:0.5"}).json()
    assert found["combos"] == pytest.approx(14.0)
    again = client.post(f"{API}/ranges", json={"weights": found["weights"]}).json()
    assert again["text"] == found["text"]
    for preset in client.get(f"{API}/ranges/presets").json():
        assert client.post(f"{API}/ranges", json={"text": preset["text"]}).json()["combos"] > 0, preset


def test_spots_are_read_from_toml_and_written_back(client):
    text = client.post(f"{API}/spots/check", json=RIVER).json()["toml"]
    found = client.post(f"{API}/spots/read", json={"toml": text}).json()
    assert found["toml"] == text == eq.Spot(**RIVER).to_toml()
    assert found["decisions"] == {
        "river": 8
    }  # x b100 a | x: x b100 a | answers to x:b100, x:b100:r300, x:a, b100, b100:r300, a
    assert found["fits"]
