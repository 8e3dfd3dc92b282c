"""Solves that are asked for: they reach their goal, can be cancelled and resumed, outlive the server, keep within the memory."""

import signal
import time

import httpx
import pytest
from fastapi.testclient import TestClient

import equilibrist as eq
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.settings import ServerSettings
from web_server import API, RIVER, TURN, solve, start_server, wait_for

ENDLESS = {"until": None, "iterations": 1_000_000}


def test_a_job_solves_as_the_library_does(client):
    job = solve(client, name="a river")
    told = client.get(f"{API}/solutions/{job}").json()
    straight = eq.solve(eq.Spot(**RIVER), until="0.5%")
    assert told["name"] == "a river"
    assert told["converged"]
    assert told["iterations"] == straight.iterations
    assert told["ev"]["oop"] == pytest.approx(straight.ev.oop, abs=1e-9)
    curve = client.get(f"{API}/jobs/{job}").json()["curve"]
    assert curve[-1]["exploitability"] <= 1.0 < curve[0]["exploitability"]  # 0.5 % of 200 chips


def test_cancelling_keeps_what_was_found_and_resuming_goes_on(client):
    job = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
    wait_for(client, job, status=("running",))
    while client.get(f"{API}/jobs/{job}").json()["iteration"] < 5:
        time.sleep(0.02)
    client.post(f"{API}/jobs/{job}/cancel")
    stopped = wait_for(client, job)
    assert stopped["status"] == "stopped"
    assert stopped["saved"]
    assert client.get(f"{API}/solutions/{job}/node").status_code == 200  # what was found can be looked at
    again = client.post(f"{API}/jobs/{job}/resume", json={}).json()
    assert again["status"] == "queued"
    wait_for(client, job, status=("running",))
    deadline = time.monotonic() + 30
    while client.get(f"{API}/jobs/{job}").json()["iteration"] <= stopped["iteration"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    client.post(f"{API}/jobs/{job}/cancel")
    ended = wait_for(client, job)
    assert ended["iteration"] > stopped["iteration"]
    assert went_on(ended)


def test_waiting_jobs_run_in_turn_and_can_be_taken_back(client):
    first = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
    second = client.post(f"{API}/jobs", json={"spot": RIVER}).json()["id"]
    third = client.post(f"{API}/jobs", json={"spot": RIVER}).json()["id"]
    wait_for(client, first, status=("running",))
    assert client.get(f"{API}/jobs/{second}").json()["status"] == "queued"
    assert client.post(f"{API}/jobs/{third}/cancel").json()["status"] == "stopped"
    assert client.delete(f"{API}/jobs/{second}").status_code == 409  # it has not ended
    client.post(f"{API}/jobs/{first}/cancel")
    assert wait_for(client, second)["status"] == "done"
    assert [job["id"] for job in client.get(f"{API}/jobs").json()] == [third, second, first]
    assert client.delete(f"{API}/jobs/{third}").status_code == 204


def test_what_does_not_fit_is_refused_and_two_that_do_not_fit_together_take_turns(data):
    need = 0
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        need = client.post(f"{API}/spots/check", json=TURN).json()["table_bytes"]
    tight = ServerSettings(data=data, workers=2, memory=int(need * 1.9))
    with TestClient(create_app(tight), base_url="http://localhost") as client:
        large = TURN | {"range": {"oop": "random", "ip": "random"}}
        refused = client.post(f"{API}/jobs", json={"spot": large})
        assert refused.status_code == 413
        assert "GB are available to solves" in refused.json()["message"]
        first, second = (client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"] for _ in range(2))
        wait_for(client, first, status=("running",))
        time.sleep(0.3)
        waiting = client.get(f"{API}/jobs/{second}").json()
        assert (waiting["status"], "memory" in waiting["message"]) == ("queued", True)
        client.post(f"{API}/jobs/{first}/cancel")
        wait_for(client, second, status=("running",))
        client.post(f"{API}/jobs/{second}/cancel")
        wait_for(client, second)


def test_locks_are_solved_around(client):
    free = solve(client)
    asked = {"solution": free, "lock": [{"line": "", "strategy": {"x": 1.0}}], "until": "0.5%"}
    job = client.post(f"{API}/jobs", json=asked).json()["id"]
    assert wait_for(client, job)["status"] == "done"
    node = client.get(f"{API}/solutions/{job}/node").json()
    assert node["locked"]
    assert node["frequencies"][0] == pytest.approx(1.0)
    assert client.get(f"{API}/solutions/{job}").json()["lock_lines"] == [""]
    unlocked = client.post(f"{API}/jobs", json={"solution": job, "unlock": [""], "until": "0.5%"}).json()["id"]
    wait_for(client, unlocked)
    assert client.get(f"{API}/solutions/{unlocked}").json()["locks"] == 0
    often = {"solution": free, "lock": [{"line": "", "frequency": {"x": 0.25}}], "until": "0.5%"}
    job = client.post(f"{API}/jobs", json=often).json()["id"]
    assert wait_for(client, job)["status"] == "done"
    assert client.get(f"{API}/solutions/{job}/node").json()["frequencies"][0] == pytest.approx(0.25, abs=2e-3)


def test_a_server_that_is_killed_comes_back_with_its_job(tmp_path):
    data, spot = tmp_path / "data", {"spot": TURN} | ENDLESS
    server, link = start_server(data)
    base = link + API
    try:
        job = httpx.post(f"{base}/jobs", json=spot).json()["id"]
        deadline = time.monotonic() + 60
        while not httpx.get(f"{base}/jobs/{job}").json()["saved"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        before = httpx.get(f"{base}/jobs/{job}").json()["iteration"]
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        found = client.get(f"{API}/jobs/{job}").json()
        assert found["status"] == "interrupted"
        assert "go on" in found["message"]
        kept = client.get(f"{API}/solutions/{job}").json()["iterations"]
        assert 0 < kept <= before
        points = len(found["curve"])
        client.post(f"{API}/jobs/{job}/resume", json={})
        deadline = time.monotonic() + 60
        while len(client.get(f"{API}/jobs/{job}").json()["curve"]) < points + 3:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        client.post(f"{API}/jobs/{job}/cancel")
        ended = wait_for(client, job)
        assert min(point["iteration"] for point in ended["curve"][points:]) > kept  # not from the beginning


def went_on(job):
    """Whether the iterations at which exploitability was measured only ever rose: a solve begun anew starts at a low one."""
    iterations = [point["iteration"] for point in job["curve"]]
    return iterations == sorted(iterations)


def test_a_server_that_is_stopped_saves_its_job_and_leaves_waiting_ones_waiting(data):
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        first = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
        second = client.post(f"{API}/jobs", json={"spot": RIVER}).json()["id"]
        wait_for(client, first, status=("running",))
        while client.get(f"{API}/jobs/{first}").json()["iteration"] < 2:
            time.sleep(0.02)
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        assert client.get(f"{API}/jobs/{first}").json()["status"] == "interrupted"
        assert client.get(f"{API}/jobs/{first}").json()["saved"]
        assert wait_for(client, second)["status"] == "done"


def test_progress_is_streamed(tmp_path):
    server, link = start_server(tmp_path / "data")
    base = link + API
    try:
        job = httpx.post(f"{base}/jobs", json={"spot": RIVER}).json()["id"]
        with httpx.stream("GET", f"{base}/jobs/events", timeout=60.0) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            for line in stream.iter_lines():
                if line.startswith("data: ") and f'"id":"{job}"' in line and '"status":"done"' in line:
                    break
    finally:
        server.terminate()
        server.wait()
