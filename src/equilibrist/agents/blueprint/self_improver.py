"""Self-improvement: bets of an opponent that fall between known sizes become known sizes ([Brown20, §6.4], Libratus).

Each bet scores the gap it fell into by its distance to the nearer end. The gaps with the highest scores are answered at the size that the
pseudo-harmonic mapping reads as either end alike; the size bet most often is added as it is. Libratus solves small subgames for these
sizes overnight; here the whole blueprint is trained again with them (`with_sizes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from equilibrist.agents.strength_players import halfway
from equilibrist.core.errors import ParameterError
from equilibrist.solvers.blueprint.plan import BlueprintPlan

SAME = 1e-9  # sizes nearer than this are one
MOST_GAPS = 2


@dataclass(frozen=True)
class Improvement:
    """Sizes to add, as shares of the pot."""

    defensive: tuple[float, ...]  # middles of the gaps that were bet into most
    offensive: float | None  # what was bet most often, unless it is known

    @property
    def sizes(self) -> tuple[float, ...]:
        extra = () if self.offensive is None else (self.offensive,)
        return tuple(sorted({*self.defensive, *extra}))


def gap_scores(known: Sequence[float], bets: Iterable[float]) -> dict[tuple[float, float], float]:
    """How far into each gap between neighbouring sizes an opponent bet, summed over its bets."""
    sizes = sorted(known)
    if len(sizes) < 2:
        raise ParameterError(
            f"Gaps lie between at least two sizes of the pot, but {list(known)} was given; 0 may stand for a check."
        )
    scores = dict.fromkeys(pairwise(sizes), 0.0)
    for bet in bets:
        for low, high in scores:
            if low < bet < high:
                scores[low, high] += min(bet - low, high - bet)
    return scores


def improvement(known: Sequence[float], bets: Sequence[float], most: int = MOST_GAPS) -> Improvement:
    """Which sizes are worth adding after these bets, all as shares of the pot."""
    scores = gap_scores(known, bets)
    ranked = sorted((gap for gap, score in scores.items() if score > SAME), key=lambda gap: (-scores[gap], gap))
    common = Counter(round(bet, 9) for bet in bets).most_common(1)
    often = common[0][0] if common else None
    if often is not None and any(abs(often - size) <= SAME for size in known):
        often = None
    return Improvement(tuple(halfway(*gap) for gap in ranked[:most]), often)


def with_sizes(plan: BlueprintPlan, sizes: Sequence[float], *, street: str = "", kind: str = "bet") -> BlueprintPlan:
    """A plan whose menu of a street (all streets: "") has more sizes for bets of one kind (`bet`, `raise`, `raise2` …)."""
    menu: dict[str, Any] = {**dict(plan.menu.get("menu", {}))}
    scope: dict[str, Any] = {**dict(menu.get(street, {}))} if street else menu
    words = _words(plan, street, kind)
    added = [f"{100.0 * size:.6g}%" for size in sizes]
    scope[kind] = ", ".join(sorted({*words, *added}, key=_order))
    if street:
        menu[street] = scope
    return replace(plan, menu={**dict(plan.menu), "menu": menu})


def known_sizes(plan: BlueprintPlan, street: str = "", kind: str = "bet") -> tuple[float, ...]:
    """Shares of the pot that a plan's menu offers, and 0 for no bet."""
    return (0.0, *(float(word[:-1]) / 100.0 for word in _words(plan, street, kind) if word.endswith("%")))


def _words(plan: BlueprintPlan, street: str, kind: str) -> list[str]:
    menu = dict(plan.menu.get("menu", {}))
    found = (menu.get(street, {}) if street else menu).get(kind, _fallback(menu, kind))
    if found is None:
        raise ParameterError(f"The plan has no menu for '{kind}' to add sizes to; it has {', '.join(menu) or 'none'}.")
    return [word.strip() for word in str(found).split(",") if word.strip()]


def _fallback(menu: Mapping[str, Any], kind: str) -> Any:
    """Kinds of raises that are not given follow the one before."""
    order = ["bet", "raise", *(f"raise{n}" for n in range(2, 10))]
    found = [menu[name] for name in order[: order.index(kind) + 1] if name in menu] if kind in order else []
    return found[-1] if found else None


def _order(word: str) -> tuple[int, float]:
    """Shares of the pot by size, then everything else."""
    return (0, float(word[:-1])) if word.endswith("%") else (1, 0.0)
