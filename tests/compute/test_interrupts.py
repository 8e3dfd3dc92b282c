"""Ctrl-C through the Python API leaves tables and iteration count in step."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from equilibrist import solve
from equilibrist.compute.interrupts import HeldInterrupts, StopSignals


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
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    with StopSignals() as signals, HeldInterrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.05)
        assert interrupts.asked
        assert signals.exit_code() == 143
    assert [signal.getsignal(number) for number in numbers] == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_stop_signal_interrupts(number):
    with StopSignals() as signals:
        with pytest.raises(KeyboardInterrupt):
            stop_by(number)
        assert (signals.arrived, signals.exit_code()) == (number, 128 + number)


def stop_by(number):
    os.kill(os.getpid(), number)
    time.sleep(1.0)


def test_what_nohup_had_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with StopSignals() as signals:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.05)
            assert signals.arrived is None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_polite_kill_reaches_work_in_the_background_of_a_shell():
    """There Ctrl-C is ignored from the start."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with StopSignals(), pytest.raises(KeyboardInterrupt):
            stop_by(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)


def test_snapshots_can_be_resumed():
    kept = []

    def watch(progress):
        if progress.iteration >= 20 and not kept:
            kept.append(progress.snapshot())

    whole = solve("kuhn", "cfr+", iterations=60, progress=watch)
    assert 20 <= kept[0].iterations < 60
    resumed = solve("kuhn", "cfr+", iterations=60, resume=kept[0])
    assert np.array_equal(resumed.policy.probabilities, whole.policy.probabilities)
