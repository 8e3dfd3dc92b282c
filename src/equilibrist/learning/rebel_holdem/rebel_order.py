"""What ReBeL learns on hold'em: stacks, how much is played and searched in an iteration, networks; as `plan.json` keeps it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import msgspec

from equilibrist.core.catalogue import Entry, Makers
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError
from equilibrist.core.reading import parse_json, read_bytes
from equilibrist.core.writing import write_text
from equilibrist.learning.trainings.order import PLAN

KIND = "rebel-holdem"
PRESET = "rebel-holdem-20bb"
BEGINNINGS = ("net", "nothing")


@dataclass(frozen=True)
class RebelOrder:
    """Everything in `plan.json`."""

    iterations: int = 40
    flops: int = 4  # of an iteration
    lines: int = 2  # that are played to each flop
    states: int = 2  # turns of each line
    preflop: int = 100  # iterations of the search before the flop
    inside: int = 20  # iterations of the search of a flop
    cards: int = 4  # turn cards that are asked about in a pass; 0: all
    exploration: float = 0.25  # chance that a line is drawn evenly
    random: float = 0.25  # share of the turns whose beliefs are drawn as for `values-turn`
    until: float = 0.4  # % of the pot, of solved turns
    begin: str = "net"  # values of turns begin as those of the package, or with `nothing` learned
    width: int = 32
    wide: int = 128
    rate: float = 3e-3  # of values of flops
    turn_rate: float = 3e-4
    batch: int = 32
    passes: float = 8.0  # over the examples of flops in an iteration, at most `steps` steps
    turn_passes: float = 3.0
    steps: int = 200
    memory: int = 20_000  # newest examples learned from
    seed: int = 0

    def __post_init__(self) -> None:
        if self.begin not in BEGINNINGS:
            raise ParameterError(f"Values of turns begin with {' or '.join(BEGINNINGS)}, but '{self.begin}' was given.")

    def save(self, folder: Path) -> None:
        write_text(folder / PLAN, json.dumps({"version": 1, "kind": KIND} | asdict(self), indent=1))


USUAL = {each.name: each.default for each in fields(RebelOrder)}
BOUNDS = {
    "iterations": (1, 1_000_000),
    "flops": (1, 10_000),
    "lines": (1, 100),
    "states": (1, 100),
    "preflop": (1, 100_000),
    "inside": (1, 10_000),
    "cards": (0, 49),
    "exploration": (0.0, 1.0),
    "random": (0.0, 0.9),
    "until": (0.01, 100.0),
    "width": (4, 1024),
    "wide": (4, 4096),
    "rate": (1e-7, 1.0),
    "turn_rate": (1e-7, 1.0),
    "batch": (1, 65_536),
    "passes": (0.0, 1000.0),
    "turn_passes": (0.0, 1000.0),
    "steps": (1, 1_000_000),
    "memory": (1, 10_000_000),
    "seed": (0, 2**62 - 1),
}
ENTRIES = (
    Entry(
        PRESET,
        "ReBeL for hold'em of two players with 20 big blinds and two bet sizes",
        RebelOrder,
        USUAL,
        bounds=BOUNDS,
    ),
)
PRESETS: Makers[Entry, RebelOrder] = Makers(
    kind="preset of ReBeL",
    package="equilibrist.learning.rebel_holdem",
    table={"rebel_order": (PRESET,)},
    hint=f"The preset is {PRESET}, with parameters as in '{PRESET}(iterations=100)'.",
)


def is_rebel_order(folder: Path) -> bool:
    """Whether a folder's plan is one of ReBeL on hold'em."""
    path = Path(folder) / PLAN
    return path.exists() and f'"{KIND}"'.encode() in read_bytes(path, "The plan")


def read_rebel_order(folder: Path) -> RebelOrder:
    """What a folder learns; refuses what is no folder of such a training."""
    path = Path(folder) / PLAN
    if not path.exists() or not is_rebel_order(folder):
        raise FormatError(
            f"'{folder}' is no folder of ReBeL on hold'em; start one with 'equilibrist learn start FOLDER --preset {PRESET}'."
        )
    try:
        read = parse_json(read_bytes(path, "The plan"), "it", "a plan was expected", dict[str, object])
        given = {key: value for key, value in read.items() if key not in ("version", "kind")}
        return PRESETS.build(PRESETS.find(PRESET), given)
    except (msgspec.MsgspecError, EquilibristError) as error:
        raise FormatError(f"'{path}' is damaged ({error}); start the training again in a new folder.") from None
