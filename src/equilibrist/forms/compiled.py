"""Compiled: one game and its representations, each built when first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

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
