"""Exact values of random states, in shards on disk: what a network of values learns from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.cards.range_text import STANDARD
from equilibrist.core.arrays import Array, Floats, Floats32
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.games.spots.spot import Spot
from equilibrist.learning.hand_values.belief_states import (
    BOARD_CARDS,
    BeliefStates,
    Street,
    joined_states,
    random_states,
)
from equilibrist.learning.hand_values.blueprint_states import blueprint_states
from equilibrist.learning.hand_values.played_states import played_states
from equilibrist.solvers.postflop.batches.solve_batch import BatchProgress, solve_batch

KIND = "hand-values-states"
POT = 100.0
PIECE = 64  # states that a CPU solves between two looks at interrupts


@dataclass(frozen=True)
class Labelling:
    """How states are drawn and solved."""

    street: Street
    bets: Mapping[str, Any]  # sizes of both players, as in a spot
    depths: tuple[float, ...]  # stacks as shares of the pot
    until: float = 0.1  # % of the pot
    played: float = 0.0  # share of the states that a street of betting leaves
    believed: float = 0.0  # share of the states to which blueprints play
    blueprints: tuple[Path, ...] = ()

    def spot(self) -> Spot:
        """The betting; board, ranges and stacks come with the states."""
        cards = "".join(map(STANDARD.label, range(0, 4 * BOARD_CARDS[self.street], 4)))
        everything = {"oop": "random", "ip": "random"}
        return Spot(board=cards, pot=POT, stack=POT, range=everything, bets=dict(self.bets))


@dataclass(frozen=True, eq=False)
class LabelledStates:
    """N states and what their hands are worth to both players."""

    states: BeliefStates
    values: Floats32  # [N, 2, 1326] shares of the pot, net of half of it, given the hand; 0 where it cannot be held or meets nothing
    error: Floats  # [N] exploitability of the solution, as a share of the pot

    def __len__(self) -> int:
        return len(self.states)


def label(
    labelling: Labelling,
    states: BeliefStates,
    *,
    threads: int = 1,
    device: str = "cpu",
    progress: BatchProgress | None = None,
) -> LabelledStates:
    """Solve all of them."""
    found = solve_batch(
        labelling.spot(), boards=states.boards, ranges=states.ranges, stacks=states.depth * POT, until=f"{labelling.until}%",
        threads=threads, device=device, strategies=False, progress=progress,
    )  # fmt: skip
    values = (
        np.nan_to_num(np.stack(found.by_hand, axis=1) / POT).astype(np.float16).astype(np.float32)
    )  # of dead hands 0
    return LabelledStates(states, values, found.exploitability / POT)


def drawn_states(labelling: Labelling, number: int, count: int, seed: int) -> BeliefStates:
    """The same states for the same seed and number, wherever they are drawn."""
    random, street = np.random.default_rng([seed, number]), labelling.street
    played = round(count * labelling.played)
    believed = min(round(count * labelling.believed), count - played) if labelling.blueprints else 0
    plain = count - played - believed
    parts = [random_states(street, plain, random, labelling.depths)] if plain else []
    if played:
        parts.append(played_states(street, played, random, labelling.depths, labelling.bets))
    if believed:
        parts.append(blueprint_states(street, believed, random, labelling.depths, labelling.blueprints))
    return joined_states(parts)[random.permutation(count)]


def made_shard(
    labelling: Labelling,
    states: BeliefStates,
    *,
    threads: int = 1,
    device: str = "cpu",
    tell: Callable[[float], None] = lambda share: None,
) -> LabelledStates:
    """Solve them piece by piece; `tell` hears how far it is, and may end it."""
    count, parts = len(states), list[LabelledStates]()
    piece = PIECE if device == "cpu" else count  # a device makes groups of its own
    for begin in range(0, count, piece):
        tell(begin / count)

        def told(done: int, of: int, begin: int = begin) -> None:
            if device != "cpu":
                tell((begin + done) / count)

        how: dict[str, Any] = {"threads": threads, "device": device, "progress": told}
        parts.append(label(labelling, states[begin : begin + piece], **how))
    return LabelledStates(states, np.concatenate([p.values for p in parts]), np.concatenate([p.error for p in parts]))


def save_shard(path: Path, shard: LabelledStates) -> None:
    """Weights and values in 16 bits."""
    own = shard.states
    arrays: dict[str, Array] = {
        "boards": own.boards.astype(np.uint8),
        "ranges": own.ranges.astype(np.float16),
        "depth": own.depth,
        "kind": own.kind.astype(np.int8),
        "values": shard.values.astype(np.float16),
        "error": shard.error,
    }
    save_artifact(path, Artifact(KIND, {"states": len(shard)}, arrays))


def load_shard(path: Path, street: Street) -> LabelledStates:
    """Refuses what is none, or of another street."""
    found = load_artifact(path, KIND).arrays
    try:
        boards, ranges, values = found["boards"].astype(np.int64), found["ranges"], found["values"]
        shape = (len(boards), 2, len(possible := ranges[0, 0]))
        fits = (
            boards.shape[1] == BOARD_CARDS[street] and ranges.shape == values.shape == shape and len(possible) == 1326
        )
        states = BeliefStates(boards, ranges.astype(np.float32), found["depth"], found["kind"].astype(np.int64))
        if not fits or not (np.isfinite(ranges).all() and np.isfinite(values).all()):
            raise ValueError("its arrays do not fit")
        return LabelledStates(states, values.astype(np.float32), found["error"])
    except (KeyError, ValueError, IndexError) as error:
        raise FormatError(
            f"'{path}' holds no values of the {street} ({error}); delete it, and it is made again."
        ) from None
