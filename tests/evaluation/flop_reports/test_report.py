"""Reports on many flops: numbers against single solves, going on after interruptions, files that are refused."""

from __future__ import annotations

import csv
import io
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import equilibrist as eq
from equilibrist.cards.equity import equity
from equilibrist.compute.workers import ProcessWorkers
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, TooLargeError
from equilibrist.evaluation.flop_reports import run as module
from equilibrist.evaluation.flop_reports.folder import FLOPS, ORDER
from equilibrist.evaluation.flop_reports.order import ReportOrder
from equilibrist.evaluation.flop_reports.report import FlopReport, chosen_rows
from equilibrist.evaluation.flop_reports.run import CONTEXT_BYTES, FlopWork, ReportProgress, open_report, report
from equilibrist.games.spots.flops import all_flops
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.gpu import cuda_device
from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

LINE: dict[str, Any] = {
    "flops": ["Td9d6h", "AsKd2c:30", "7s7h3s"],
    "iterations": 10,
    "until": "0",
    "lines": ["x", "x:bet"],
    "pot": 100,
    "stack": 200,
    "range": {"oop": "AA,76s,JTs", "ip": "QQ,T9s,55"},
    "bets": {"bet": "50%", "raise": "a"},
}
SPOT = {key: value for key, value in LINE.items() if key not in ("flops", "iterations", "until", "lines")}


def without_time(found: FlopReport) -> list[Any]:
    """Everything that does not tell the time."""
    return [(each.flop, each.pairs, each.exploitability, each.iterations, each.lines) for each in found.solved]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[FlopReport, Path]:
    folder = tmp_path_factory.mktemp("report") / "line"
    return report(LINE, folder, threads=1, keep="all"), folder


def test_numbers_are_those_of_single_solves(whole: tuple[FlopReport, Path]) -> None:
    found, _ = whole
    assert found.finished
    assert found.order.lines == ("", "x", "x:b50")
    counted = []
    for number, (board, weight) in enumerate([("Td9d6h", 12.0), ("AsKd2c", 30.0), ("7s7h3s", 12.0)]):
        single = eq.solve(Spot(board=board, **SPOT), until="0", iterations=10)
        row = found.rows("x:b50")[number]
        node = single.at("x:b50")
        assert (row.flop, row.weight) == (board, weight)
        assert row.here.player == "oop"
        assert row.here.frequencies == pytest.approx(node.frequencies, abs=1e-12)
        assert row.here.ev == pytest.approx((node.range_ev(0), node.range_ev(1)))
        assert row.here.equity == pytest.approx((node.range_equity(0), node.range_equity(1)))
        assert row.solved.exploitability == pytest.approx(single.exploitability)
        first = found.rows()[number].here
        assert first.ev == pytest.approx(single.ev)
        assert first.equity == pytest.approx(single.equity)
        assert first.reach == 1.0
        pairs = float(single.root.reach(0) @ single.root.met(0))
        reach = float(node.reach(0) @ node.met(0)) / pairs
        assert row.here.reach == pytest.approx(reach)
        counted.append((weight * pairs, reach, single, node))
    total = sum(likely for likely, *_ in counted)
    mean = found.mean()
    assert mean.weight == 54.0
    assert mean.ev[0] == pytest.approx(sum(likely * single.ev[0] for likely, _, single, _ in counted) / total)
    here = found.mean("x:b50")
    come = sum(likely * reach for likely, reach, *_ in counted)
    assert here.reach == pytest.approx(come / total)
    wanted = sum(likely * reach * node.frequencies[1] for likely, reach, _, node in counted) / come
    assert here.frequencies[1] == pytest.approx(wanted)


