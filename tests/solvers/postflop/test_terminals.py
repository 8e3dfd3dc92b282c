"""What terminals pay, against explicit matrices of all pairs of hands in double precision."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from equilibrist.forms.boards.street_betting import FOLD, SHOWDOWN
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

SOME = ("66+,A8s+,KQo,QTs+,JTs,96s+,54s", "QQ-22,AQs-A2s,K5s+,T7s+,64s+")
BETS = {"bet": "50%, 100%, a", "raise": "60%, a"}
EXACT = 1e-6  # of all reach, times the stake: sums in single precision, ties added up by themselves


def river(ranges: tuple[str, str], rake: float = 0.0) -> Spot:
    more = f"[rake]\nrate = {rake}\ncap = 30\n" if rake else ""
    return Spot.from_text(
        f'board = "Td9d6hQc2s"\npot = 200\nstack = 900\n[range]\noop = "{ranges[0]}"\nip = "{ranges[1]}"\n'
        f'[bets]\nbet = "{BETS["bet"]}"\nraise = "{BETS["raise"]}"\n{more}'
    )


def pairs(run: BoardCFR, me: int) -> tuple[np.ndarray, np.ndarray]:
    """[my place, their place]: 1, 0, -1 as I win, tie or lose; and whether both hands can be held."""
    street = run.streets[0]
    cards, strength = [], []
    for p in (me, 1 - me):
        own, groups = street.boards.player[p], street.groups.reshape(-1, 2)
        count = int(own.count[0])
        cards.append(np.stack([own.card1[0, :count], own.card2[0, :count]], axis=1))
        strength.append(np.searchsorted(groups[:, p], np.arange(count), side="right"))
    met = ~(cards[0][:, None, :, None] == cards[1][None, :, None, :]).any(axis=(2, 3))
    return np.sign(strength[0][:, None] - strength[1][None, :]) * met, met


@pytest.mark.parametrize("rake", [0.0, 0.05], ids=["free", "raked"])
@pytest.mark.parametrize("ranges", [("random", "random"), SOME], ids=["all", "some"])
@pytest.mark.sampled(2)
def test_every_terminal_pays_what_all_pairs_of_hands_pay(ranges: tuple[str, str], rake: float) -> None:
    run = start_spot(river(ranges, rake))
    run.advance(30)
    betting = run.streets[0].betting
    for me in range(2):
        sign, met = pairs(run, me)
        reach = run.reach_at((), 1 - me)[:, : sign.shape[1]].astype(np.float64)
        value = run.value_at((), me)[:, : sign.shape[0]]
        ends = np.flatnonzero(betting.kind == SHOWDOWN).tolist() + np.flatnonzero(betting.kind == FOLD).tolist()
        assert len(ends) > 20
        for node in ends:
            win, lose, tie = betting.win[node], betting.lose[node], betting.tie[node]
            if betting.kind[node] == FOLD:
                paid = met * (lose if betting.folder[node] == me else win)
            else:
                paid = np.where(sign > 0, win, np.where(sign < 0, lose, tie)) * met
            allowed = EXACT * max(abs(win), abs(lose)) * max(reach[node].sum(), 1e-12)
            # what is less than rounding counts as nothing, which is 2e-6 of all reach at the most
            off = np.abs(value[node] - paid @ reach[node])
            assert off.max() <= 3 * allowed
            assert np.sqrt((off**2).mean()) <= allowed


SOLVE = """
import zlib
from equilibrist import Spot
from equilibrist.solvers.postflop.solve_spot import start_spot
bets = {"bet": "50%, a", "raise": "a"}
run = start_spot(Spot(board="Td9d6hQc", pot=200, stack=900, range={"oop": "QQ+,AKs,T9s", "ip": "JJ-99,AQs,KJs"}, bets=bets))
run.advance(50)
print(zlib.crc32(b"".join(array.tobytes() for array in run.state().values())))
"""


@pytest.mark.slow
def test_kernels_just_compiled_give_the_same_bits_as_those_from_the_cache(tmp_path: Path) -> None:
    bits = [
        subprocess.run(
            [sys.executable, "-c", SOLVE],
            env=os.environ | {"EQUILIBRIST_CACHE": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        ).stdout
        for _ in range(2)
    ]
    assert bits[0] == bits[1]
