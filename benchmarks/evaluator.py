"""Hand evaluation on one thread: random seven-card hands, hands in sequence, all hole cards of a board.

Peers of the same run: phevaluator's C function, called from a compiled loop so that Python costs it nothing, and the calls
from Python that phevaluator and eval7 offer. Limit of the same run: bytes per second of `np.copyto`. Blocks of all contestants
alternate and medians of CPU seconds are taken, so that a busy machine disturbs all alike. `--json` prints one JSON object.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from math import comb

import numpy as np
from numpy.typing import NDArray

from equilibrist.cards import evaluator
from equilibrist.cards.deck import Deck

SEED = 7
BYTES_PER_HAND = 7 + 2  # cards in, strength out
LIVE_PAIRS = comb(47, 2)  # hole cards that five board cards leave
FIRST_USE = """
import time, numpy as np
begin = time.process_time()
from equilibrist.cards.evaluator import evaluate, boards_strengths
imported = time.process_time()
evaluate(np.arange(7, dtype=np.int8)[None])
boards_strengths(np.arange(5, dtype=np.int8)[None])
print(imported - begin, time.process_time() - imported)
"""


def random_hands(count: int) -> NDArray[np.int8]:
    draws = np.random.default_rng(SEED).random((count, 52), dtype=np.float32)
    return np.ascontiguousarray(np.argsort(draws, axis=1)[:, :7].astype(np.int8))


def sequential_hands(count: int) -> NDArray[np.int8]:
    """Neighbours differ in their lowest cards, as in a nested enumeration."""
    fives = evaluator.all_hands(Deck(), 5)[:count]
    tops = np.broadcast_to(np.array([50, 51], np.int8), (len(fives), 2))
    return np.ascontiguousarray(np.hstack([fives, tops]))


def alternate(steps: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Median CPU seconds of each step, rounds interleaved, after one call that does not count."""
    measured: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(repeats + 1):
        for name, step in steps.items():
            begin = time.thread_time()
            step()
            if turn:
                measured[name].append(time.thread_time() - begin)
    return {name: statistics.median(seconds) for name, seconds in measured.items()}


