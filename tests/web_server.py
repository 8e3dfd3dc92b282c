"""What tests of the browser share: spots that are solved in a moment, and waiting for jobs."""

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

ACCESSIBILITY = (Path(__file__).parent / "interfaces" / "web" / "accessibility.js").read_text(encoding="utf-8")
SECONDS = 30_000  # milliseconds
API = "/api/v1"
RIVER = {
    "board": "Td9d6hQc2s",
    "pot": 200,
    "stack": 300,
    "range": {"oop": "AA,KK,QJs,87s,A5s", "ip": "QQ,JTs,A9s,K8s,TT"},
    "bets": {"bet": "50%, a", "raise": "a"},
}
TURN = RIVER | {"board": "Td9d6hQc", "bets": {"bet": "50%", "raise": "a"}}


def wait_for(client, job, *, status=("done", "stopped", "failed", "interrupted"), seconds=60.0):
    """The job once it has come to a status."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = client.get(f"{API}/jobs/{job}").json()
        if found["status"] in status:
            return found
        time.sleep(0.05)
    raise AssertionError(f"the job is still {found['status']}: {found['message']}")


def solve(client, spot=RIVER, **request):
    """Id of a solved spot."""
    answer = client.post(f"{API}/jobs", json={"spot": spot, "until": "0.5%"} | request)
    assert answer.status_code == 201, answer.text
    job = wait_for(client, answer.json()["id"])
    assert job["status"] == "done", job
    return job["id"]


def start_server(data, *files):
    """`equilibrist serve` in a process of its own, and its address."""
    command = [
        sys.executable,
        "-m",
        "equilibrist",
        "serve",
        "--port",
        "0",
        "--data",
        str(data),
        "--threads",
        "1",
        *files,
    ]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    line = [server.stderr.readline() for _ in range(len(files) + 1)][-1]  # a sentence for every file, then the address
    assert "http://" in line, line
    return server, line.split()[3].rstrip("/")


@contextmanager
def served(app, **options):
    """The address of an app that runs in a thread of this process, so that a test can reach into it."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", **options))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def picture(page, name):
    """Keep a picture of a view where pictures are asked for."""
    folder = os.environ.get("EQUILIBRIST_SCREENSHOTS")
    if folder:
        page.wait_for_timeout(300)
        page.screenshot(path=str(Path(folder) / f"browser-{name}.png"), animations="disabled")
