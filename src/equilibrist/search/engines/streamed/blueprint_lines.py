"""Trained blueprints of games with one deal of board cards, searched on a board with all hands told apart ([Brown20, §5.1]).

The blueprint plays buckets; its best responses, estimates and gifts are worked out over all boards, one after another, so that every
technique can compare with them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.board_subgame import BoardSubgame
from equilibrist.search.engines.games import search_board
from equilibrist.search.engines.streamed.blueprint_trunk import SOLVER, profile_of, usual_schedule
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.engines.streamed.bucket_engine import GadgetOutcome, search_in_buckets
from equilibrist.search.engines.streamed.nested import NestedStream
from equilibrist.search.engines.streamed.places import StreamedPlace, class_label, find_place, hand_label
from equilibrist.search.engines.streamed.street_engine import StreetSubgame, search_street
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.off_tree.unknown_bet import forests_after
from equilibrist.search.requests.game_answer import GameAnswer
from equilibrist.search.requests.request import SearchRequest
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.postflop.streamed_buckets.board_stream import BoardStream
from equilibrist.solvers.postflop.vector_cfr import BoardCFR


def search_streamed(blueprint: PokerBlueprint, request: SearchRequest) -> GameAnswer:
    """Search a line for one player: on a board (`r300:c:7h6d2c:x`) from the beginning of its betting, with all hands told apart; before
    the cards come (`r300:c`) on all boards at once, inside the buckets; or from a decision of the first street (`r300`) on.

    A bet that the blueprint does not know is answered on the first street and on a board; the first street can be searched alone.
    """
    request.refuse_leaves()
    request.refuse_gpu()
    request.refuse_menus()
    request.iterations_alone("A blueprint's board")
    technique, below = find_technique(request.technique or "resolve"), request.below()
    stream, profile = profile_of(blueprint, request.threads)
    trunk = Trunk.of(stream, profile)
    if request.nested:
        hand = NestedStream(trunk, request.nested_seat(), technique, request.iterations, request.threads)
        hand.follow(request.line)
        return hand.answer(blueprint.game)
    task = _Task(blueprint.game, trunk, find_place(trunk, request.line), technique, request, time.perf_counter())
    if task.place.street == 0:
        return _search_street(task, below)
    if below is not None:
        raise NotApplicableError(
            "No card comes after this line, so there is no depth to limit; search to the end, or a line before the board."
        )
    if request.bet is not None:
        return _answer_bet(task)
    return _search_before(task, stream) if task.place.board is None else _search_board(task)


@dataclass(frozen=True)
class _Task:
    """One search of a blueprint, read."""

    game: str
    trunk: Trunk
    place: StreamedPlace
    technique: Technique
    request: SearchRequest
    begin: float

    @property
    def forest(self) -> StreetForest:
        return self.trunk.abstract.forests[self.place.street]

    @property
    def actor(self) -> int:
        return int(self.forest.kind[self.place.node])

    @property
    def searcher(self) -> int:
        """Who is searched for: the player who acts, or who answers a bet."""
        seat, answers = self.request.seat(), self.request.bet is not None
        if answers and seat == self.actor:
            raise ParameterError(
                f"Player {self.actor + 1} itself acts after '{self.request.line}', so '{self.request.bet}' is no answer to search for."
            )
        return (1 - self.actor if answers else self.actor) if seat is None else seat

    @property
    def iterations(self) -> int:
        return DEFAULT_ITERATIONS if self.request.iterations is None else self.request.iterations

    def answer(
        self, player: int, actions: Sequence[str], hands: Mapping[str, Floats], weights: Floats, **facts: Any
    ) -> GameAnswer:
        """`hands` by name [action], in the order of their weights."""
        rows = np.array(list(hands.values()))
        return GameAnswer(
            game=self.game,
            searcher=self.searcher,
            technique=self.technique.name,
            iterations=self.iterations,
            seconds=time.perf_counter() - self.begin,
            player=player,
            actions=tuple(actions),
            frequencies=tuple(np.average(rows, axis=0, weights=weights if weights.any() else None).tolist()),
            hands={hand: tuple(row.tolist()) for hand, row in hands.items()},
            **({"line": self.request.line} | facts),
        )

    def outcome(self, found: GadgetOutcome, root: int) -> dict[str, float]:
        """What a search that began before the boards says about one of its roots, in chips of a hand."""
        pairs, known = self.trunk.abstract.first.pairs, self.technique.gadget.needs_values
        return {
            "exploitability": found.gap / pairs,
            "margin": float(found.margins[root]) if known else float("nan"),
            "tolerance": float(found.tolerances[root]) / pairs if known and self.technique.safe else float("nan"),
        }


def _search_street(task: _Task, below: Continuations | None) -> GameAnswer:
    """A decision before the board, hand by hand; hands that differ by suits only are named together."""
    node, bet = task.place.node, task.request.bet
    searcher = task.searcher
    subgame = StreetSubgame.of(task.trunk, node) if bet is None else StreetSubgame.after(task.trunk, node, bet)
    found = search_street(
        subgame,
        searcher,
        task.technique,
        usual_schedule(),
        task.iterations,
        continuations=below,
        threads=task.request.threads,
    )
    player, strategy, first = subgame.player, found.strategy(), task.trunk.abstract.first
    kept = np.unique(first.classes)
    weights = np.bincount(first.classes, task.trunk.reach[player][node], len(first.classes))[kept].astype(np.float64)
    return task.answer(
        player,
        subgame.abstract.forests[0].labels(0),
        {class_label(task.trunk, int(hand)): strategy[hand] for hand in kept.tolist()},
        weights,
        line=subgame.line,
        below=None if below is None else below.told(),
        **task.outcome(found, 0),
    )


def _search_before(task: _Task, stream: BoardStream) -> GameAnswer:
    """The first decision on the boards, bucket by bucket."""
    root, player = task.place.node, task.actor
    found = search_in_buckets(task.trunk, stream, task.searcher, task.technique, usual_schedule(), task.iterations)
    slots = slice(int(task.forest.slot[root]), int(task.forest.slot[root] + task.forest.children[root]))
    strategy = found.engine.rows()[player][slots].T
    met = found.engine.average[player][slots].sum(axis=0)
    hands = {f"bucket {number + 1}": row for number, row in enumerate(strategy)}
    return task.answer(player, task.forest.labels(root), hands, met, **task.outcome(found, root))


def _search_board(task: _Task) -> GameAnswer:
    """A decision on one board, searched from the beginning of its betting."""
    place, technique, searcher = task.place, task.technique, task.searcher
    subgames = BoardSubgames(task.trunk, place.on_board, usual_schedule())
    if not subgames.comes(technique, searcher, place.root):
        raise NotApplicableError(f"The blueprint never gets to '{task.request.line}'; search a line that it plays.")
    run, inner = subgames.solve(technique, searcher, task.iterations)
    found = subgames.found(technique, searcher, run)
    strategy = _rows(inner, place.node, len(subgames.hands))
    return task.answer(
        task.actor,
        task.forest.labels(place.node),
        {
            hand_label(task.trunk, hand, place.suits): row
            for hand, row in zip(subgames.hands.tolist(), strategy, strict=True)
        },
        _reach(inner, task.forest, place, task.actor, subgames),
        exploitability=run.evaluate().exploitability * subgames.chance,
        margin=float(found.margins[place.root]),
        tolerance=float(found.tolerances[place.root]) if technique.safe else float("nan"),
    )


def _answer_bet(task: _Task) -> GameAnswer:
    """What follows a bet on one board that the blueprint does not know; staying out is worth what the hand had before it."""
    place, line, bet = task.place, task.request.line, task.request.bet
    assert bet is not None
    if place.board is None:
        raise NotApplicableError(
            f"A bet after '{line}' is answered on a board, whose hands have values of their own; give its cards, as in "
            f"'{line}:7h6d2c'."
        )
    subgames = BoardSubgames(task.trunk, place.board, usual_schedule())
    below, _, label = forests_after(task.trunk.abstract.game, task.forest, place.node, line, bet)
    subgame = BoardSubgame(subgames.blueprint(), (), (place.node,), below, off_tree=True)
    how: dict[str, Any] = {"stop": Stop(iterations=task.iterations), "threads": task.request.threads}
    found = search_board(subgame, task.searcher, task.technique, solver=SOLVER, **how)
    player = int(below[0].kind[0])
    return task.answer(
        player,
        below[0].labels(0),
        {
            hand_label(task.trunk, hand, place.suits): row
            for hand, row in zip(subgame.hands(player).tolist(), found.strategy(), strict=True)
        },
        subgame.ranges(player)[0],
        line=f"{line}:{label}",
        exploitability=found.exploitability * subgames.chance,
        margin=found.margin,
        tolerance=found.tolerance,
    )


def _rows(run: BoardCFR, node: int, hands: int) -> Floats:
    """[hand, action]"""
    return run.streets[0].strategy(0, node)[:, :hands].T


def _reach(run: BoardCFR, forest: StreetForest, place: StreamedPlace, player: int, subgames: BoardSubgames) -> Floats:
    """[hand] with which a player comes to the decision: the blueprint's range, then what was found."""
    out: Floats = subgames.ranges[player].reshape(forest.roots, -1)[place.root].copy()
    node = place.node
    while node != place.root:
        above = int(forest.parent[node])
        if forest.kind[above] == player:
            out *= _rows(run, above, len(out))[:, node - int(forest.first_child[above])]
        node = above
    return out
