"""Compiled: one game and its representations, each built when first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from equilibrist.core.errors import FormatError
from equilibrist.core.policy import InfosetIndex
from equilibrist.forms.history_tree.game_tree import GameTree, compile_tree
from equilibrist.forms.history_tree.infoset_forest import InfosetForest, grow_forest
from equilibrist.forms.sequence_form.sequence_form import SequenceForm, sequence_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.rules import Game

if TYPE_CHECKING:
    from equilibrist.forms.public_tree.public_tree import PublicTree


class Compiled:
    """A game that remembers its trees, so that several solvers can share them."""

    def __init__(self, game: Game, tree: GameTree | None = None) -> None:
        self.game = game
        if tree is not None:
            self.__dict__["tree"] = tree

    def __repr__(self) -> str:
        return f"<Compiled {self.game.name!r}>"

    @cached_property
    def tree(self) -> GameTree:
        return compile_tree(self.game)

    @cached_property
    def sequence_form(self) -> SequenceForm:
        return sequence_form(self.tree)

    @cached_property
    def public_tree(self) -> PublicTree:
        from equilibrist.forms.public_tree.public_tree import public_tree  # late: most solvers need none

        return public_tree(self.game)

    @cached_property
    def forest(self) -> InfosetForest:
        return grow_forest(self.tree, "An exact best response")

    @property
    def infosets(self) -> InfosetIndex:
        return self.tree.infosets


def compiled(game: str | Game | GameTree | Compiled) -> Compiled:
    """Accept a game in any form."""
    if isinstance(game, Compiled):
        return game
    if isinstance(game, GameTree):
        return Compiled(game.game, game)
    return Compiled(load_game(game) if isinstance(game, str) else game)


def check_fits(game: Game, infosets: InfosetIndex, what: str) -> None:
    """Refuse a game given for a saved policy unless it has the same infosets with the same actions."""
    own = compiled(game).infosets
    told = dict(zip(infosets.keys, infosets.actions, strict=True))
    rules = dict(zip(own.keys, own.actions, strict=True))
    if told == rules:
        return
    if missing := next((key for key in told if key not in rules), None):
        reason = f"it has no infoset '{missing}'"
    elif missing := next((key for key in rules if key not in told), None):
        reason = f"the file has no infoset '{missing}'"
    else:
        key = next(key for key in told if told[key] != rules[key])
        reason = f"at '{key}' it has the actions {', '.join(rules[key])}, the file {', '.join(told[key])}"
    raise FormatError(f"{what} is of another game than '{game.name}': {reason}; give the game that was solved.")
