"""`solve_boards`: full two-player poker games, board by board, without laying out their trees."""

from __future__ import annotations

import numpy as np

from equilibrist.core.errors import NotApplicableError, TooLargeError
from equilibrist.core.solution import Evaluation, Solution
from equilibrist.forms.boards.poker_streets import betting_streets, deal_of, refuse_unsuitable
from equilibrist.forms.boards.street_boards import deal_boards
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import Game
from equilibrist.games.size_estimate import memory_limit
from equilibrist.solvers.cfr.cfr import CFR, bindings_told
from equilibrist.solvers.iteration_loop import Finished, ProgressCallback, Solver, Stop, finish, go_on
from equilibrist.solvers.mccfr.mccfr import MCCFR
from equilibrist.solvers.postflop.board_runs import (
    DealtBoards,
    method_on_boards,
    solver_on_boards,
    start_on_boards,
)
from equilibrist.solvers.postflop.bound_boards import merges_models, start_bound
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy
from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
from equilibrist.solvers.postflop.vector_cfr import BoardCFR
from equilibrist.solvers.registry import make_solver

MOST_FINAL_BOARDS = 100_000  # of a hold'em deck each takes 50 kB of card tables, and megabytes of strategies


def board_solver(solver: str | Solver) -> CFR:
    """A member of the CFR family that runs on boards, as searches take it."""
    chosen = make_solver(solver) if isinstance(solver, str) else solver
    if not isinstance(chosen, CFR) or chosen.representation not in ("auto", "boards"):
        raise NotApplicableError(
            f"Boards are solved by the CFR family (dcfr, cfr+, lcfr, pcfr+ …), not by '{chosen.name}'."
        )
    return chosen


def poker_game(game: Game) -> Poker:
    """A game that has boards."""
    if not isinstance(game, Poker):
        raise NotApplicableError(f"Only poker games have boards, but '{game.name}' was given; leave out on=boards.")
    refuse_unsuitable(game.name, game.rules)
    return game


def start_boards(
    game: Poker,
    solver: str | Solver,
    *,
    threads: int = 1,
    bits: int = 32,
    seed: int = 0,
    isomorphism: bool = True,
    device: str = "cpu",
) -> BoardCFR:
    """A run at iteration 0, by any solver; refuses what does not fit in memory before anything is allocated."""
    chosen = solver_on_boards(solver)
    bound = isinstance(chosen, CFR) and bool(chosen.bindings)
    alike = merges_models(game, chosen) if bound else method_on_boards(chosen).merges_suits
    dealt = deal_game(game, isomorphism=isomorphism and alike)
    _refuse_too_large(game, method_on_boards(chosen).bytes_needed(dealt.forests, dealt.boards, bits))
    if bound:
        if bits != 32:
            raise NotApplicableError("Models are followed in tables of 32 bits; leave 'bits' out.")
        return start_bound(game, chosen, dealt, threads=threads, device=device)
    return start_on_boards(chosen, dealt, threads=threads, bits=bits, seed=seed, device=device)


def deal_game(game: Poker, *, isomorphism: bool = True) -> DealtBoards:
    """The betting and boards of a whole game."""
    _refuse_too_many_boards(game)
    deal, forests = deal_of(game.rules), betting_streets(game.rules)
    weights = [np.ones(len(deal.hands))] * 2
    return DealtBoards(forests, deal, weights, deal_boards(deal, weights, isomorphism), isomorphism)


def _refuse_too_large(game: Poker, need: int) -> None:
    if need > memory_limit():
        raise TooLargeError(
            f"'{game.name}' needs {need / 1e9:,.1f} GB for its tables, but {memory_limit() / 1e9:.1f} GB are available; use 16 bits, "
            "fewer bet sizes, fewer ranks or a game with fewer rounds."
        )


def _refuse_too_many_boards(game: Poker) -> None:
    """A count that ignores suits, so at most 24 times too high."""
    rules, left, boards = game.rules, game.rules.deck.size, 1.0
    for cards in rules.board:
        for dealt in range(cards):
            boards *= (left - dealt) / (dealt + 1)
        left -= cards
    if boards / 24 > MOST_FINAL_BOARDS:
        raise TooLargeError(
            f"'{game.name}' has {boards:.2g} final boards, too many to solve each of them; use fewer ranks or suits, a game with fewer "
            "rounds, or solve one board as a spot."
        )


def solve_boards(
    game: Poker,
    solver: str | Solver,
    stop: Stop,
    *,
    threads: int = 1,
    bits: int = 32,
    seed: int = 0,
    device: str = "cpu",
    progress: ProgressCallback | None = None,
    resume: Solution | None = None,
) -> BoardSolution:
    """Solve a poker game on its boards, by any solver."""
    chosen = solver_on_boards(solver)
    run = start_boards(game, chosen, threads=threads, bits=bits, seed=seed, device=device)
    before = go_on(run, resume, kind=BoardSolution.kind, game=game.name, solver=chosen.name, bits=bits)

    def solution(found: Finished[Evaluation]) -> BoardSolution:
        policy = BoardPolicy(game, betting_streets(game.rules), lambda: run)
        return BoardSolution(game.name, found.record, policy, found.evaluation)

    return finish(
        run,
        stop,
        solution,
        solver=chosen.name,
        progress=progress,
        before=before,
        threads=threads,
        bits=bits,
        settings={"representation": "boards"}
        | ({"seed": seed} if isinstance(chosen, MCCFR) else {})
        | ({"device": run.device} if run.device != "cpu" else {})
        | bindings_told(chosen),
    )
