"""What must not come in does not, and every refusal is a sentence."""

import contextlib
import socket
import stat
import subprocess
import sys
import time

import pytest
from fastapi.testclient import TestClient

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.settings import LARGEST_BODY, ServerSettings, read_token
from equilibrist.interfaces.web.timed_protocol import timed_protocol
from web_server import API, RIVER, TURN, served, solve


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/js/../../../app.py",
        "/static//etc/passwd",
        f"{API}/solutions/..%2f..%2fcatalogue",
        f"{API}/solutions/../../etc/passwd/node",
        f"{API}/solutions/0123456789zz/node",
        f"{API}/jobs/%00",
    ],
)
def test_nothing_outside_is_read(client, path):
    answer = client.get(path)
    assert answer.status_code in (404, 422), answer.text
    assert "import" not in answer.text
    assert "root:" not in answer.text


def test_ranges_do_not_read_files(client, tmp_path):
    secret = tmp_path / "weights.txt"
    secret.write_text(" ".join(["1"] * 1326))
    for spot in (
        RIVER | {"range": {"oop": f"@{secret}", "ip": "AA"}},
        RIVER | {"lock": [{"hands": f"@{secret}", "strategy": {"x": 1}}]},
    ):
        answer = client.post(f"{API}/spots/check", json=spot)
        assert answer.status_code == 422
        assert "files are not read" in answer.json()["message"]
    toml = f'board = "Td9d6h"\npot = 1\nstack = 1\n[range]\noop = "@{secret}"\nip = "AA"\n[bets]\nbet = "a"'
    assert client.post(f"{API}/spots/read", json={"toml": toml}).status_code == 422
    assert client.post(f"{API}/ranges", json={"text": f"@{secret}"}).status_code == 422


@pytest.mark.parametrize(
    "toml",
    [".".join(["a"] * 40_000) + " = 1", "a = " + "[" * 50_000, "pot = 0x" + "f" * 50_000],
    ids=["keys", "depth", "number"],
)
def test_texts_that_would_take_the_memory_are_refused_at_once(client, toml):
    began = time.process_time()
    answer = client.post(f"{API}/spots/read", json={"toml": toml})
    assert answer.status_code == 422
    assert answer.json()["message"].startswith("The spot ")
    assert time.process_time() - began < 2.0


def test_large_bodies_are_refused(client):
    answer = client.post(f"{API}/spots/check", content=b"x" * (LARGEST_BODY + 1))
    assert answer.status_code == 413
    assert "bytes" in answer.json()["message"]

    def pieces():
        for _ in range(300):
            yield b" " * 1024

    answer = client.post(f"{API}/spots/check", content=pieces())  # no length was stated
    assert answer.status_code == 413
    assert "bytes" in answer.json()["message"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"board": "Td9d"}, "3 to 5 cards"),
        ({"board": "TdTd6h"}, "Td"),
        ({"range": {"oop": "AKx", "ip": "AA"}}, "range of oop"),
        ({"range": {"oop": "Td9d", "ip": "AA"}}, "no hand left"),
        ({"pot": 0}, "pot"),
        ({"pot": -5}, "pot"),
        ({"stack": None}, "stack"),
        ({"bets": {"bet": "50"}}, "did you mean '50%'"),
        ({"bets": {"bet": ", ".join(f"{n}%" for n in range(1, 40))}}, "at most 12 sizes"),
        ({"bets": {"bet": "1c", "raise": "1c"}, "stack": 1e6, "chip": 0}, "more than 200,000 nodes"),
        ({"colour": "red"}, "colour"),
        ({"lock": [{"line": "x", "strategy": {}}]}, "A lock needs"),
        ({"lock": [{"line": "x:x", "strategy": {"x": 1.0}}]}, "x:x"),
    ],
)
def test_malformed_spots_get_a_sentence(client, change, words):
    job = client.post(f"{API}/jobs", json={"spot": RIVER | change})
    assert 400 <= job.status_code < 500, job.text
    assert words in job.json()["message"]


