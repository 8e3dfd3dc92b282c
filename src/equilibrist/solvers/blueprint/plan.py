"""BlueprintPlan: which game, which bets, which buckets; presets by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from equilibrist.abstraction.abstract_poker import AbstractPoker, Buckets, ExactBuckets, FittedBuckets
from equilibrist.abstraction.actions import betting_tree, plan_of, with_menus
from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.card_abstraction import CardAbstraction, load_card_abstraction
from equilibrist.abstraction.cards.recipe import PRESETS as CARD_PRESETS
from equilibrist.abstraction.cards.recipe import find_preset
from equilibrist.abstraction.cards.streets import Streets
from equilibrist.compute.kernel import cache_folder
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError, UnknownNameError, suggest
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules

EXACT = "exact"
Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class BlueprintPlan:
    """In words and tables, so that it can be kept in files: the game by name, its bets as a menu file, its buckets by name."""

    game_name: str  # such as nolimit-holdem(stack=2000)
    menu: Mapping[str, Any] = field(default_factory=dict)  # as in a menu file; empty: the game's own bets
    cards: str = "small"  # a preset of `equilibrist cluster`, a file that it wrote, or 'exact'

    @property
    def rules(self) -> PokerRules:
        game = load_game(self.game_name)
        if not isinstance(game, Poker):
            raise NotApplicableError(f"Blueprints are trained for poker games, but '{self.game_name}' is none.")
        rules = game.rules
        return with_menus(rules, plan_of(self.menu, rules.players, len(rules.board))) if self.menu else rules

    def game(
        self,
        *,
        beside: str | os.PathLike[str] = "",
        hash: str | None = None,
        threads: int = 1,
        report: Report = lambda text, share: None,
    ) -> AbstractPoker:
        """Build the abstract game; buckets of a preset are made at first use and kept in the cache."""
        rules = self.rules
        tree = betting_tree(rules)
        return AbstractPoker(tree, self._buckets(rules, Path(beside), hash, threads, report))

    def _buckets(self, rules: PokerRules, beside: Path, hash: str | None, threads: int, report: Report) -> Buckets:
        if self.cards == EXACT:
            return ExactBuckets(rules)
        streets = Streets(rules.deck, (rules.hole, *(dealt for dealt in rules.board if dealt)))
        if self.cards in CARD_PRESETS:
            return FittedBuckets(preset_cards(self.cards, streets, threads=threads, report=report).require(hash))
        for path in (Path(self.cards), beside / self.cards):
            if path.exists():
                return FittedBuckets(load_card_abstraction(path, hash=hash, streets=streets))
        raise FormatError(
            f"There are no buckets '{self.cards}': give a file written by 'equilibrist cluster', one of the presets "
            f"{', '.join(CARD_PRESETS)}, or 'exact' for small games."
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def plan_from_json(data: Mapping[str, Any]) -> BlueprintPlan:
    return BlueprintPlan(str(data["game_name"]), dict(data["menu"]), str(data["cards"]))


def preset_cards(
    word: str, streets: Streets, *, threads: int = 1, report: Report = lambda text, share: None
) -> CardAbstraction:
    """Buckets of a preset, from the cache or made now."""
    recipe = find_preset(word).recipe(streets)
    folder = cache_folder() / "cards"
    path = folder / f"{recipe.hash}.eqb"
    if path.exists():
        try:
            return load_card_abstraction(path, hash=recipe.hash, streets=streets)
        except FormatError:
            pass  # damaged: made again
    folder.mkdir(parents=True, exist_ok=True)
    made = build_abstraction(recipe, threads=threads, checkpoints=folder / f".{recipe.hash}.parts", report=report)
    made.save(path)
    return load_card_abstraction(path, hash=recipe.hash, streets=streets)


@dataclass(frozen=True)
class PlanPreset:
    """A plan with a name, and iterations that make sense for it."""

    word: str
    title: str
    plan: BlueprintPlan
    iterations: int


_FIRST = {"bet": "100%, 200%, a", "raise": "100%, a", "raise3": "a"}
_DEEP = {"menu": {"bet": "50%, 100%, a", "raise": "100%, a", "raise3": "a", "preflop": _FIRST}}
_SHORT = {
    "menu": {
        "bet": "33%, 66%, 100%, a",
        "raise": "100%, a",
        "raise3": "a",
        "preflop": {**_FIRST, "bet": "50%, 100%, a"},
    }
}
_SIX = {"menu": {"bet": "75%, a", "raise": "a", "preflop": {"bet": "100%", "raise": "a"}}}
PRESETS = {
    preset.word: preset
    for preset in (
        PlanPreset(
            "leduc", "Leduc poker, every card by itself; seconds", BlueprintPlan("leduc", cards=EXACT), 2_000_000
        ),
        PlanPreset(
            "hu-20bb",
            "heads-up no-limit hold'em, 20 big blinds; minutes",
            BlueprintPlan("nolimit-holdem(stack=2000)", _SHORT, "small"),
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
            BlueprintPlan("nolimit-holdem(stack=10000, players=6)", _SIX, "small"),
            50_000_000,
        ),
    )
}


def find_plan(word: str) -> PlanPreset:
    if word not in PRESETS:
        raise UnknownNameError(
            f"There is no blueprint preset '{word}'.{suggest(word, PRESETS)} The presets are {', '.join(PRESETS)}."
        )
    return PRESETS[word]


def check_plan(plan: BlueprintPlan) -> None:
    """Refuse what cannot be trained before anything is built."""
    if plan.rules.players > MOST_PLAYERS:
        raise ParameterError(
            f"Blueprints are for 2 to {MOST_PLAYERS} players, but '{plan.game_name}' has {plan.rules.players}."
        )


MOST_PLAYERS = 6
