"""No request makes the server fail, and every answer is as the API describes it: cases made from `openapi.json` by hypothesis."""

import os
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, seed, settings

pytest.importorskip("fastapi", reason="the browser needs the extra 'web'")

from fastapi.testclient import TestClient

import equilibrist as eq
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.settings import ServerSettings
from robustness.api_cases import BASE, RIVER, Description
from web_server import solve

ENDLESS = f"{BASE}/jobs/events"  # a stream
CASES = int(os.environ.get("EQUILIBRIST_API_CASES", "10000"))
TIDY = 40  # cases between two looks at what is being solved


class Fuzzer:
    """A small server that has one of everything."""

    def __init__(self, client, folder):
        self.client, self.tally, self.count = client, Counter(), 0
        eq.solve("kuhn", iterations=50).save(folder / "kuhn.eqb")
        client.app.state.services.add_file(folder / "kuhn.eqb")
        job = solve(client, RIVER, until="1%")
        locked = solve(client, RIVER | {"lock": [{"line": "b100", "strategy": {"f": 1.0}}]}, until="1%")
        dial = client.post(f"{BASE}/dials", json={"solution": locked, "steps": [1.0]}).json()["id"]
        boards = [{"board": RIVER["board"]}]
        batch = client.post(f"{BASE}/batches", json={"spot": RIVER, "boards": boards}).json()["id"]
        table = client.post(f"{BASE}/tables", json={"agent": "random", "game": "leduc", "seed": 1}).json()["id"]
        self.known = {"solution": locked, "job": job, "first": job, "second": locked, "dial": dial, "batch": batch}
        self.known |= {"table": table, "name": "kuhn.eqb", "agent": "kuhn.eqb"}
        self.description = Description(client.get(f"{BASE}/openapi.json").json())

    def ask(self, operation, request):
        method, path, query, body = request
        content = None if body is None else body.encode("utf-8", "surrogatepass")
        headers = {} if body is None else {"content-type": "application/json"}
        answer = self.client.request(method.upper(), path, params=query, content=content, headers=headers)
        self.tally[answer.status_code] += 1
        self.count += 1
        if self.count % TIDY == 0:
            self.tidy()
        told = f"{method} {path} {query} {(body or '')[:500]!r} -> {answer.status_code} {answer.text[:300]}"
        assert answer.status_code < 500, told
        problem = self.description.judge(operation, answer)
        assert problem is None, f"{problem}: {told}"

    def tidy(self):
        """Solves that were asked for by chance do not run for ever."""
        for job in self.client.get(f"{BASE}/jobs").json():
            if job["status"] in ("queued", "running"):
                self.client.post(f"{BASE}/jobs/{job['id']}/cancel")


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    small = ServerSettings(data=folder / "data", memory=60_000_000)
    with TestClient(create_app(small), base_url="http://localhost", raise_server_exceptions=False) as client:
        yield Fuzzer(client, folder)


def fuzz(fuzzer, each, number):
    for method, path, operation in fuzzer.description.operations:
        if path != ENDLESS:
            try_operation(
                fuzzer, operation, fuzzer.description.requests(method, path, operation, fuzzer.known), each, number
            )


def try_operation(fuzzer, operation, requests, each, number):
    @seed(number)
    @settings(max_examples=each, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(requests)
    def try_out(request):
        fuzzer.ask(operation, request)

    try_out()


def test_some_hundred_cases(fuzzer):
    fuzz(fuzzer, 10, 1)
    assert fuzzer.count >= 300
    assert fuzzer.tally[200] + fuzzer.tally[201] > 60, fuzzer.tally  # not everything was refused at the door


@pytest.mark.slow
def test_ten_thousand_cases(fuzzer):
    number, begun = 2, fuzzer.count
    while fuzzer.count - begun < CASES:  # operations without parameters have few cases, so there are several rounds
        fuzz(fuzzer, 120, number)
        number += 1
    sys.stdout.write(f"\n{fuzzer.count:,} cases, by answer: {dict(sorted(fuzzer.tally.items()))}\n")
    assert not any(status >= 500 for status in fuzzer.tally)


def test_the_judge_sees_what_is_not_as_described(fuzzer):
    """The negative control of the above."""
    facts = {"$ref": "#/components/schemas/StrategyFacts"}
    told = fuzzer.client.get(f"{BASE}/strategies/kuhn.eqb").json()
    assert fuzzer.description.fits(told, facts) is None
    assert "lacks unit" in fuzzer.description.fits({k: v for k, v in told.items() if k != "unit"}, facts)
    assert "not integer" in fuzzer.description.fits(told | {"iterations": 1.5}, facts)
    assert "not boolean" in fuzzer.description.fits(told | {"converged": 1}, facts)
