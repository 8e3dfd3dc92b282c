"""How well bets that a solution does not know are answered: one more size everywhere, answered everywhere, measured exactly.

The opponent may bet a share of the pot that the solved game lacks, as often as it likes; the solution never does. Each such bet is
answered by search, or taken for its neighbours in the menu ([Brown20, §5.1.7, Table 5.4]).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.names import Value, parse_name
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import EXACT, Solution, SolveRecord, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.catalogue import load_game, recorded_game
from equilibrist.games.poker.game import Poker
from equilibrist.search.off_tree.nested_search import actions_at, answers_at_once, carry
from equilibrist.search.off_tree.off_tree import (
    OffTree,
    answer_everywhere,
    answer_everywhere_expensively,
    translate_everywhere,
)
from equilibrist.search.off_tree.translated import pseudo_harmonic
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS
from equilibrist.search.techniques import find_technique
from equilibrist.solvers.responses.best_response import evaluate_policy, translate
from equilibrist.version import __version__

TRANSLATION = "translation"
SAME = 1e-9


@dataclass(frozen=True)
class OffTreeReport:
    """A solution where its opponent has one more bet size."""

    game: str  # with that size
    bet: float  # share of the pot
    answer: str  # a technique, or translation
    begins: str  # where answers begin: "after the bet" or "before the bet"
    answers: tuple[int, int]  # per player, after how many bets its opponent makes off the tree it has an answer
    before: float  # exploitability of the solution in its own game
    after: float  # in the game with the bet


def answer_off_tree(
    solution: Solution, bet: str, answer: str = "resolve", iterations: int | None = None
) -> tuple[OffTreeReport, Solution]:
    """Answer a bet of `bet` of the pot wherever the opponent can make it, for both players, and measure the whole strategy.

    Techniques that need to know with which hands the bet is made search from one step before it, the others right after it.
    """
    begin, share = time.perf_counter(), read_share(bet)
    game = recorded_game(solution.game)
    finer = with_size(game, share)
    tree, known = public_tree(finer), public_tree(game)
    off_tree = OffTree.where(tree, _unknown(finer, known, share))
    if not off_tree.after:
        raise ParameterError(
            f"A bet of {bet} of the pot adds nothing to '{solution.game}'; give a size that it does not have."
        )
    policy = carry(solution.tabular(), tree.infosets)
    many = DEFAULT_ITERATIONS if iterations is None else iterations
    begins, found = "after the bet", list[TabularPolicy]()
    if answer == TRANSLATION:
        shares = neighbours(game, share)
        found = [translate_everywhere(off_tree, policy, p, shares) for p in range(2)]
    elif answers_at_once(find_technique(answer)):
        found = [answer_everywhere(off_tree, policy, p, answer, iterations=many) for p in range(2)]
    else:
        begins = "before the bet"
        found = [answer_everywhere_expensively(off_tree, policy, p, answer, iterations=many) for p in range(2)]
    owner = np.repeat(tree.infosets.player, np.diff(tree.infosets.first_slot))
    whole = TabularPolicy(tree.infosets, np.where(owner == 0, found[0].probabilities, found[1].probabilities))
    compiled = Compiled(finer)
    final = translate(whole, compiled.infosets)
    first, second = (sum(len(off_tree.roots(p, n + 1)) for n in range(off_tree.levels(p))) for p in range(2))
    before = solution.evaluation or evaluate_policy(Compiled(game), solution.tabular())
    after = evaluate_policy(compiled, final)
    report = OffTreeReport(
        game=finer.name,
        bet=share,
        answer=answer,
        begins=begins,
        answers=(first, second),
        before=before.exploitability,
        after=after.exploitability,
    )
    record = SolveRecord(
        solver=f"search({answer})",
        iterations=0 if answer == TRANSLATION else many,
        seconds=time.perf_counter() - begin,
        settings={"technique": answer, "bet": bet, "from": solution.game},
        provenance={"version": __version__, "exploitability": EXACT},
    )
    return report, TabularSolution(finer.name, record, final, after)


def read_share(bet: str) -> float:
    """A share of the pot, from text such as 75%."""
    try:
        share = float(bet.removesuffix("%")) / 100.0
    except ValueError:
        share = -1.0
    if not bet.endswith("%") or not 0.0 < share < np.inf:
        raise ParameterError(
            f"A bet that may be made everywhere is a share of the pot such as 75%, but '{bet}' was given."
        )
    return share


def with_size(game: object, share: float) -> Poker:
    """The game with one more size in all menus, by its name."""
    name = parse_name(game.name) if isinstance(game, Poker) and "+" not in game.name else None
    sizes = None if name is None else name.parameters.get("sizes")
    if name is None or sizes is None or sizes == "any":
        raise NotApplicableError(
            "Bets off the tree are added to poker games with a list of bet sizes, such as nolimit-leduc(sizes=[0.5,1]); search other "
            "games at one line with --line and --bet."
        )
    items: tuple[Value, ...] = (1, "a") if sizes == "fcpa" else sizes if isinstance(sizes, tuple) else (sizes,)
    numbers = sorted({*(item for item in items if isinstance(item, int | float)), share})
    words = tuple(item for item in items if isinstance(item, str))
    finer = load_game(str(type(name)(name.base, {**name.parameters, "sizes": (*numbers, *words)})))
    assert isinstance(finer, Poker)
    return finer


def _unknown(finer: Poker, known: PublicTree, share: float) -> Callable[[str, str], bool]:
    """Whether an action is a bet of the new size; where stacks make it a known one, it is known."""
    names = {name: number for number, name in enumerate(known.states)}

    def unknown(state: str, action: str) -> bool:
        if state in names and action in actions_at(known, names[state]):
            return False
        return is_size(finer, state, action, share)

    return unknown


def is_size(game: Poker, state: str, action: str, share: float) -> bool:
    """Whether an action is a bet of this share of the pot."""
    node = game.node_at(state)
    return abs(node.shares[node.labels.index(action)] - share) < SAME


def neighbours(game: object, share: float) -> tuple[float, float]:
    """Probabilities with which the bet is taken for the next smaller and the next larger size (pseudo-harmonic)."""
    assert isinstance(game, Poker)
    sizes = game.first.shares
    below = [size for size in sizes if 0.0 < size < share]
    above = [size for size in sizes if size > share]
    if not below or not above:
        raise NotApplicableError(
            f"A bet of {100 * share:g} % of the pot has no neighbour on both sides in '{game.name}'; answer it by a search."
        )
    low = pseudo_harmonic(max(below), share, min(above))
    return low, 1.0 - low
