"""What a network of values is made of: street, states, network, steps; as `plan.json` keeps it, and ready orders by name."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, get_args

import msgspec

from equilibrist.core.catalogue import Entry, Makers
from equilibrist.core.errors import EquilibristError, FormatError, ParameterError
from equilibrist.core.reading import parse_json, read_bytes
from equilibrist.core.writing import write_text
from equilibrist.learning.hand_values.belief_states import Street
from equilibrist.learning.hand_values.labels import Labelling
from equilibrist.learning.trainings.order import PLAN

KIND = "hand-values"
BETS = {"bet": "75%, a", "raise": "a"}  # on the street itself and later ones
DEPTHS = tuple(round(0.1 * 1.17**k, 3) for k in range(32))  # chips behind as shares of the pot, 0.1 to 13


@dataclass(frozen=True)
class ValueOrder:
    """Everything in `plan.json`."""

    street: Street
    states: int = 20_000  # in all
    shard: int = 1_000  # states of an iteration
    steps: int = 400  # of training after each
    finish: int = 0  # iterations on all states after the last new ones
    batch: int = 32
    width: int = 32
    wide: int = 128
    rounds: int = 1  # of looking at both ranges
    outcomes: int = 0  # 1: hands are told how their equity will be spread on the river
    rate: float = 2e-3
    until: float = 0.1  # % of the pot, of the solutions that are learned from
    played: float = 0.0  # share of the states that a street of betting leaves
    believed: float = 0.25  # share of the states to which blueprints play, if there are some
    blueprints: int = 0  # in the folder
    held_out: int = 500  # states that are never trained on
    seed: int = 0

    def __post_init__(self) -> None:
        if self.street not in get_args(Street):
            raise ParameterError(f"Values are learned for the turn and the river, but '{self.street}' was given.")
        if self.blueprints and self.played + self.believed > 1.0:
            raise ParameterError(
                f"played={self.played:g} and believed={self.believed:g} are shares of the states, but come to more than 1 together."
            )

    @property
    def shards(self) -> int:
        return -(-self.states // self.shard)

    @property
    def iterations(self) -> int:
        return self.shards + self.finish

    @property
    def shape(self) -> tuple[int, int, int, bool]:
        """Of the network."""
        return self.width, self.wide, self.rounds, bool(self.outcomes)

    def labelling(self, folder: Path = Path()) -> Labelling:
        """How states are drawn and solved; blueprints are in the folder."""
        files = tuple(blueprint_file(folder, number) for number in range(self.blueprints))
        return Labelling(self.street, BETS, DEPTHS, self.until, self.played, self.believed, files)

    def save(self, folder: Path) -> None:
        write_text(folder / PLAN, json.dumps({"version": 1, "kind": KIND} | asdict(self), indent=1))


def blueprint_file(folder: Path, number: int) -> Path:
    """Where a training keeps a blueprint whose play it draws states from."""
    return Path(folder) / f"blueprint-{number + 1}.eqb"


MOST_BLUEPRINTS = 1000


class _Order(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    kind: str
    street: str
    states: int
    shard: int
    steps: int
    batch: int
    width: int
    wide: int
    rate: float
    until: float
    held_out: int
    seed: int
    finish: int = 0
    rounds: int = 1
    played: float = 0.0
    outcomes: int = 0
    believed: float = 0.25
    blueprints: Annotated[int, msgspec.Meta(ge=0, le=MOST_BLUEPRINTS)] = 0


def is_value_order(folder: Path) -> bool:
    """Whether a folder's plan is one of values."""
    path = Path(folder) / PLAN
    return path.exists() and f'"{KIND}"'.encode() in read_bytes(path, "The plan")


def read_value_order(folder: Path) -> ValueOrder:
    """What a folder learns."""
    path = Path(folder) / PLAN
    try:
        read = parse_json(read_bytes(path, "The plan"), "it", "a plan was expected", _Order)
        given = {key: getattr(read, key) for key in _Order.__struct_fields__ if key not in ("version", "kind")}
        plain = {key: value for key, value in given.items() if key not in ("street", "blueprints")}
        order: ValueOrder = PRESETS.find(f"values-{read.street}").make(**plain)
        return replace(order, blueprints=read.blueprints)
    except (msgspec.MsgspecError, EquilibristError) as error:
        raise FormatError(f"'{path}' is damaged ({error}); start the training again in a new folder.") from None


def _preset(street: Street, **changed: float) -> Entry:
    usual = asdict(ValueOrder(street, **changed))  # type: ignore[arg-type]
    del usual["street"], usual["blueprints"]
    return Entry(
        f"values-{street}",
        f"what hands are worth at the start of the {street}, from exact solutions of random states",
        lambda **given: ValueOrder(street, **(usual | given)),
        usual,
        bounds={
            "states": (1, 100_000_000),
            "shard": (1, 1_000_000),
            "steps": (1, 1_000_000),
            "finish": (0, 100_000),
            "batch": (1, 65_536),
            "width": (4, 1024),
            "wide": (4, 4096),
            "rounds": (1, 8),
            "outcomes": (0, 1),
            "rate": (1e-7, 1.0),
            "until": (0.01, 100.0),
            "played": (0.0, 1.0),
            "believed": (0.0, 1.0),
            "held_out": (1, 1_000_000),
            "seed": (0, 2**62 - 1),
        },
    )


ENTRIES = (_preset("river"), _preset("turn", states=2_000, shard=100, steps=400, until=0.2, held_out=100))

PRESETS: Makers[Entry, ValueOrder] = Makers(
    kind="preset of values",
    package="equilibrist.learning.hand_values",
    table={"value_order": ("values-river", "values-turn")},
    hint="Presets are values-river and values-turn, with parameters as in 'values-river(states=50000)'.",
)
