"""Settings of all tests."""

import contextlib
import ctypes
import importlib.util
import os
import signal
import sys
import threading

import pytest
from hypothesis import settings

# a runner in the background starts with Ctrl-C ignored, one under nohup with SIGHUP, and so would every process that tests start and stop
with contextlib.suppress(ValueError):
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)

# Machines are noisy, and the first example of a test may compile kernels. Examples are the same everywhere, so that a change is judged by
# what it changes; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("equilibrist", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "equilibrist"))


@pytest.fixture(scope="session", autouse=True)
def no_table_of_triples():
    """Tables that leave open how three hands are compared do it by odds, whatever the cache of this machine holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("equilibrist.solvers.tables.showdowns.three_hands.table_is_made", lambda: False)
        yield


LONGER = {  # more than about five seconds; `--quick` leaves them out
    "test_two_hundred_safe_searches",
    "test_two_hundred_safe_searches_of_spots",
    "test_values_and_responses_agree_with_the_whole_tree",
    "test_plain_recursion_finds_the_same",
    "test_a_flop_of_the_whole_deck_beside_a_run_on_boards",
    "test_random_hands_agree",
    "test_whole_games_on_their_boards",
    "test_the_engines_values_are_too",
    "test_random_games",
    "test_turn_values_of_ranges",
    "test_random_matrices_are_one_game_however_they_are_stored",
    "test_ten_iterations_against_whole_matrices",
    "test_any_rules",
    "test_files_keep_everything_and_runs_go_on",
    "test_a_server_that_is_killed_comes_back_with_its_job",
    "test_the_blueprint_is_as_exploitable_by_both_routes",
    "test_quick_setting_comes_to_the_status_that_the_page_tells",
    "test_what_was_solved_is_shown_verified_resumed_compared_searched_exploited_played_and_served",
}


def pytest_addoption(parser):
    parser.addoption(
        "--quick",
        type=int,
        metavar="N",
        help="the first N tests of every file, one case of each: every room is touched",
    )
    parser.addoption("--at-most", type=float, help="seconds; a test that takes longer is cut there and skipped")


def _no_device():
    """Why tests of a GPU cannot run here, or nothing."""
    if importlib.util.find_spec("cupy") is None:
        return "the extra 'gpu' (CuPy) is not installed"
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.solvers.postflop.gpu.cuda_device import cupy

    try:
        cupy()
    except NotApplicableError as error:
        return str(error)
    return ""


def _mark_slow_cases(items):
    """`sampled(n)`: n cases of a function, evenly spread, run always; the others are slow."""
    cases = {}
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("slow"):
            cases.setdefault((item.path, item.originalname), []).append(item)
    for found in cases.values():
        (wanted,) = found[0].get_closest_marker("sampled").args
        kept = {(2 * k + 1) * len(found) // (2 * wanted) for k in range(wanted)}
        for number, item in enumerate(found):
            if number not in kept:
                item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)  # before cases are chosen by markers
def pytest_collection_modifyitems(config, items):
    _mark_slow_cases(items)
    on_device = [item for item in items if item.get_closest_marker("gpu")]
    why = _no_device() if on_device else ""
    for item in on_device if why else ():
        item.add_marker(pytest.mark.skip(reason=why))
    quick = config.getoption("--quick")
    if quick is None:
        return
    kept, seen = [], {}
    for item in items:
        functions = seen.setdefault(item.path, set())
        name = getattr(item, "originalname", item.name)
        if name not in functions and name not in LONGER and len(functions) < quick:
            kept.append(item)
            functions.add(name)
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


def pytest_sessionstart(session):
    """Tables of hands that most tests of hold'em ask for take half a minute as plain Python, so they are not left to a test that is cut."""
    config = session.config
    if config.getoption("--at-most") and not config.getoption("numprocesses", None):  # not where workers do the work
        from equilibrist.cards.evaluator import FULL_DECK, lookup_tables

        for cards in (5, 6, 7):
            lookup_tables(FULL_DECK, cards)


class Cut(BaseException):
    """Ends what the threads of a test are doing."""


def _without_lock():
    """A thread that is cut inside coverage's lock would never give it back; without it a line may be lost."""
    from coverage import Coverage

    current = Coverage.current()
    if current is not None and current._collector is not None:
        current._collector.data_lock = None


def _stop_threads():
    """Threads that run code of the package, which would go on after their test; those that wait for work are left alone."""
    for thread, frame in sys._current_frames().items():
        if thread != threading.main_thread().ident:
            while frame is not None and not frame.f_globals.get("__name__", "").startswith("equilibrist."):
                frame = frame.f_back
            if frame is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Cut))


def _cut_short(item):
    """With kernels as plain Python most tests would take minutes: what they, or their fixtures, reach in a second is counted."""
    seconds = item.config.getoption("--at-most")
    if not seconds:
        return (yield)
    _without_lock()
    told = False

    def cut(number, frame):
        nonlocal told
        _stop_threads()
        while frame is not None:  # not inside an import, nor inside coverage: the alarm comes again
            if told or frame.f_globals.get("__name__", "").startswith(("importlib.", "coverage.")):
                return
            frame = frame.f_back
        told = True
        pytest.skip(f"takes longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, cut)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


pytest_runtest_setup = pytest.hookimpl(wrapper=True)(_cut_short)
pytest_runtest_call = pytest.hookimpl(wrapper=True)(_cut_short)
