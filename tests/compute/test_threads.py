"""Teams of threads."""

import threading

import pytest

from equilibrist.compute.threads import Team


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_jobs(threads):
    assert Team(threads).run([lambda k=k: k * k for k in range(23)]) == [k * k for k in range(23)]


def test_the_calling_thread_takes_its_share_of_many_jobs():
    """Both threads meet in pairs of jobs: one thread that did all the others alone would wait for ever."""
    meeting = threading.Barrier(2, timeout=20)
    seen = Team(2).run([lambda: (meeting.wait(), threading.get_ident())[1] for _ in range(8)])
    assert seen.count(threading.get_ident()) == 4


def test_the_first_error_is_raised_and_the_rest_left_undone():
    done = []

    def job(number):
        if number == 3:
            raise ValueError("the third")
        done.append(number)

    with pytest.raises(ValueError, match="the third"):
        Team(2).run([lambda k=k: job(k) for k in range(200)])
    assert len(done) < 199
