"""Shards of solved states in a training's folder, made by one process or several: who makes a shard claims it by a file of its own.

While a shard is solved the next is drawn and the last is written.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from equilibrist.core.errors import FormatError
from equilibrist.learning.hand_values.belief_states import BeliefStates
from equilibrist.learning.hand_values.labels import LabelledStates, drawn_states, load_shard, made_shard, save_shard
from equilibrist.learning.hand_values.value_order import ValueOrder

HELD_OUT = 2**31  # number of the shard that is never trained on
CLOSER = 2.0  # times as close as those that are trained on, its states are solved
FORGOTTEN = 120.0  # seconds after which nobody is at work on a claim that was not renewed
BETWEEN_LOOKS = 0.2  # seconds
Told = Callable[[int, float], None]  # states of a shard that is being solved, and how far it is; may end the work


class Shards:
    """Shard after shard, from its file or made; one whose states are held out is refused."""

    def __init__(self, folder: Path, order: ValueOrder, device: str, threads: int) -> None:
        self.folder, self.order, self.device, self.threads = folder, order, device, threads
        self._beside = ThreadPoolExecutor(1)
        self._drawn: dict[int, Future[BeliefStates]] = {}
        self._saved: Future[None] | None = None
        self._claims = set[int]()
        self._held_out = set[str]()

    def held_out(self, told: Told) -> LabelledStates:
        """Those that are never trained on; asked for before all others."""
        shard = self._load(HELD_OUT) if self._path(HELD_OUT).exists() else self._make(HELD_OUT, told)
        self._held_out = set(shard.states.hashes())
        return shard

    def take(self, number: int, told: Told) -> LabelledStates:
        """A shard that is trained on; while somebody else makes it, another one is made."""
        shard = None
        while shard is None:
            if number in self._claims - self._drawn.keys() and self._saved is not None:
                self._saved.result()  # our own, being written
            if self._path(number).exists():
                shard = self._load(number)
            elif self._claim(number):
                shard = self._make(number, told)
            elif (other := self._next_claim()) is not None:
                self._make(other, told)
            else:
                told(self.order.shard, 0.0)
                time.sleep(BETWEEN_LOOKS)
        if self._held_out & set(shard.states.hashes()):
            raise FormatError(
                f"States of '{self._path(number)}' are among those held out; delete it, and it is made again."
            )
        return shard

    def make_beside(self, told: Told, seconds: float | None = None) -> int:
        """Shards that nobody is at work on, none begun after so many seconds; how many were made."""
        made, begin = 0, time.monotonic()
        while seconds is None or time.monotonic() - begin < seconds:
            number = self._next_claim()
            if number is None:
                break
            self._make(number, told)
            made += 1
        return made

    @property
    def there(self) -> int:
        """Shards from the first one on that are in the folder, or that somebody is at work on."""
        number = 0
        while self._path(number).exists() or self._claimed(number):
            number += 1
        return number

    def close(self) -> None:
        """Wait for what is being written; what is not done others may do."""
        self._beside.shutdown()
        for number in list(self._claims):
            self._release(number)
        if self._saved is not None:
            self._saved.result()

    def _path(self, number: int) -> Path:
        return self.folder / ("held-out.eqb" if number == HELD_OUT else f"states-{number + 1:05}.eqb")

    def _load(self, number: int) -> LabelledStates:
        path, size = self._path(number), self._size(number)
        shard = load_shard(path, self.order.street)
        if len(shard) != size:
            raise FormatError(
                f"'{path}' has {len(shard):,} states instead of {size:,}; delete it, and it is made again."
            )
        return shard

    def _size(self, number: int) -> int:
        return self.order.held_out if number == HELD_OUT else self.order.shard

    def _make(self, number: int, told: Told) -> LabelledStates:
        """One that is claimed; the next one is claimed and drawn meanwhile."""
        states, begun = self._drawing(number).result(), time.monotonic()
        if not self._drawn.keys() - {number} and (following := self._next_claim(number)) is not None:
            self._drawing(following)
        labelling = self.order.labelling
        if number == HELD_OUT:
            labelling = replace(labelling, until=labelling.until / CLOSER)

        def tell(share: float) -> None:
            nonlocal begun
            if time.monotonic() - begun > FORGOTTEN / 10.0:
                begun = time.monotonic()
                self._renew()
            told(len(states), share)

        shard = made_shard(labelling, states, threads=self.threads, device=self.device, tell=tell)
        del self._drawn[number]
        if self._saved is not None:
            self._saved.result()
        self._saved = self._beside.submit(self._write, number, shard)
        return shard

    def _drawing(self, number: int) -> Future[BeliefStates]:
        if number not in self._drawn:
            order = self.order
            self._drawn[number] = self._beside.submit(
                drawn_states, order.labelling, number, self._size(number), order.seed
            )
        return self._drawn[number]

    def _write(self, number: int, shard: LabelledStates) -> None:
        save_shard(self._path(number), shard)
        self._release(number)

    def _next_claim(self, besides: int | None = None) -> int | None:
        """The first shard that is not there and that nobody makes, now claimed; one that is being drawn already comes first."""
        if ready := (self._drawn.keys() & self._claims) - {besides}:
            return min(ready)
        missing = (number for number in range(self.order.shards) if not self._path(number).exists())
        return next((number for number in missing if number not in self._claims and self._claim(number)), None)

    def _mark(self, number: int) -> Path:
        return self._path(number).with_suffix(".claim")

    def _claim(self, number: int) -> bool:
        """Whether it is ours now."""
        if number in self._claims:
            return True
        mark = self._mark(number)
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            if self._claimed(number):
                return False
            mark.touch()
        self._claims.add(number)
        return True

    def _claimed(self, number: int) -> bool:
        """Whether somebody is at work on it."""
        with contextlib.suppress(FileNotFoundError):
            return time.time() - self._mark(number).stat().st_mtime < FORGOTTEN
        return False

    def _renew(self) -> None:
        for number in list(self._claims):
            self._mark(number).touch()

    def _release(self, number: int) -> None:
        self._mark(number).unlink(missing_ok=True)
        self._claims.discard(number)
