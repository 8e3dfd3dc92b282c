"""One street of a game that was solved on boards, searched with continuations below it: multi-valued states ([Brown20, §5.2])."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import DEAL, StreetForest
from equilibrist.forms.boards.street_boards import deal_boards
from equilibrist.search.depth_limited.spot_continuations import Continuations, fill_tables
from equilibrist.search.engines.board_subgame import BoardSubgame, matching_nodes
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.depth_limited.depth_limited_cfr import DepthLimitedCFR
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy, Place


def start_board_street(
    subgame: BoardSubgame,
    policy: BoardPolicy,
    schedule: Schedule,
    continuations: Continuations,
    searcher: int,
    *,
    predictive: bool = False,
    threads: int = 1,
) -> DepthLimitedCFR:
    """A run of the first street at iteration 0; below it both players choose among versions of the solution itself.

    After an off-tree bet the solution says nothing, so the streets below are learned for a while first.
    """
    if len(subgame.below) == 1:
        raise NotApplicableError("No card comes after this line, so there is no depth to limit; search to the end.")
    continuations.check_own_blueprint()
    weights = [np.zeros(len(subgame.deal.hands)) for _ in range(2)]
    for player, there in enumerate(weights):
        there[subgame.hands(player)] = 1.0
    run = DepthLimitedCFR(
        subgame.below,
        subgame.deal,
        weights,
        schedule,
        boards=deal_boards(subgame.deal, weights, False),
        preferences=continuations.preferences(searcher),
        corrected=False,  # all boards are there
        predictive=predictive,
        threads=threads,
        isomorphism=False,
    )
    subgame.set_ranges(run)
    if subgame.off_tree:
        run.advance(continuations.iterations)
    else:
        fill_tables(run, subgame.below, _Followed(subgame, policy))
    run.follow()
    return run


class _Followed:
    """The solution's strategies on the boards below a subgame."""

    def __init__(self, subgame: BoardSubgame, policy: BoardPolicy) -> None:
        self.subgame, self.policy = subgame, policy
        self.pairs: list[dict[int, int]] = []
        inside, whole = np.array(subgame.nodes), policy.forests[len(subgame.path) :]
        for mine, theirs in zip(subgame.below, whole, strict=True):
            self.pairs.append(matching_nodes(mine, theirs, inside))
            deals = np.flatnonzero(mine.kind == DEAL).tolist()
            inside = np.array([theirs.next_root[self.pairs[-1][node]] for node in deals])
        begun = subgame.deal.board_cards
        self.places = {begun: Place(subgame.path, subgame.nodes[0], begun)}

    def strategy(self, board: tuple[int, ...], forest: StreetForest, node: int, hands: Longs) -> Floats:
        depth = next(d for d, each in enumerate(self.subgame.below) if each is forest)
        there = self._place(board)
        place = Place(there.path, self.pairs[depth][node], there.cards, there.called)
        player = int(forest.kind[node])
        known = {int(hand): row for row, hand in enumerate(self.policy.hands(place, player).tolist())}
        rows: Floats = self.policy.table(place, player)[[known[int(hand)] for hand in hands.tolist()]]
        return rows

    def _place(self, board: tuple[int, ...]) -> Place:
        if board not in self.places:
            dealt = len(self.subgame.deal.board_cards)
            for cards in self.subgame.deal.streets:
                if dealt + cards >= len(board):
                    break
                dealt += cards
            self.places[board] = self.policy.deal(self._place(board[:dealt]), board[dealt:])
        return self.places[board]
