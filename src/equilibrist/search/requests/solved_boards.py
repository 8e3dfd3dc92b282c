"""Requests answered on games that were solved on boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equilibrist.core.errors import NotApplicableError
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.games import GameSearch, search_game
from equilibrist.search.engines.nested_boards import NestedBoards
from equilibrist.search.requests.game_answer import GameAnswer
from equilibrist.search.requests.request import SearchRequest

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution


def search_solved_boards(solution: BoardSolution, request: SearchRequest) -> GameAnswer:
    """A decision of a game that was solved on boards."""
    request.refuse_leaves()
    request.refuse_gpu()
    request.refuse_menus()
    if request.nested:
        return _play_out_boards(solution, request)
    below = request.below()
    found = search_game(
        solution.policy,
        request.line,
        request.technique or "resolve",
        searcher=request.seat(),
        bet=request.bet,
        stop=request.game_stop(),
        threads=request.threads,
        continuations=below,
    )
    return _of_boards(solution.game, found, below)


def _play_out_boards(solution: BoardSolution, request: SearchRequest) -> GameAnswer:
    """A line played out by nested search: each bet that is not known is answered from the answer before."""
    hand = NestedBoards(
        solution.policy,
        request.nested_seat(),
        request.technique or "resolve",
        stop=request.game_stop(),
        threads=request.threads,
    )
    hand.follow(request.line)
    return nested_answer(hand, solution.game)


def nested_answer(hand: NestedBoards, game: str) -> GameAnswer:
    """The decision where a line that was played out ends."""
    player = hand.policy.player(hand.place)
    if player < 0:
        raise NotApplicableError(
            f"Nobody acts after '{hand.line}' in '{game}'; {hand.policy.what_follows(hand.place)}."
        )
    if not hand.searches:
        hand.solve_here()
    found, policy, place = hand.searches[-1], hand.policy, hand.place
    return GameAnswer(
        game=game,
        line=hand.line,
        searcher=hand.searcher,
        technique=found.technique.name,
        iterations=found.run.iteration,
        seconds=sum(each.seconds for each in hand.searches),
        exploitability=found.exploitability,
        margin=found.margin,
        tolerance=found.tolerance,
        player=player,
        actions=policy.actions(place),
        frequencies=tuple(policy.frequencies(place, player).tolist()),
        hands={
            hand: tuple(row.tolist())
            for hand, row in zip(policy.labels(place, player), policy.table(place, player), strict=True)
        },
    )


def _of_boards(game: str, answer: GameSearch, below: Continuations | None) -> GameAnswer:
    found = answer.found
    return GameAnswer(
        game=game,
        line=answer.line,
        searcher=found.searcher,
        technique=found.technique.name,
        iterations=found.run.iteration,
        seconds=found.seconds,
        exploitability=found.exploitability,
        margin=found.margin,
        tolerance=found.tolerance,
        player=answer.player,
        actions=answer.actions,
        frequencies=tuple(answer.frequencies().tolist()),
        hands={hand: tuple(row.tolist()) for hand, row in answer.by_label().items()},
        below=None if below is None else below.told(),
    )
