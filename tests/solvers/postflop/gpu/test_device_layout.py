"""What is laid out on a device, with NumPy in its place: memory is known before it is taken, tables come back as they went."""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from equilibrist.solvers.postflop.batches.device_groups import lay_out_group, start_group
from equilibrist.solvers.postflop.batches.grouped_spots import compile_spots
from equilibrist.solvers.postflop.gpu.device_passes import WINDOW
from equilibrist.solvers.postflop.gpu.street_plan import bytes_of, device_bytes
from equilibrist.solvers.postflop.solve_spot import solver_on_spots, start_spot
from reference.device_spots import CALLED, FAR_ROWS, LOCK, RIVER, TURN
from reference.host_device import HostModule, use_host

SPOTS = {
    "river": RIVER,
    "far rows": FAR_ROWS,
    "turn": TURN,
    "locks": RIVER.changed(board="8h8c4s4d", lock=[LOCK]),
    "called all-ins": CALLED,
}


def taken_by(passes):
    """Bytes that stay: what was planned, without room for copies."""
    copies = max(table.copied_bytes() for plan in passes.plans for table in plan.tables)
    passing = max(bytes_of(plan.in_passing()) for plan in passes.plans)
    return device_bytes(passes.plans, WINDOW) - max(copies, passing), passing


@pytest.mark.parametrize(
    ("name", "solver", "bits"),
    [
        ("river", "dcfr", 32),
        ("river", "pcfr+", 16),
        ("far rows", "dcfr", 16),
        ("turn", "pcfr+", 32),
        ("locks", "dcfr", 16),
        ("called all-ins", "dcfr", 32),
    ],
)
def test_memory_is_known_to_the_byte(name, solver, bits, monkeypatch):
    host = use_host(monkeypatch)
    run = start_spot(SPOTS[name], solver, bits=bits, device="cuda")
    stays, passing = taken_by(run.passes)
    ranges = sum(
        2 * -(-4 * int(own.count[0]) // 512) * 512 for own in run.streets[0].boards.player
    )  # copied, then free
    made = 2 * passing  # for each player, one after the other
    assert host.taken == stays + made + ranges
    if name == "far rows":
        assert run.passes.plans[0].far_blocks(0)
    if name == "called all-ins":
        assert passing


def test_memory_of_a_batch_is_known_to_the_byte(monkeypatch):
    host = use_host(monkeypatch)
    spots = compile_spots([RIVER, RIVER.changed(board="Td9d6hQc3s", pot=102), RIVER.changed(lock=[LOCK])])
    group = np.arange(3)
    batch = start_group(spots, group, lay_out_group(spots, group), solver_on_spots("dcfr"))
    stays, _ = taken_by(batch.passes)
    ranges = sum(2 * -(-rows.nbytes // 512) * 512 for rows in batch.layout.rows)
    assert host.taken == stays + ranges


@pytest.mark.parametrize(("solver", "bits"), [("dcfr", 16), ("pcfr+", 16), ("pcfr+", 32)])
@pytest.mark.parametrize("name", ["turn", "far rows"])
def test_tables_come_back_as_they_went(name, solver, bits, monkeypatch):
    cpu = start_spot(SPOTS[name], solver, bits=bits)
    cpu.advance(3)
    use_host(monkeypatch)
    there = start_spot(SPOTS[name], solver, bits=bits, device="cuda")
    there.restore(cpu.state())
    for street in there.passes.streets:
        for tables in street.tables:
            assert any(array.any() for array in tables.arrays.values())
    for street in there.streets:  # the host forgets
        for tables in street.held:
            for array in (tables.regret, tables.regret16, tables.average16, tables.average, tables.regret_scale):
                array[:] = 0
    there._mark_stale()
    found = there.state()
    assert found.keys() == cpu.state().keys()
    for key, array in cpu.state().items():
        assert np.array_equal(found[key], array), key


def test_tables_of_16_bits_take_half():
    cpu = [start_spot(SPOTS["turn"], "dcfr", bits=bits) for bits in (16, 32)]
    assert cpu[0].memory_bytes < 0.6 * cpu[1].memory_bytes


def test_tables_of_16_bits_take_half_on_a_device(monkeypatch):
    use_host(monkeypatch)
    runs = [start_spot(SPOTS["turn"], "dcfr", bits=bits, device="cuda") for bits in (16, 32)]
    sizes = [sum(bytes_of(t.planned()) for plan in run.passes.plans for t in plan.tables) for run in runs]
    assert sizes[0] < 0.65 * sizes[1]


class BusyDevice(HostModule):
    """Notes who captures a graph or waits for the whole device, and whether two threads ever do at once."""

    def __init__(self):
        super().__init__()
        self.inside, self.seen, self.met = set(), [], []
        real, null = self.cuda.Device, SimpleNamespace(record=lambda: None)
        self.cuda.Device = lambda: SimpleNamespace(**vars(real()) | {"synchronize": self.wait})
        self.cuda.Stream = type("Stream", (), {"null": null, "__new__": lambda cls, **_: self.stream()})

    def stream(self):
        made = contextlib.nullcontext()
        for name in ("record", "wait_event", "synchronize", "launch"):
            setattr(made, name, lambda *_: None)
        made.begin_capture, made.end_capture = lambda: self.enter("capture"), self.leave
        return made

    def enter(self, what):
        self.met += self.inside
        self.inside.add((threading.get_ident(), what))
        self.seen.append(what)
        time.sleep(0.002)

    def leave(self):
        self.inside -= {each for each in self.inside if each[0] == threading.get_ident()}

    def wait(self):
        self.enter("wait")
        self.leave()


def test_no_thread_waits_for_the_device_while_another_captures(monkeypatch):
    device = BusyDevice()
    use_host(monkeypatch, device)
    first, second = (start_spot(RIVER, "dcfr", device="cuda").passes for _ in range(2))

    def capture():
        for k in range(20):
            first._graph(f"graph {k}", lambda: time.sleep(0.002))

    def wait():
        for k in range(20):
            second.load_weights(k)
            second.select(np.arange(1))
            second._advance_rounds(lambda *_: None, k, k + 1)

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(capture), pool.submit(wait)]:
            each.result()
    assert {"capture", "wait"} <= set(device.seen)
    assert not device.met
