"""Batches: one spot on many boards, solved one after the other and read side by side."""

import numpy as np
import pytest

from equilibrist.core.errors import ParameterError
from equilibrist.games.spots.flops import sample_flops
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.web.jobs import queue
from equilibrist.solvers.postflop.spot_size import spot_size
from web_server import API, RIVER, wait_for

BOARDS = [{"board": "Td9d6hQc2s", "weight": 3.0}, {"board": "Td9d6hQc3s"}, {"board": "AhKd2c2d9s"}]


def submit(client, boards=BOARDS, **asked):
    return client.post(f"{API}/batches", json={"spot": RIVER, "boards": boards, "until": "0.5%"} | asked)


def test_boards_are_solved_in_turn_and_their_means_are_weighted(client):
    answer = submit(client, name="three rivers")
    assert answer.status_code == 201, answer.text
    batch = answer.json()["id"]
    for row in client.get(f"{API}/batches/{batch}").json()["rows"]:
        assert wait_for(client, row["id"])["status"] == "done"
    found = client.get(f"{API}/batches/{batch}").json()
    assert (found["boards"], found["solved"], found["active"]) == (3, 3, 0)
    assert [row["board"] for row in found["rows"]] == [board["board"] for board in BOARDS]
    weights = np.array([3.0, 1.0, 1.0])
    for name in ("oop", "ip"):
        values = [row["report"]["ev"][name] for row in found["rows"]]
        assert found["ev"][name] == pytest.approx(np.average(values, weights=weights))
    checks = [row["report"]["frequencies"][0] for row in found["rows"]]
    assert found["frequencies"][0] == pytest.approx(np.average(checks, weights=weights))
    assert [item["id"] for item in client.get(f"{API}/batches").json()] == [batch]
    alone = client.get(f"{API}/solutions/{found['rows'][0]['id']}").json()  # each is a solution like any other
    assert alone["board"] == "Td9d6hQc2s"
    later = client.get(f"{API}/batches/{batch}", params={"line": "x"}).json()
    assert later["rows"][0]["report"]["labels"]
    odd = client.get(f"{API}/batches/{batch}", params={"line": "b77"}).json()
    assert "b77" in odd["rows"][0]["report"]["problem"]


def test_a_batch_is_stopped_as_a_whole(client):
    batch = submit(client, until="0.00001%").json()["id"]
    client.post(f"{API}/batches/{batch}/cancel")
    rows = client.get(f"{API}/batches/{batch}").json()["rows"]
    assert {wait_for(client, row["id"])["status"] for row in rows} == {"stopped"}


def test_memory_and_disk_are_those_of_the_largest_boards(client, monkeypatch):
    """A rainbow flop takes three times the tables of a monotone one, wherever it stands in the list."""
    spot = RIVER | {"board": "Td9d6h", "bets": {"bet": "a"}}
    boards = [{"board": board} for board in ("Ts9s6s", "AhKh2h", "Td9d6h", "Tc9h6d", "AsAhKd", "7h7d7s")]
    spots = [Spot(**spot | {"board": one["board"]}) for one in boards]
    true = [spot_size(one).table_bytes for one in spots]
    assert max(true) > 2.5 * true[0]
    asked = []
    monkeypatch.setattr(queue, "room_for", lambda folder, need: asked.append(need))
    batch = submit(client, boards, spot=spot).json()["id"]
    client.post(f"{API}/batches/{batch}/cancel")
    rows = client.get(f"{API}/batches/{batch}").json()["rows"]
    needs = [client.app.state.services.queue.job(row["id"]).need_bytes for row in rows]
    assert needs == true
    assert asked[0] == sum(needs)
    monkeypatch.setattr(queue.JobQueue, "memory", property(lambda self: int(1.2 * true[0])))
    assert "available to solves" in submit(client, boards, spot=spot).json()["message"]


@pytest.mark.parametrize(
    ("boards", "said"),
    [
        ([{"board": "Td9d6hQc2s"}, {"board": "Td9d6hQc2s"}], "twice"),
        ([{"board": "Td9d6hQc2s"}, {"board": "Td9d6h"}], "same number of cards"),
        ([{"board": "Td9d6hQc2s"}, {"board": "TdTd6hQc2s"}], "On the board 'TdTd6hQc2s'"),
        ([{"board": "Td9d6h"}, {"board": "AhKd2c"}], "have 3 cards, but the board of the spot has 5"),
    ],
)
def test_boards_that_do_not_go_together_are_refused(client, boards, said):
    answer = submit(client, boards)
    assert answer.status_code == 422
    assert said in answer.json()["message"]
    assert client.get(f"{API}/jobs").json() == []


def test_sampled_flops_stand_for_all_of_them(client):
    told = client.get(f"{API}/flops", params={"count": 25}).json()
    assert [(each["board"], each["weight"]) for each in told] == sample_flops(25)
    assert len({each["board"] for each in told}) == 25
    # sums over a sample are unbiased, so over many seeds they are those of all 22,100 flops
    paired = [
        [
            sum(weight for _, weight in sample),
            sum(weight for flop, weight in sample if len({flop[0], flop[2], flop[4]}) < 3),
        ]
        for sample in (sample_flops(40, seed) for seed in range(200))
    ]
    total, pairs = np.mean(paired, axis=0)
    assert total == pytest.approx(22_100, rel=0.02)
    assert pairs == pytest.approx(22_100 - 286 * 64, rel=0.1)  # C(13, 3) · 4³ flops have three ranks
    assert len(sample_flops(1755)) == 1755
    with pytest.raises(ParameterError, match="1,755"):
        sample_flops(0)
