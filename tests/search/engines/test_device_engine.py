"""Search on a GPU against that of the CPU (`-m gpu`), and what is said where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.errors import NotApplicableError, UnknownNameError
from equilibrist.games.spots.spot import Spot
from equilibrist.search.engines.spot_batches import search_batch
from equilibrist.search.engines.spots import search_from, search_spot
from equilibrist.search.requests.request import SearchRequest

TURN = Spot(
    board="Td9d6hQc",
    pot=100,
    stack=300,
    range={"oop": "AA,QQ,KQs,JTs,98s,A5s,T7o", "ip": "KK,QQ,AJs,T9s,76s:0.5,K9o"},
    bets={"bet": "50%, a", "raise": "2.5x, a"},
)


def test_where_only_the_cpu_searches_a_gpu_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="one street with continuations is searched on the CPU"):
        search_spot(TURN, "oop", device="cuda", depth="street", iterations=1)
    with pytest.raises(NotApplicableError, match="this is searched on the CPU"):
        SearchRequest(device="cuda").refuse_gpu()
    SearchRequest(device="auto").refuse_gpu()
    with pytest.raises(UnknownNameError, match="no device 'gpu'"):
        SearchRequest(device="gpu")
    with pytest.raises(NotApplicableError, match="side by side have tables of 32 bits"):
        search_batch([TURN], "oop", device="cuda", bits=16, iterations=1)


@pytest.mark.gpu
@pytest.mark.parametrize("technique", ["unsafe", "resolve", "maxmargin", "reach-maxmargin"])
def test_searches_are_those_of_the_cpu(technique: str) -> None:
    solved = eq.solve(TURN, until="0.2%", iterations=3000)
    place = solved.at("x:b50")
    cpu, gpu = (
        search_from(place, "oop", technique, until="0.05%", iterations=20_000, device=d) for d in ("cpu", "cuda")
    )
    chips = 0.0005 * cpu.solution.spot.pot
    assert gpu.exploitability <= chips
    assert gpu.solution.iterations < 20_000
    assert np.array_equal(gpu.hands, cpu.hands)
    if technique != "unsafe":
        assert gpu.alternative == pytest.approx(cpu.alternative, nan_ok=True)
        assert gpu.margin == pytest.approx(cpu.margin, abs=0.5)
        assert gpu.tolerance <= 4 * chips
