"""Bets of 0.75 pot that one player never learned of, on both rounds, answered by translation and by nested search: BL26, and with --full
the text's flop hold'em with eight cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.bl26 import MILLI, known_blueprint, pot_fraction_game
from equilibrist.experiments.brown.subgames.nested import PUBLISHED
from equilibrist.experiments.findings import Check, Findings, Request, ascending, at_most, on
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.games.poker.abstracted_holdem import BIG_BLIND, nested_nolimit_flop_holdem
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
LEDUC, FLOP = "BL26, 26 cards", "nested no-limit flop hold'em, 8 cards"

Answers = Callable[[int], TabularPolicy]


def size_missing(game: Poker, share: float) -> Callable[[str, str], bool]:
    """Whether an action is a bet or raise by this share of the pot."""

    def missing(state: str, action: str) -> bool:
        node = game.node_at(state)
        return abs(node.shares[node.labels.index(action)] - share) < 1e-9

    return missing


def opponents_get(off_tree: OffTree, answers: Answers) -> float:
    """Mean over seats of what an opponent with all sizes gets, in thousandths of a chip; the value of the game cancels out."""
    layout, total = lay_out(off_tree.tree), 0.0
    for searcher in (0, 1):
        reach = reach_of(layout, layout.strategy(answers(searcher).probabilities))
        values = infostate_values(layout, reach, 1 - searcher).value
        total += float(values[layout.at((0,), 1 - searcher)].sum())
    return MILLI * total / 2.0


@dataclass(frozen=True)
class NestedTable:
    """Translation and nested searches in one game: what opponents get, in thousandths of an ante or a big blind."""

    got: dict[str, float]
    answers: dict[str, list[int]]  # by player and level

    @property
    def over(self) -> dict[str, float]:
        """In excess of what the blueprint itself leaves in its abstraction."""
        return {name: value - self.got["residual"] for name, value in self.got.items()}

    def checks(self) -> list[Check]:
        """Table 5.4: every search beats translation, Reach does no harm, Maxmargin beats Resolve."""
        over = self.over
        slack = 0.1 * over["translation"]
        return [
            *(
                at_most(f"excess of {name} / excess of translation", 1.0, over[name] / over["translation"])
                for name in INEXPENSIVE
            ),
            at_most("excess of reach-maxmargin less maxmargin", slack, over["reach-maxmargin"] - over["maxmargin"]),
            ascending(
                "Table 5.4: maxmargin < resolve, excess", {name: over[name] for name in ("maxmargin", "resolve")}
            ),
        ]


def compare(game: Poker, unit: float, expensive: Sequence[str], request: Request) -> NestedTable:
    """`unit`: chips of an ante or a big blind; `expensive` techniques search from before the off-tree bets on."""
    request.report(f"{game.name}: building the game")
    off_tree = OffTree.where(public_tree(game), size_missing(game, UNKNOWN))
    request.report(f"{game.name}: blueprint")
    known = known_blueprint(off_tree, TRAINED)
    low = pseudo_harmonic(0.5, UNKNOWN, 1.0)
    got = {"residual": MILLI * known.evaluate().exploitability}
    request.report(f"{game.name}: translation")
    got["translation"] = opponents_get(
        off_tree, lambda p: translate_everywhere(off_tree, known.policy, p, (low, 1.0 - low))
    )
    for name in INEXPENSIVE:
        request.report(f"{game.name}: {name}")
        found = [answer_everywhere(off_tree, known.policy, p, name, iterations=SEARCHED) for p in (0, 1)]
        got[name] = opponents_get(off_tree, found.__getitem__)
    for name in expensive:
        request.report(f"{game.name}: {name}, expensive")
        found = [answer_everywhere_expensively(off_tree, known.policy, p, name, iterations=SEARCHED) for p in (0, 1)]
        got[f"{name}, expensive"] = opponents_get(off_tree, found.__getitem__)
    counts = [[len(off_tree.roots(p, level)) for level in range(1, off_tree.levels(p) + 1)] for p in (0, 1)]
    return NestedTable(
        {name: value / unit for name, value in got.items()}, {f"player {p + 1}": counts[p] for p in (0, 1)}
    )


def run(request: Request) -> Findings:
    leduc = compare(pot_fraction_game(SIZES, SIZES), 1.0, EXPENSIVE if request.full else (), request)
    parts = {LEDUC: leduc}
    if request.full:
        parts[FLOP] = compare(nested_nolimit_flop_holdem(ranks=4, suits=2), BIG_BLIND, (), request)
    return Findings(
        setting=f"BL26 with bets of 0.5, 0.75 and 1 pot, one bet on round 1 and three on round 2; blueprint without 0.75, {TRAINED}, "
        f"searches {SEARCHED} iterations of CFR+; milli-antes"
        + ("; flop hold'em in mbb" if request.full else "; expensive searches and flop hold'em need --full"),
        checks=[check for part, found in parts.items() for check in on(part, found.checks())],
        published=PUBLISHED,
        measured={
            part: {**found.got, "excess": found.over, "answers by level": found.answers}
            for part, found in parts.items()
        },
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
    seconds_full=420,
    run=run,
    text="no-limit flop hold'em with 52 cards",
    quick={"BL26, 26 cards": ("pattern",)},
    full={"BL26, 26 cards": ("pattern",), "nested no-limit flop hold'em, 8 cards": ("pattern",)},
)
