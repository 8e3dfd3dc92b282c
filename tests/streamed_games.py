"""A game of eight cards with one deal of board cards: blueprints in buckets, and the same on the public tree of the whole game."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import hand_index
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.shared_rows import share_rows
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.blueprint.abstract_poker import Buckets, ExactBuckets
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame, BucketedProfile
from equilibrist.solvers.registry import make_solver


def small_game(stack: float = 1200.0) -> Poker:
    """Eight cards; one raise before the flop, bets of the pot and all-in on it."""
    rules = PokerRules(
        Deck(4, 2),
        board=(0, 3),
        menus=(Menu(("100%",)), Menu(("100%", "a"))),
        caps=(1, 2),
        hole=2,
        blinds=(100, 50),
        first=(1, 0),
        stack=stack,
        minimum_bet=100,
        raise_at_least_last=True,
    )
    return Poker("eight cards", rules)


@dataclass(frozen=True)
class StrengthBuckets:
    """Hands by how strong they are on the flop, in intervals; suits do not matter."""

    game: Poker
    size: int = 4
    hash: str = "strength"

    @property
    def sizes(self) -> tuple[int, int]:
        return 28, self.size

    def bucket(self, round: int, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        exact = ExactBuckets(self.game.rules)
        every = np.unique(exact._strengths)
        cuts = every[(len(every) * np.arange(1, self.size)) // self.size]
        return np.searchsorted(cuts, self.strength(cards), side="right")

    def strength(self, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.integer]:
        return ExactBuckets(self.game.rules).strength(cards)


def schedule() -> Schedule:
    solver = make_solver("cfr+")
    return solver.schedule  # type: ignore[attr-defined, no-any-return]


@cache
def trunk() -> Trunk:
    game = small_game()
    abstract = BucketedGame.of(game, StrengthBuckets(game))
    run = BucketedCFR(abstract, CFR(schedule=schedule()))
    run.advance(60)
    return Trunk.of(run.stream, run.profile())


def read_key(key: str) -> tuple[tuple[int, ...], tuple[int, ...], str, str]:
    """Hole cards, board, line before it and line on it."""
    deck = Deck(4, 2)
    number = {deck.label(card): card for card in range(deck.size)}
    hole, *line = key.split(":")
    dealt = [place for place, token in enumerate(line) if token[:2] in number]
    cards = tuple(number[hole[k : k + 2]] for k in (0, 2))
    if not dealt:
        return cards, (), ":".join(line), ""
    board = tuple(number[line[dealt[0]][k : k + 2]] for k in (0, 2, 4))
    return cards, board, ":".join(line[: dealt[0]]), ":".join(line[dealt[0] + 1 :])


def up_to_suits(abstract: BucketedGame, hole: tuple[int, ...], board: tuple[int, ...]) -> list[int]:
    """Hole cards and board with suits renamed such that the board is one of those that are streamed."""
    known = {tuple(sorted(cards)) for cards in abstract.boards[1].cards}
    for swap in (0, 1):  # of two suits
        renamed = tuple(sorted(card ^ swap for card in board))
        if renamed in known:
            return [*sorted(card ^ swap for card in hole), *renamed]
    raise AssertionError("every board is streamed up to suits")


def on_tree(
    tree: PublicTree, abstract: BucketedGame, buckets: Buckets, profile: BucketedProfile
) -> tuple[TabularPolicy, dict[str, str]]:
    """A profile on a public tree, even where the betting of `abstract` does not go; and the name of each row that infosets share."""
    forests = abstract.forests
    nodes = [{forest.line(node).rstrip(":"): node for node in range(len(forest))} for forest in forests]
    out = tree.infosets.uniform().probabilities
    names = {}
    for i, (key, span) in enumerate(zip(tree.infosets.keys, pairwise(tree.infosets.first_slot.tolist()), strict=True)):
        hole, board, before, line = read_key(key)
        player, names[key] = int(tree.infosets.player[i]), key
        node = nodes[1 if board else 0].get(f"{before}/{line}" if board else before)
        if node is None:
            continue
        forest = forests[1 if board else 0]
        slots = slice(int(forest.slot[node]), int(forest.slot[node] + forest.children[node]))
        if board:
            cards = np.array([up_to_suits(abstract, hole, board)], dtype=np.int8)
            bucket = int(buckets.bucket(1, cards)[0])
            out[slice(*span)] = profile.rows[player][slots, bucket]
            names[key] = f"{bucket}:{before}/{line}"
        else:
            out[slice(*span)] = profile.first[player][slots, int(hand_index(np.array([sorted(hole)]))[0])]
    return TabularPolicy(tree.infosets, out), names


@cache
def blueprint() -> TreeProfile:
    """The same blueprint on the public tree of the whole game."""
    found, tree = trunk(), public_tree(trunk().abstract.game)
    policy, names = on_tree(tree, found.abstract, StrengthBuckets(found.abstract.game), found.profile)
    return TreeProfile(tree, policy, share_rows(tree, names.__getitem__).tree)


@cache
def exact() -> tuple[Trunk, BoardStream]:
    """Every hand its own bucket, every action equally likely."""
    game = small_game()
    stream = BoardStream(BucketedGame.of(game, ExactBuckets(game.rules)))
    even = BucketedProfile(
        (stream.abstract.first.even(0), stream.abstract.first.even(1)),
        (stream.abstract.rows_even(0), stream.abstract.rows_even(1)),
    )
    return Trunk.of(stream, even), stream
