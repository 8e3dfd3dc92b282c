"""Spots and ranges: reading, writing, sizes; nothing is kept."""

from __future__ import annotations

import numpy as np
from fastapi import APIRouter

from equilibrist.cards.ranges import Range, parse_range
from equilibrist.core.errors import ParameterError
from equilibrist.core.reading import parse_toml
from equilibrist.forms.boards.compiled_spot import compile_spot
from equilibrist.games.spots.spot import Spot
from equilibrist.interfaces.web.data.presets import PRESETS
from equilibrist.interfaces.web.data.spot_forms import opening_bets, silent_streets, spot_of, spot_of_table, stated
from equilibrist.interfaces.web.models.spots import (
    Both,
    PresetItem,
    RangeFacts,
    RangeRequest,
    SpotCheck,
    SpotModel,
    SpotText,
)
from equilibrist.interfaces.web.services import Here, Services
from equilibrist.interfaces.web.settings import LARGEST_STREET
from equilibrist.solvers.postflop.locks.frequency_locks import check_locks
from equilibrist.solvers.postflop.spot_size import spot_size

router = APIRouter(tags=["spots"])


@router.post("/spots/check")
def check_spot(spot: SpotModel, here: Here) -> SpotCheck:
    """Whether a spot can be solved, and how large it is."""
    return _checked(spot_of(spot), here)


@router.post("/spots/read")
def read_spot(text: SpotText, here: Here) -> SpotCheck:
    """The same for a spot file in TOML; ranges from files (`@name`) are refused."""
    return _checked(spot_of_table(parse_toml(text.toml, "The spot", "expected lines such as pot = 200")), here)


@router.post("/ranges")
def read_range(given: RangeRequest) -> RangeFacts:
    """A range from text or from 1,326 weights (pair order, C(high, 2) + low), written in both ways."""
    if (given.text is None) == (given.weights is None):
        raise ParameterError("A range is given as 'text' or as 'weights', one of the two.")
    found = parse_range(given.text) if given.text is not None else Range(np.array(given.weights))
    return RangeFacts(text=str(found), combos=found.total, weights=np.round(found.weights, 6).tolist())


@router.get("/ranges/presets")
def range_presets() -> list[PresetItem]:
    """Ranges to start from."""
    return PRESETS


def _checked(spot: Spot, here: Services) -> SpotCheck:
    compiled = compile_spot(spot, largest=LARGEST_STREET)
    size, memory = spot_size(compiled), here.queue.memory
    check_locks(compiled)
    return SpotCheck(
        toml=spot.to_toml(),
        spot=stated(spot),
        decisions=size.decisions,
        hands=Both(oop=size.hands[0], ip=size.hands[1]),
        table_bytes=size.table_bytes,
        memory_bytes=memory,
        fits=size.table_bytes <= memory,
        sentence=size.sentence,
        opening_bets=opening_bets(spot),
        silent_streets=silent_streets(spot),
    )
