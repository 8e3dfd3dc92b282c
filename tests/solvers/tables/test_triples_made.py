"""The table of three hands made on a device: the numbers of the CPU, and where a table is made when there is a device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equilibrist.cards.allins import triples
from equilibrist.cards.allins.triples import Sampler, listed_triples, sample_triples
from equilibrist.core.errors import NotApplicableError
from equilibrist.solvers.postflop.gpu import devices
from equilibrist.solvers.tables.showdowns import triples_made
from equilibrist.solvers.tables.showdowns.triples_made import DeviceShowdowns, made_triples
from reference.emulated_device import COMPILER, EmulatedModule, Loaded, build

AA, KK = 0, 14
CHOSEN = np.array([[AA, AA, AA], [AA, AA, KK], [0, 14, 28], [1, 43, 57], [1, 1, 168], [100, 130, 168], [20, 20, 20]])


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Sampler:
    if COMPILER is None:
        pytest.skip("kernels run on the host where there is a C++ compiler")
    emulated = EmulatedModule()
    monkeypatch.setattr(triples_made, "cupy", lambda: emulated)
    monkeypatch.setattr(
        triples_made, "compile_all", lambda wanted: [str(build(n, dict(s), tmp_path)) for n, s in wanted]
    )
    monkeypatch.setattr(triples_made, "load_module", lambda file: Loaded(emulated, file))
    return DeviceShowdowns()


@pytest.mark.parametrize("samples", [1, 7, 300])  # fewer than there are deals, and more
def test_a_device_counts_what_the_cpu_counts(device: Sampler, samples: int) -> None:
    some = listed_triples()[np.random.default_rng(samples).choice(818_805, 60, replace=False)]
    for chosen in (CHOSEN, some):
        expected = sample_triples(chosen, samples=samples, threads=1).counts
        found = sample_triples(chosen, samples=samples, sampler=device).counts
        assert (found == expected).all()
    assert expected.sum(axis=1).min() == samples


@pytest.mark.gpu
def test_a_real_device_counts_what_the_cpu_counts() -> None:
    expected = sample_triples(CHOSEN, samples=10_000, threads=1).counts
    assert (sample_triples(CHOSEN, samples=10_000, sampler=DeviceShowdowns()).counts == expected).all()


def test_a_table_is_made_where_there_is_a_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = []

    class Device:
        at_once = 1 << 20

        def __call__(self, *given: object) -> None:
            asked.append(len(given))
            triples.OnProcessors(1)(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(triples, "triple_table_file", lambda samples: tmp_path / f"{samples}.eqb")
    monkeypatch.setattr(triples_made, "DeviceShowdowns", Device)
    monkeypatch.setattr(triples_made, "wants_gpu", lambda *_, **__: True)
    made = made_triples(1)
    assert asked == [4]
    monkeypatch.setattr(triples_made, "wants_gpu", lambda *_, **__: pytest.fail("it is kept"))
    assert (made_triples(1).counts == made.counts).all()


def test_without_a_device_processors_make_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def none() -> None:
        raise NotApplicableError("none")

    monkeypatch.setattr("equilibrist.solvers.postflop.gpu.cuda_device.cupy", none)
    assert not devices.wants_gpu("auto", None, streets=2)
    monkeypatch.setattr(triples, "triple_table_file", lambda samples: tmp_path / f"{samples}.eqb")
    monkeypatch.setattr(triples, "listed_triples", lambda: CHOSEN)
    assert (made_triples(3).counts == sample_triples(CHOSEN, samples=3, threads=1).counts).all()
