"""Settings that all methods of outcome sampling have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from equilibrist.core.errors import ParameterError, suggest
from equilibrist.forms.compiled import Compiled

WORDS = {"average": ("exact", "net"), "advantages": ("net", "table"), "values": ("net", "exact")}


@dataclass(frozen=True)
class OutcomeSampling:
    """Settings that all have; each method has defaults of its own."""

    plays: int = 900  # per player and iteration
    exploration: float = 0.5  # share of even play of the player whose advantages are sampled
    steps: int = 30  # of Adam at the net of advantages, each iteration
    value_steps: int = 20
    batch: int = 2048
    width: int = 64
    depth: int = 3
    rate: float = 3e-3
    memory: int = 1_000_000  # steps of play that values are learned from
    restart_values: bool = False  # values are learned from new random weights each time
    gamma: float = 1.0  # iteration t counts t^gamma in the average
    average: str = "exact"  # or "net": a net fitted to strategies met in play
    reservoir: int = 1_000_000  # strategies kept for that net
    policy_steps: int = 2000
    advantages: str = "net"  # or "table"
    values: str = "net"  # or "exact"
    uniform: bool = False  # where no advantage is positive play evenly instead of the largest
    iterations: int = field(default=500, repr=False)

    def __post_init__(self) -> None:
        for name, words in WORDS.items():
            if (given := getattr(self, name)) not in words:
                raise ParameterError(
                    f"'{name}' must be {' or '.join(words)}, but '{given}' was given.{suggest(str(given), words)}"
                )

    def memory_bytes(self, game: Compiled) -> int:
        infosets = game.infosets
        sums = 8 * (2 * infosets.slots + len(infosets))
        strategies = self.reservoir * (8 + 4 * max(map(len, infosets.actions), default=1))
        return 4 * self.memory + sums + (strategies if self.average == "net" else 0)


def bounds() -> dict[str, tuple[float, float]]:
    """Bounds of the settings that all have."""
    return {
        "plays": (1, 10_000_000),
        "exploration": (1e-3, 1.0),
        "steps": (1, 1_000_000),
        "value_steps": (1, 1_000_000),
        "batch": (1, 1_000_000),
        "width": (1, 4096),
        "depth": (1, 32),
        "rate": (1e-8, 1.0),
        "memory": (1, 500_000_000),
        "gamma": (0.0, 10.0),
        "reservoir": (1, 100_000_000),
        "policy_steps": (1, 1_000_000),
    }


def defaults(settings: OutcomeSampling) -> dict[str, Any]:
    """Parameters of an entry of the catalogue and their defaults."""
    return {key: value for key, value in vars(settings).items() if key != "iterations"}
