"""Shards of solved states in a training's folder: the next is drawn and the last is written while one is solved."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from equilibrist.core.errors import FormatError
from equilibrist.learning.hand_values.belief_states import BeliefStates
from equilibrist.learning.hand_values.labels import LabelledStates, drawn_states, load_shard, made_shard, save_shard
from equilibrist.learning.hand_values.value_order import ValueOrder

HELD_OUT = 2**31  # number of the shard that is never trained on
CLOSER = 2.0  # times as close as those that are trained on, its states are solved
Told = Callable[[int, float], None]  # states of a shard that is being solved, and how far it is


class Shards:
    """Shard after shard, from its file or made; one whose states are held out is refused."""

    def __init__(self, folder: Path, order: ValueOrder, device: str, threads: int) -> None:
        self.folder, self.order, self.device, self.threads = folder, order, device, threads
        self._beside = ThreadPoolExecutor(1)
        self._drawn: dict[int, Future[BeliefStates]] = {}
        self._saved: Future[None] | None = None
        self._held_out = set[str]()

    def held_out(self, told: Told) -> LabelledStates:
        """Those that are never trained on; asked for before all others."""
        shard = self._shard(HELD_OUT, self.order.held_out, told, 0)
        self._held_out = set(shard.states.hashes())
        return shard

    def take(self, number: int, told: Told) -> LabelledStates:
        """A shard that is trained on."""
        shard = self._shard(number, self.order.shard, told, number + 1)
        if self._held_out & set(shard.states.hashes()):
            raise FormatError(
                f"States of '{self._path(number)}' are among those held out; delete it, and it is made again."
            )
        return shard

    @property
    def there(self) -> int:
        """Shards in the folder, from the first one on."""
        number = 0
        while self._path(number).exists():
            number += 1
        return number

    def make_beside(self, told: Told) -> int:
        """Every second shard, then the others from the last back, except what is there already; how many were made."""
        wanted, made = [*range(1, self.order.shards, 2), *range(0, self.order.shards, 2)[::-1]], 0
        for number, following in zip_longest(wanted, wanted[1:], fillvalue=-1):
            if not self._path(number).exists():
                self._shard(number, self.order.shard, told, following)
                made += 1
        return made

    def close(self) -> None:
        """Wait for what is being written."""
        self._beside.shutdown(cancel_futures=False)
        if self._saved is not None:
            self._saved.result()

    def _path(self, number: int) -> Path:
        return self.folder / ("held-out.eqb" if number == HELD_OUT else f"states-{number + 1:05}.eqb")

    def _shard(self, number: int, count: int, told: Told, following: int) -> LabelledStates:
        """`following`: the number of the one that will be asked for next."""
        path = self._path(number)
        if path.exists():
            shard = load_shard(path, self.order.street)
            if len(shard) != count:
                raise FormatError(
                    f"'{path}' has {len(shard):,} states instead of {count:,}; delete it, and it is made again."
                )
            return shard
        states = self._drawing(number, count).result()
        if 0 <= following < self.order.shards and not self._path(following).exists():
            self._drawing(following, self.order.shard)
        labelling = self.order.labelling
        if number == HELD_OUT:
            labelling = replace(labelling, until=labelling.until / CLOSER)
        shard = made_shard(
            labelling,
            states,
            threads=self.threads,
            device=self.device,
            tell=lambda share: told(count, share),
        )
        del self._drawn[number]
        if self._saved is not None:
            self._saved.result()
        self._saved = self._beside.submit(save_shard, path, shard)
        return shard

    def _drawing(self, number: int, count: int) -> Future[BeliefStates]:
        if number not in self._drawn:
            self._drawn[number] = self._beside.submit(
                drawn_states, self.order.labelling, number, count, self.order.seed
            )
        return self._drawn[number]
