"""Plans by name: general ones, and those of published bots (`bot_plans.py`)."""

from __future__ import annotations

from equilibrist.core.errors import UnknownNameError, suggest
from equilibrist.solvers.blueprint.bot_plans import BOT_PLANS
from equilibrist.solvers.blueprint.plan import EXACT, BlueprintPlan, PlanPreset

_OPENS = {  # the button to 2 or 2.5 big blinds, the big blind over a limp to 3 or 5
    "raise": "50%, 75%",
    "p1": {"raise": "100%, 200%"},
    "raise2": "150%",
    "raise3": "100%, a",
    "raise4": "a",
}
_DEEP = {
    "menu": {
        "bet": "33%, 100%, a",
        "raise": "100%, a",
        "raise2": "a",
        "river": {"bet": "25%, 75%, 150%, a"},
        "preflop": _OPENS,
    }
}
_SHORT = {
    "menu": {
        "bet": "33%, 75%, a",
        "raise": "75%, a",
        "raise2": "a",
        "river": {"bet": "25%, 66%, 125%, a"},
        "preflop": {"raise": "50%, 100%, a", "raise2": "100%, a", "raise3": "a"},
    }
}
_SIX = {"menu": {"bet": "100%", "raise": "a", "preflop": {"raise": "80%", "raise2": "150%", "raise3": "a"}}}
_GENERAL = (
    PlanPreset("leduc", "Leduc poker, every card by itself; seconds", BlueprintPlan("leduc", cards=EXACT), 2_000_000),
    PlanPreset(
        "hu-20bb",
        "heads-up no-limit hold'em, 20 big blinds; minutes",
        BlueprintPlan("nolimit-holdem(stack=2000)", _SHORT, "boards"),
        20_000_000,
    ),
    PlanPreset(
        "hu-50bb",
        "heads-up no-limit hold'em, 50 big blinds; minutes",
        BlueprintPlan("nolimit-holdem(stack=5000)", _DEEP, "small"),
        20_000_000,
    ),
    PlanPreset(
        "hu-100bb",
        "heads-up no-limit hold'em, 100 big blinds; a quarter of an hour",
        BlueprintPlan("nolimit-holdem(stack=10000)", _DEEP, "small"),
        20_000_000,
    ),
    PlanPreset(
        "hu-200bb",
        "heads-up no-limit hold'em, 200 big blinds; half an hour",
        BlueprintPlan("nolimit-holdem", _DEEP, "small"),
        20_000_000,
    ),
    PlanPreset(
        "hu-200bb-medium",
        "the same with finer buckets; hours",
        BlueprintPlan("nolimit-holdem", _DEEP, "medium"),
        500_000_000,
    ),
    PlanPreset(
        "six-100bb",
        "six-player no-limit hold'em, 100 big blinds; hours",
        BlueprintPlan("nolimit-holdem(stack=10000, players=6)", _SIX, "tiny"),
        50_000_000,
    ),
)


PRESETS = {preset.word: preset for preset in (*_GENERAL, *BOT_PLANS)}


def find_plan(word: str) -> PlanPreset:
    if word not in PRESETS:
        raise UnknownNameError(
            f"There is no blueprint preset '{word}'.{suggest(word, PRESETS)} The presets are {', '.join(PRESETS)}."
        )
    return PRESETS[word]
