"""Dials: responses to locks over the API agree with the library, can be stopped and go on after a restart."""

import time

import pytest
from fastapi.testclient import TestClient

import equilibrist as eq
from equilibrist.exploit.responses.data_biased_spots import LockedSpot
from equilibrist.exploit.responses.trust_frontier import safest
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.settings import ServerSettings
from web_server import API, RIVER, TURN, solve, wait_for

FOLDS = {"line": "b100", "strategy": {"f": 0.8, "c": 0.2}}


def locked(client, spot=RIVER):
    return solve(client, spot | {"lock": [FOLDS]})


def open_dial(client, solution, **asked):
    answer = client.post(f"{API}/dials", json={"solution": solution} | asked)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_gain_and_risk_are_those_of_the_library(client):
    solution = locked(client)
    dial = open_dial(client, solution, steps=[0.3, 1.0])
    assert dial["player"] == "oop"
    assert wait_for(client, dial["id"])["kind"] == "dial"
    found = client.get(f"{API}/dials/{dial['id']}", params={"epsilon": 5.0}).json()
    straight = LockedSpot(eq.Spot(**RIVER, lock=[FOLDS])).frontier((0.3, 1.0))
    assert [point["p"] for point in found["points"]] == [0.0, 0.3, 1.0]
    for point, answer in zip(found["points"], straight, strict=True):
        for name in ("payoff", "gain", "guarantee", "risk"):
            assert point[name] == pytest.approx(getattr(answer, name), abs=1e-9)
    assert found["chosen"] == safest(straight, 5.0).p
    assert found["points"][-1]["gain"] > 1.0  # chips: a lock that folds too much is worth something


def test_responses_are_walked_like_solutions_and_deleted_with_their_dial(client):
    solution = locked(client)
    dial = open_dial(client, solution, steps=[1.0])["id"]
    wait_for(client, dial)
    point = client.get(f"{API}/dials/{dial}").json()["points"][-1]
    facts = client.get(f"{API}/solutions/{point['solution']}").json()
    assert facts["part_of"] == dial
    node = client.get(f"{API}/solutions/{point['solution']}/node", params={"line": "b100"}).json()
    assert node["locked"]
    assert node["frequencies"][0] == pytest.approx(0.8, abs=1e-3)
    assert [row["id"] for row in client.get(f"{API}/solutions").json()["solutions"]] == [solution]
    assert client.delete(f"{API}/solutions/{point['solution']}").status_code == 409
    assert [row["id"] for row in client.get(f"{API}/dials", params={"solution": solution}).json()] == [dial]
    assert client.delete(f"{API}/dials/{dial}").status_code == 204
    assert client.get(f"{API}/solutions/{point['solution']}").status_code == 404
    assert client.get(f"{API}/jobs/{dial}").status_code == 404


def test_a_dial_is_asked_for_once_and_takes_more_points(client):
    solution = locked(client)
    first = open_dial(client, solution, steps=[1.0])
    wait_for(client, first["id"])
    assert open_dial(client, solution, steps=[1.0])["id"] == first["id"]
    more = client.post(f"{API}/dials/{first['id']}/points", json={"p": 0.45})
    assert more.status_code == 201
    assert wait_for(client, first["id"])["status"] == "done"
    assert [point["p"] for point in client.get(f"{API}/dials/{first['id']}").json()["points"]] == [0.0, 0.45, 1.0]
    # the job may be cleared; the dial stays, and can still grow
    assert client.delete(f"{API}/jobs/{first['id']}").status_code == 204
    client.post(f"{API}/dials/{first['id']}/points", json={"p": 0.9})
    assert wait_for(client, first["id"])["status"] == "done"
    assert len(client.get(f"{API}/dials/{first['id']}").json()["points"]) == 4


def test_what_is_no_model_is_refused(client):
    free = solve(client)
    answer = client.post(f"{API}/dials", json={"solution": free})
    assert answer.status_code == 422
    assert "no locks" in answer.json()["message"]
    both = solve(client, RIVER | {"lock": [FOLDS, {"line": "", "strategy": {"x": 1.0}}]})
    assert "both players" in client.post(f"{API}/dials", json={"solution": both}).json()["message"]
    raked = solve(client, RIVER | {"lock": [FOLDS], "rake": {"rate": 0.05}})
    assert client.post(f"{API}/dials", json={"solution": raked}).status_code == 409
    assert client.get(f"{API}/dials").json() == []


def test_a_dial_stops_and_goes_on_after_a_restart(data):
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        solution = locked(client, TURN)
        dial = open_dial(client, solution, until="0.02%")["id"]
        deadline = time.monotonic() + 60
        while not (first := client.get(f"{API}/dials/{dial}").json()["points"]):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        found = client.get(f"{API}/dials/{dial}").json()
        assert found["status"] == "interrupted"
        assert found["points"][0] == first[0]  # kept, not found again
        client.post(f"{API}/jobs/{dial}/resume", json={})
        wait_for(client, dial, status=("running",))
        client.post(f"{API}/jobs/{dial}/cancel")
        assert wait_for(client, dial)["status"] == "stopped"
        assert client.get(f"{API}/dials/{dial}").json()["points"][0] == first[0]
