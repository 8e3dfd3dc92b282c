"""Strategies of solved games: walked along the public line, weighted, valued, and shown on the page."""

import pytest
from fastapi.testclient import TestClient

import equilibrist as eq
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import load_game
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.data.public_lines import PublicLines, infoset_reach
from equilibrist.interfaces.web.data.strategies import TableWalk
from equilibrist.interfaces.web.settings import ServerSettings
from web_server import API

GAMES = {"kuhn.eqb": "kuhn", "leduc.eqb": "leduc", "dice.eqb": "liars-dice(faces=3)", "rps.eqb": "rps-plus"}


@pytest.fixture(scope="module")
def solved():
    return {name: eq.solve(game, solver="dcfr", iterations=300) for name, game in GAMES.items()}


@pytest.fixture(scope="module")
def browser(solved, tmp_path_factory):
    data = tmp_path_factory.mktemp("strategies")
    with TestClient(create_app(ServerSettings(data=data / "data")), base_url="http://localhost") as client:
        for name, solution in solved.items():
            solution.save(data / name)
            client.app.state.services.add_file(data / name)
        (data / "data" / "agents" / "broken.eqb").write_bytes((data / "kuhn.eqb").read_bytes()[:300])
        yield client


def place(client, name, **asked):
    answer = client.get(f"{API}/strategies/{name}/place", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_files_say_what_they_are(browser, solved):
    found = {file["name"]: file for file in browser.get(f"{API}/strategies").json()}
    assert set(found) == set(GAMES)  # what is broken is left out
    kuhn = found["kuhn.eqb"]
    assert kuhn["value"][0] == pytest.approx(-1 / 18, abs=1e-3)
    assert kuhn["exploitability"] == pytest.approx(solved["kuhn.eqb"].exploitability)
    assert kuhn["infosets"] == 12


@pytest.mark.parametrize("name", GAMES)
def test_every_infoset_is_found_by_walking(browser, solved, name):
    """From the beginning on, along what follows each action: all infosets, each once, with the probabilities of the solution."""
    policy, seen, waiting = solved[name].policy, {}, [place(browser, name)["line"]]
    while waiting:
        here = place(browser, name, line=waiting.pop())
        for row in here["rows"]:
            assert row["key"] not in seen
            seen[row["key"]] = row
            labels = row["labels"] or here["labels"]
            told = dict(zip(labels, row["strategy"], strict=True))
            assert told == pytest.approx(policy[row["key"]], abs=1e-5)
            if row["value"] is not None:
                mean = sum(p * v for p, v in zip(row["strategy"], row["action_values"], strict=True) if v is not None)
                assert row["value"] == pytest.approx(mean, abs=1e-4)
        assert here["path"][-1]["line"] == here["line"]
        waiting += [line for lines in here["path"][-1]["following"].values() for line in lines]
    assert set(seen) == set(policy)


def test_weights_and_values_are_those_of_the_game(browser, solved):
    first = place(browser, "kuhn.eqb")
    assert first["weighted"]
    assert sum(row["weight"] for row in first["rows"]) == pytest.approx(1.0)
    value = sum(row["weight"] * row["value"] for row in first["rows"])
    assert value == pytest.approx(solved["kuhn.eqb"].value[0], abs=1e-9)
    assert [row["hand"] for row in first["rows"]] == ["J", "Q", "K"]
    bets = sum(row["weight"] * row["strategy"][1] for row in first["rows"])
    assert first["frequencies"][1] == pytest.approx(bets, abs=1e-5)
    later = place(browser, "kuhn.eqb", line="x:b")
    assert [(step["line"], step["chosen"]) for step in later["path"]] == [("", "x"), ("x", "b"), ("x:b", None)]
    assert later["player"] == 0
    card = place(browser, "leduc.eqb", line="x:x:Qc:b")
    assert [step["chosen"] for step in card["path"]] == ["x", "x", "b", None]
    assert "x:x:Kd" in card["path"][1]["following"]["x"]


def test_pages_and_refusals(browser):
    whole = place(browser, "leduc.eqb", line="x:x:Qc")
    part = place(browser, "leduc.eqb", line="x:x:Qc", offset=2, limit=2)
    assert part["rows"] == whole["rows"][2:4]
    assert part["count"] == len(whole["rows"])
    for path, said in (
        ("kuhn.eqb/place?line=q", "Nobody decides at 'q'"),
        ("nothing.eqb/place", "There is no file"),
        ("broken.eqb", "broken.eqb"),
        ("..%2Fcatalogue.sqlite", "nothing at this address"),
    ):
        answer = browser.get(f"{API}/strategies/{path}")
        assert answer.status_code in (404, 422), path
        assert said in answer.json()["message"]


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice(faces=3)", "kuhn(players=3)"])
def test_lines_read_from_names_are_those_of_the_tree(name):
    game = Compiled(load_game(name))
    by_tree, by_name = PublicLines.of_tree(game.tree), PublicLines.of_names(game.infosets)
    assert by_name.before == by_tree.before
    assert {place: set(lines) for place, lines in by_name.after.items()} == {
        place: set(lines) for place, lines in by_tree.after.items()
    }


def test_a_game_that_is_not_known_is_shown_without_weights(solved, monkeypatch):
    walk = TableWalk(solved["leduc.eqb"])
    monkeypatch.setattr(walk, "tree_of", None)
    assert not walk.weighted
    assert walk.path("x:x:Qc:b")[2] == ("x:x:Qc", "b")
    count, rows = walk.rows("x", 0, 100)
    assert count == 6
    assert rows[0].weight is None


def test_the_reach_of_infosets_sums_to_the_decisions_made(solved):
    """Every hand of Kuhn has a first decision; later ones are as likely as what leads to them."""
    game = Compiled(load_game("kuhn"))
    reach = infoset_reach(game.tree, solved["kuhn.eqb"].policy)
    by_line = {}
    for public, each in zip(game.infosets.public, reach, strict=True):
        by_line[public] = by_line.get(public, 0.0) + each
    assert by_line[""] == pytest.approx(1.0)
    assert by_line["x"] + by_line["b"] == pytest.approx(1.0)
