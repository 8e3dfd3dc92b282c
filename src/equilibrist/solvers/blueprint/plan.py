"""BlueprintPlan: which game, which bets, which buckets."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.card_abstraction import CardAbstraction, load_card_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.recipe import PRESETS as CARD_PRESETS
from equilibrist.abstraction.cards.recipe import Recipe, find_preset, make_recipe
from equilibrist.compute.kernel import cache_folder
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.core.names import parse_name
from equilibrist.core.writing import make_folder
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.poker.bet_menus import plan_of, with_menus
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.solvers.blueprint.abstract_poker import (
    AbstractPoker,
    Buckets,
    ClassBuckets,
    ExactBuckets,
    FittedBuckets,
)
from equilibrist.solvers.blueprint.training import Training

EXACT = "exact"
CLASSES = "classes"  # of hole cards before the flop, and no difference between hands later
MOST_PLAYERS = 6
Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class BlueprintPlan:
    """In words and tables, so that it can be kept in files: the game by name, its bets as a menu file, its buckets by name."""

    game_name: str  # such as nolimit-holdem(stack=2000)
    menu: Mapping[str, Any] = field(default_factory=dict)  # as in a menu file; empty: the game's own bets
    cards: str = "small"  # a preset of `equilibrist cluster`, a file that it wrote, a recipe, 'exact' or 'classes'

    @property
    def rules(self) -> PokerRules:
        game = recorded_game(self.game_name)
        if not isinstance(game, Poker):
            raise NotApplicableError(f"Blueprints are trained for poker games, but '{self.game_name}' is none.")
        rules = game.rules
        return with_menus(rules, plan_of(self.menu, rules.players, len(rules.board))) if self.menu else rules

    def bucket_counts(self) -> tuple[int, ...]:
        """Buckets by round where a preset or a recipe says so; empty for files and exact cards."""
        recipe = None if self.cards in (EXACT, CLASSES) else card_recipe(self.cards, _streets(self.rules))
        return () if recipe is None else recipe.sizes

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
        if self.cards == CLASSES:
            return ClassBuckets(rules)
        streets = _streets(rules)
        recipe = card_recipe(self.cards, streets)
        if recipe is not None:
            return FittedBuckets(cached_cards(recipe, threads=threads, report=report).require(hash))
        return FittedBuckets(load_card_abstraction(self._card_file(beside), hash=hash, streets=streets))

    def check(self) -> None:
        """Refuse what cannot be trained before anything is built or written."""
        rules = self.rules
        if rules.players > MOST_PLAYERS:
            raise ParameterError(
                f"Blueprints are for 2 to {MOST_PLAYERS} players, but '{self.game_name}' has {rules.players}."
            )
        if self.cards == EXACT:
            ExactBuckets(rules)
        elif self.cards == CLASSES:
            ClassBuckets(rules)
        elif card_recipe(self.cards, _streets(rules)) is None:
            self._card_file(Path())

    def _card_file(self, beside: Path) -> Path:
        for path in (Path(self.cards), beside / self.cards):
            if path.exists():
                return path
        raise FormatError(
            f"There are no buckets '{self.cards}': give a file written by 'equilibrist cluster', one of the presets "
            f"{', '.join(CARD_PRESETS)}, a recipe such as ehs-equal(sizes=169/50/50/50), or 'exact' for small games."
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def _streets(rules: PokerRules) -> Streets:
    return Streets(rules.deck, (rules.hole, *(dealt for dealt in rules.board if dealt)))


def plan_from_json(data: Mapping[str, Any]) -> BlueprintPlan:
    return BlueprintPlan(str(data["game_name"]), dict(data["menu"]), str(data["cards"]))


def card_recipe(text: str, streets: Streets) -> Recipe | None:
    """What a preset or a recipe by name (`kmeans-emd(sizes=169/80/80/80, public=8)`) makes; None: the text names neither."""
    if text in CARD_PRESETS:
        return find_preset(text).recipe(streets)
    try:
        asked = parse_name(text)
    except ParameterError:
        return None
    settings = dict(asked.parameters)
    sizes = settings.pop("sizes", None)
    if sizes is None:
        return None
    unknown = set(settings) - {"seed", "recall", "public", "sample", "runouts"}
    if unknown:
        raise ParameterError(
            f"Buckets '{text}' have the settings sizes, seed, recall, public, sample and runouts, not '{min(unknown)}'."
        )
    return make_recipe(asked.base, str(sizes), streets=streets, **settings)


def cached_cards(recipe: Recipe, *, threads: int = 1, report: Report = lambda text, share: None) -> CardAbstraction:
    """Buckets of a recipe, from the cache or made now."""
    folder = cache_folder() / "cards"
    path = folder / f"{recipe.hash}.eqb"
    if path.exists():
        try:
            return load_card_abstraction(path, hash=recipe.hash, streets=recipe.streets)
        except FormatError:
            pass  # damaged: made again
    make_folder(folder)
    made = build_abstraction(recipe, threads=threads, checkpoints=folder / f".{recipe.hash}.parts", report=report)
    made.save(path)
    return load_card_abstraction(path, hash=recipe.hash, streets=recipe.streets)


@dataclass(frozen=True)
class PlanPreset:
    """A plan with a name, with iterations and settings that make sense for it."""

    word: str
    title: str
    plan: BlueprintPlan
    iterations: int
    training: Training = field(default_factory=Training)
