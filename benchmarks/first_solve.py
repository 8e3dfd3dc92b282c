"""What the first iteration of a spot waits for: imports, the driver, boards, kernels compiled by Numba and by NVRTC, each by itself.

Every measurement is a process of its own: the first with an empty cache of kernels, the others with what it left there. `--json` prints
one object. CPU seconds are those of all threads, and steadier on a machine that others use.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

BEGUN = time.perf_counter()


class Stages:
    """Seconds of one stage after another."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.last = BEGUN

    def end(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name], self.last = now - self.last, now


def listen() -> list[tuple[float, str]]:
    """Seconds and names of kernels that Numba compiles from here on, those inside others left out."""
    from numba.core import event

    found, running = list[tuple[float, str]](), dict[int, list[float]]()

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, what: Any) -> None:
            running.setdefault(threading.get_ident(), []).append(time.perf_counter())

        def on_end(self, what: Any) -> None:
            mine = running[threading.get_ident()]
            begun = mine.pop()
            if not mine:
                found.append((time.perf_counter() - begun, what.data["dispatcher"].py_func.__name__))

    event.register("numba:compile", Listener())
    return found


def measure(spot: str, device: str) -> dict[str, Any]:
    """In this process."""
    stages, nvrtc = Stages(), list[float]()
    import numpy as np

    stages.end(f"numpy {np.__version__}")
    compiled = listen()
    stages.end("numba")
    if device == "cuda":
        import cupy

        stages.end("cupy")
        cupy.cuda.runtime.free(0)
        stages.end("driver")
        from equilibrist.solvers.postflop.gpu import cuda_device

        real = cuda_device.compile_binary

        def timed(name: str, sizes: Any) -> bytes:
            begun = time.perf_counter()
            made = real(name, sizes)
            nvrtc.append(time.perf_counter() - begun)
            return made

        cuda_device.compile_binary = timed
    from equilibrist.forms.boards.compiled_spot import compile_spot
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import start_spot

    stages.end("other imports")
    here = compile_spot(Spot.from_toml(spot))
    _ = here.boards
    stages.end("betting and boards")
    run = start_spot(here, device=device)
    stages.end("tables and kernels")
    run.advance(1)
    run.exploitability()
    stages.end("first iteration and check")
    slowest = sorted(compiled, reverse=True)[:8]
    return {
        "stages": stages.seconds,
        "all": sum(stages.seconds.values()),
        "cpu": time.process_time(),
        "numba": {"kernels": len(compiled), "seconds": sum(t for t, _ in compiled), "slowest": slowest},
        "nvrtc": {"modules": len(nvrtc), "seconds": sum(nvrtc), "longest": max(nvrtc, default=0.0)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spot", default="examples/spots/turn.toml")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--repeats", type=int, default=2, help="with what is in the cache")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure(options.spot, options.device)))
        return
    words = [sys.executable, __file__, "--here", "--spot", options.spot, "--device", options.device]
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"EQUILIBRIST_CACHE": cache}
        runs = [
            json.loads(subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout)
            for _ in range(1 + options.repeats)
        ]
    if options.json:
        print(json.dumps(runs, indent=1))
        return
    for number, run in enumerate(runs):
        print("empty cache" if number == 0 else "again", f"{run['all']:.2f} s, {run['cpu']:.2f} CPU seconds")
        print("  " + ", ".join(f"{name} {seconds:.2f}" for name, seconds in run["stages"].items()))
        for what in ("numba", "nvrtc"):
            print(f"  {what}", ", ".join(f"{name} {value}" for name, value in run[what].items()))


if __name__ == "__main__":
    main()
