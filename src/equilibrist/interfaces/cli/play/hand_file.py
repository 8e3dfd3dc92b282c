"""The hands of an evening in a file, which is written while they are played."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from equilibrist.compute.saving import Autosave
from equilibrist.core.writing import write_text
from equilibrist.games.poker.game import PokerState
from equilibrist.interfaces.cli.files import check_writable, save_result
from equilibrist.interfaces.cli.guard import complain
from equilibrist.interfaces.protocols.hands import hand_from_record
from equilibrist.interfaces.protocols.phh import phh_capable, write_phhs

if TYPE_CHECKING:
    from equilibrist.evaluation.play.referee import HandRecord
    from equilibrist.games.rules import Game
    from equilibrist.interfaces.protocols.hands import PlayedHand

REST = 20.0  # times what a save took, before the next; to whoever plays by hand that is less than a hand


class HandFile:
    """Hands as PHH, written after every hand, unless programs play them faster than they can be written."""

    def __init__(self, path: Path, game: Game) -> None:
        check_writable(path, "--out")
        self.path, self.game = path, phh_capable(game)
        self.hands: list[PlayedHand] = []
        self._autosave = Autosave(0.0, complain)

    def add(self, record: HandRecord, names: list[str]) -> None:
        assert isinstance(record.state, PokerState)
        self.hands.append(hand_from_record(self.game, record.state.hole, record.line, names))
        if self._autosave.due:
            begun = time.monotonic()
            self._autosave.save(lambda: self._write(self.path))
            self._autosave.seconds = REST * (time.monotonic() - begun)

    def close(self) -> Path | None:
        """Write what is not written yet; where the hands lie, if there are any."""
        return save_result(self.path, self._write) if self.hands else None

    def _write(self, place: Path) -> None:
        write_text(place, write_phhs(self.hands))
