"""A game of nine cards in three suits with two deals of board cards: blueprints in buckets on the turn, and the same on its public tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt

from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import hand_index
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.shared_rows import share_rows
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.poker.abstracted_holdem import nolimit_turn_holdem
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import CHANCE
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.blueprint.abstract_poker import ExactBuckets
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame, BucketedProfile
from streamed_games import schedule

DECK = Deck(3, 3)
NUMBER = {DECK.label(card): card for card in range(DECK.size)}


def turn_game() -> Poker:
    return nolimit_turn_holdem(stack=900, ranks=3, suits=3)


@dataclass(frozen=True)
class TurnBuckets:
    """Hands by how strong they are on the turn, in intervals; suits do not matter."""

    game: Poker
    size: int = 4
    hash: str = "strength on the turn"

    @property
    def sizes(self) -> tuple[int, int, int]:
        return 36, 1, self.size

    def bucket(self, round: int, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        exact = ExactBuckets(self.game.rules)
        every = np.unique(exact._strengths)
        cuts = every[(len(every) * np.arange(1, self.size)) // self.size]
        return np.searchsorted(cuts, self.strength(cards), side="right")

    def strength(self, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.integer]:
        return ExactBuckets(self.game.rules).strength(cards)


@cache
def turn_game_in_buckets() -> BucketedGame:
    return BucketedGame.of(turn_game(), TurnBuckets(turn_game()))


@cache
def turn_trunk() -> Trunk:
    run = BucketedCFR(turn_game_in_buckets(), CFR(schedule=schedule()))
    run.advance(60)
    return Trunk.of(run.stream, run.profile())


def read_turn_key(key: str) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], str]:
    """Hole cards, the cards of each deal, and the betting street by street with strokes between."""
    hole, *tokens = key.split(":")
    deals: list[tuple[int, ...]] = []
    lines: list[list[str]] = [[]]
    for token in tokens:
        if token[:2] in NUMBER:
            deals.append(_cards(token))
            lines.append([])
        elif token:
            lines[-1].append(token)
    return _cards(hole), tuple(deals), "/".join(":".join(line) for line in lines)


def _cards(text: str) -> tuple[int, ...]:
    return tuple(NUMBER[text[k : k + 2]] for k in range(0, len(text), 2))


@cache
def kept_flop(flop: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The board that stands for a flop, and where its suits go there."""
    kept = {tuple(sorted(cards)): b for b, cards in enumerate(turn_game_in_buckets().boards[1].cards)}
    for suits in permutations(range(3)):
        moved = tuple(sorted(_moved(card, suits) for card in flop))
        if moved in kept:
            return kept[moved], suits
    raise AssertionError("every flop is there up to suits")


def _moved(card: int, suits: tuple[int, ...]) -> int:
    return int(DECK.rank(card)) * 3 + suits[int(DECK.suit(card))]


def on_turn_tree(tree: PublicTree, profile: BucketedProfile) -> tuple[TabularPolicy, dict[str, str]]:
    """A profile on the public tree, and the name of each row that infosets share."""
    abstract = turn_game_in_buckets()
    buckets = TurnBuckets(abstract.game)
    nodes = [{forest.line(n).rstrip(":"): n for n in range(len(forest))} for forest in abstract.forests]
    out, names = tree.infosets.uniform().probabilities, {}
    for i, (key, span) in enumerate(zip(tree.infosets.keys, pairwise(tree.infosets.first_slot.tolist()), strict=True)):
        hole, deals, line = read_turn_key(key)
        player, depth = int(tree.infosets.player[i]), len(deals)
        forest, node = abstract.forests[depth], nodes[depth][line]
        slots, names[key] = slice(int(forest.slot[node]), int(forest.slot[node] + forest.children[node])), key
        if depth == 0:
            row = profile.first[player][slots, hand_number(hole)]
        elif depth == 1:
            board, suits = kept_flop(deals[0])
            row = profile.between[player][0][slots, board, hand_number(tuple(_moved(c, suits) for c in hole))]
        else:
            cards = np.array([[*hole, *deals[0], *deals[1]]], dtype=np.int8)
            bucket = int(buckets.bucket(2, cards)[0])
            row, names[key] = profile.rows[player][slots, bucket], f"{bucket}:{line}"
        out[slice(*span)] = row
    return TabularPolicy(tree.infosets, out), names


def hand_number(hole: tuple[int, ...]) -> int:
    return int(hand_index(np.array([sorted(hole)]))[0])


@cache
def turn_blueprint() -> TreeProfile:
    """The same blueprint on the public tree of the whole game."""
    tree = public_tree(turn_game())
    policy, names = on_turn_tree(tree, turn_trunk().profile)
    return TreeProfile(tree, policy, share_rows(tree, names.__getitem__).tree)


def turn_states(tree: PublicTree) -> list[int]:
    """Public states where the turn has just been dealt."""
    drawn = [s for s, above in enumerate(tree.parent.tolist()) if above > 0 and tree.player[above] == CHANCE]
    return [s for s in drawn if tree.player[s] >= 0 and sum(t[:2] in NUMBER for t in tree.states[s].split(":")) == 2]
