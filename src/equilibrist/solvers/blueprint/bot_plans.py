"""What published bots trained: game, bets, buckets and training, scaled down to two cores (docs/bots.md says by how much).

Buckets are recipes of one line; `--cards small` trains any of them with coarser ones.
"""

from __future__ import annotations

from typing import Any

from equilibrist.cards.streets import STREETS
from equilibrist.solvers.blueprint.plan import BlueprintPlan, PlanPreset
from equilibrist.solvers.blueprint.training import PruneRule, Training

LIMIT, DEEP = "limit-holdem", "nolimit-holdem"
PLAIN = Training(weighting="none")
MILLION = 1_000_000


def _half_stack(raised: str, most: str) -> dict[str, Any]:
    """Half pot, pot, all-in; one raise and all-in; nothing beyond half a stack but all of it ([Gilpin09, §7.4])."""
    cap = {most: ""} if most else {}
    before = {"raise4": ""} if most else {}  # a blind counts as a bet in menus, not towards the cap
    return {
        "menu": {
            "bet": "50%, 100%, a",
            "raise": f"{raised}, a",
            **cap,
            "preflop": {"raise3": f"{raised}, a", **before},
        },
        "commit": {"rule": "total", **dict.fromkeys(STREETS, 0.5)},
    }


_ACPC = {  # sizes of all later no-limit bots here, a few of the many that they had
    "menu": {
        "bet": "50%, 100%, a",
        "raise": "100%, a",
        "raise3": "a",
        "preflop": {"raise": "50%, 100%, 200%, a", "raise2": "100%, a", "raise3": "a"},
    }
}
_ASYMMETRIC = {  # the button opens with more sizes than it expects to meet
    "menu": {
        "bet": "50%, 100%, a",
        "raise": "100%, a",
        "raise3": "a",
        "preflop": {"raise": "100%, a", "p2": {"raise": "50%, 100%, 200%, a", "raise2": "100%, a"}, "raise3": "a"},
    }
}
_SIX = {"menu": {"bet": "75%, a", "raise": "a", "preflop": {"raise": "100%", "raise2": "a"}}}
_LU = {  # thresholds of [Lu16, §4.3.1], some of its sizes
    "menu": {"bet": "50%, 100%, 200%, a", "raise": "50%, 100%, 200%, a"},
    "commit": {"rule": "total", "preflop": 0.65, "flop": 0.75, "turn": 0.75, "river": 0.75},
}
LU_GAME = "nolimit-holdem(stack=250, blinds=[5,10])"


def _limit(word: str, title: str, cards: str, iterations: int = 20 * MILLION) -> PlanPreset:
    return PlanPreset(word, f"the blueprint of {title}", BlueprintPlan(LIMIT, {}, cards), iterations, PLAIN)


def _nolimit(
    word: str, title: str, menu: dict[str, Any], cards: str, training: Training = PLAIN, game: str = DEEP
) -> PlanPreset:
    return PlanPreset(word, f"the blueprint of {title}", BlueprintPlan(game, menu, cards), 20 * MILLION, training)


_TARTANIAN = "nolimit-holdem(stack=1000, blinds=[1,2])"
BOT_PLANS = (
    _limit("gs1", "GS1, limit", "ehs-equal(sizes=169/100/25/25, sample=100000, runouts=100)"),
    _limit("gs2", "GS2, limit", "ehs-equal(sizes=15/225/50/50, sample=100000, runouts=100)"),
    _limit("gs3", "GS3, limit", "ehs-equal(sizes=20/200/200/200, sample=100000, runouts=100)"),
    _limit("gs4", "GS4, limit", "kmeans-l2(sizes=20/200/200/200, sample=100000)"),
    _limit("gs5", "GS5, limit", "ehs-equal(sizes=15/150/150/150, sample=100000, runouts=100)"),
    _limit("gs6", "GS6, limit", "small"),
    _nolimit("tartanian", "Tartanian (2007)", _half_stack("100%", "raise3"), "small", game=_TARTANIAN),
    _nolimit("tartanian2", "Tartanian2 (2008)", _half_stack("66.6666667%", ""), "small", game=_TARTANIAN),
    _nolimit("tartanian4", "Tartanian4 (2010)", _ACPC, "small"),
    _nolimit("tartanian5", "Tartanian5 (2012)", _ACPC, "medium"),
    _nolimit("tartanian6", "Tartanian6 (2013)", _ACPC, "distribution-aware(sizes=169/400/400/400, sample=300000)"),
    _nolimit("tartanian7", "Tartanian7 (2014)", _ACPC, "kmeans-emd(sizes=169/240/240/240, public=8, sample=300000)"),
    _nolimit("claudico", "Claudico (2015)", _ASYMMETRIC, "medium"),
    _nolimit("baby-tartanian8", "Baby Tartanian8 (2016)", _ACPC, "medium", Training(prune=PruneRule("fading"))),
    _nolimit(
        "libratus", "Libratus (2017)", _ACPC, "medium", Training(weighting="none", prune=PruneRule("fading", begin=0.5))
    ),
    _nolimit("modicum", "Modicum (2018)", _ACPC, "medium", Training()),
    _nolimit(
        "pluribus",
        "Pluribus (2019), six players",
        _SIX,
        "small",
        Training(prune=PruneRule("threshold", begin=0.02), storage="int32"),
        "nolimit-holdem(stack=10000, players=6)",
    ),
    _nolimit("lu-base", "Lu's base agent (2016), 25 big blinds", _LU, "small", game=LU_GAME),
)