def test_groups_sum_up_to_the_whole(whole: tuple[FlopReport, Path]) -> None:
    found, _ = whole
    for kind in ("texture", "suits", "pairs", "straights", "high"):
        groups = found.by(kind, "x")
        assert sum(group.share for group in groups) == pytest.approx(1.0)
        assert sum(group.flops for group in groups) == 3
        mean = sum(group.share * group.reach * group.ev[1] for group in groups)
        assert mean / sum(group.share * group.reach for group in groups) == pytest.approx(found.mean("x").ev[1])
    assert [row.flop for row in chosen_rows(found.rows(), ["two-tone"])] == ["Td9d6h", "7s7h3s"]
    assert [row.flop for row in chosen_rows(found.rows(), ["two-tone", "paired"])] == ["7s7h3s"]
    by_ev = found.sorted_rows("ev_oop")
    assert [row.here.ev[0] for row in by_ev] == sorted((row.here.ev[0] for row in found.rows()), reverse=True)


@pytest.mark.slow
def test_the_mean_equity_over_all_flops_is_that_before_the_flop() -> None:
    """Weights and pairs together are how likely each flop is."""
    oop, ip = eq.parse_range("AKs,22"), eq.parse_range("QQ,AKs")
    total = won = 0.0
    for name, weight in all_flops():
        left = [held.without(name).weights for held in (oop, ip)]
        if not (left[0].any() and left[1].any()):
            continue
        found = equity(oop, ip, name)
        likely = weight * pairs_of(left[0], left[1])
        if likely:
            total, won = total + likely, won + likely * found.equity[0]
    assert won / total == pytest.approx(equity(oop, ip).equity[0], abs=1e-9)


def pairs_of(one: Any, other: Any) -> float:
    from equilibrist.cards.evaluator import PAIRS

    held = [(a, PAIRS[a]) for a in one.nonzero()[0]]
    theirs = [(b, PAIRS[b]) for b in other.nonzero()[0]]
    return float(sum(one[a] * other[b] for a, mine in held for b, hers in theirs if not set(mine) & set(hers)))


def test_a_report_reads_back_as_it_was(whole: tuple[FlopReport, Path]) -> None:
    found, folder = whole
    again = open_report(folder)
    assert again == found
    told = json.loads(json.dumps(again.to_json()))
    assert [line["line"] for line in told["lines"]] == ["", "x", "x:b50"]
    assert told["lines"][2]["mean"]["frequencies"] == pytest.approx(list(found.mean("x:b50").frequencies))
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == 9
    assert {row["texture"] for row in rows} == {"two-tone unpaired", "rainbow unpaired", "two-tone paired"}
    last = rows[-1]
    assert (last["flop"], last["line"], last["x"]) == ("7s7h3s", "x:b50", "")
    assert float(last["c"]) == pytest.approx(found.rows("x:b50")[2].here.frequencies[1])


def test_kept_solutions_are_the_flops(whole: tuple[FlopReport, Path]) -> None:
    found, folder = whole
    kept = eq.load_solution(folder / "solutions" / "Td9d6h.eqb")
    assert tuple(kept.ev) == pytest.approx(found.rows()[0].here.ev)  # type: ignore[attr-defined]
    assert kept.spot.board_text == "Td9d6h"  # type: ignore[attr-defined]


class StopAfter:
    """A callback that presses Ctrl-C after so many flops."""

    def __init__(self, flops: int) -> None:
        self.flops = flops
        self.seen: list[ReportProgress] = []

    def __call__(self, progress: ReportProgress) -> None:
        self.seen.append(progress)
        if progress.last is not None and len([each for each in self.seen if each.last]) == self.flops:
            raise KeyboardInterrupt


@pytest.mark.sampled(1)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_report_goes_on(whole: tuple[FlopReport, Path], tmp_path: Path, workers: int) -> None:
    folder, stopped = tmp_path / "line", StopAfter(1)
    with pytest.raises(KeyboardInterrupt):
        report(LINE, folder, threads=1, workers=workers, progress=stopped)
    before = open_report(folder)
    assert len(before.solved) == 1
    assert not before.finished
    with (folder / FLOPS).open("ab") as file:
        file.write(b'{"flop":"AsKd2c","pai')  # as a kill in the middle of a line leaves it
    assert open_report(folder) == before
    rest = StopAfter(99)
    after = report(LINE, folder, threads=1, workers=workers, progress=rest)
    assert len([each for each in rest.seen if each.last]) == 2  # what was done is not done again
    assert rest.seen[-1].done == 3
    assert without_time(after) == without_time(whole[0])
    assert without_time(open_report(folder)) == without_time(after)


