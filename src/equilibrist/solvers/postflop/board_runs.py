"""Any solver at work on boards, those of a spot or of a whole game: which run serves it, and what its tables take."""

from __future__ import annotations

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
from equilibrist.solvers.postflop.gpu.devices import obstacle_on_gpu, wants_gpu
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


def solver_on_boards(solver: str | Solver) -> Any:
    """Any solver that runs on boards: the CFR family, Monte Carlo CFR, fictitious play, CFR-BR, first-order methods, LP."""
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    if not isinstance(chosen, CFR | MCCFR) and not hasattr(chosen, "on"):
        raise NotApplicableError(
            "Spots and boards are solved by the CFR family, Monte Carlo CFR, cfr-br, fictitious play, first-order methods and lp, not by "
            f"'{chosen.name}'."
        )
    if isinstance(chosen, CFR) and chosen.representation not in ("auto", "public", "boards"):
        raise ParameterError(
            f"Spots and boards are solved board by board, but on={chosen.representation} was asked for; leave 'on' out."
        )
    return chosen


def merges_suits(solver: Any) -> bool:
    """Whether a solver can work where boards that differ by suits only were dealt once."""
    return isinstance(solver, CFR) or _draws_runouts(solver)


def _draws_runouts(solver: Any) -> bool:
    return isinstance(solver, MCCFR) and solver.sampling == "public-chance"


def offers_threads(solver: Any) -> bool:
    """Whether a solver shares boards out over threads."""
    return isinstance(solver, CFR)


def why_not_on_gpu(solver: Any, bits: int) -> str | None:
    """What keeps a solver on the CPU, if anything does."""
    if not isinstance(solver, CFR) or not solver.plain_matching or solver.pruning.walks or solver.threshold:
        return "the CFR family with regret matching, alternating updates and no pruning runs there"
    return obstacle_on_gpu(bits)


def bytes_needed(solver: Any, forests: Sequence[StreetForest], boards: Sequence[StreetBoards], bits: int = 32) -> int:
    """Bytes that a solver's tables will take."""
    if not merges_suits(solver):
        return plan_bytes(forests, boards)
    predictive = isinstance(solver, CFR) and solver.minimiser != "rm"
    need = bytes_on_boards(forests, boards, predictive=predictive, bits=bits)
    if not isinstance(solver, CFR) or solver.plain_matching:
        return need
    return 3 * need if solver.pruning.walks else 2 * need  # the betting that is left, and how it was before


def start_on_boards(
    solver: Any, dealt: DealtBoards, *, threads: int = 1, bits: int = 32, seed: int = 0, device: str = "cpu"
) -> BoardCFR:
    """A run at iteration 0; `seed` is for methods that sample, `device` one of `DEVICES`."""
    if wants_gpu(device, why_not_on_gpu(solver, bits), streets=len(dealt.forests)):
        from equilibrist.solvers.postflop.gpu.device_cfr import DeviceCFR

        return DeviceCFR(schedule=solver.schedule, predictive=solver.minimiser != "rm", **dealt.parts)
    if isinstance(solver, MCCFR):
        if threads != 1 or bits != 32:
            raise NotApplicableError(
                f"'{solver.name}' samples in one thread and 32 bits; leave 'threads' and 'bits' out."
            )
        return (PublicChanceBoards if _draws_runouts(solver) else SampledBoards)(solver, dealt.parts, seed=seed)
    if not isinstance(solver, CFR):
        if dealt.locks:
            raise NotApplicableError(
                f"'{solver.name}' works on plans, which know no locks; use the CFR family (dcfr, cfr+ …)."
            )
        return PlanBoards(solver, threads=threads, bits=bits, **dealt.parts)
    if solver.pruning.walks or solver.threshold:
        return PrunedBoards(solver, threads=threads, bits=bits, **dealt.parts)
    if not solver.plain_matching:
        return TableCFR(solver, threads=threads, bits=bits, **dealt.parts)
    predictive = solver.minimiser != "rm"
    return BoardCFR(schedule=solver.schedule, predictive=predictive, threads=threads, bits=bits, **dealt.parts)
