"""What a file of a solved spot holds: its header, the tables of every street, and what stands in for streets that were left out."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from equilibrist.cards.streets import POSTFLOP_STREETS
from equilibrist.core.artifact import Artifact
from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.forms.boards.street_betting import DEAL
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.postflop.solutions.lazy_boards import SolvedBoards
from equilibrist.solvers.postflop.solutions.resolve_on_read import deal_values
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

DealValues = dict[tuple[int, int], npt.NDArray[np.float32]]  # by street and player: [board, deal, place]

_DEAL_VALUE = "deal_value"


class Header(msgspec.Struct):
    """What a file says about its spot, besides the record of how it was solved."""

    spot: str
    ev: tuple[float, float]
    best_response_ev: tuple[float, float]
    equity: tuple[float, float]
    isomorphism: bool
    resumable: bool
    bits: Literal[16, 32] = 32
    missing: tuple[str, ...] = ()
    by_street: bool = True  # streets of the board at the start are told apart: so did files that do not say it


def averages(run: BoardCFR) -> dict[str, npt.NDArray[Any]]:
    """The tables that say what is played."""
    return {name: table for name, table in run.state().items() if name.startswith("average")}


def first_streets(boards: SolvedBoards, streets: int) -> dict[str, npt.NDArray[Any]]:
    """What is played on the first streets, and what hands are worth where a card comes."""
    tables = {name: table for name, table in averages(boards.run).items() if int(name.split(".")[1]) < streets}
    for (depth, player), values in deal_values(boards, streets).items():
        tables[f"{_DEAL_VALUE}.{depth}.{player}"] = values
    return tables


def left_out(spot: Spot, street: str) -> tuple[str, ...]:
    """The streets that a file saved without one of them lacks."""
    streets = POSTFLOP_STREETS[spot.street :]
    if street not in streets[1:]:
        expected = f"expected {' or '.join(streets[1:])}" if streets[1:] else "it has no later street"
        raise ParameterError(f"A {streets[0]} spot cannot be saved without '{street}'; {expected}.")
    return streets[streets.index(street) :]


def kept_streets(header: Header, spot: Spot) -> int:
    """How many streets a file has."""
    streets = POSTFLOP_STREETS[spot.street :]
    kept = len(streets) - len(header.missing)
    if kept < 1 or tuple(header.missing) != streets[kept:] or (header.missing and header.resumable):
        raise FormatError(f"it lacks {', '.join(header.missing)} of {', '.join(streets)}")
    return kept


def read_deal_values(artifact: Artifact, streets: int) -> DealValues:
    """What hands are worth where a card comes: by street and player [board, deal, place]."""
    found = {}
    for depth, player in ((depth, player) for depth in range(streets) for player in range(2)):
        table = artifact.arrays.get(f"{_DEAL_VALUE}.{depth}.{player}")
        if table is None or table.dtype != np.float32 or table.ndim != 3:
            raise FormatError(f"the table {_DEAL_VALUE}.{depth}.{player} is missing or of another type")
        found[depth, player] = table
    return found


def check_fit(run: BoardCFR, stored: DealValues, path: str) -> None:
    for (depth, player), table in stored.items():
        street = run.streets[depth]
        deals = int((street.forest.kind == DEAL).sum())
        if table.shape != (len(street.boards.cards), deals, street.hands[player].places):
            raise FormatError(f"'{path}' is damaged: its tables do not fit the spot; write it again.")
