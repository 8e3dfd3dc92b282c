"""The table of all triples of classes, made on a GPU where there is one: seconds in place of minutes, with the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.cards.allins.triples import (
    CODES,
    OUTCOMES,
    SAMPLES,
    OnProcessors,
    Report,
    Sampler,
    TripleTable,
    class_hands,
    hand_keys,
    no_report,
    triple_table,
)
from equilibrist.cards.evaluator import lookup_tables
from equilibrist.cards.range_text import STANDARD
from equilibrist.core.arrays import Longs
from equilibrist.solvers.postflop.gpu.cuda_device import compile_all, cupy, load_module, on_device
from equilibrist.solvers.postflop.gpu.devices import wants_gpu

SOURCE, KERNEL = "showdowns_of_three.cu", "showdowns_of_three"
THREADS, BLOCKS = 128, 512  # of a launch: some tenths of a second, so that progress is told and Ctrl-C is heard


def made_triples(samples: int = SAMPLES, *, report: Report = no_report) -> TripleTable:
    """From the user's cache, or made now and kept there."""

    def sampler() -> Sampler:
        return DeviceShowdowns() if wants_gpu("auto", None, streets=2) else OnProcessors()

    return triple_table(samples, sampler=sampler, report=report)


class DeviceShowdowns:
    """A sampler: a thread of the device for each triple."""

    at_once = THREADS * BLOCKS

    def __init__(self) -> None:
        self.xp = cupy()
        keys, places, offset, number, plain, flush = lookup_tables(STANDARD, 7)
        hands = class_hands()
        self.tables = [
            *self._sent(np.int32, hands.held, hands.sizes),
            *self._sent(np.uint64, hands.masks, *hand_keys(), keys, places),
            *self._sent(np.uint32, offset),
            *self._sent(np.uint16, number, plain, flush),
            *self._sent(np.int32, CODES),
        ]
        self.kernel = load_module(compile_all([(SOURCE, {})])[0]).get_function(KERNEL)

    def _sent(self, kind: Any, *arrays: npt.NDArray[Any]) -> list[Any]:
        return [self.xp.asarray(np.ascontiguousarray(each, kind)) for each in arrays]

    @on_device
    def __call__(
        self, triples: Longs, seeds: npt.NDArray[np.uint64], samples: int, counts: npt.NDArray[np.uint16]
    ) -> None:
        many = len(triples)
        found = self.xp.zeros((many, len(OUTCOMES)), np.uint16)
        (where,), (begun,) = self._sent(np.int32, triples), self._sent(np.uint64, seeds)
        given = (where, begun, np.int32(many), np.int32(samples), *self.tables, found)
        self.kernel((-(-many // THREADS),), (THREADS,), given)
        counts[...] = self.xp.asnumpy(found)
