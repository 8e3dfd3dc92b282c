"""Numbers that threads share inside kernels."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from equilibrist.compute.atomics import LINE, claim, fetch, publish, read, relax, take
from equilibrist.compute.kernel import kernel

TICKETS, TURN = 0, 1


@kernel
def draw_all(control, most, drawn):
    """Tickets until there are no more."""
    while True:
        ticket = take(control, TICKETS * LINE, 1)
        if ticket >= most:
            return
        drawn[ticket] += 1


@kernel
def play_in_turn(me, players, rounds, control, log):
    """Each writes when it is its turn, and says so."""
    for k in range(rounds):
        mine = k * players + me
        spins = 0
        while read(control, TURN * LINE) < mine:
            relax(spins)
            spins += 1
        log[mine] = log[mine - 1] + 1 if mine else 1
        publish(control, TURN * LINE, mine + 1)


def test_no_two_threads_draw_the_same_ticket():
    control, drawn = np.zeros(2 * LINE, dtype=np.int64), np.zeros(20_000, dtype=np.int64)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: draw_all(control, len(drawn), drawn), range(4)))
    assert (drawn == 1).all()
    assert control[TICKETS * LINE] == len(drawn) + 4


def test_what_was_written_before_is_seen():
    players, rounds = 3, 200
    control, log = np.zeros(2 * LINE, dtype=np.int64), np.zeros(players * rounds, dtype=np.int64)
    with ThreadPoolExecutor(players) as pool:
        list(pool.map(lambda me: play_in_turn(me, players, rounds, control, log), range(players)))
    assert log.tolist() == list(range(1, players * rounds + 1))


@kernel
def bring_near(numbers):
    """Nothing that anybody could see; an end of an array, and what lies just behind it, may be asked for."""
    for k in range(numbers.shape[0] + 1):
        fetch(numbers, k)
        claim(numbers, k)


def test_asking_ahead_changes_nothing():
    for dtype in (np.float32, np.int32):
        numbers = np.arange(40, dtype=dtype)
        bring_near(numbers)
        assert np.array_equal(numbers, np.arange(40))