def first_use() -> dict[str, float]:
    """CPU seconds in a fresh process: with nothing compiled yet, and with kernels from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = []
        for _ in range(2):
            shown = subprocess.run(
                [sys.executable, "-c", FIRST_USE],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, "EQUILIBRIST_CACHE": folder},
            )
            seconds.append([float(part) for part in shown.stdout.split()])
    return {
        "import_seconds": seconds[1][0],
        "compile_and_tables_seconds": seconds[0][1],
        "cached_and_tables_seconds": seconds[1][1],
        "tables_seconds": table_seconds(),
    }


def table_seconds() -> float:
    evaluator.evaluate(np.arange(7, dtype=np.int8)[None])
    evaluator._layout.cache_clear()
    evaluator._tables.cache_clear()
    begin = time.process_time()
    evaluator.evaluate(np.arange(7, dtype=np.int8)[None])
    return time.process_time() - begin


def peer_in_c(hands: NDArray[np.int8]) -> Callable[[], object] | None:
    """phevaluator's `evaluate_7cards`, which the package's shared library exports."""
    try:
        import numba
        import phevaluator._pheval as library
    except ImportError:
        return None
    function = ctypes.CDLL(library.__file__).evaluate_7cards
    function.argtypes, function.restype = [ctypes.c_int] * 7, ctypes.c_int
    out = np.empty(len(hands), np.uint16)

    @numba.njit(nogil=True)
    def run(cards, out):  # type: ignore[no-untyped-def]
        for i in range(cards.shape[0]):
            c = cards[i]
            out[i] = function(c[0], c[1], c[2], c[3], c[4], c[5], c[6])

    run(hands, out)
    np.testing.assert_array_equal(7463 - out, evaluator.evaluate(hands))  # they rank alike
    return lambda: run(hands, out)


def peers_in_python(hands: NDArray[np.int8]) -> dict[str, Callable[[], object]]:
    steps: dict[str, Callable[[], object]] = {}
    rows = hands.tolist()
    try:
        from phevaluator import evaluate_cards

        steps["phevaluator_python"] = lambda: [evaluate_cards(*row) for row in rows]
    except ImportError:
        pass
    try:
        import eval7

        deck = [eval7.Card(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"]
        named = [[deck[card] for card in row] for row in rows]
        steps["eval7_python"] = lambda: [eval7.evaluate(row) for row in named]
    except ImportError:
        pass
    return steps


def measure(hand_count: int, board_count: int, repeats: int) -> dict[str, float]:
    hands, sequence = random_hands(hand_count), sequential_hands(hand_count)
    boards = np.ascontiguousarray(hands[:board_count, :5])
    ranked = np.empty((board_count, 1326), np.uint16)
    blocks = [
        boards[begin : begin + 200] for begin in range(0, board_count, 200)
    ]  # half a megabyte out: stays in cache
    few = hands[:20_000]
    source, target = np.ones((2, 1 << 23))  # 64 MiB each
    steps: dict[str, Callable[[], object]] = {
        "random": lambda: evaluator.evaluate(hands),
        "sequential": lambda: evaluator.evaluate(sequence),
        "boards": lambda: [evaluator.boards_strengths(block, out=ranked[: len(block)]) for block in blocks],
        "boards_to_memory": lambda: evaluator.boards_strengths(boards, out=ranked),
        "one_board": lambda: [evaluator.board_strengths(board) for board in boards[:100]],
        "copy": lambda: np.copyto(target, source),
        **peers_in_python(few),
    }
    peer = peer_in_c(hands)
    if peer is not None:
        steps["phevaluator_c"] = peer
    seconds = alternate(steps, repeats)
    counts = {
        "random": len(hands),
        "sequential": len(sequence),
        "boards": board_count * LIVE_PAIRS,
        "boards_to_memory": board_count * LIVE_PAIRS,
        "one_board": 100 * LIVE_PAIRS,
        "phevaluator_c": len(hands),
        "phevaluator_python": len(few),
        "eval7_python": len(few),
    }
    rates = {f"{name}_hands_per_second": counts[name] / seconds[name] for name in steps if name != "copy"}
    bandwidth = 2 * source.nbytes / seconds["copy"]  # read and written
    figures = {
        **rates,
        "nanoseconds_per_board": seconds["boards"] / board_count * 1e9,
        "copy_bytes_per_second": bandwidth,
        "random_share_of_bandwidth": BYTES_PER_HAND * rates["random_hands_per_second"] / bandwidth,
        # a line that is written is first read
        "boards_to_memory_share_of_bandwidth": 2 * ranked.nbytes / seconds["boards_to_memory"] / bandwidth,
        "boards_times_random": rates["boards_hands_per_second"] / rates["random_hands_per_second"],
    }
    for name in ("phevaluator_c", "phevaluator_python", "eval7_python"):
        if name in seconds:
            figures[f"random_times_{name}"] = rates["random_hands_per_second"] / rates[f"{name}_hands_per_second"]
    return figures


def machine() -> dict[str, str]:
    facts = {
        "cpu": platform.processor() or platform.machine(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.2f}",
        "python": platform.python_version(),
    }
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            facts["cpu"] = next(
                (line.split(":")[1].strip() for line in lines if line.startswith("model name")), facts["cpu"]
            )
    for package in ("numpy", "numba", "phevaluator", "eval7"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--boards", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = {
        "machine": machine(),
        "settings": {"hands": options.hands, "boards": options.boards, "repeats": options.repeats, "seed": SEED},
        "first_use": first_use(),
        "speed": measure(options.hands, options.boards, options.repeats),
    }
    if options.json:
        print(json.dumps(report, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in report["machine"].items()))
    for name, value in {**report["first_use"], **report["speed"]}.items():
        print(f"{name:42} {value:18,.3f}" if value < 1000 else f"{name:42} {value:18,.0f}")


if __name__ == "__main__":
    main()
