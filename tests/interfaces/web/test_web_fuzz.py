"""Requests made up from the API's own description never make the server fail, and answers are as described."""

import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from web_server import API, RIVER

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is missing; try: make browser")
from fastapi.testclient import TestClient  # noqa: E402
from schemathesis.specs.openapi.checks import response_schema_conformance  # noqa: E402

from equilibrist.interfaces.web.app import create_app  # noqa: E402
from equilibrist.interfaces.web.settings import ServerSettings  # noqa: E402


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """A server with one solution; made-up jobs are so small that they may well be solved."""
    app = create_app(ServerSettings(data=tmp_path_factory.mktemp("fuzz") / "data"))
    with TestClient(app, base_url="http://localhost") as client:
        job = client.post(f"{API}/jobs", json={"spot": RIVER, "until": "1%"}).json()["id"]
        while client.get(f"{API}/jobs/{job}").json()["status"] in ("queued", "running"):
            time.sleep(0.05)
        folds = {"line": "b100", "strategy": {"f": 1.0}}
        asked = {"spot": RIVER | {"lock": [folds]}, "until": "1%"}
        locked = client.post(f"{API}/jobs", json=asked).json()["id"]
        while client.get(f"{API}/jobs/{locked}").json()["status"] in ("queued", "running"):
            time.sleep(0.05)
        dial = client.post(f"{API}/dials", json={"solution": locked, "steps": [1.0]}).json()["id"]
        batch = client.post(f"{API}/batches", json={"spot": RIVER, "boards": [{"board": "Td9d6hQc3s"}]}).json()["id"]
        table = client.post(f"{API}/tables", json={"agent": "random", "game": "leduc", "seed": 1}).json()["id"]
        app.state.known = {
            "solution": job,
            "job": job,
            "table": table,
            "first": job,
            "second": job,
            "dial": dial,
            "batch": batch,
        }
        yield app


ENDLESS = f"{API}/jobs/events"
EXAMPLES = 15


def test_no_request_makes_the_server_fail(app):
    schema = schemathesis.openapi.from_asgi(f"{API}/openapi.json", app)
    names, statuses = set(), Counter()
    for found in schema.get_all_operations():
        operation = found.ok()
        names.add(f"{operation.method.upper()} {operation.path}")
        if operation.path != ENDLESS:
            for status, count in ask(operation, app.state.known).items():
                statuses[status] += count
    assert statuses[200] > 100, statuses  # not everything was refused at the door
    assert len(names) >= 46


def ask(operation, known):
    """Requests that fit the description of one operation and some that do not."""
    seen = Counter()

    @seed(1)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(
        real=st.booleans(),
        case=st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in schemathesis.GenerationMode)),
    )
    def try_out(real, case):
        if real and operation.method.upper() != "DELETE":  # things that are there
            for part in (case.path_parameters or {}, case.query or {}):
                part.update({name: known[name] for name in part if name in known})
        answer = case.call(base_url="http://localhost")
        seen[answer.status_code] += 1
        checks = [schemathesis.checks.not_a_server_error, response_schema_conformance]
        case.validate_response(answer, checks=checks)

    try_out()
    return seen
