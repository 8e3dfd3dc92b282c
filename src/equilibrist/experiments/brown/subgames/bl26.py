"""BL26, the 26-card stand-in for flop hold'em: its buckets and blueprints ([Brown20, §5.1.8] has flop hold'em)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from equilibrist.cards.deck import Deck
from equilibrist.experiments.brown.subgames.shared_rows import share_rows
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.search.off_tree.off_tree import OffTree
from equilibrist.search.subgame_solving import cfr_settings
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.cfr.runs import LayoutRun

RANKS = "23456789TJQKA"
GAME = "bl26(suits=merged)"  # equal ranks are played alike, so suits may be merged without loss
MILLI = 1000.0  # antes are 1: milli-antes per hand


@cache
def tree() -> PublicTree:
    """The whole game."""
    return public_tree(load_game(GAME))


def equity(hand: int, board: int) -> float:
    """P(win) + P(tie) / 2 against a uniform opponent card, two of each rank in the deck."""
    share, cards = 0.0, 0
    for other in range(len(RANKS)):
        copies = 2 - (other == hand) - (other == board)
        mine, theirs = (hand == board, hand), (other == board, other)
        share += copies * (1.0 if mine > theirs else 0.5 if mine == theirs else 0.0)
        cards += copies
    return share / cards


def bucket_names(buckets: int) -> Callable[[str], str]:
    """Infoset key -> bucket: equity on the board in equal steps, the board itself forgotten."""

    def name(key: str) -> str:
        hand, *line = key.split(":")
        board = next((place for place, token in enumerate(line) if token in RANKS), None)
        if board is None:
            return key
        number = min(buckets - 1, int(buckets * equity(RANKS.index(hand), RANKS.index(line[board])) + 1e-9))
        return ":".join([f"#{number}", *line[:board], "*", *line[board + 1 :]])

    return name


def bucketed_blueprint(buckets: int, iterations: int = 600) -> TreeProfile:
    """CFR+ in the abstraction with so many buckets on round 2, lifted to the game."""
    shared = share_rows(tree(), bucket_names(buckets))
    run = LayoutRun(cfr_settings("cfr+"), lay_out(shared.tree))
    run.advance(iterations)
    return TreeProfile(tree(), shared.lift(run.average()), shared.tree)


def solved_blueprint(game: PublicTree, iterations: int) -> TreeProfile:
    """CFR+ in the game itself."""
    run = LayoutRun(cfr_settings("cfr+"), lay_out(game))
    run.advance(iterations)
    return TreeProfile(game, run.average())


def known_blueprint(off_tree: OffTree, iterations: int) -> TreeProfile:
    """CFR+ in the finer game without its off-tree actions."""
    run = LayoutRun(cfr_settings("cfr+"), lay_out(off_tree.tree, hidden=off_tree.after))
    run.advance(iterations)
    return TreeProfile(off_tree.tree, off_tree.known_part(run.average()), hidden=off_tree.after)


def pot_fraction_game(first: tuple[str, ...], second: tuple[str, ...] = ("50%", "100%")) -> Poker:
    """BL26 with bets of pot fractions: one bet on round 1, up to three on round 2 (for [Brown20, Table 5.4])."""
    rules = PokerRules(Deck(13, 2, merged=True), board=(0, 1), menus=(Menu(first), Menu(second)), caps=(1, 3), ante=1)
    return Poker(f"bl26 with bets of {', '.join(first)}", rules)
