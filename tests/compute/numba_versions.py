"""The kernel cache and the lanes with the oldest and the newest Numba that pyproject.toml allows, each in its own environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = tuple(f"tests/compute/test_{name}.py" for name in ("kernel", "lanes", "bundles", "callees"))


DEPENDENCIES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]

# kernels of the three large families, compiled and run
SMOKE = """
import equilibrist as eq
assert eq.solve("leduc", "dcfr", iterations=200).exploitability < 0.02
assert eq.solve("kuhn", "mccfr", iterations=2000, seed=1).exploitability < 0.2
spot = eq.Spot(board="Td9d6hQc2s", pot=200, stack=300, range={"oop": "AA,KK,QJs", "ip": "QQ,JTs,A9s"}, bets={"bet": "50%, a"})
assert eq.verify(eq.solve(spot, until="0.5%")).agrees
"""


def both_ends() -> tuple[str, str]:
    """What pip is asked for: the oldest release that is allowed, and the whole range."""
    wanted = next(text for text in DEPENDENCIES if text.startswith("numba"))
    found = re.fullmatch(r"numba>=(\d+\.\d+),<(\d+\.\d+)", wanted)
    assert found, f"pyproject.toml asks for {wanted}: both ends of the range must be named"
    return f"numba=={found[1]}.0", wanted


def try_version(wanted: str) -> str:
    """Install into a new environment and run the tests; the versions that were tried."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        others = [text for text in DEPENDENCIES if not text.startswith("numba")]
        subprocess.run([*pip, wanted, *others, "pytest", "hypothesis"], check=True)
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "EQUILIBRIST_CACHE": f"{folder}/cache"}
        shown = "import numba, llvmlite, numpy; print(numba.__version__, llvmlite.__version__, numpy.__version__)"
        versions = subprocess.run([python, "-c", shown], check=True, capture_output=True, text=True).stdout.split()
        print("Numba {}, llvmlite {}, NumPy {}".format(*versions), flush=True)
        subprocess.run([python, "-m", "pytest", "-q", *TESTS], cwd=ROOT, env=environment, check=True)
        subprocess.run([python, "-c", SMOKE], env=environment, check=True)
        return versions[0]


def main() -> None:
    oldest, newest = both_ends()
    tried = [try_version(oldest), try_version(newest)]
    print(f"The kernel cache works with Numba {' and '.join(tried)}, Python {sys.version.split()[0]}.")


if __name__ == "__main__":
    main()
