"""What is believed about play below the edge of a hold'em search: a blueprint, its biased versions, on which boards ([Brown20, §5.2])."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from equilibrist.cards.board_sample import BoardSample
from equilibrist.cards.range_text import STANDARD
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.boards.compiled_spot import CompiledSpot
from equilibrist.forms.boards.street_betting import IP, StreetForest
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_values import LIMIT
from equilibrist.games.spots.street_menus import Menus, menus_table, read_menus
from equilibrist.search.depth_limited.multi_valued_states import POLICIES, THESIS_FACTOR
from equilibrist.solvers.postflop.depth_limited.continuation_values import Preference
from equilibrist.solvers.postflop.depth_limited.depth_limited_cfr import BLUEPRINT
from equilibrist.solvers.postflop.depth_limited.valued_street import StreetEnds
from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

GENERATED = "self-generated"
_GENERATED = re.compile(r"self-generated(?:\((\d{1,2})\))?")
USUAL_COUNT = 4
SOLVED, LEARNED, CHECK = BLUEPRINTS = ("solved", "learned", "check")
COARSE: Mapping[str, Any] = {"bet": "75%", "raise": "a"}
ALL = "all"
USUAL_SAMPLE = {0: (16, 4), 1: None}  # deals kept after a flop and after a turn; None: all


class StreetPolicy(Protocol):
    """A blueprint: anything that can say what hands do at the nodes of a betting tree on a board."""

    def strategy(self, board: tuple[int, ...], forest: StreetForest, node: int, hands: Longs) -> Floats:
        """[hand, action] probabilities at a node (`forest.line(node)`, `forest.labels(node)`); `hands` by number, C(high, 2) + low."""


class StreetValues(Protocol):
    """Who knows what hands are worth at the start of the next street, such as a network."""

    def bind(self, spot: CompiledSpot, threads: int, device: str = "cpu") -> StreetEnds:
        """The ends of one spot's street; refuses spots that it knows nothing of, and devices that it cannot use."""


@dataclass(frozen=True)
class Continuations:
    """Settings of the play below the edge of a depth-limited search."""

    policies: tuple[str, ...] = POLICIES  # what a player may choose from
    factor: float = THESIS_FACTOR  # by which a biased policy prefers its action
    balanced: bool = True  # both players choose, as in Pluribus; otherwise the opponent of the searcher alone
    # "solved": found on the sampled boards first; "learned": learned with the searched street, so there are no choices; "check": nobody
    # bets any more; or a policy
    blueprint: str | StreetPolicy = SOLVED
    iterations: int = 30  # of finding a blueprint
    bets: Mapping[str, Any] | None = None  # menus below the edge; a coarse one, if absent
    sample: tuple[int, ...] | str | None = None  # deals kept after each board of each street, or "all"
    seed: int = 0
    corrected: bool = True  # sampled values are corrected by exact showdown odds
    values: StreetValues | None = None  # asked what hands are worth at the edge; then nothing is followed below it

    def __post_init__(self) -> None:
        if not self.generated and (not self.policies or any(name not in POLICIES for name in self.policies)):
            raise ParameterError(
                f"Continuations are chosen from {', '.join(POLICIES)}, or are {GENERATED}, but "
                f"{', '.join(self.policies) or 'none'} was given."
            )
        if not 0.0 < self.factor < np.inf:
            raise ParameterError(f"Actions are made more likely by a positive factor, but {self.factor} was given.")
        if self.iterations < 1:
            raise ParameterError(f"A blueprint takes at least 1 iteration, but {self.iterations} were asked for.")
        if isinstance(self.blueprint, str) and self.blueprint not in BLUEPRINTS:
            raise ParameterError(
                f"The blueprint below the edge is {', '.join(BLUEPRINTS)} or a policy of yours, but '{self.blueprint}' was given."
            )

    @property
    def generated(self) -> int:
        """How many continuations find each other (`self-generated`, `self-generated(8)`); 0: they are named."""
        (word, *more) = self.policies or ("",)
        found = _GENERATED.fullmatch(word)
        if found is None or more:
            return 0
        return USUAL_COUNT if found[1] is None else int(found[1])

    @property
    def offers_choices(self) -> bool:
        """Whether there is a blueprint that can be biased."""
        return self.values is None and self.blueprint not in (LEARNED, CHECK)

    def preferences(self, searcher: int) -> tuple[list[Preference], list[Preference]]:
        """Both players' continuations as factors on fold, call and raise."""
        if not self.offers_choices:
            return [BLUEPRINT], [BLUEPRINT]
        if self.generated:
            raise NotApplicableError(
                f"Continuations are {GENERATED} in games solved as tables; on boards name them: {', '.join(POLICIES)}."
            )
        chosen = [_preference(name, self.factor) for name in self.policies]
        both = [chosen, chosen]
        if not self.balanced:
            both[searcher] = [BLUEPRINT]
        return both[0], both[1]

    def told(self) -> dict[str, Any]:
        """What answers say about play below the edge."""
        if self.values is not None:
            return {"continuations": ["values"], "factor": None, "balanced": self.balanced}
        if self.generated:
            return {"continuations": [f"{self.generated} self-generated"], "factor": None, "balanced": self.balanced}
        return {"continuations": list(self.policies), "factor": self.factor, "balanced": self.balanced}

    def check_own_blueprint(self) -> None:
        """Settings that only spots take."""
        if self.blueprint != SOLVED or self.sample is not None or self.bets is not None:
            raise NotApplicableError(
                "A solved game is its own blueprint on all of its boards; --blueprint, --sample and sizes on later streets are for spots."
            )

    def boards(self, spot: Spot) -> BoardSample | None:
        """Which boards are looked at; none said: all."""
        streets = 2 - spot.street
        kept = USUAL_SAMPLE[spot.street] if self.sample is None else self.sample
        if self.blueprint == CHECK or self.values is not None:
            kept = (1,) * streets  # showdown odds are exact and values asked for, so boards add nothing
        if kept is None or kept == ALL:
            return None
        if isinstance(kept, str) or len(kept) != streets:
            raise ParameterError(
                f"A sample of boards has {streets} number{'s' if streets > 1 else ''} here, one for each street to come, or is '{ALL}', "
                f"but {kept!r} was given."
            )
        return BoardSample(tuple(kept), self.seed)

    def below(self, spot: Spot) -> Spot:
        """The spot whose sizes hold after the first street."""
        if spot.betting.kind == LIMIT:
            if self.blueprint == CHECK or self.values is not None:
                raise NotApplicableError(
                    "Fixed limit fixes the betting of every street; use the blueprint 'solved' there."
                )
            return spot
        if self.blueprint == CHECK or self.values is not None:
            menus = (spot.menus[0], *((Menus(), Menus()),) * (len(spot.menus) - 1))
            return spot.changed(bets=menus_table(menus), thresholds={})
        coarse = read_menus(COARSE if self.bets is None else self.bets, spot.street)
        return spot.changed(bets=menus_table((spot.menus[0], *coarse[1:])))


