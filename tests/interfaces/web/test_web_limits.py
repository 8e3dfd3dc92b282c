"""Requests that take too long are answered in time, their work is bounded; what a stop interrupted goes on."""

import os
import threading
import time

import httpx
import pytest
from fastapi.testclient import TestClient

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.interfaces.web import time_limits
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.server import run_server
from equilibrist.interfaces.web.settings import ServerSettings
from equilibrist.interfaces.web.time_limits import MOST_OVERDUE, OvertimeError, check_time, time_left
from web_server import API, TURN, served, solve, wait_for

ENDLESS = {"until": None, "iterations": 1_000_000}


@pytest.fixture
def slow(data):
    """A server whose list of games takes as long as a gate is shut."""
    app, gate = create_app(ServerSettings(data=data, request_seconds=0.4)), threading.Event()

    def wait() -> dict[str, bool]:
        gate.wait(30.0)
        return {"done": True}

    app.add_api_route(f"{API}/slow", wait)
    app.add_api_route(f"{API}/patient", lambda: check_in_a_loop())
    with served(app) as link:
        yield link, gate
        gate.set()


def check_in_a_loop():
    while True:
        check_time()
        time.sleep(0.02)


def test_a_request_that_takes_too_long_is_refused_in_time(slow):
    link, gate = slow
    began = time.monotonic()
    answer = httpx.get(f"{link}{API}/slow", timeout=20.0)
    assert time.monotonic() - began < 10.0
    assert (answer.status_code, answer.json()["error"]) == (503, "OvertimeError")
    assert "--request-seconds" in answer.json()["message"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert httpx.get(f"{link}{API}/about").status_code == 200  # the server lives on
    gate.set()


def test_work_that_nobody_waits_for_is_bounded(slow):
    link, gate = slow
    for _ in range(MOST_OVERDUE):
        assert httpx.get(f"{link}{API}/slow", timeout=20.0).json()["error"] == "OvertimeError"
    assert httpx.get(f"{link}{API}/slow", timeout=20.0).json()["error"] == "ServerBusy"
    assert httpx.get(f"{link}{API}/jobs").status_code == 200  # jobs can still be watched and stopped
    gate.set()
    deadline = time.monotonic() + 20
    while httpx.get(f"{link}{API}/slow").status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_loops_that_look_at_the_clock_end_themselves(slow):
    link, _ = slow
    for _ in range(MOST_OVERDUE + 2):  # none of them is left behind
        answer = httpx.get(f"{link}{API}/patient", timeout=20.0)
        assert answer.json()["error"] in ("OvertimeError", "ServerBusy")
        time.sleep(0.1)
    assert httpx.get(f"{link}{API}/about").status_code == 200


def test_time_left_is_what_the_request_has():
    assert time_left(5.0) == 5.0
    token = time_limits._deadline.set(time.monotonic() - 1.0)
    try:
        with pytest.raises(OvertimeError):
            time_left(5.0)
    finally:
        time_limits._deadline.reset(token)
    with pytest.raises(ParameterError, match="some seconds"):
        ServerSettings(data=None, request_seconds=0.0)


def test_streams_are_not_cut_off(slow):
    link, _ = slow
    ready_by = time.monotonic() + 20
    while (
        httpx.get(f"{link}{API}/jobs").status_code != 200
    ):  # the first request waits for imports, on a busy machine for long
        assert time.monotonic() < ready_by
    with httpx.stream("GET", f"{link}{API}/jobs/events", timeout=20.0) as stream:
        assert stream.status_code == 200
        time.sleep(0.8)
        assert next(stream.iter_lines()) == "event: jobs"


def interrupted(data):
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        job = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
        stopped = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
        client.post(f"{API}/jobs/{stopped}/cancel")
        wait_for(client, job, status=("running",))
        while client.get(f"{API}/jobs/{job}").json()["iteration"] < 2:
            time.sleep(0.02)
    return job, stopped


def test_interrupted_jobs_go_on_by_themselves_where_that_was_asked_for(data):
    job, stopped = interrupted(data)
    with TestClient(create_app(ServerSettings(data=data, resume=True)), base_url="http://localhost") as client:
        wait_for(client, job, status=("running",))
        assert client.get(f"{API}/jobs/{stopped}").json()["status"] == "stopped"  # as people wanted it


def test_interrupted_jobs_go_on_by_one_request(data):
    job, stopped = interrupted(data)
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost") as client:
        assert client.get(f"{API}/jobs/{job}").json()["status"] == "interrupted"
        assert [each["id"] for each in client.post(f"{API}/jobs/resume").json()] == [job]
        wait_for(client, job, status=("running",))
        assert client.post(f"{API}/jobs/resume").json() == []
        client.post(f"{API}/jobs/{job}/cancel")
        wait_for(client, job)
        assert solve(client)
        assert stopped


def test_more_workers_than_the_system_has_threads_for_are_refused(tmp_path, monkeypatch):
    started, real = [], threading.Thread.start

    def start(thread):
        if thread.name.startswith("solve-"):
            if len(started) == 2:
                raise RuntimeError("can't start new thread")
            started.append(thread)
        real(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    monkeypatch.setattr(os, "umask", lambda mask: mask)  # that of the tests stays
    said = []
    with pytest.raises(
        NotApplicableError, match="5 solves at a time take as many threads, but the system gives 2 only"
    ):
        run_server(ServerSettings(data=tmp_path, port=0, workers=5), [], say=said.append)
    assert not said  # nothing was announced
