"""A scripted user leaves the server as it was: flat in memory, open files and threads."""

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the browser needs the extra 'web'")

from robustness.serve_soak import Sample, judge, soak

MINUTES = float(os.environ.get("EQUILIBRIST_SOAK_MINUTES", "3"))  # 60 for the figure of docs/reliability.md


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="what a process holds is read from /proc")
def test_a_scripted_user_leaves_the_server_as_it_was(tmp_path):
    samples, done = soak(MINUTES, tmp_path / "data")
    sys.stdout.write(f"\n{sum(done.values()):,} requests; {samples[0]}; {samples[-1]}\n")
    assert judge(samples) is None


def test_growth_is_seen():
    """The negative control: what leaks is named."""
    flat = [Sample(t, 200.0, 20, 4) for t in range(0, 600, 20)]
    assert judge(flat) is None
    assert "memory" in judge([Sample(t, 200.0 + t, 20, 4) for t in range(0, 600, 20)])
    assert "files" in judge([Sample(t, 200.0, 20 + t // 20, 4) for t in range(0, 600, 20)])
    assert "threads" in judge([Sample(t, 200.0, 20, 4 + t // 100) for t in range(0, 600, 20)])
