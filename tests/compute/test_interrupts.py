"""Ctrl-C through the Python API leaves tables and iteration count in step."""

import os
import signal
import threading
import time

import numpy as np

from equilibrist import solve
from equilibrist.compute.interrupts import HeldInterrupts, TerminationAsInterrupt


def interrupt_after(seconds):
    threading.Thread(target=lambda: (time.sleep(seconds), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()


def test_an_interrupted_solve_is_whole():
    solve("leduc", "dcfr", iterations=5)  # compiled before the clock runs
    interrupt_after(0.4)
    cut = solve("leduc", "dcfr", iterations=10**7)
    assert cut.interrupted
    assert not cut.converged
    whole = solve("leduc", "dcfr", iterations=cut.iterations)
    assert np.array_equal(cut.policy.probabilities, whole.policy.probabilities)
    assert all(np.array_equal(cut.state[name], whole.state[name]) for name in whole.state)


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with HeldInterrupts() as interrupts, TerminationAsInterrupt():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.05)
        assert interrupts.asked
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_snapshots_can_be_resumed():
    kept = []

    def watch(progress):
        if progress.iteration >= 20 and not kept:
            kept.append(progress.snapshot())

    whole = solve("kuhn", "cfr+", iterations=60, progress=watch)
    assert 20 <= kept[0].iterations < 60
    resumed = solve("kuhn", "cfr+", iterations=60, resume=kept[0])
    assert np.array_equal(resumed.policy.probabilities, whole.policy.probabilities)
