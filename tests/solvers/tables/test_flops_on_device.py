"""Flops inside tables on a GPU: lines that lie side by side are the CPU's, line for line, and so are their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.forms.table_tree.table_tree import grow_table
from equilibrist.games.tables.table import Table
from equilibrist.solvers.postflop.gpu import cuda_device, device_passes, street_shape
from equilibrist.solvers.postflop.gpu.device_passes import DevicePasses
from equilibrist.solvers.tables.flop_plan import plan_flops
from equilibrist.solvers.tables.flop_runs import FlopRuns
from equilibrist.solvers.tables.on_device import checked_down, device_flop_runs, lines_together
from equilibrist.solvers.tables.on_device.device_flop_runs import DeviceFlopRuns
from equilibrist.solvers.tables.solve_table import solve_table, start_table, table_solver
from equilibrist.solvers.tables.table_solution import TableSolution
from reference.emulated_device import COMPILER, use_emulation
from reference.host_device import HostModule, use_host

TWO = Table(
    stacks={"SB": 6, "BB": 6},
    blinds=[0.5, 1],
    menu={"open": "2x", "3bet": "a", "limp": True},
    range={"SB": "AA,KQs,65s", "BB": "QQ,AJs,T9s"},
    leaves={"flops": ["Td9d6h:3", "8d8c5c:2"], "turns": 2, "rivers": 2, "reach": 0},
)
THREE = Table(
    stacks={"BTN": 7, "SB": 5, "BB": 6},
    blinds=[0.5, 1],
    menu={"open": "2x", "3bet": "a", "limp": False},
    range={"BTN": "AA,76s", "SB": "QQ,AJs", "BB": "JJ,AKs"},
    leaves={"flops": ["Td9d6h:3"], "turns": 2, "rivers": 1, "reach": 0},
    three_way="products",
)
RAKE = {"rate": 0.1, "cap": 0.5}
# three lines of one shape and one of another
SHAPES = TWO.changed(
    stacks={"SB": 20, "BB": 20},
    menu={"open": "2x", "isolate": "3x", "3bet": "3x", "4bet": "a", "limp": True},
    leaves={"flops": ["Td9d6h"], "turns": 1, "rivers": 1, "reach": 0},
)
HERE = (checked_down, device_flop_runs, lines_together)


def start_emulation(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    device = use_emulation(monkeypatch, folder)
    for module in HERE:
        monkeypatch.setattr(module, "cupy", lambda: device)
    monkeypatch.setattr(street_shape, "LAST_THREADS", (64,))
    monkeypatch.setattr(street_shape, "UPPER_THREADS", 64)


def start_host(monkeypatch: pytest.MonkeyPatch) -> HostModule:
    """Everything is laid out, but kernels do nothing."""
    host = use_host(monkeypatch)
    monkeypatch.setattr(DevicePasses, "launch", lambda *_: None)
    for module in HERE:
        monkeypatch.setattr(module, "cupy", lambda: host)
    return host


def compare(table: Table) -> None:
    """Tables, values and gains after one iteration; then each solution goes on on the other device."""
    cpu, gpu = (solve_table(table, iterations=1, device=device, threads=2) for device in ("cpu", "cuda"))
    assert {name: each.shape for name, each in gpu.state.items()} == {
        name: each.shape for name, each in cpu.state.items()
    }
    assert np.abs(cpu.state["flop_worth"]).max() > 1e-3
    tables = [name for name in cpu.state if name.startswith("flop.")]
    largest = max(float(np.abs(cpu.state[name]).max()) for name in tables)  # numbers are rounded in sums of such
    for name in tables:
        assert gpu.state[name] == pytest.approx(cpu.state[name], abs=1e-6 * largest), name
    same_worth(gpu, cpu)
    # where two actions are worth the same, rounding decides between them: tables differ from here on, but not what they are worth
    same_worth(
        solve_table(table, iterations=2, resume=cpu, device="cuda"), solve_table(table, iterations=2, resume=gpu)
    )


def same_worth(gpu: TableSolution, cpu: TableSolution) -> None:
    assert gpu.state["flop_worth"] == pytest.approx(cpu.state["flop_worth"], abs=1e-7)
    assert list(gpu.gains.values()) == pytest.approx(list(cpu.gains.values()), abs=1e-6)


@pytest.mark.gpu
@pytest.mark.parametrize("table", [TWO, TWO.changed(rake=RAKE), THREE], ids=["two", "raked", "three"])
def test_flops_on_a_device(table: Table) -> None:
    compare(table)


@pytest.mark.skipif(COMPILER is None, reason="g++ is not installed")
def test_flops_on_an_emulated_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three seats see a flop, in three pairs; one of the pots is raked."""
    start_emulation(monkeypatch, tmp_path)
    compare(THREE.changed(rake=RAKE))


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="g++ is not installed")
@pytest.mark.parametrize("table", [TWO, TWO.changed(rake=RAKE), SHAPES, THREE], ids=["two", "raked", "shapes", "three"])
def test_more_flops_on_an_emulated_device(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_emulation(monkeypatch, tmp_path)
    compare(table)


def test_lines_are_put_together_by_seats_and_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    start_host(monkeypatch)
    run = start_table(grow_table(SHAPES), device="cuda")
    assert [group.numbers for group in run.flops.groups] == [(0,), (1, 3), (2,), (4,)]
    three = start_table(grow_table(THREE), device="cuda")
    seats = [group.seats for group in three.flops.groups]
    assert len(set(seats)) == len(seats) == 3


def test_what_is_taken_was_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    """All arrays of a run on the device within what is refused where there is less."""
    host = start_host(monkeypatch)
    planned = list[int]()
    monkeypatch.setattr(
        cuda_device.Properties, "refuse_what_does_not_fit", lambda self, need, advice: planned.append(need)
    )
    start_table(grow_table(SHAPES), device="cuda")
    [whole, check, *groups] = planned  # all of it first, then each of the runs
    assert sum(groups) < whole < 1.5 * sum(groups)
    assert host.taken <= whole + check
    assert len(groups) == 4


def test_what_does_not_fit_on_the_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    start_host(monkeypatch)
    monkeypatch.setattr(cuda_device.Properties, "free_bytes", lambda self: 1_000_000)
    monkeypatch.setattr(cuda_device.Properties, "reclaimed_bytes", lambda self: 1_000_000)
    with pytest.raises(TooLargeError, match="play fewer lines or flops") as caught:
        start_table(grow_table(SHAPES), device="cuda")
    assert "\n" not in str(caught.value)


def test_auto_takes_the_gpu_where_iterations_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    start_host(monkeypatch)
    tree = grow_table(SHAPES)
    plan = plan_flops(tree, table_solver("dcfr"))
    assert isinstance(start_table(tree, device="auto", plan=plan).flops, DeviceFlopRuns)
    assert isinstance(start_table(tree, device="auto", plan=plan, threads=64).flops, FlopRuns)
    assert isinstance(start_table(tree, device="cpu", plan=plan).flops, FlopRuns)
    monkeypatch.setattr(cuda_device.Properties, "free_bytes", lambda self: 1_000_000)
    monkeypatch.setattr(cuda_device.Properties, "reclaimed_bytes", lambda self: 1_000_000)
    assert isinstance(start_table(tree, device="auto", plan=plan).flops, FlopRuns)


@pytest.mark.parametrize("failure", [FileNotFoundError("the device is gone"), MemoryError("no room")])
def test_auto_goes_on_where_the_device_gives_up(
    failure: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start_host(monkeypatch)
    tree = grow_table(SHAPES)
    plan = plan_flops(tree, table_solver("dcfr"))

    def fails(wanted: object) -> None:
        raise failure

    monkeypatch.setattr(device_passes, "compile_all", fails)
    assert isinstance(start_table(tree, device="auto", plan=plan).flops, FlopRuns)
    assert "Flops are solved on the CPU: The device" in caplog.text
    assert str(failure) in caplog.text
    with pytest.raises((NotApplicableError, TooLargeError), match=str(failure)):
        start_table(tree, device="cuda", plan=plan)
