"""SeatEvaluation: how good the strategies of three or more seats are, by what each seat could gain."""

from __future__ import annotations

from dataclasses import dataclass

from equilibrist.core.solution import Evaluation


@dataclass(frozen=True)
class SeatEvaluation(Evaluation):
    """Values and best responses of all seats; exploitable by as much as the seat that gains most."""

    @property
    def gains(self) -> tuple[float, ...]:
        """What each seat gains by a best response to the others."""
        assert self.best_response_value is not None, "best responses are exact"
        return tuple(max(0.0, b - v) for b, v in zip(self.best_response_value, self.value, strict=True))

    @property
    def exploitability(self) -> float:
        """The largest gain of a seat, which goals are compared with."""
        return max(self.gains)

    @property
    def told(self) -> str:
        """For whoever watches: the gain of every seat."""
        return "gains " + " ".join(f"{gain:.2g}" for gain in self.gains)
