"""How well bets that a game solved on its boards does not know are answered, on all flops at once, measured exactly.

What `off_tree_bets` does for games solved as tables this does for hold'em that ends on the flop ([Brown20, §5.1.7, Table 5.4]).
"""

from __future__ import annotations

from collections.abc import Callable

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.verification.off_tree_bets import (
    TRANSLATION,
    OffTreeReport,
    is_size,
    neighbours,
    read_share,
    with_size,
)
from equilibrist.games.poker.game import Poker
from equilibrist.search.off_tree.finer_flops import FinerFlops
from equilibrist.search.off_tree.flop_answers import answer_flops, opponent_gets, translate_flops
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS
from equilibrist.search.techniques import find_technique
from equilibrist.solvers.cfr.schedules import PLUS
from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution

Report = Callable[[str, float | None], None]


def answer_off_tree_flops(
    solution: BoardSolution,
    bet: str,
    answer: str = "resolve",
    iterations: int | None = None,
    *,
    device: str = "cpu",
    threads: int = 1,
    report: Report = lambda doing, share: None,
) -> OffTreeReport:
    """Answer a bet of `bet` of the pot wherever the opponent can make it, for both players, and measure each against a best response."""
    share, game = read_share(bet), solution.policy.game
    if len(solution.policy.forests) != 2 or solution.record.bits != 32:
        raise NotApplicableError(
            f"Bets off the tree are answered on all boards of games with two streets and tables of 32 bits, but '{game.name}' has "
            f"{len(solution.policy.forests)} and {solution.record.bits}; search it at one line with --line and --bet."
        )
    shares = neighbours(game, share) if answer == TRANSLATION else None
    technique = None if shares is not None else find_technique(answer)
    if technique is not None:
        technique.check_off_tree()
    finer = with_size(game, share)
    flops = FinerFlops(finer, _unknown(solution, finer, share), PLUS, device=device, threads=threads)
    if not any(after.any() for after in flops.lines.after):
        raise ParameterError(
            f"A bet of {bet} of the pot adds nothing to '{solution.game}'; give a size that it does not have."
        )
    blueprint, gets, counts = flops.blueprint(solution.policy.run), list[float](), list[int]()
    for searcher in range(2):

        def told(doing: str, done: float | None, seat: int = searcher) -> None:
            report(f"player {seat + 1}: {doing}", done)

        if technique is None:
            assert shares is not None
            played = translate_flops(flops, blueprint[searcher], searcher, shares)
        else:
            many = DEFAULT_ITERATIONS if iterations is None else iterations
            played = answer_flops(flops, blueprint[searcher], searcher, technique, many, told)
        told("best response", None)
        gets.append(opponent_gets(flops, played, searcher))
        levels = range(1, flops.lines.levels(searcher) + 1)
        counts.append(sum(len(flops.lines.roots(street, searcher, level)) for level in levels for street in range(2)))
        flops.forget_engines()
    return OffTreeReport(
        game=finer.name,
        bet=share,
        answer=answer,
        begins="after the bet",
        answers=(counts[0], counts[1]),
        before=solution.evaluation.exploitability,
        after=sum(gets) / 2.0,
    )


def _unknown(solution: BoardSolution, finer: Poker, share: float) -> Callable[[str, str], bool]:
    """Whether an action is a bet of the new size; where stacks make it a known one, it is known."""
    known = {
        (forest.line(above).replace("/", ":"), forest.action[node])
        for forest in solution.policy.forests
        for node, above in enumerate(forest.parent.tolist())
        if above >= 0
    }
    return lambda line, action: (line, action) not in known and is_size(finer, line, action, share)
