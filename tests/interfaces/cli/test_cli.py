"""The command line: what it prints, what it refuses, how it leaves."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import equilibrist as eq
from equilibrist.interfaces.cli.app import COMMANDS, app
from equilibrist.interfaces.cli.progress import SolveMeter
from equilibrist.solvers.iteration_loop import Progress

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"
ENVIRONMENT = {**os.environ, "COLUMNS": "140", "PYTHONPATH": str(ROOT / "src")}


class Outcome:
    """Exit code and both streams of one command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> dict[str, object]:
        return json.loads(self.out)


def run(*arguments: str | Path) -> Outcome:
    """In this process, which saves a second per call."""
    result = CliRunner().invoke(app, [str(word) for word in arguments], prog_name="equilibrist")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """As people run it."""
    command = [sys.executable, "-m", "equilibrist", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


def wait_for_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Until it has used so many seconds of a core, which on a busy machine takes longer than by the clock."""
    used = Path(f"/proc/{process.pid}/stat")
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    while process.poll() is None and used.exists():
        if sum(map(int, used.read_text().rsplit(")", 1)[1].split()[11:13])) >= ticks:
            return
        time.sleep(0.02)
    if not used.exists():  # another system
        time.sleep(seconds)


def finish(process: subprocess.Popen[str], timeout: float = 60.0) -> Outcome:
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
    return Outcome(process.returncode, out, err)


@pytest.fixture(autouse=True)
def _wide_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")  # parallel test runners say 80, which would wrap the words looked for


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("solutions") / "kuhn.eqb"
    eq.solve("kuhn", until=1e-4).save(path)
    return path


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("solutions") / "leduc.eqb"
    eq.solve("leduc", iterations=100).save(path)
    return path


# what there is


def test_games_lists_names_parameters_sizes_and_sources() -> None:
    shown = run("games")
    assert shown.code == 0
    for word in (
        "kuhn",
        "leduc",
        "players=2",
        "9,451",
        "936",
        "[Brown20, §2.4.1]",
        "verified",
        "openspiel:NAME",
        ".efg",
    ):
        assert word in shown.out


def test_games_as_json() -> None:
    games = {game["name"]: game for game in run("games", "--json").json["games"]}
    assert games["kuhn"]["histories"] == 55
    assert games["kuhn"]["infosets"] == 12
    assert games["leduc"]["parameters"]["bets"] == [2, 4]
    assert games["leduc"]["infosets"] == 936  # with suits told apart
    assert games["phantom-tic-tac-toe"]["histories_exact"] is False
    assert set(games["kuhn"]) == {
        "name", "summary", "parameters", "bounds", "histories", "histories_exact", "infosets", "source", "status",
    }  # fmt: skip


def test_solvers_lists_all_of_them() -> None:
    entries = {entry["name"]: entry for entry in run("solvers", "--json").json["solvers"]}
    assert {"cfr", "cfr+", "dcfr", "pcfr+", "es-mccfr", "fp", "lp"} <= set(entries)
    assert entries["dcfr"]["parameters"]["alpha"] == 1.5
    shown = run("solvers")
    assert shown.code == 0
    assert all(name in shown.out for name in entries)


def test_version_and_help() -> None:
    assert run("--version").out == f"equilibrist {eq.__version__}\n"
    shown = run("--help").out
    for command in ("games", "solvers", "solve", "show", "verify", "reproduce", "bench", "--install-completion"):
        assert command in shown


# solve


def test_solve_prints_panel_and_strategy() -> None:
    shown = run("solve", "kuhn", "--until", "1e-3")
    assert shown.code == 0
    assert "kuhn  (12 infosets)" in shown.out
    assert re.search(r"player 1: -0\.05[56]", shown.out)
    assert "chips per player" in shown.out
    assert "converged (target 0.001" in shown.out
    assert "NOT" not in shown.out
    assert len(re.findall(r"^ +[12] +[JQK]\b", shown.out, re.MULTILINE)) == 12


def test_solve_as_json_is_one_object_with_the_promised_fields() -> None:
    shown = run("solve", "kuhn", "--solver", "cfr+", "--until", "1e-3", "--seed", "3", "--json")
    facts = shown.json
    assert facts["game"] == "kuhn"
    assert facts["solver"] == "cfr+"
    assert facts["infosets"] == 12
    assert facts["converged"] is True
    assert facts["interrupted"] is False
    assert facts["unit"] == "chips"
    assert facts["settings"]["until"] == 1e-3
    assert facts["settings"]["seed"] == 3
    assert facts["version"] == eq.__version__
    assert facts["value"] == pytest.approx([-1 / 18, 1 / 18], abs=2e-3)
    assert 0 <= facts["exploitability"] <= 1e-3
    assert facts["nash_conv"] == pytest.approx(2 * facts["exploitability"])
    assert facts["iterations"] > 0
    assert facts["seconds"] > 0
    assert shown.out.count("\n") == 1


def test_a_target_that_is_not_reached_says_so() -> None:
    shown = run("solve", "kuhn", "--until", "1e-9", "--iterations", "20")
    assert shown.code == 0
    assert "NOT converged" in shown.out
    assert run("solve", "kuhn", "--until", "1e-9", "--iterations", "20", "--json").json["converged"] is False


def test_targets_in_other_units() -> None:
    assert run("solve", "kuhn", "--until", "5mbb", "--json").json["settings"]["until"] == pytest.approx(0.005)
    assert run("solve", "kuhn", "--until", "1%", "--json").json["settings"]["until"] == pytest.approx(0.02)
    assert run("solve", "rps", "--iterations", "5", "--json").json["unit"] == "points"


def test_a_game_without_a_best_response_prints_null() -> None:
    facts = run("solve", DATA / "absent_minded_driver.efg", "--iterations", "10", "--json").json
    assert facts["exploitability"] is None
    assert "not measured" in run("solve", DATA / "absent_minded_driver.efg", "--iterations", "10").out


def test_large_games_are_shown_by_their_first_decisions() -> None:
    shown = run("solve", "leduc", "--iterations", "50")
    rows = re.findall(r"^ +[12] +([JQK]\S*)", shown.out, re.MULTILINE)
    assert rows[:3] == ["J", "Q", "K"]  # suits do not matter there, so they are left out
    assert len(rows) <= 24
    assert "more infosets" in shown.out


def test_saving_resuming_and_drawing(tmp_path: Path) -> None:
    saved, picture = tmp_path / "a.eqb", tmp_path / "a.png"
    shown = run("solve", "kuhn", "--iterations", "30", "--out", saved, "--png", picture)
    assert shown.code == 0
    assert str(saved) in shown.out.replace("\n", "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    more = run("solve", "--resume", saved, "--iterations", "80", "--json").json
    assert more["iterations"] == 80
    whole = eq.solve("kuhn", iterations=80)
    assert more["exploitability"] == pytest.approx(whole.exploitability, rel=1e-9)


def test_a_resumed_run_keeps_its_goal_unless_given_another(tmp_path: Path) -> None:
    saved = tmp_path / "a.eqb"
    run("solve", "kuhn", "--solver", "cfr+", "--until", "1e-3", "--out", saved)
    facts = run("solve", "kuhn", "--resume", saved, "--json").json
    assert facts["solver"] == "cfr+"
    assert facts["settings"]["until"] == 1e-3
    assert run("solve", "kuhn", "--resume", saved, "--until", "1e-4", "--json").json["exploitability"] <= 1e-4
    refused = run("solve", "leduc", "--resume", saved)
    assert refused.code == 2
    assert "cannot go on" in refused.err


# show and verify


def test_show_is_a_table_of_infosets(kuhn: Path) -> None:
    shown = run("show", kuhn)
    assert shown.code == 0
    assert len(re.findall(r"^ +[12] +[JQK]\b", shown.out, re.MULTILINE)) == 12
    assert re.search(r"Q:b .* f 0\.6[67]\d .* c 0\.3[34]\d", shown.out)


def test_show_as_json(kuhn: Path) -> None:
    facts = run("show", kuhn, "--json").json
    assert facts["game"] == "kuhn"
    assert len(facts["infosets"]) == 12
    entry = facts["infosets"]["Q:b"]
    assert entry["player"] == 2
    assert entry["public"] == "b"
    assert entry["strategy"]["c"] == pytest.approx(1 / 3, abs=0.02)
    assert facts["exploitability"] == pytest.approx(eq.load_solution(kuhn).exploitability)


def test_show_narrows_by_line_and_player(leduc: Path) -> None:
    def keys(*options: str) -> set[str]:
        return set(run("show", leduc, "--json", *options).json["infosets"])

    assert keys("--line", "b") == {key for key in keys() if key.split(":")[1:2] == ["b"]}
    assert keys("--line", "x:x:Kc") <= keys("--line", "x:x:K") <= keys("--line", "x:x") < keys()
    assert len(keys("--line", "x:x:K")) == 2 * len(keys("--line", "x:x:Kc"))  # suits may be left out
    assert len(keys("--player", "1")) + len(keys("--player", "2")) == 936
    assert "more infosets" in run("show", leduc).out
    assert len(re.findall(r"^ +[12] +[JQK]", run("show", leduc, "--all").out, re.MULTILINE)) == 936


def test_show_refuses_lines_and_players_that_do_not_exist(kuhn: Path) -> None:
    assert "Did you mean 'x:b'?" in run("show", kuhn, "--line", "x:bb").err
    assert run("show", kuhn, "--line", "x:bb").code == 2
    assert run("show", kuhn, "--player", "3").code == 2


def test_verify_agrees(kuhn: Path, leduc: Path) -> None:
    shown = run("verify", kuhn)
    assert shown.code == 0
    assert "They agree" in shown.out
    facts = run("verify", leduc, "--json").json
    assert facts["agrees"] is True
    assert facts["histories"] == 9451
    assert facts["recomputed"]["exploitability"] == pytest.approx(facts["stated"]["exploitability"], abs=1e-9)


def test_verify_finds_a_false_claim(kuhn: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    from equilibrist.core.solution import Evaluation

    honest = eq.load_solution(kuhn)
    assert honest.evaluation is not None
    replace(honest, evaluation=Evaluation(honest.value, honest.value)).save(tmp_path / "boast.eqb")
    shown = run("verify", tmp_path / "boast.eqb")
    assert shown.code == 1
    assert "do NOT agree" in shown.out
    assert run("verify", tmp_path / "boast.eqb", "--json").json["agrees"] is False
    other = eq.compiled("kuhn(cards=4)").infosets.uniform()
    replace(honest, policy=other, last=None, state={}).save(tmp_path / "other.eqb")
    shown = run("verify", tmp_path / "other.eqb")
    assert shown.code == 1
    assert "does NOT fit" in shown.out


# refusals: one sentence, exit code 2

IMPERFECT_RECALL = """EFG 2 R "Forgetful" { "one" "two" }
p "" 1 1 "early" { "l" "r" } 0
p "" 2 1 "other" { "a" "b" } 0
p "" 1 2 "late" { "u" "d" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -1 1 }
p "" 1 2 "late" { "u" "d" } 0
t "" 3 "" { 0 0 }
t "" 4 "" { 2 -2 }
p "" 1 2 "late" { "u" "d" } 0
t "" 5 "" { 1 -1 }
t "" 6 "" { 0 0 }
"""


def test_imperfect_recall_is_no_matter_for_a_linear_program(tmp_path: Path) -> None:
    path = tmp_path / "forgetful.efg"
    path.write_text(IMPERFECT_RECALL, encoding="utf-8")
    shown = run("solve", path, "--solver", "lp")
    assert shown.code == 2
    assert "recall" in shown.err
    assert shown.err.count("\n") == 1
    assert run("solve", path, "--solver", "cfr", "--iterations", "10").code == 0


def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.efg"
    path.write_text(IMPERFECT_RECALL.replace('t "" 2 "" { -1 1 }', 't "" 2 "" { -1 one }'), encoding="utf-8")
    shown = run("solve", path)
    assert shown.code == 2
    assert "line 6" in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["solve", "kuhnn"], "Did you mean 'kuhn'?"),
        (["solve", "kuhn", "--solver", "dcrf"], "Did you mean 'dcfr'?"),
        (["solve", "kuhn(card=4)"], "Did you mean 'cards'?"),
        (["solve", "kuhn", "--solver", "dcfr(alfa=1)"], "Did you mean 'alpha'?"),
        (["solve", "kuhn(cards=many)"], "cards"),
        (["solve", "kuhn(cards=4"], "Cannot read"),
        (["solve", "limit-holdem"], "final boards"),
        (["solve", "limit-holdem", "--solver", "dcfr(on=sequence)"], "histories"),
        (["solve", "river.toml"], "cannot be read"),
        (["solve"], "No game was named"),
        (["solve", "kuhn", "--threads", "2"], "one thread"),
        (["solve", "kuhn", "--device", "cuda"], "on the CPU"),
        (["exploit", "kuhn", "--model", "call", "--device", "cuda"], "others on the CPU"),
        (["exploit", "kuhn", "--model", "call", "--device", "tpu"], "no device 'tpu'"),
        (["solve", "kuhn", "--until", "soon"], "Cannot read the target 'soon'"),
        (["solve", "kuhn", "--bits", "0"], "--bits is 16 or 32, but 0 was given"),
        (["solve", "kuhn", "--until", "-1"], "zero or more"),
        (["solve", "kuhn", "--iterations", "0"], "at least 1"),
        (["solve", "kuhn", "--seconds", "-2"], "zero or more"),
        (["solve", "rps", "--until", "1%"], "has no pot"),
        (["solve", "kuhn", "--out", "/nowhere/at/all.eqb"], "does not exist"),
        (["solve", "kuhn", "--png", "/"], "is a folder"),
        (["solve", "kuhn", "--resume", "missing.eqb"], "There is no file"),
        (["solve", "missing.efg"], "missing.efg"),
        (["show", "missing.eqb"], "There is no file"),
        (["show", str(DATA / "kuhn.efg")], "was not written by equilibrist"),
        (["verify", str(DATA)], "is a folder"),
        (["reproduce", "brown/no-such-result"], "There is no experiment"),
        (["reproduce", "brown/bandit", "--device", "cuda"], "runs on the CPU"),
        (["bench", "no-such-script"], "no benchmark"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(arguments: list[str], sentence: str) -> None:
    shown = run(*arguments)
    assert shown.code == 2
    assert sentence in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_unknown_options_and_words_leave_with_2() -> None:
    for arguments in (["solve", "kuhn", "--fast"], ["sovle"], ["solve", "kuhn", "--iterations", "many"], ["show"]):
        shown = run(*arguments)
        assert shown.code == 2
        assert "Traceback" not in shown.err


def test_a_game_too_large_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUILIBRIST_MEMORY", "100000")
    shown = run("solve", "leduc")
    assert shown.code == 2
    assert "9.45e+03 histories" in shown.err


def test_a_picture_without_matplotlib_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "matplotlib" else find(name, *rest)
    )
    shown = run("solve", "kuhn", "--png", tmp_path / "x.png")
    assert shown.code == 2
    assert "pip install 'equilibrist[plots]'" in shown.err


# reproduce, bench, completion


def test_reproduce_says_what_its_duration_is_of() -> None:
    """Not two cores where it takes a GPU; asked for jobs, these go no further."""
    for more, where in (((), "1:00 on two cores"), (("--full",), "23:50 on an H200 (--device cuda)")):
        refused = run("reproduce", "brown/deep-cfr-fhp", *more, "--jobs", "2")
        assert refused.code == 2
        assert f"about {where}." in refused.err
        assert "leave --jobs and --seconds out" in " ".join(refused.err.split())


def test_reproduce_lists_and_runs() -> None:
    listed = run("reproduce", "--list", "--json").json["experiments"]
    assert {"brown/bandit", "brown/liars-dice"} <= {entry["id"] for entry in listed}
    assert "brown/bandit" in run("reproduce", "--list").out
    facts = run("reproduce", "brown/bandit", "--json").json
    assert {"id", "status", "published", "recomputed", "measured", "checks", "setting", "seconds", "figure"} <= set(
        facts
    )
    assert facts["status"] == "reproduced"
    shown = run("reproduce", "brown/bandit")
    assert shown.code == 0
    assert "reproduced in" in shown.out


def test_bench_finds_the_scripts_of_the_source_tree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from equilibrist.interfaces.cli import bench

    assert "tabular" in bench.benchmark_scripts()
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "a" / "b" / "c" / "d" / "bench.py"))
    monkeypatch.chdir(tmp_path)
    shown = run("bench")
    assert shown.code == 2
    assert "source tree" in shown.err
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "quick.py").write_text("def main(arguments):\n    print(arguments)\n    return 3\n")
    assert run("bench").code == 2  # not a clone of ours: nothing there is run
    (tmp_path / "pyproject.toml").write_text('name = "equilibrist"\n')
    shown = run("bench", "quick", "--json")
    assert shown.code == 3
    assert shown.out == "['--json']\n"


def test_the_shell_completes_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def offered(words: str) -> list[str]:
        environment = {
            "_EQUILIBRIST_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        }
        return CliRunner().invoke(app, [], prog_name="equilibrist", env=environment).stdout.split()

    assert offered("equilibrist sol") == ["solvers", "solve"]
    assert "leduc" in offered("equilibrist solve led")
    assert "kuhn" not in offered("equilibrist solve led")
    assert set(offered("equilibrist solve kuhn --solver cfr")) >= {"cfr", "cfr+"}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.efg").touch()
    (tmp_path / "mine.eqb").touch()
    assert offered("equilibrist solve mi") == ["mine.efg"]
    assert offered("equilibrist show mi") == ["mine.eqb"]


# as a process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.sampled(1)
def test_an_interrupted_solve_writes_a_file_that_goes_on_exactly(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "long.eqb"
    process = start("solve", "leduc", "--iterations", "1000000000", "--out", path)
    assert process.stderr is not None
    assert "iteration" in process.stderr.readline()  # a progress line: the loop is running
    process.send_signal(number)
    shown = finish(process)
    assert shown.code == 128 + number
    assert "NOT converged" in shown.out
    assert f"--resume {path}" in shown.err
    saved = eq.load_solution(path)
    assert not saved.converged
    assert saved.interrupted
    whole = eq.solve("leduc", iterations=saved.iterations)
    for name, array in whole.state.items():  # no iteration was torn
        np.testing.assert_array_equal(saved.state[name], array, err_msg=name)
    more = run("solve", "--resume", path, "--iterations", str(saved.iterations + 1000), "--json")
    assert more.json["iterations"] == saved.iterations + 1000


def test_interrupting_before_the_first_iteration_writes_nothing(tmp_path: Path) -> None:
    process = start("solve", "bl26", "--out", tmp_path / "x.eqb")
    wait_for_work(process, 1.5)  # imports are done, a million histories are being written down
    process.send_signal(signal.SIGINT)
    shown = finish(process)
    assert shown.code == 130
    assert "Traceback" not in shown.err
    assert not list(tmp_path.iterdir())


def test_exit_codes_and_streams_of_the_process() -> None:
    refused = finish(start("solve", "kuhnn"))
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "There is no game 'kuhnn'. Did you mean 'kuhn'? 'equilibrist games' lists all of them.\n"


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m equilibrist games --json | head -c 10"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert done.stdout == '{"games": '
    assert done.stderr == ""


def test_help_is_quick() -> None:
    """Under 0.4 s of CPU: nothing but Typer is imported."""
    code = (
        "import sys, time\nsys.argv = ['equilibrist', '--help']\nfrom equilibrist.interfaces.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'scipy', 'rich', 'matplotlib', 'msgspec', 'highspy'}\n"
        "print(sorted(heavy & set(sys.modules)), time.process_time(), file=sys.stderr)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    imported, seconds = shown.stderr.strip().rsplit(" ", 1)
    assert imported == "[]"
    assert float(seconds) < 0.4


def test_help_lists_every_command_on_one_line_without_importing_it() -> None:
    code = (
        "import sys; from equilibrist.interfaces.cli.app import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('equilibrist.interfaces.cli.study')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert done.stderr.strip() == "[]"
    listed = done.stdout.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_asked_for_help(name: str) -> None:
    assert run(name, "--help").code == 0


def test_a_solve_outlives_autosaves_that_fail_and_keeps_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder goes away after the start: autosaves are said, the solve goes on, the result lies in the home folder."""
    folder, home = tmp_path / "gone", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("equilibrist.interfaces.cli.progress.AUTOSAVE_SECONDS", 0.0)
    started = SolveMeter.__call__

    def lose_the_folder(meter: SolveMeter, progress: Progress) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        started(meter, progress)

    monkeypatch.setattr(SolveMeter, "__call__", lose_the_folder)
    shown = run("solve", "kuhn", "--iterations", "3000", "--out", folder / "k.eqb", "--json")
    assert shown.code == 2
    assert shown.err.count("The work goes on") == 1
    assert "No such file or directory" in shown.err
    (saved,) = home.glob("k-*.eqb")
    assert str(saved) in shown.err
    assert shown.json["file"] == str(saved)
    assert eq.load_solution(saved).iterations == 3000