def _preference(name: str, factor: float) -> Preference:
    fold, call, raises = (factor if name == towards else 1.0 for towards in POLICIES[1:])
    return fold, call, raises


def fill_tables(run: BoardCFR, forests: Sequence[StreetForest], policy: StreetPolicy, *, first: int = 1) -> None:
    """Write a policy into the tables of all streets below the edge, or from another street on."""
    for street, forest in zip(run.streets[first:], forests[first:], strict=True):
        acting = np.flatnonzero(forest.kind <= IP)
        for b, cards in enumerate(street.boards.cards):
            for node in acting.tolist():
                player = int(forest.kind[node])
                own = street.boards.player[player]
                hands = own.pair[b, : own.count[b]].astype(np.int64)
                rows = _checked(policy.strategy(cards, forest, node, hands), len(hands), forest, node)
                padded = np.zeros((rows.shape[1], own.places), dtype=np.float32)
                padded[:, : len(hands)] = rows.T
                first = int(forest.slot[node])
                table = street.tables[player].average.reshape(street.shape(player))
                blocks = padded.reshape(rows.shape[1], own.blocks, own.block)
                table[b, :, first : first + rows.shape[1]] = np.moveaxis(blocks, 0, 1)


def _checked(rows: npt.ArrayLike, hands: int, forest: StreetForest, node: int) -> Floats:
    given = np.asarray(rows, dtype=np.float64)
    actions = len(forest.labels(node))
    if given.shape != (hands, actions) or not np.isfinite(given).all() or (given < 0.0).any():
        raise ParameterError(
            f"A blueprint must give {hands} × {actions} probabilities after '{forest.line(node)}', but gave {given.shape} or some "
            "below 0."
        )
    return given


class SolvedPolicy:
    """A solved spot with the same sizes as a blueprint; hands or places that it does not know play all actions alike."""

    def __init__(self, solution: SpotSolution) -> None:
        self.solution = solution

    def strategy(self, board: tuple[int, ...], forest: StreetForest, node: int, hands: Longs) -> Floats:
        dealt = [STANDARD.label(card) for card in board[len(self.solution.spot.board) :]]
        first, *later = forest.line(node).split("/")
        line = ":".join(part for pair in zip(later, dealt, strict=True) for part in (pair[1], pair[0]) if part)
        place = self.solution.at(":".join(part for part in (first, line) if part))
        if place.labels != forest.labels(node):
            raise NotApplicableError(
                f"The solved spot offers {', '.join(place.labels)} after '{place.line}' where the continuation tree has "
                f"{', '.join(forest.labels(node))}; give its sizes as the continuations' bets."
            )
        known = {hand: row for row, hand in enumerate(place.hands.tolist())}
        even = np.full(len(place.labels), 1.0 / len(place.labels))
        return np.stack([place.strategy[known[h]] if h in known else even for h in hands.tolist()])
