"""A disk that is full: every job ends in a state, the worker lives, and the queue goes on once there is room again."""

import contextlib
import errno
import os
import shutil
import sqlite3
import subprocess
import time
from collections import namedtuple

import pytest
from fastapi.testclient import TestClient

from equilibrist.core.errors import FormatError
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.data import library
from equilibrist.interfaces.web.data.store import Store
from equilibrist.interfaces.web.jobs import watch
from equilibrist.interfaces.web.settings import ServerSettings
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from web_server import API, RIVER, TURN, wait_for

ENDLESS = {"until": None, "iterations": 1_000_000}


class Disk:
    """While `full`, nothing can be written: neither rows nor solutions."""

    def __init__(self):
        self.full, self.refused = False, 0

    def check(self):
        if self.full:
            self.refused += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class FullDatabase:
    """A connection that reads, and writes only where there is room."""

    def __init__(self, connection, disk):
        self.connection, self.disk = connection, disk

    def execute(self, sql, values=()):
        if self.disk.full and sql.split()[0] in ("insert", "delete"):
            self.disk.refused += 1
            raise sqlite3.OperationalError("database or disk is full")
        return self.connection.execute(sql, values)

    def close(self):
        self.connection.close()


@pytest.fixture
def disk(monkeypatch):
    disk = Disk()
    opened, saved = Store.__init__, SpotSolution.save

    def opening(self, path):
        opened(self, path)
        self._db = FullDatabase(self._db, disk)

    def saving(self, path, **options):
        try:
            disk.check()
        except OSError as error:
            raise FormatError(f"Cannot write '{path}': {error.strerror}.") from None
        saved(self, path, **options)

    monkeypatch.setattr(Store, "__init__", opening)
    monkeypatch.setattr(SpotSolution, "save", saving)
    monkeypatch.setattr(watch, "FIRST_SAVE_SECONDS", 0.2)
    monkeypatch.setattr(watch, "RETRY_SECONDS", 0.05)
    return disk


def serving(data, **settings):
    settings = ServerSettings(data=data, **{"save_seconds": 0.2, "save_patience": 0.5} | settings)
    return TestClient(create_app(settings), base_url="http://localhost")


def alive(client):
    return [thread.is_alive() for thread in client.app.state.services.queue._threads]


def until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_solve_lives_through_a_full_disk_and_ends_in_a_state(data, disk):
    with serving(data) as client:
        job = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
        until(lambda: client.get(f"{API}/jobs/{job}").json()["saved"])
        disk.full = True
        until(lambda: "solving goes on" in client.get(f"{API}/jobs/{job}").json()["message"])
        before = client.get(f"{API}/jobs/{job}").json()["iteration"]
        until(lambda: client.get(f"{API}/jobs/{job}").json()["iteration"] > before)
        client.post(f"{API}/jobs/{job}/cancel")
        ended = wait_for(client, job)
        assert ended["status"] == "failed"
        assert "could not be saved" in ended["message"]
        assert os.strerror(errno.ENOSPC) in ended["message"]
        assert alive(client) == [True]
        disk.full = False
        other = client.post(f"{API}/jobs", json={"spot": RIVER, "until": "0.5%"}).json()["id"]
        assert wait_for(client, other)["status"] == "done"
        until(lambda: not client.app.state.services.queue._unwritten)
    with serving(data) as client:  # what could not be written then was written later
        assert client.get(f"{API}/jobs/{job}").json()["status"] == "failed"
        client.post(f"{API}/jobs/{job}/resume", json={})
        wait_for(client, job, status=("running",))
        client.post(f"{API}/jobs/{job}/cancel")
        assert wait_for(client, job)["status"] == "stopped"


def test_a_finished_solve_waits_for_room(data, disk):
    with serving(data, save_patience=30.0) as client:
        disk.full = False
        job = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
        wait_for(client, job, status=("running",))
        disk.full = True
        client.post(f"{API}/jobs/{job}/cancel")
        until(lambda: "trying again" in client.get(f"{API}/jobs/{job}").json()["message"])
        disk.full = False
        assert wait_for(client, job)["status"] == "stopped"
        assert client.get(f"{API}/solutions/{job}").status_code == 200


def test_what_cannot_be_written_down_is_refused_with_a_sentence(data, disk):
    with serving(data) as client:
        disk.full = True
        boards = [{"board": RIVER["board"]}, {"board": "Td9d6hQc3s"}]
        for path, body in (
            ("jobs", {"spot": RIVER}),
            ("batches", {"spot": RIVER, "boards": boards}),
            ("tables", {"agent": "always-call", "game": "kuhn"}),
        ):
            answer = client.post(f"{API}/{path}", json=body)
            assert answer.status_code == 503, answer.text
            assert "disk is full" in answer.json()["message"]
        assert client.get(f"{API}/jobs").json() == []
        disk.full = False
        assert client.get(f"{API}/batches").json() == []
        assert client.post(f"{API}/batches", json={"spot": RIVER, "boards": boards}).status_code == 201


def test_jobs_wait_for_room_on_the_disk(data, disk, monkeypatch):
    usage, free = namedtuple("usage", "total used free"), [10**12]
    monkeypatch.setattr(library.shutil, "disk_usage", lambda _: usage(10**12, 0, free[0]))
    with serving(data) as client:
        first = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
        second = client.post(f"{API}/jobs", json={"spot": RIVER, "until": "0.5%"}).json()["id"]
        wait_for(client, first, status=("running",))
        free[0] = 0
        client.post(f"{API}/jobs/{first}/cancel")
        wait_for(client, first)
        until(lambda: "room on the disk" in client.get(f"{API}/jobs/{second}").json()["message"])
        assert client.get(f"{API}/jobs/{second}").json()["status"] == "queued"
        free[0] = 10**12
        assert wait_for(client, second)["status"] == "done"


@pytest.mark.slow
def test_a_data_folder_on_a_small_disk_that_fills_up(tmp_path):
    """The real thing: a file system of a few megabytes, filled while a solve runs."""
    place = tmp_path / "small"
    place.mkdir()
    mount = shutil.which("mount")
    made = (
        mount and subprocess.run([mount, "-t", "tmpfs", "-o", "size=12m", "tmpfs", place], check=False).returncode == 0
    )
    if not made:
        pytest.skip("no file system can be mounted here")
    try:
        with serving(place / "data", save_seconds=0.5, save_patience=2.0) as client:
            job = client.post(f"{API}/jobs", json={"spot": TURN} | ENDLESS).json()["id"]
            until(lambda: client.get(f"{API}/jobs/{job}").json()["saved"])
            with open(place / "filler", "wb") as filler, contextlib.suppress(OSError):
                while True:
                    filler.write(b"\0" * 65536)
                    filler.flush()
            time.sleep(2.0)
            client.post(f"{API}/jobs/{job}/cancel")
            assert wait_for(client, job)["status"] == "failed"
            assert alive(client) == [True]
            (place / "filler").unlink()
            assert client.post(f"{API}/jobs/{job}/resume", json={}).status_code == 200
            wait_for(client, job, status=("running",))
            client.post(f"{API}/jobs/{job}/cancel")
            assert wait_for(client, job)["status"] == "stopped"
            other = client.post(f"{API}/jobs", json={"spot": RIVER, "until": "0.5%"}).json()["id"]
            assert wait_for(client, other)["status"] == "done"
    finally:
        subprocess.run(["umount", place], check=True)
