"""Trained blueprints with one deal of board cards as profiles that search takes, hand by hand before the board and by bucket on it."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.boards.street_betting import IP, StreetForest
from equilibrist.games.poker.game import Poker
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.solvers.blueprint.abstract_poker import FittedBuckets
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.solve_game import board_solver
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream, stream_on
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame, BucketedProfile

SOLVER = "dcfr(gamma=5)"


def deals_one_board(blueprint: PokerBlueprint) -> bool:
    """Whether a blueprint is of a game for two with one deal of board cards, in buckets that suits do not tell apart."""
    rules = blueprint.abstract.rules
    return (
        rules.players == 2
        and rules.hole == 2
        and len(rules.board) == 2
        and rules.board[0] == 0
        and isinstance(blueprint.abstract.buckets, FittedBuckets)
    )


def trunk_of(blueprint: PokerBlueprint, threads: int = 1, device: str = "cpu") -> Trunk:
    """The blueprint with responses to it."""
    game, profile = _played(blueprint)
    return Trunk.of(stream_on(device, game, threads), profile)


def profile_of(blueprint: PokerBlueprint, threads: int) -> tuple[BoardStream, BucketedProfile]:
    """The blueprint's strategies hand by hand before the board and by bucket on it."""
    game, profile = _played(blueprint)
    return BoardStream(game, threads), profile


def _played(blueprint: PokerBlueprint) -> tuple[BucketedGame, BucketedProfile]:
    abstract = blueprint.abstract
    game = BucketedGame.of(Poker(blueprint.game, abstract.rules), abstract.buckets)
    first = np.asarray(abstract.buckets.bucket(0, game.deal.hands.astype(np.int8)))
    by_street = [
        _strategies(blueprint, game.forests[0], first),
        _strategies(blueprint, game.forests[1], np.arange(game.buckets)),
    ]
    return game, BucketedProfile(by_street[0], by_street[1])


def _strategies(blueprint: PokerBlueprint, forest: StreetForest, buckets: Longs) -> tuple[Floats, Floats]:
    """Per player [slot, bucket]."""
    tree = blueprint.abstract.tree
    out = np.zeros((forest.slots[0], len(buckets))), np.zeros((forest.slots[1], len(buckets)))
    for node in np.flatnonzero(forest.kind <= IP).tolist():
        place = tree.find(forest.line(node).replace("/", ":").strip(":"))
        assert tree.actions(place) == forest.labels(node), "both lay out the same betting"
        slot, width = int(forest.slot[node]), int(forest.children[node])
        out[int(forest.kind[node])][slot : slot + width] = blueprint.strategies(place, buckets).T
    return out


def usual_schedule() -> Schedule:
    """That of `SOLVER`."""
    return board_solver(SOLVER).schedule
