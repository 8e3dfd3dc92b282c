"""Any solver at work on boards, those of a spot or of a whole game: which run serves it, and what its tables take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.boards.compiled_spot import CompiledSpot, bytes_on_boards
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import Deal, StreetBoards
from equilibrist.games.spots.locks import Lock
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.iteration_loop import Solver
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.plan_boards import PlanBoards, plan_bytes
from equilibrist.solvers.postflop.pruned_boards import PrunedBoards
from equilibrist.solvers.postflop.public_chance_boards import PublicChanceBoards
from equilibrist.solvers.postflop.sampled_boards import SampledBoards
from equilibrist.solvers.postflop.table_cfr import TableCFR
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.registry import make_solver


@dataclass(frozen=True, eq=False)
class DealtBoards:
    """What runs on boards are made of: betting by street, cards, weights of hands, boards."""

    forests: Sequence[StreetForest]
    deal: Deal
    weights: Sequence[Floats]
    boards: Sequence[StreetBoards]
    isomorphism: bool  # boards that differ by suits only were dealt once
    locks: Sequence[Lock] = ()

    @classmethod
    def of_spot(cls, spot: CompiledSpot) -> DealtBoards:
        return cls(spot.forests, spot.deal, spot.weights, spot.boards, spot.isomorphism, spot.spot.locks)

    @property
    def parts(self) -> dict[str, Any]:
        """As `BoardCFR` names them."""
        return {
            "forests": self.forests,
            "deal": self.deal,
            "weights": self.weights,
            "isomorphism": self.isomorphism,
            "locks": self.locks,
            "boards": self.boards,
        }


class BoardMethod(ABC):
    """How one family of solvers works on boards."""

    shares_boards = False  # out over threads

    def __init__(self, solver: Any) -> None:
        self.solver = solver

    @property
    def merges_suits(self) -> bool:
        """Whether it works where boards that differ by suits only were dealt once."""
        return False

    def check(self) -> None:
        """Refuse settings that mean nothing on boards; most mean something."""
        return

    def bytes_needed(self, forests: Sequence[StreetForest], boards: Sequence[StreetBoards], bits: int) -> int:
        return plan_bytes(forests, boards)

    def why_not_on_gpu(self) -> str | None:
        """What keeps it on the CPU, if anything does."""
        return "the CFR family with regret matching, alternating updates and no pruning runs there"

    @abstractmethod
    def start(self, dealt: DealtBoards, *, threads: int, bits: int, seed: int) -> BoardCFR:
        """A run at iteration 0 on the CPU."""


class VectorsOnBoards(BoardMethod):
    """The CFR family: vectors of hands, fused where it matches regrets in turn."""

    shares_boards = True
    solver: CFR

    @property
    def merges_suits(self) -> bool:
        return True

    @property
    def prunes(self) -> bool:
        return self.solver.pruning.walks or bool(self.solver.threshold)

    @property
    def predictive(self) -> bool:
        return self.solver.minimiser != "rm"

    def check(self) -> None:
        if self.solver.representation not in ("auto", "public", "boards"):
            raise ParameterError(
                f"Spots and boards are solved board by board, but on={self.solver.representation} was asked for; leave 'on' out."
            )

    def bytes_needed(self, forests: Sequence[StreetForest], boards: Sequence[StreetBoards], bits: int) -> int:
        need = bytes_on_boards(forests, boards, predictive=self.predictive, bits=bits)
        if self.solver.plain_matching:
            return need
        return 3 * need if self.solver.pruning.walks else 2 * need  # the betting that is left, and how it was before

    def why_not_on_gpu(self) -> str | None:
        if not self.solver.plain_matching or self.prunes:
            return super().why_not_on_gpu()
        return None

    def start(self, dealt: DealtBoards, *, threads: int, bits: int, seed: int) -> BoardCFR:
        how = {"threads": threads, "bits": bits, **dealt.parts}
        if self.prunes:
            return PrunedBoards(self.solver, **how)
        if not self.solver.plain_matching:
            return TableCFR(self.solver, **how)
        return BoardCFR(schedule=self.solver.schedule, predictive=self.predictive, **how)


class SamplesOnBoards(BoardMethod):
    """Monte Carlo CFR: walks over hands and cards, or vectors of hands on runouts that are drawn."""

    solver: MCCFR

    @property
    def merges_suits(self) -> bool:
        return self.solver.sampling == "public-chance"

    def bytes_needed(self, forests: Sequence[StreetForest], boards: Sequence[StreetBoards], bits: int) -> int:
        if self.merges_suits:
            return bytes_on_boards(forests, boards, predictive=False, bits=bits)
        return super().bytes_needed(forests, boards, bits)

    def start(self, dealt: DealtBoards, *, threads: int, bits: int, seed: int) -> BoardCFR:
        if threads != 1 or bits != 32:
            raise NotApplicableError(
                f"'{self.solver.name}' samples in one thread and 32 bits; leave 'threads' and 'bits' out."
            )
        return (PublicChanceBoards if self.merges_suits else SampledBoards)(self.solver, dealt.parts, seed=seed)


class PlansOnBoards(BoardMethod):
    """Whatever runs on forms: fictitious play, CFR-BR, first-order methods, linear programs, methods of users."""

    def check(self) -> None:
        if not hasattr(self.solver, "on"):
            raise NotApplicableError(
                "Spots and boards are solved by the CFR family, Monte Carlo CFR, cfr-br, fictitious play, first-order methods and lp, "
                f"not by '{self.solver.name}'."
            )

    def start(self, dealt: DealtBoards, *, threads: int, bits: int, seed: int) -> BoardCFR:
        if dealt.locks:
            raise NotApplicableError(
                f"'{self.solver.name}' works on plans, which know no locks; use the CFR family (dcfr, cfr+ …)."
            )
        return PlanBoards(self.solver, threads=threads, bits=bits, **dealt.parts)


FAMILIES: Sequence[tuple[type, type[BoardMethod]]] = (
    (CFR, VectorsOnBoards),
    (MCCFR, SamplesOnBoards),
    (object, PlansOnBoards),
)


def method_on_boards(solver: Any) -> BoardMethod:
    """The one place where it is decided."""
    return next(method for family, method in FAMILIES if isinstance(solver, family))(solver)


def solver_on_boards(solver: str | Solver) -> Any:
    """Any solver that runs on boards; others are refused."""
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    method_on_boards(chosen).check()
    return chosen


def start_on_boards(
    solver: Any, dealt: DealtBoards, *, threads: int = 1, bits: int = 32, seed: int = 0, device: str = "cpu"
) -> BoardCFR:
    """A run at iteration 0; `seed` is for methods that sample, `device` one of `DEVICES`."""
    method = method_on_boards(solver)
    if wants_gpu(device, method.why_not_on_gpu(), streets=len(dealt.forests)):
        from equilibrist.solvers.postflop.gpu.device_cfr import DeviceCFR

        return DeviceCFR(schedule=solver.schedule, predictive=solver.minimiser != "rm", bits=bits, **dealt.parts)
    return method.start(dealt, threads=threads, bits=bits, seed=seed)