def test_another_input_is_refused(whole: tuple[FlopReport, Path]) -> None:
    _, folder = whole
    for change, named in (
        ({"pot": 120}, "pot"), ({"until": "1%"}, "until"), ({"flops": ["Td9d6h"]}, "flops"), ({"lines": ["x"]}, "lines"),
        ({"bets": {"bet": "60%", "raise": "a"}, "lines": ["x"]}, "lines and bets"),
    ):  # fmt: skip
        with pytest.raises(NotApplicableError, match=f"differs in .*{named};"):
            report(LINE | change, folder)


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(NotApplicableError, match="other files"):
        report(LINE, tmp_path)
    with pytest.raises(FormatError, match="is no report"):
        open_report(tmp_path)


def test_damaged_folders_are_refused(whole: tuple[FlopReport, Path], tmp_path: Path) -> None:
    _, folder = whole
    order, lines = (folder / ORDER).read_bytes(), (folder / FLOPS).read_bytes()
    for name, content, said in (
        (ORDER, order.replace(b'"pot": 100', b'"pot": 101'), "does not match its hash"),
        (ORDER, order[:100], "is damaged"),
        (ORDER, order.replace(b'"format": 1', b'"format": 2'), "format 2"),
        (FLOPS, lines.replace(b"Td9d6h", b"Td9d6c"), "none of this report"),
        (FLOPS, lines.replace(b'"reach":', b'"reach":"x",'), "not valid JSON"),
        (FLOPS, lines.replace(b'"line":"x"', b'"line":"y"'), "none of this report"),
    ):
        for part, text in ((ORDER, order), (FLOPS, lines)):
            (tmp_path / part).write_bytes(text)
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FormatError, match=said):
            open_report(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"board": "Td9d6h"}, "no 'board'"),
        ({"lines": ["x:x"]}, "Nobody acts"),
        ({"lines": ["x:x:8h"]}, "stay on the flop"),
        ({"lines": ["b77"]}, "no action 'b77'"),
        ({"lines": "x"}, "'lines' must be"),
        ({"until": 3}, "'until' must be"),
        ({"until": "-1%"}, "Cannot read the target"),
        ({"iterations": 0}, "'iterations' must be"),
        ({"solver": "nothing"}, "nothing"),
        ({"range": {"oop": "AsKs", "ip": "QQ"}}, r"range\.oop' tells suits apart"),
        ({"lock": [{"line": "x", "strategy": {"x": 1.0}}]}, "without locks"),
        ({"colour": 1}, "colour"),
    ],
)
def test_bad_orders_are_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(EquilibristError, match=said):
        report(LINE | change, tmp_path / "line")
    assert not (tmp_path / "line").exists()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"keep": "river"}, "'flop', 'turn' or 'all'"),
        ({"device": "tpu"}, "no device 'tpu'"),
        ({"keep": "all", "ray": "10.0.0.1:6379"}, "any of the cluster"),
        ({"workers": 0}, "workers"),
    ],
)
def test_bad_settings_are_refused(how: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(EquilibristError, match=said):
        report(LINE, tmp_path / "line", **how)
    assert not (tmp_path / "line").exists()


def test_a_command_shares_a_gpu_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = ReportOrder.from_table(LINE), ReportOrder.from_table(LINE, flops=25)
    betting = few.checked()[1]
    monkeypatch.setattr(cuda_device, "cupy", lambda: None)
    monkeypatch.setattr(cuda_device, "Properties", Room)
    monkeypatch.setattr(module, "cores", lambda: 16)
    assert module.chosen_device(few, "auto") == "cuda"
    assert module.chosen_device(few, "auto", ray="local") == "auto"
    assert [module.usual_workers(order, betting, "cuda") for order in (few, many)] == [1, 2]
    assert module.usual_workers(many, betting, "cpu") == module.usual_workers(many, betting, "cuda", ray="local") == 1
    monkeypatch.setattr(Room, "most", CONTEXT_BYTES)  # one would find room
    assert module.usual_workers(many, betting, "cuda") == 1


class Room:
    """A device with so much of it."""

    most = 10**12

    def refuse_what_does_not_fit(self, need: int, advice: str) -> None:
        if need > self.most:
            raise TooLargeError(f"No room for {need}; {advice}.")


def test_processes_that_share_a_gpu_find_room_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_device, "cupy", lambda: None)
    monkeypatch.setattr(cuda_device, "Properties", Room)
    monkeypatch.setattr(Room, "most", 3 * CONTEXT_BYTES)
    with pytest.raises(TooLargeError, match="fewer workers than 3"):
        report(LINE, tmp_path / "line", device="cuda", workers=3)
    assert not (tmp_path / "line").exists()


