"""Warnings of menus whose sizes can never be bet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

LARGEST_LOOKED_AT = 5_000_000  # nodes of a tree that is grown to look for sizes in vain; seconds

if TYPE_CHECKING:
    from equilibrist.games.poker.rules import PokerRules


def warn_of_unused_sizes(rules: PokerRules, table: Mapping[str, Any], nodes: int) -> None:
    """On standard error, a sentence for each entry or size of a menu file; `nodes` of its tree, which is left alone where it is large."""
    from equilibrist.forms.betting_tree.betting_tree import betting_tree
    from equilibrist.forms.betting_tree.unused_sizes import unused_sizes
    from equilibrist.interfaces.cli.guard import complain

    if table and nodes <= LARGEST_LOOKED_AT:
        for each in unused_sizes(betting_tree(rules), table):
            complain(f"Warning: {each.sentence()}")
