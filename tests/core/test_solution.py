"""Saving, loading, and refusing what is not ours."""

import os

import numpy as np
import pytest
from hypothesis import given, settings

from equilibrist import load_solution, solve
from equilibrist.core.artifact import Artifact, save_artifact
from equilibrist.core.errors import FormatError, ParameterError, UnknownNameError
from equilibrist.forms.compiled import compiled
from random_games import small_games


@settings(max_examples=10, deadline=None)
@given(small_games())
def test_what_is_saved_loads_back_equal(tmp_path_factory, game):
    path = tmp_path_factory.mktemp("s") / "x.eqb"
    solution = solve(game, "cfr", iterations=3)
    solution.save(path)
    loaded = load_solution(path)
    assert loaded.policy.infosets.keys == solution.policy.infosets.keys
    assert loaded.policy.infosets.actions == solution.policy.infosets.actions
    assert np.array_equal(loaded.policy.probabilities, solution.policy.probabilities)
    assert np.array_equal(loaded.last.probabilities, solution.last.probabilities)
    assert loaded.evaluation == solution.evaluation
    assert dict(loaded.settings) == dict(solution.settings)
    assert loaded.converged == solution.converged


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("solution") / "kuhn.eqb"
    solve("kuhn", iterations=10).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("keep", [0, 5, 9, 60, 400, 0.5, 0.9, 0.999])
def test_truncated_files_are_refused(saved, tmp_path, keep):
    length = int(len(saved) * keep) if isinstance(keep, float) else keep
    (tmp_path / "cut.eqb").write_bytes(saved[:length])
    with pytest.raises(FormatError, match="cut.eqb"):
        load_solution(tmp_path / "cut.eqb")


def test_flipped_bytes_never_crash(saved, tmp_path):
    rng = np.random.default_rng(0)
    for _ in range(150):
        damaged = bytearray(saved)
        for position in rng.integers(0, len(saved), 3):
            damaged[position] ^= int(rng.integers(1, 256))
        (tmp_path / "bad.eqb").write_bytes(bytes(damaged))
        try:
            load_solution(tmp_path / "bad.eqb")
        except FormatError as error:
            assert "bad.eqb" in str(error)


def test_foreign_files_are_refused(tmp_path):
    (tmp_path / "text.eqb").write_text("hello, I am not a solution at all")
    with pytest.raises(FormatError, match="not written by equilibrist"):
        load_solution(tmp_path / "text.eqb")
    from safetensors.numpy import save_file

    save_file({"x": np.zeros(3)}, tmp_path / "other.eqb")
    with pytest.raises(FormatError, match="not written by equilibrist"):
        load_solution(tmp_path / "other.eqb")
    save_artifact(tmp_path / "buckets.eqb", Artifact("abstraction", {}, {"x": np.zeros(1)}))
    with pytest.raises(FormatError, match="holds a abstraction, but a solved game"):
        load_solution(tmp_path / "buckets.eqb")
    with pytest.raises(FormatError, match="no file"):
        load_solution(tmp_path / "missing.eqb")


def test_a_failed_save_leaves_the_old_file(saved, tmp_path, monkeypatch):
    path = tmp_path / "kuhn.eqb"
    path.write_bytes(saved)
    solution = solve("kuhn", iterations=3)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FormatError, match="No space left"):
        solution.save(path)
    assert path.read_bytes() == saved
    assert [p.name for p in tmp_path.iterdir()] == ["kuhn.eqb"]


def test_policies_answer_by_key_public_state_and_rank():
    policy = solve("leduc", iterations=50).policy
    assert policy["Kc:b"].keys() == {"f", "c", "r"}
    mean = np.mean([list(policy["Kc:b"].values()), list(policy["Kd:b"].values())], axis=0)
    assert list(policy["K:b"].values()) == pytest.approx(mean)
    assert policy.at("b", 1).shape == (6, 3)
    with pytest.raises(UnknownNameError, match="no infoset 'K:z'"):
        policy["K:z"]
    with pytest.raises(UnknownNameError, match="never acts"):
        policy.at("b", 0)


def test_policies_refuse_bad_rows():
    policy = compiled("kuhn").infosets.uniform()
    assert policy.with_row("K", [0.25, 0.75])["K"] == {"x": 0.25, "b": 0.75}
    with pytest.raises(ParameterError, match="summing to 1"):
        policy.with_row("K", [0.5, 0.6])


def test_what_is_unfinished_is_said_in_one_way():
    from equilibrist import solve

    assert solve("kuhn", "cfr+", until=0.1).unfinished == ""
    assert solve("kuhn", "cfr+", iterations=3).unfinished == "no target was set"
    missed = solve("kuhn", "cfr+", until=1e-12, iterations=3)
    assert missed.unfinished == "NOT converged"
    assert missed.recorded(interrupted=True, settings={}).unfinished == "NOT converged"