def test_numbers_that_are_none_are_refused(client):
    for number in ("NaN", "Infinity", "-Infinity", "1e999"):
        body = f'{{"board": "Td9d6h", "pot": {number}, "stack": 1, "range": {{"oop": "AA", "ip": "KK"}}}}'
        answer = client.post(f"{API}/spots/check", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422, number


def test_other_sites_cannot_change_anything(client):
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert client.post(f"{API}/jobs", json={"spot": RIVER}, headers=headers).status_code == 403
    assert (
        client.get("/", headers={"host": "evil.example"}).status_code == 403
    )  # a name that leads here, from elsewhere
    assert client.get(f"{API}/jobs").json() == []


def test_beyond_localhost_a_token_is_needed(data):
    with pytest.raises(ParameterError, match="token is needed"):
        ServerSettings(data=data, host="0.0.0.0")
    with pytest.raises(ParameterError, match="letters, digits"):
        ServerSettings(data=data, host="0.0.0.0", token="short")
    settings = ServerSettings(data=data, host="0.0.0.0", token="correct-horse-battery")
    with TestClient(create_app(settings), base_url="http://there", follow_redirects=False) as client:
        assert client.get("/").status_code == 401
        assert client.get(f"{API}/jobs").status_code == 401
        assert client.get(f"{API}/jobs", headers={"authorization": "Bearer wrong"}).status_code == 401
        assert client.get(f"{API}/jobs", headers={"authorization": "Bearer correct-horse-battery"}).status_code == 200
        entered = client.get("/study?line=x&token=correct-horse-battery")
        assert (entered.status_code, entered.headers["location"]) == (303, "/study?line=x")
        assert "HttpOnly" in entered.headers["set-cookie"]
        assert client.get(f"{API}/jobs").status_code == 200  # the cookie is enough now
        moved = client.get("//evil.example/?token=correct-horse-battery")
        assert not moved.headers.get("location", "/").startswith("//")


def test_answers_carry_their_guards(client):
    headers = client.get("/").headers
    for rule in ("default-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"):
        assert rule in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_a_solution_that_is_being_solved_cannot_be_deleted(client):
    job = client.post(f"{API}/jobs", json={"spot": TURN, "until": None, "iterations": 1_000_000}).json()["id"]
    while not client.get(f"{API}/jobs/{job}").json()["saved"]:
        pass
    assert client.delete(f"{API}/solutions/{job}").status_code == 409
    client.post(f"{API}/jobs/{job}/cancel")


def test_two_browsers_see_the_same_library(client):
    job = solve(client)
    other = TestClient(client.app, base_url="http://localhost")
    assert other.get(f"{API}/solutions/{job}/node").content == client.get(f"{API}/solutions/{job}/node").content


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "a token is needed"),
        (["--token", "correct-horse-battery"], "can be read by every user"),
        (["--token-file", "nowhere.txt"], "cannot be read"),
        (["--workers", "0"], "workers is 1 to 1,024"),
        (["--port", "99999"], "up to 65535"),
        (["--memory", "-1"], "gigabytes above 0"),
    ],
)
@pytest.mark.sampled(1)
def test_serve_refuses_with_a_sentence(data, options, words):
    command = [sys.executable, "-m", "equilibrist", "serve", "--data", str(data), *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("headers", [{"host": "["}, {"host": "a]b"}, {"host": "localhost:["}, {"origin": "http://["}])
def test_hosts_and_origins_that_cannot_be_read_are_bad_requests(client, headers):
    answer = client.post(f"{API}/spots/check", json=RIVER, headers=headers)
    assert answer.status_code == 400
    assert "Host or the Origin" in answer.json()["message"]


def test_no_name_but_that_of_this_machine_is_answered(client):
    for host in ("testserver", "localhost.", "127.0.0.2", "0.0.0.0", ""):
        assert client.get("/", headers={"host": host}).status_code == 403, host


@pytest.fixture
def link(data):
    """A real server with short limits."""
    settings = ServerSettings(data=data, head_seconds=0.5, body_seconds=0.5)
    with served(create_app(settings), http=timed_protocol(settings.head_seconds)) as link:
        yield link


def answer_of(link, *pieces, wait=0.0):
    """What a raw connection is told, the pieces being sent with waits between them; and how long it was held."""
    host, port = link.removeprefix("http://").split(":")
    began = time.monotonic()
    with socket.create_connection((host, int(port)), timeout=10.0) as connection:
        with contextlib.suppress(OSError):
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(wait)
        told = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                told += piece
    return told.decode(), time.monotonic() - began


HEAD = b"POST /api/v1/spots/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"


def test_a_head_that_never_ends_is_given_up(link):
    for pieces in ((), (b"GET / HTTP/1.1\r\n",), [b"GET / HTTP/1.1\r\n", *[b"X-A: b\r\n"] * 40]):
        told, held = answer_of(link, *pieces, wait=0.05)
        assert told.startswith("HTTP/1.1 408")
        assert held < 5.0
    assert answer_of(link, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")[0].startswith(
        "HTTP/1.1 200"
    )


def test_a_body_that_never_ends_is_given_up(link):
    told, held = answer_of(link, HEAD + b"Content-Length: 1000\r\n\r\n", *[b" "] * 30, wait=0.05)
    assert told.startswith("HTTP/1.1 408")
    assert "did not arrive" in told
    assert held < 5.0


def test_a_body_that_is_too_large_is_answered_before_the_connection_ends(link):
    body = b" " * (8 * 1024 * 1024)
    told, _ = answer_of(link, HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode(), body)
    assert told.startswith("HTTP/1.1 413")
    assert "TooLargeError" in told


def test_the_data_folder_is_its_owners_alone(tmp_path):
    data = tmp_path / "data"
    (data / "solutions").mkdir(parents=True)
    data.chmod(0o755)
    (data / "catalogue.sqlite").touch()  # made by an earlier version
    left = [data / "solutions" / ".0123456789ab.eqb.abcd.part", data / "agents" / ".bot.eqb.x.part"]
    (data / "agents").mkdir()
    for file in left:
        file.write_bytes(b"half a solution")
    kept = data / "solutions" / "0123456789ab.eqb"
    kept.write_bytes(b"")
    with TestClient(create_app(ServerSettings(data=data)), base_url="http://localhost"):
        for folder in (data, data / "solutions", data / "agents"):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert not any(file.exists() for file in left)  # what a killed server left
        assert kept.exists()
        with pytest.raises(NotApplicableError, match="Another server uses"):
            create_app(ServerSettings(data=data))
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o755)
    (mine / "letters.txt").touch()
    with TestClient(create_app(ServerSettings(data=mine)), base_url="http://localhost"):
        assert stat.S_IMODE(mine.stat().st_mode) == 0o755  # other things lie here; only what is ours is closed
        assert stat.S_IMODE((mine / "solutions").stat().st_mode) == 0o700


def test_tokens_come_from_a_file_of_ones_own_or_from_the_environment(tmp_path, monkeypatch):
    file = tmp_path / "token"
    file.write_text("correct-horse-battery\n")
    file.chmod(0o600)
    assert read_token(file) == "correct-horse-battery"
    file.chmod(0o644)
    with pytest.raises(ParameterError, match="Others can read"):
        read_token(file)
    assert read_token(None) is None
    monkeypatch.setenv("EQUILIBRIST_TOKEN", "from-the-environment")
    assert read_token(None) == "from-the-environment"


@pytest.mark.parametrize("error", [OverflowError, RecursionError, MemoryError])
def test_what_no_reader_foresaw_is_a_refusal(client, monkeypatch, error):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr("equilibrist.interfaces.web.routes.spots.parse_range", fails)
    answer = client.post(f"{API}/ranges", json={"text": "AA"})
    assert answer.status_code == 422
    assert answer.json()["message"].endswith("give less.")
