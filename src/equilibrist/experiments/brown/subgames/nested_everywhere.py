"""Bets of 0.75 pot in BL26 that one player never learned of, on both rounds, answered by translation and by nested search."""

from __future__ import annotations

from collections.abc import Callable

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.bl26 import MILLI, known_blueprint, pot_fraction_game
from equilibrist.experiments.brown.subgames.nested import PUBLISHED
from equilibrist.experiments.findings import Findings, Request, ascending, at_most
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.games.poker.game import Poker
from equilibrist.search.off_tree.off_tree import (
    OffTree,
    answer_everywhere,
    answer_everywhere_expensively,
    translate_everywhere,
)
from equilibrist.search.off_tree.translated import pseudo_harmonic
from equilibrist.solvers.responses.public_response import infostate_values, reach_of

SIZES = ("50%", "75%", "100%")
UNKNOWN = 0.75
TRAINED, SEARCHED = 800, 600  # iterations of the blueprint and of each search
INEXPENSIVE = ("resolve", "maxmargin", "reach-maxmargin")
EXPENSIVE = ("unsafe", "reach-maxmargin")

Answers = Callable[[int], TabularPolicy]


def size_missing(game: Poker, share: float) -> Callable[[str, str], bool]:
    """Whether an action is a bet or raise by this share of the pot."""

    def missing(state: str, action: str) -> bool:
        node = game.node_at(state)
        return abs(node.shares[node.labels.index(action)] - share) < 1e-9

    return missing


def opponents_get(off_tree: OffTree, answers: Answers) -> float:
    """Mean over seats of what an opponent with all sizes gets, in milli-antes; the value of the game cancels out."""
    layout, total = lay_out(off_tree.tree), 0.0
    for searcher in (0, 1):
        reach = reach_of(layout, layout.strategy(answers(searcher).probabilities))
        values = infostate_values(layout, reach, 1 - searcher).value
        total += float(values[layout.at((0,), 1 - searcher)].sum())
    return MILLI * total / 2.0


def run(request: Request) -> Findings:
    game = pot_fraction_game(SIZES, SIZES)
    request.report("building the game")
    off_tree = OffTree.where(public_tree(game), size_missing(game, UNKNOWN))
    known = known_blueprint(off_tree, TRAINED)
    low = pseudo_harmonic(0.5, UNKNOWN, 1.0)
    measured = {"residual": MILLI * known.evaluate().exploitability}
    request.report("translation")
    measured["translation"] = opponents_get(
        off_tree, lambda p: translate_everywhere(off_tree, known.policy, p, (low, 1.0 - low))
    )
    for name in INEXPENSIVE:
        request.report(name)
        found = [answer_everywhere(off_tree, known.policy, p, name, iterations=SEARCHED) for p in (0, 1)]
        measured[name] = opponents_get(off_tree, found.__getitem__)
    for name in EXPENSIVE if request.full else ():
        request.report(f"{name}, expensive")
        found = [answer_everywhere_expensively(off_tree, known.policy, p, name, iterations=SEARCHED) for p in (0, 1)]
        measured[f"{name}, expensive"] = opponents_get(off_tree, found.__getitem__)
    over = {name: value - measured["residual"] for name, value in measured.items()}
    checks = [
        at_most(f"excess of {name} / excess of translation", 1.0, over[name] / over["translation"])
        for name in INEXPENSIVE
    ]
    slack = 0.1 * over["translation"]
    checks.append(
        at_most("excess of reach-maxmargin less maxmargin", slack, over["reach-maxmargin"] - over["maxmargin"])
    )
    checks.append(
        ascending("Table 5.4: maxmargin < resolve, excess", {name: over[name] for name in ("maxmargin", "resolve")})
    )
    counts = [[len(off_tree.roots(p, level)) for level in range(1, off_tree.levels(p) + 1)] for p in (0, 1)]
    return Findings(
        setting=f"BL26 with bets of 0.5, 0.75 and 1 pot, one bet on round 1 and three on round 2; blueprint without 0.75, {TRAINED}, "
        f"searches {SEARCHED} iterations of CFR+; milli-antes"
        + ("" if request.full else "; expensive searches need --full"),
        checks=checks,
        published=PUBLISHED,
        measured={**measured, "excess": over, "answers by level": {f"player {p + 1}": counts[p] for p in (0, 1)}},
        remarks=(
            "Maxmargin is worse than resolve here: a third size on round 2 is really worth something to the opponent, so that some "
            "hands must gain over what they had. Resolve minimises the sum of their gains, which is the rise in exploitability; Maxmargin "
            "minimises the largest. Unsafe search is worst, because off-tree lines are lines that its blueprint hardly plays.",
            "A stand-in for Table 5.4 with its rules; off-tree bets inside answers to off-tree bets are solved again.",
        ),
    )


EXPERIMENT = Experiment(
    id="brown/nested-everywhere",
    title="Off-tree bets on both rounds: translation and nested search",
    source="[Brown20, Table 5.4]",
    seconds_quick=70,
    seconds_full=180,
    run=run,
    text="no-limit flop hold'em with 52 cards",
    quick={"BL26, 26 cards": ("pattern",)},
)
