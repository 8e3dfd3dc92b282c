"""An off-tree bet in BL26 answered by translation and by nested search."""

from __future__ import annotations

from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.bl26 import MILLI, known_blueprint, pot_fraction_game
from equilibrist.experiments.findings import Findings, Request, at_least, at_most, close
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.search.off_tree.nested_search import answer_expensive, answer_inexpensive
from equilibrist.search.off_tree.off_tree import OffTree
from equilibrist.search.off_tree.translated import pseudo_harmonic, translate_lines
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import evaluate_public

PUBLISHED = {  # no-limit flop hold'em, mbb/h
    "translation": 1465.0, "resolve": 150.2, "reach-maxmargin, expensive": 149.2, "unsafe, expensive": 148.3,
    "maxmargin": 122.0, "reach-maxmargin": 119.1,
}  # fmt: skip
REFERENCE = {"residual": 3.99, "translation": 8.41, "resolve": 4.42, "unsafe, expensive": 4.24, "maxmargin": 3.99}
OFF_TREE = {1: "b1.5", 0: "x:b1.5"}  # searcher -> public state after the bet of 0.75 pot
NEIGHBOURS = {1: ("b1", "b2"), 0: ("x:b1", "x:b2")}
TRAINED, SEARCHED = 800, 600  # iterations of the blueprint and of each search


def translated(extended: TreeProfile, searcher: int) -> TabularPolicy:
    tree, share = extended.tree, pseudo_harmonic(0.5, 0.75, 1.0)
    low, high = (tree.number(state) for state in NEIGHBOURS[searcher])
    root = tree.number(OFF_TREE[searcher])
    return translate_lines(tree, extended.policy, searcher, [root], [([low], share), ([high], 1.0 - share)])


def excess(extended: TreeProfile, answers: dict[int, TabularPolicy]) -> float:
    """Mean over seats of what the opponent can get, in milli-antes; the value of the game cancels out."""
    total = 0.0
    for searcher, policy in answers.items():
        best = evaluate_public(extended.tree, policy).best_response_value
        assert best is not None
        total += best[1 - searcher]
    return MILLI * total / 2.0


def run(request: Request) -> Findings:
    request.report("building the game")
    tree = public_tree(pot_fraction_game(("50%", "75%", "100%")))
    off_tree = OffTree(tree, tuple(sorted(tree.number(state) for state in OFF_TREE.values())))
    known = known_blueprint(off_tree, TRAINED)
    extended = TreeProfile(tree, known.policy)
    measured = {"residual": MILLI * known.evaluate().exploitability}
    measured["translation"] = excess(extended, {p: translated(extended, p) for p in (0, 1)})
    for name in ("resolve", "maxmargin", "reach-maxmargin"):
        request.report(name)
        answers = {
            p: answer_inexpensive(known, extended, tree.number(OFF_TREE[p]), name, iterations=SEARCHED).blueprint.policy
            for p in (0, 1)
        }
        measured[name] = excess(extended, answers)
    request.report("unsafe, expensive")
    answers = {
        p: answer_expensive(known, extended, tree.number(OFF_TREE[p]), "unsafe", iterations=SEARCHED).blueprint.policy
        for p in (0, 1)
    }
    measured["unsafe, expensive"] = excess(extended, answers)
    over = {name: value - measured["residual"] for name, value in measured.items()}
    slack = 0.1 * over["translation"]
    checks = [
        at_least("excess of translation / excess of resolve", 5.0, over["translation"] / max(over["resolve"], 1e-9)),
        at_most("excess of maxmargin less unsafe", slack, over["maxmargin"] - over["unsafe, expensive"]),
        at_most("excess of unsafe less resolve", slack, over["unsafe, expensive"] - over["resolve"]),
        at_most("excess of reach-maxmargin less maxmargin", slack, over["reach-maxmargin"] - over["maxmargin"]),
    ]
    checks += [close(name, target, measured[name], 0.1 * target) for name, target in REFERENCE.items()]
    return Findings(
        setting=f"blueprint {TRAINED}, searches {SEARCHED} iterations of CFR+; only the round-1 bet of 0.75 pot is off-tree",
        checks=checks,
        published=PUBLISHED,
        recomputed=REFERENCE,
        measured={**measured, "excess": over},
        remarks=("A stand-in for Table 5.4; nothing is off-tree on round 2: see brown/nested-everywhere for that.",),
    )


EXPERIMENT = Experiment(
    id="brown/nested",
    title="An off-tree bet: translation and nested search",
    source="[Brown20, Table 5.4]",
    seconds_quick=20,
    seconds_full=20,
    run=run,
    text="no-limit flop hold'em with 52 cards",
    quick={"BL26, 26 cards": ("pattern", "reference")},
)
