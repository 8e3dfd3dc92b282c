"""Shards of solved states in a training's folder, made by one process or several: who makes a shard claims it by a file of its own.

The file is locked as long as the shard is drawn, solved and written, so a process that ends, however it ends, leaves its shards to others.
While a shard is solved the next is drawn and the last is written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from pathlib import Path

from equilibrist.core.errors import FormatError
from equilibrist.core.writing import drop_mark, mark_taken, take_mark
from equilibrist.learning.hand_values.belief_states import BeliefStates
from equilibrist.learning.hand_values.labels import LabelledStates, drawn_states, load_shard, made_shard, save_shard
from equilibrist.learning.hand_values.value_order import ValueOrder

HELD_OUT = 2**31  # number of the shard that is never trained on
CLOSER = 2.0  # times as close as those that are trained on, its states are solved
BETWEEN_LOOKS = 0.2  # seconds
Told = Callable[[int, float], None]  # states of a shard that is being solved, and how far it is; may end the work


class Shards:
    """Shard after shard, from its file or made; one whose states are held out is refused."""

    def __init__(self, folder: Path, order: ValueOrder, device: str, threads: int) -> None:
        self.folder, self.order, self.device, self.threads = folder, order, device, threads
        self._beside = ThreadPoolExecutor(1)
        self._drawn: dict[int, Future[BeliefStates]] = {}
        self._saved: Future[None] | None = None
        self.made = 0  # by `make_beside`
        self._claims: dict[int, int] = {}  # handles of locked files
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
            if number in self._claims.keys() - self._drawn.keys() and self._saved is not None:
                self._saved.result()  # our own, being written
            if self._path(number).exists():
                shard = self._load(number)
            elif self._claim(number):
                shard = self._make(number, told)
            elif not self._path(number).exists() and (other := self._next_claim()) is not None:
                self._make(other, told)
            else:
                told(self.order.shard, 0.0)
                time.sleep(BETWEEN_LOOKS)
        if self._held_out & set(shard.states.hashes()):
            raise FormatError(
                f"States of '{self._path(number)}' are among those held out; delete it, and it is made again."
            )
        return shard

    def make_beside(self, told: Told, plan: Callable[[], ValueOrder], seconds: float | None = None) -> None:
        """Shards that nobody is at work on, until the plan, as it is by then, has no more or so many seconds are over."""
        begin = time.monotonic()
        while seconds is None or time.monotonic() - begin < seconds:
            self.order = plan()
            self._drop([number for number in self._drawn if number >= self.order.shards])
            number = self._next_claim()
            if number is None:
                break
            self._make(number, told)
            self.made += 1

    def cut(self, least: int) -> ValueOrder:
        """From now on the shards from the first one on that are there, or that others are at work on, are all, or so many; the new plan."""
        if self._saved is not None:
            self._saved.result()
        self._drop(list(self._drawn))
        count = 0
        while self._path(count).exists() or mark_taken(self._mark(count)):
            count += 1
        if (count := max(count, least)) < self.order.shards:
            self.order = replace(self.order, states=count * self.order.shard)
        return self.order

    def close(self) -> None:
        """Wait for what is being written; what is not done others may do."""
        self._drop(list(self._drawn))
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
        states = self._awaited(number, told)
        if (following := self._next_claim(number)) is not None:
            self._drawing(following)
        labelling = self.order.labelling(self.folder)
        if number == HELD_OUT:
            labelling = replace(labelling, until=labelling.until / CLOSER)
        tell = partial(told, len(states))
        shard = made_shard(labelling, states, threads=self.threads, device=self.device, tell=tell)
        del self._drawn[number]
        if self._saved is not None:
            self._saved.result()
        self._saved = self._beside.submit(self._write, number, shard)
        return shard

    def _awaited(self, number: int, told: Told) -> BeliefStates:
        """Drawn states; whoever asks may be stopped while they are drawn."""
        drawing = self._drawing(number)
        while not wait([drawing], timeout=BETWEEN_LOOKS).done:
            told(self._size(number), 0.0)
        return drawing.result()

    def _drawing(self, number: int) -> Future[BeliefStates]:
        if number not in self._drawn:
            order = self.order
            self._drawn[number] = self._beside.submit(
                drawn_states, order.labelling(self.folder), number, self._size(number), order.seed
            )
        return self._drawn[number]

    def _write(self, number: int, shard: LabelledStates) -> None:
        save_shard(self._path(number), shard)
        self._release(number)

    def _next_claim(self, besides: int | None = None) -> int | None:
        """The first shard that is not there and that nobody makes, now claimed; one that is being drawn already comes first."""
        self._drop([number for number in self._drawn if number != besides and self._path(number).exists()])
        if ready := self._drawn.keys() - {besides}:
            return min(ready)
        missing = (number for number in range(self.order.shards) if not self._path(number).exists())
        return next((number for number in missing if number not in self._claims and self._claim(number)), None)

    def _mark(self, number: int) -> Path:
        return self._path(number).with_suffix(".claim")

    def _claim(self, number: int) -> bool:
        """Whether it is ours to make."""
        if number in self._claims:
            return True
        if (handle := take_mark(self._mark(number))) is None:
            return False
        self._claims[number] = handle
        if self._path(number).exists():  # somebody has made it meanwhile
            self._release(number)
        return number in self._claims

    def _drop(self, drawn: Iterable[int]) -> None:
        """Somebody else may make what is only drawn."""
        for number in drawn:
            self._drawn.pop(number).cancel()
            self._release(number)

    def _release(self, number: int) -> None:
        if (handle := self._claims.pop(number, None)) is not None:
            drop_mark(self._mark(number), handle)
