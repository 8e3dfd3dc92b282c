"""Rock-Paper-Scissors+ searched one move deep: one value per leaf says nothing, three continuations say all."""

from __future__ import annotations

import numpy as np

from equilibrist.experiments.findings import Findings, Request, at_least, close, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.games.catalogue import load_game
from equilibrist.search.depth_limited.depth_limited import search_to_edge
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.responses.public_response import evaluate_public

PUBLISHED = {"R": 0.4, "P": 0.4, "S": 0.2, "value": 0.0}
ITERATIONS = 2000


def run(request: Request) -> Findings:
    tree = public_tree(load_game("rps-plus"))
    equilibrium = tree.infosets.uniform().with_row("row", [0.4, 0.4, 0.2]).with_row("column", [0.4, 0.4, 0.2])
    blueprint, leaf = TreeProfile(tree, equilibrium), [tree.number("row moved")]
    pure = [equilibrium.with_row("column", row.tolist()) for row in np.eye(3)]
    three = search_to_edge(blueprint, 0, leaf, 0, pure, iterations=ITERATIONS)
    one = search_to_edge(blueprint, 0, leaf, 0, [equilibrium], iterations=ITERATIONS)
    found = three.policy["row"]
    lost = [(evaluate_public(tree, s.policy).best_response_value or (0.0, 0.0))[1] for s in (one, three)]
    return Findings(
        setting=f"depth 1, {ITERATIONS} iterations of CFR+",
        checks=printed(
            [
                *(close(f"three continuations: {move}", PUBLISHED[move], found[move], 0.01) for move in "RPS"),
                close("three continuations: value to player 2", 0.0, float(three.values[0]), 0.01),
                close("one value: value to player 2, as the search believes", 0.0, float(one.values[0]), 0.01),
                at_least("one value: what player 2 really gets", 0.1, lost[0]),
            ]
        ),
        published=PUBLISHED,
        measured={"three": found, "one": one.policy["row"], "player 2 gets": {"one": lost[0], "three": lost[1]}},
        remarks=(
            "With one value per leaf every strategy looks equally good: the search keeps what regret matching starts with.",
        ),
    )


EXPERIMENT = Experiment(
    id="brown/rps-plus",
    title="Rock-Paper-Scissors+ with a depth limit",
    source="[Brown20, §5.2.1 and §5.2.2]",
    seconds_quick=1,
    seconds_full=1,
    run=run,
    text="Rock-Paper-Scissors+",
    quick={"text": ("printed", "pattern")},
)
