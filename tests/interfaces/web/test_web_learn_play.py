"""Lessons and tables."""

import shutil
import subprocess
import sys

import pytest

import equilibrist as eq
from equilibrist.forms.compiled import Compiled
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.cfr.steps import SteppedRun
from equilibrist.solvers.responses.best_response import counterfactual_values
from web_server import API


def state(client, **asked):
    answer = client.get(f"{API}/lessons/state", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_lesson_is_the_solver_itself(client):
    solved = eq.solve("leduc", solver="cfr+", iterations=57)
    found = state(client, game="leduc", solver="cfr+", iteration=57)
    assert found["exploitability"] == pytest.approx(solved.exploitability, rel=1e-12)
    for row in found["infosets"]:
        assert row["average"] == pytest.approx(list(solved.policy[row["key"]].values()))
    assert found["line"] == ""


def test_steps_back_and_two_browsers_do_not_disturb_each_other(client):
    ten = state(client, game="kuhn", solver="cfr", iteration=10, line="b")
    twenty = state(client, game="kuhn", solver="cfr", iteration=20, line="b")
    assert state(client, game="kuhn", solver="cfr", iteration=10, line="b")["infosets"] == ten["infosets"]
    assert twenty["infosets"] != ten["infosets"]


@pytest.mark.parametrize("solver", ["cfr", "cfr+", "lcfr", "dcfr"])
def test_the_step_shown_is_the_formula(solver):
    """Values of actions against the opponent of that moment; regrets add the gain and are discounted; matching gives the next strategy."""
    game = Compiled(load_game("leduc"))
    run, before = SteppedRun(game, solver), SteppedRun(game, solver)
    run.advance(9)
    before.advance(8)
    values = counterfactual_values(game, before.run.last(), 0)  # player 1 moves first, so its opponent is the old one
    infosets = game.infosets
    for number in range(0, len(infosets), 17):
        step = run.step(number)
        assert step.value == pytest.approx(sum(a.before * a.value for a in step.actions), abs=1e-12)
        if infosets.player[number] == 0:
            own = slice(infosets.first_slot[number], infosets.first_slot[number + 1])
            assert [a.value for a in step.actions] == pytest.approx(values.slot_value[own].tolist(), abs=1e-12)
        for a in step.actions:
            total = a.regret_before + a.gain
            factor = step.positive_factor if total > 0 else step.negative_factor
            assert a.regret == pytest.approx(total * factor, abs=1e-12)
        positive = [max(a.regret, 0.0) for a in step.actions]
        if sum(positive) > 0:
            assert [a.after for a in step.actions] == pytest.approx([p / sum(positive) for p in positive])


def sit(client, agent, game, seed=1):
    answer = client.post(f"{API}/tables", json={"agent": agent, "game": game, "seed": seed})
    assert answer.status_code == 201, answer.text
    return answer.json()


def act(client, table, action):
    body = {"hand": table["hand"], "move": table["move"], "action": action}
    return client.post(f"{API}/tables/{table['id']}/act", json=body)


def passive(table):
    labels = [offer["label"] for offer in table["choice"]["offers"]]
    return "x" if "x" in labels else "c"


def test_hands_are_played_and_come_back_the_same(client):
    table = sit(client, "rule-based", "nolimit-holdem(stack=2000)")
    total = 0.0
    for _ in range(6):
        while not table["over"]:
            assert table["opponent_range"] is None  # nothing is told before the end
            table = act(client, table, passive(table)).json()
        total += table["result"]
        assert table["total"] == pytest.approx(total)
        again = client.get(f"{API}/tables/{table['id']}").json()
        assert again == table
        table = client.post(f"{API}/tables/{table['id']}/deal").json()
    assert table["played"] == 6
    assert table["interval_mbb"] is not None
    assert client.get(f"{API}/tables/{table['id']}/hands/0").json()["over"]
    assert "variant" in client.get(f"{API}/tables/{table['id']}/history").text


@pytest.mark.parametrize("players", [3, 6])
def test_hands_with_several_opponents(client, players):
    table = sit(client, "rule-based", f"nolimit-holdem(stack=10000,players={players})", seed=5)
    total = 0.0
    for number in range(players + 1):
        assert table["seat"] == number % players
        assert [seat["name"] for seat in table["seats"]].count("you") == 1
        assert table["seats"][(table["seat"] + 1) % players]["name"] == "rule-based 1"  # neighbours stay
        while not table["over"]:
            table = act(client, table, passive(table)).json()
        total += table["result"]
        assert table["opponent_range"] is None
        assert client.get(f"{API}/tables/{table['id']}").json() == table
        for review in table["reviews"][:1]:
            value = client.get(f"{API}/tables/{table['id']}/hands/{number}/decisions/{review['move']}").json()
            assert (value["method"], value["reason"] != "") == (None, True)
        table = client.post(f"{API}/tables/{table['id']}/deal").json()
    assert table["total"] == pytest.approx(total)
    assert client.get(f"{API}/tables/{table['id']}/history").text.count("variant") == players + 1


def test_a_double_click_and_impossible_actions_are_refused(client):
    table = sit(client, "always-call", "nolimit-holdem(stack=2000)")
    assert act(client, table, "b1").status_code == 409
    after = act(client, table, passive(table)).json()
    assert act(client, table, passive(table)).status_code == 409
    assert client.post(f"{API}/tables/{table['id']}/deal").status_code == (200 if after["over"] else 409)


def test_decisions_in_small_games_are_valued_exactly(client):
    """Against a player that always calls, betting a king in Kuhn poker wins 2 and checking 1 or more; the jack loses by betting."""
    seen = set()
    for seed in range(12):
        table = sit(client, "always-call", "kuhn", seed)
        while not table["over"]:
            table = act(client, table, passive(table)).json()
        first = table["reviews"][0]
        if table["seat"] == 0 and first["actions"] == ["check", "bet"]:
            check, bet = first["ev"]
            seen.add(table["hole"])
            if table["hole"] == "K":
                assert (check, bet) == pytest.approx((1.0, 2.0))
                assert first["ev_loss"] == pytest.approx(1.0)
            if table["hole"] == "J":
                assert (check, bet) == pytest.approx((-1.0, -2.0))
                assert first["ev_loss"] == pytest.approx(0.0)
    assert seen >= {"K", "J"}


def test_the_opponents_range_is_shown_at_the_end(client):
    table = sit(client, "equilibrium", "leduc", 3)
    while not table["over"]:
        table = act(client, table, passive(table)).json()
    assert table["opponent_range"]
    assert max(hand["weight"] for hand in table["opponent_range"]) == pytest.approx(1.0)
    assert all(hand["hand"] != table["hole"] for hand in table["opponent_range"])
    assert all(review["ev_loss"] >= -1e-9 for review in table["reviews"])


def test_players_must_be_on_the_list(client):
    for agent in ("random-river(base=/etc/passwd.eqb)", "/etc/passwd.eqb", "../../x.eqb", "nobody"):
        answer = client.post(f"{API}/tables", json={"agent": agent})
        assert answer.status_code == 404, agent
    for game in ("openspiel:go", "/etc/passwd.efg", "nolimit-holdem(stack=1e9)"):
        answer = client.post(f"{API}/tables", json={"agent": "random", "game": game})
        assert answer.status_code == 404, game
    assert client.post(f"{API}/tables", json={"agent": "equilibrium"}).status_code == 409


def test_a_trained_blueprint_in_the_agents_folder_plays(client, data, tmp_path):
    command = [sys.executable, "-m", "equilibrist", "train", "start", str(tmp_path / "trained"), "--preset", "leduc"]
    subprocess.run([*command, "--iterations", "2000"], check=True, capture_output=True)
    shutil.copy(tmp_path / "trained" / "blueprint.eqb", data / "agents" / "trained.eqb")
    assert "trained.eqb" in [agent["name"] for agent in client.get(f"{API}/agents").json()]
    table = sit(client, "trained.eqb", "leduc")
    while not table["over"]:
        table = act(client, table, passive(table)).json()
    assert table["result"] is not None
    refused = client.post(f"{API}/tables", json={"agent": "trained.eqb", "game": "kuhn"})
    assert refused.status_code == 409