@pytest.mark.slow
def test_processes_find_what_one_after_another_does(whole: tuple[FlopReport, Path], tmp_path: Path) -> None:
    """As a GPU is shared; here each solves on the CPU."""
    order = whole[0].order
    work = FlopWork(order, 1, "cpu", "flop", tmp_path)
    (tmp_path / "solutions").mkdir()
    found = {each.flop: each for each in ProcessWorkers(2).as_done(work, [name for name, _ in order.flops])}
    assert [found[each.flop].lines for each in whole[0].solved] == [each.lines for each in whole[0].solved]
    assert sorted(path.stem for path in (tmp_path / "solutions").iterdir()) == sorted(found)


def test_memory_and_disk_are_known_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUILIBRIST_MEMORY", "1e5")
    with pytest.raises(TooLargeError, match="2 flops side by side need"):
        report(LINE, tmp_path / "line", workers=2)
    monkeypatch.delenv("EQUILIBRIST_MEMORY")
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: type("Disk", (), {"free": 1000}))
    with pytest.raises(TooLargeError, match="of disk"):
        report(LINE, tmp_path / "line", keep="all")
    assert not (tmp_path / "line").exists()


def test_kept_files_are_as_large_as_was_said(whole: tuple[FlopReport, Path]) -> None:
    found, folder = whole
    order, betting = found.order.checked()
    size = module.report_size(order, betting, keep="all")
    largest = max(path.stat().st_size for path in (folder / "solutions").iterdir())
    assert 0.8 * largest < module.largest_file(betting.on_board("AsKd2c"), 3) < 1.2 * largest
    assert size.disk_bytes > 3 * largest


