"""All off-tree bets of a game with one deal of board cards answered, on all boards at once ([Brown20, §5.1.7, Table 5.4]).

What `answer_everywhere` does in a public tree this does for hold'em that ends on the flop, without card abstraction. Answers of one level
do not depend on each other, so all of them on all boards are one search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from equilibrist.core.errors import NotApplicableError
from equilibrist.search.alternatives import expected
from equilibrist.search.engines.boards import board_engine
from equilibrist.search.gadget_run import GadgetRun
from equilibrist.search.gadgets import GadgetInputs
from equilibrist.search.off_tree.finer_flops import FinerFlops, SeatStrategy, in_proportion, normalised
from equilibrist.search.off_tree.known_seat import KnownSeat
from equilibrist.search.techniques import Technique

Report = Callable[[str, float | None], None]


def opponent_gets(game: FinerFlops, strategy: SeatStrategy, searcher: int) -> float:
    """What an opponent with all actions gets by responding best, chips."""
    nothing = np.zeros_like(game.lines.after[1])
    values = KnownSeat(game, strategy, searcher).before(nothing)
    return game.first.average(values)


def translate_flops(
    game: FinerFlops, strategy: SeatStrategy, searcher: int, shares: tuple[float, float]
) -> SeatStrategy:
    """A searcher that takes every off-tree action for the one before or after it, with these probabilities."""
    forests, images = game.lines.forests, game.lines.images(searcher, shares)
    seat = KnownSeat(game, strategy, searcher)
    first, flops = strategy.first.copy(), strategy.flops.copy()
    for street, table in enumerate((first, flops)):
        forest = forests[street]
        for node, known in images[street].items():
            if forest.kind[node] != searcher or not game.lines.taken[street][1 - searcher, node]:
                continue
            there = slice(int(forest.slot[node]), int(forest.slot[node] + forest.children[node]))
            weights = sum(share * seat.sequences(street, image) for share, image in known)
            table[..., there, :] = in_proportion(weights)
    return SeatStrategy(first, flops)


def answer_flops(
    game: FinerFlops, strategy: SeatStrategy, searcher: int, technique: Technique, iterations: int, report: Report
) -> SeatStrategy:
    """A searcher that knows a blueprint and answers every off-tree action of its opponent, right after it."""
    technique.check_off_tree()
    if technique.gift_scale and not technique.split:
        raise NotApplicableError(
            f"Off-tree actions on all flops are answered with gifts that are split; '{technique.name}' does not split them."
        )
    for level in range(1, game.lines.levels(searcher) + 1):
        before, on = (game.lines.roots(street, searcher, level) for street in range(2))
        seat = KnownSeat(game, strategy, searcher)
        report(f"{len(before) + len(on)} lines after off-tree action {level} of a game", None)
        for root in before:
            strategy = _answer_before(game, seat, strategy, root, level, technique, iterations)
        if on:
            strategy = _answer_on(game, seat, strategy, on, level, technique, iterations)
    return strategy


def _answer_before(
    game: FinerFlops,
    seat: KnownSeat,
    strategy: SeatStrategy,
    root: int,
    level: int,
    technique: Technique,
    iterations: int,
) -> SeatStrategy:
    """What follows an action before the flop: both streets are solved, with one gadget before the flop."""
    searcher, above, hidden = seat.searcher, int(game.lines.forests[0].parent[root]), game.lines.after
    values = seat.before(game.lines.hidden(searcher, level - 1)[1], game.lines.hidden(searcher, level - 1)[0])
    held, gifts = seat.down[root], seat.gifts_before(values, above)
    mass = game.first.met(held)
    run = game.run_below(root, hidden)
    order = [each.pair[0, : game.first.hands] for each in game.boards[0].player]
    theirs, mine = order[1 - searcher], order[searcher]
    worth, _ = technique.alternatives(expected(values[above], mass)[theirs], None, gifts[theirs])
    inputs = GadgetInputs(mass[theirs], np.zeros(len(theirs), dtype=np.int32), np.ones(len(theirs)), worth)
    GadgetRun(board_engine(run), searcher, technique.gadget, inputs, held[mine]).advance(iterations)
    return game.adopted(strategy, searcher, run, root, hidden)


def _answer_on(
    game: FinerFlops,
    seat: KnownSeat,
    strategy: SeatStrategy,
    roots: list[int],
    level: int,
    technique: Technique,
    iterations: int,
) -> SeatStrategy:
    """What follows actions on the flop: all of them on all boards are solved side by side, each with a gadget."""
    searcher, after = seat.searcher, game.lines.after[1]
    above = [int(game.lines.forests[1].parent[root]) for root in roots]
    mass, gifts = seat.mass(above), None
    worth = expected(seat.responses(above, game.lines.hidden(searcher, level - 1)[1]), mass)
    if technique.gift_scale:
        gifts = seat.gifts(above, *game.lines.hidden(searcher, level - 1))
    worth, _ = technique.alternatives(worth, None, gifts)
    boards, number, hands = mass.shape
    inputs = GadgetInputs(
        mass=mass.ravel(),
        group=game.xp.asarray(np.repeat(np.arange(boards * number, dtype=np.int32), hands)),
        reach=game.xp.ones(mass.size),
        alternative=worth.ravel(),
    )
    forest, engine = game.engine(roots, after)
    engine.search(searcher, technique.gadget, inputs, seat.reach(above).ravel(), iterations)
    rows = normalised(forest, searcher, engine.table("average", searcher))
    return replace(strategy, flops=game.placed(strategy.flops, searcher, roots, after, rows))
