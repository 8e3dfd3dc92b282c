"""SearchRequest: one search as people ask for it, on whatever was solved: where, for whom, how, and how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.numbers import finite_number, whole_number
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.spot_task import DEPTHS
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.gpu.devices import check_device, refuse_gpu

NEXT_TO_NOTHING = 1e-3  # chips or points: how far a game is searched if no goal is given


@dataclass(frozen=True)
class SearchRequest:
    """Where to search, for whom, how, and how long."""

    line: str = ""
    searcher: str | None = None  # oop or ip; of a game 1 or 2; the player who acts, if absent
    technique: str | None = None
    bet: str | None = None  # what the opponent has done at the line instead of anything solved
    bets: str | None = None  # sizes from here on
    raises: str | None = None
    until: str | None = None
    iterations: int | None = None
    seconds: float | None = None
    threads: int = 1
    depth: str = "end"
    continuations: Continuations | None = None
    leaves: str | None = (
        None  # of a game as a table: values at the depth limit by solving what lies below, cfr-d or cfr-avg
    )
    nested: bool = False  # the line may contain bets that the solution does not know
    device: str = "cpu"  # spots searched to the end also run on a GPU: one of `DEVICES`

    def __post_init__(self) -> None:
        if self.iterations is not None:
            whole_number("iterations", self.iterations, least=1)
        if self.seconds is not None:
            finite_number("seconds", self.seconds)
        whole_number("threads", self.threads, least=1)
        check_device(self.device)

    @property
    def open_ended(self) -> bool:
        return self.until is None and self.iterations is None and self.seconds is None

    def menus(self) -> dict[str, str] | None:
        """Sizes of a spot from here on; none: those of the solution."""
        if self.bets is None and self.raises is None:
            return None
        return {"bet": self.bets or "", "raise": self.raises or ""}

    def spot_goals(self) -> dict[str, Any]:
        """How `search_spot` and `search_from` are told when to stop and how deep to look."""
        usual = "0.1%" if self.depth == "end" else "1%"
        return {
            "until": usual if self.open_ended else self.until,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "threads": self.threads,
            "device": self.device,
            "depth": self.depth,
            "continuations": self.continuations,
        }

    def seat(self) -> int | None:
        """The searcher in a game, counted from 0."""
        if self.searcher is None:
            return None
        if self.searcher not in ("1", "2"):
            raise ParameterError(f"The searcher in a game is player 1 or 2, but '{self.searcher}' was given.")
        return int(self.searcher) - 1

    def game_stop(self) -> Stop:
        """Games have no pot to take a share of."""
        if self.until is not None:
            try:
                return Stop(float(self.until), self.iterations, self.seconds)
            except ValueError:
                raise ParameterError(
                    f"A search of a game stops at a number of chips or points, but '{self.until}' was given; shares of the pot are "
                    "for spots."
                ) from None
        return Stop(NEXT_TO_NOTHING if self.open_ended else None, self.iterations, self.seconds)

    def below(self) -> Continuations | None:
        """What happens below the searched street of a game; None where the search goes to the end."""
        if self.depth not in DEPTHS:
            raise ParameterError(f"A search goes to the {' or the '.join(DEPTHS)}, but depth={self.depth!r} was given.")
        if self.depth == "end":
            if self.continuations is not None:
                raise ParameterError("Continuations are for depth-limited search; give --depth street with them.")
            return None
        if self.continuations is not None and self.continuations.values is not None:
            raise NotApplicableError("Values of a network are for flops and turns of spots; leave them out for games.")
        return self.continuations or Continuations()

    def refuse_leaves(self) -> None:
        """What only games solved as tables have."""
        if self.leaves is not None:
            raise NotApplicableError("--leaves is for games solved as tables; leave it out here.")

    def refuse_threads(self) -> None:
        """Tables are searched in one thread."""
        if self.threads != 1:
            raise NotApplicableError(
                f"Games solved as tables are searched in one thread, but --threads {self.threads} was given; leave it out."
            )

    def refuse_gpu(self) -> None:
        """Where only the CPU searches."""
        refuse_gpu(
            self.device, "Spots searched to the end run on a GPU, but this is searched on the CPU; leave 'device' out."
        )

    def iterations_alone(self, what: str) -> int | None:
        """For searches that stop after some iterations and by nothing else."""
        if self.until is not None or self.seconds is not None:
            raise NotApplicableError(f"{what} is searched for a number of iterations; give --iterations.")
        return self.iterations

    def check_nested(self) -> None:
        """A line that is played out has all bets in it."""
        if self.bet is not None or self.depth != "end" or self.leaves is not None:
            raise NotApplicableError(
                "--nested takes all bets from --line and searches to the end; leave out --bet and --depth."
            )

    def nested_seat(self) -> int:
        """The player for whom a line of a game is played out."""
        self.check_nested()
        seat = self.seat()
        if seat is None:
            raise ParameterError("--nested plays a line out for one player; name it with --searcher 1 or 2.")
        return seat

    def refuse_menus(self) -> None:
        """Games keep their own sizes."""
        if self.menus() is not None:
            raise NotApplicableError(
                "--bets and --raises are for spots; a game keeps its own sizes, and one more is added with --bet."
            )