def test_a_full_disk_does_not_end_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that cannot be written wait for the next flop."""
    real, tries = module.ReportFolder.add, []

    def add(folder: Any, summary: Any) -> None:
        tries.append(summary.flop)
        if len(tries) == 1:
            raise module.CannotWriteError("Cannot write: no space.")
        real(folder, summary)

    monkeypatch.setattr(module.ReportFolder, "add", add)
    told = StopAfter(99)
    found = report(LINE, tmp_path / "line", threads=1, progress=told)
    assert found.finished
    assert open_report(tmp_path / "line").finished
    assert tries == ["Td9d6h", "Td9d6h", "AsKd2c", "7s7h3s"]
    assert [each.warning for each in told.seen if each.warning] == [
        "Cannot write: no space. The work goes on, and saving is tried again."
    ]


@pytest.mark.slow
def test_work_travels_to_other_machines(whole: tuple[FlopReport, Path]) -> None:
    found, _ = whole
    (there,) = ProcessWorkers(1).as_done(FlopWork(found.order), ["7s7h3s"])
    assert there.lines == found.solved[2].lines


def test_an_order_is_known_by_its_content() -> None:
    order = ReportOrder.from_table(LINE)
    assert order.hash == ReportOrder.from_table(dict(reversed(LINE.items()))).hash
    assert order.hash != replace(order, iterations=11).hash
    assert ReportOrder.from_table(LINE, until="1%", solver=None).until == "1%"


def test_the_next_flop_is_built_while_one_is_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a GPU needs it: a solver that waits for the next flop to be built."""
    names = ["Td9d6h", "AsKd2c", "7s7h3s"]
    built = {name: threading.Event() for name in names}
    real_prepare, real_solve = FlopWork.prepare, module.solve_spot

    def prepare(work: FlopWork, flop: str) -> Any:
        made = real_prepare(work, flop)
        built[flop].set()
        return made

    def solve(spot: Any, *given: Any, **named: Any) -> Any:
        assert named["device"] in ("cpu", "cuda")  # decided once for all flops
        following = names[names.index(spot.spot.board_text) + 1 :][:1]
        assert all(built[name].wait(10.0) for name in following)
        return real_solve(spot, *given, **named | {"device": "cpu"})

    monkeypatch.setattr(FlopWork, "prepare", prepare)
    monkeypatch.setattr(module, "solve_spot", solve)
    assert report(LINE, tmp_path / "line", threads=1, device="auto").finished


def test_flops_that_were_not_kept_are_solved_again(whole: tuple[FlopReport, Path], tmp_path: Path) -> None:
    report(LINE | {"flops": ["7s7h3s"]}, tmp_path / "line", threads=1)
    told = StopAfter(99)
    found = report(LINE | {"flops": ["7s7h3s"]}, tmp_path / "line", threads=1, keep="flop", progress=told)
    assert len([each for each in told.seen if each.last]) == 1
    assert found.solved[0].lines == whole[0].solved[2].lines
    assert (tmp_path / "line" / "solutions" / "7s7h3s.eqb").is_file()
    assert without_time(open_report(tmp_path / "line")) == without_time(found)


def test_flops_of_which_less_was_kept_are_solved_again(tmp_path: Path) -> None:
    file = tmp_path / "line" / "solutions" / "7s7h3s.eqb"

    def left_out(keep: str) -> tuple[str, ...]:
        report(LINE | {"flops": ["7s7h3s"]}, tmp_path / "line", threads=1, keep=keep)
        return load_spot_solution(file).missing

    assert left_out("flop") == ("turn", "river")
    assert left_out("all") == ()
    assert left_out("turn") == ()  # more is there already
    file.write_bytes(file.read_bytes()[:-100])
    assert left_out("turn") == ("river",)


@pytest.mark.gpu
@pytest.mark.parametrize("workers", [1, 2])
def test_a_gpu_reports_what_it_solves(tmp_path: Path, workers: int) -> None:
    """Runs on a device repeat bit for bit; those on the CPU part from them where actions are equal but for rounding."""
    pytest.importorskip("cupy", reason="the extra 'gpu' (CuPy) is not installed")
    found = report(LINE, tmp_path / "line", device="cuda", keep="flop", workers=workers)
    for number, board in enumerate(("Td9d6h", "AsKd2c", "7s7h3s")):
        single, there = (
            eq.solve(Spot(board=board, **SPOT), until="0", iterations=10, device=d) for d in ("cuda", "cpu")
        )
        for line in ("", "x", "x:b50"):
            here, node = found.rows(line)[number].here, single.at(line)
            assert here.frequencies == pytest.approx(node.frequencies, abs=1e-9)
            assert here.ev == pytest.approx((node.range_ev(0), node.range_ev(1)), abs=1e-3)
            assert here.equity == pytest.approx((node.range_equity(0), node.range_equity(1)), abs=1e-6)
        assert abs(single.ev[0] - there.ev[0]) <= single.exploitability + there.exploitability
