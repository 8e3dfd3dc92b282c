"""A long match takes no more memory than a short one."""

import gc
import sys
from pathlib import Path

import pytest

from equilibrist.agents.matches.ledger import Ledger
from equilibrist.agents.matches.match import MatchSettings, play_match, result_facts

HANDS = 100_000
ROOM = 8.0  # MB: results take 32 bytes a hand, 3.2 MB, and the rest is the system's way with memory


def resident_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_a_match_of_100_000_hands_is_flat_in_memory(tmp_path):
    """From a tenth of the hands on; resumed from the ledger it takes no more, and gives the same."""
    settings, found = MatchSettings(("rule-based", "always-call"), "leduc", HANDS, block=500, aivat="off"), {}

    def watch(played, of):
        if played % (HANDS // 10) == 0:
            gc.collect()
            found[played] = resident_mb()

    with Ledger(tmp_path / "l.db") as ledger:
        result = play_match(settings, ledger=ledger, progress=watch)
        again = play_match(settings, ledger=ledger)
    after = resident_mb()
    sys.stdout.write(
        " ".join(f"{played:,}: {mb:.1f} MB" for played, mb in found.items()) + f"; read again: {after:.1f} MB\n"
    )
    assert result_facts(again) == result_facts(result)
    assert max(found.values()) - found[HANDS // 10] < ROOM
    assert after - found[HANDS // 10] < 3 * ROOM
