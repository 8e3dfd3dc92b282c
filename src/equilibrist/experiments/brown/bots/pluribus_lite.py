"""Parts of Libratus and Pluribus in small games: discounts, skipping, the self-improver, varied and packed sizes ([Brown20, chapter 6])."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer, parts_of
from equilibrist.agents.blueprint.self_improver import improvement, with_sizes
from equilibrist.agents.tabulate import tabulate
from equilibrist.evaluation.play.referee import view_of
from equilibrist.evaluation.play.statistics import estimate, one_tailed_t
from equilibrist.experiments.brown.bots.sampled_values import RoundValues
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, close, equal, ours
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.trained import played_to, trained
from equilibrist.forms.compiled import compiled
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.game import Poker
from equilibrist.search.engines.pluribus_search import RoundSearch
from equilibrist.solvers.blueprint.abstract_poker import lift
from equilibrist.solvers.blueprint.plan import EXACT, BlueprintPlan
from equilibrist.solvers.blueprint.run import BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint, load_blueprint
from equilibrist.solvers.blueprint.training import PruneRule, Training
from equilibrist.solvers.blueprint.values.flop_values import flop_values
from equilibrist.solvers.responses.best_response import evaluate_policy

SMALL_FLOP = BlueprintPlan("flop-holdem(ranks=6,suits=2)", {}, "ehs-equal(sizes=all/all)")  # hands up to suits
QUICK_GAMES = (SMALL_FLOP,)
# in Kuhn poker of three the weights make no difference: 0.0033(5) chips a hand with linear ones, 0.0030(2) without, ten seeds
LONGER = tuple(BlueprintPlan(name, cards=EXACT) for name in ("kuhn(players=3)", "leduc", "leduc(players=3)", "bl26"))
FLOP = 1  # round
SIZES = (0.5, 1.0)  # pot shares that the blueprint knows; the opponent always bets 0.6
TABLE = "nolimit-leduc(stack=7,sizes=[0.5,0.6,0.7142857,1,a],suits=2)"
LEDUC = BlueprintPlan("nolimit-leduc(stack=7,suits=2)", {"menu": {"bet": "50%, 100%, a"}}, EXACT)
THREE = BlueprintPlan(
    "nolimit-holdem(stack=1000,ranks=5,players=3)",
    {"menu": {"bet": "100%, a", "raise": "a", "preflop": {"raise": "100%, a", "raise2": "a"}}},
    "ehs-equal(sizes=all/10/10/10, sample=20000, runouts=20)",
)
WAYS = {
    "plain": Training(weighting="none"),
    "linear": Training(),
    "linear, threshold": Training(prune=PruneRule("threshold", below=-10.0, floor=-12.0, begin=0.3)),
    "linear, fading": Training(prune=PruneRule("fading", below=-3.0, floor=-5.0, fade=2.0, begin=0.3)),
}


def exploitability(plan: BlueprintPlan, run: BlueprintRun) -> float:
    """Chips a hand of the average strategy, exactly."""
    if plan.cards != EXACT:
        return flop_values([PokerBlueprint(plan, run.game, run.packed())]).exploitability(0)
    whole = compiled(plan.game_name)
    return evaluate_policy(whole, lift(run.game, whole.tree.infosets, run.packed())).exploitability


def course(plan: BlueprintPlan, training: Training, blocks: int, looks: int) -> list[tuple[int, float]]:
    """Nodes touched and exploitability (chips a hand) at equal distances of one training."""
    run, found = BlueprintRun(plan.game(), training, planned=blocks * 4096), []
    for _ in range(looks):
        run.advance(blocks // looks)
        found.append((run.nodes_touched, exploitability(plan, run)))
    return found


def nodes_to(found: list[tuple[int, float]], goal: float) -> float:
    """Nodes at which an exploitability is first reached; infinite where it never is."""
    return next((float(nodes) for nodes, value in found if value <= goal), float("inf"))


def trainings(request: Request) -> tuple[list[Check], dict[str, object]]:
    """Discounts in all games, skipping where there is something to skip."""
    checks: list[Check] = []
    measured: dict[str, object] = {}
    for plan in (*QUICK_GAMES, *LONGER) if request.full else QUICK_GAMES:
        name, found = plan.game_name, {}
        blocks = 400 if request.full else 180 if plan is SMALL_FLOP else 60
        for way in WAYS if plan is SMALL_FLOP else ("plain", "linear"):
            request.report(f"{name}: {way}", None)
            found[way] = course(plan, WAYS[way], blocks, 10)
        saved = found["plain"][-1][0] / nodes_to(found["linear"], found["plain"][-1][1])
        if plan in QUICK_GAMES:
            checks.append(at_least(f"{name}: nodes of plain over nodes of linear, same exploitability", 1.5, saved))
        for way in list(found)[2:]:
            fewer = found["linear"][-1][0] / found[way][-1][0]
            worse = found[way][-1][1] / found["linear"][-1][1]
            checks.append(at_least(f"{name}: nodes saved by {way}, same deals", 1.0, fewer))
            checks.append(at_most(f"{name}: exploitability with {way} over that without", 1.35, worse))
        measured[name] = {
            "nodes of plain over nodes of linear": saved,
            **{way: {"nodes": at[-1][0], "exploitability": at[-1][1]} for way, at in found.items()},
        }
    return checks, measured


def exploited(plan: BlueprintPlan, deals: int, request: Request) -> float:
    """Chips a hand that a best response gains on a blueprint at a table where 0.6 pot may be bet, too."""
    blueprint = trained(plan, deals, request)
    policy = tabulate(BlueprintPlayer(blueprint, parts_of(mapping="det-pshar")), load_game(TABLE))
    return evaluate_policy(compiled(TABLE), policy).exploitability


def improver(request: Request) -> tuple[list[Check], dict[str, object]]:
    """The self-improver ([Brown20, §6.4]): which gap is chosen, and what it is worth."""
    chosen = improvement((0.0, *SIZES), [0.6] * 100)
    deals = 4_000_000 if request.full else 400_000
    before, after = exploited(LEDUC, deals, request), exploited(with_sizes(LEDUC, chosen.sizes), deals, request)
    checks = [
        close("self-improver: middle of the gap from 0.5 to 1", 5.0 / 7.0, chosen.defensive[0], 1e-12),
        equal("self-improver: most common size", 0.6, chosen.offensive),
        at_most("self-improver: exploitability with the added sizes over that without", 1.0, after / before),
    ]
    return checks, {"before": before, "after": after}


def searches(blueprint: PokerBlueprint, blocks: int) -> Iterator[tuple[RoundSearch, list[int], int]]:
    """Flops that three seats of a blueprint come to, searched: the search, seats that are still in, number of the hand."""
    game = load_game(THREE.game_name)
    assert isinstance(game, Poker)
    hand = 0
    while True:
        hand += 1
        players = [BlueprintPlayer(blueprint) for _ in range(3)]
        found = played_to(players, game, FLOP, f"A3/{hand}")
        if found is None:
            continue
        state, player = found[0], players[found[0].player]
        node = player.reading(view_of(state, state.player)).node
        if node >= 0:
            search = RoundSearch(blueprint.abstract, node, state.board, found[1], seed=hand)
            search.advance(blocks)
            yield search, [seat for seat in range(3) if not state.node.folded[seat]], hand


def searching_seat(request: Request) -> tuple[list[Check], dict[str, object]]:
    """One of three seats plays a search of the flop, the others the blueprint it began from; actions are averaged, not drawn."""
    blueprint = trained(THREE, 4_000_000 if request.full else 400_000, request)
    count, blocks = (400, 100) if request.full else (40, 40)
    won = []
    for number, (search, seats, hand) in enumerate(islice(searches(blueprint, blocks), count)):
        request.report("a searching seat among three", number / count)
        judged = RoundValues(blueprint, search, hand)
        won.append(float(np.mean([judged.gain(seat).mean() for seat in seats])))
    result = estimate(won).scaled(1000.0 / max(blueprint.abstract.rules.blinds))
    return [
        at_most("searching seat among three, one-tailed p", 0.05, one_tailed_t(result)),
        at_least("searching seat among three, mbb a flop", 0.0, result.mean),
    ], {
        "mbb a flop and seat": result.mean,
        "interval": list(result.interval),
        "p": one_tailed_t(result),
        "flops": count,
        "flops out of ten where it gains": 10.0 * float(np.mean(np.array(won) > 0.0)),
        "blocks a search": blocks,
    }


def exact_parts(request: Request) -> list[Check]:
    """Varied sizes ([Brown20, §6.4]), purification and packing ([Brown20, §6.3])."""
    blueprint = trained(LEDUC, 40_000, request)
    player = BlueprintPlayer(blueprint, parts_of(vary=0.08))
    game, factors = load_game(LEDUC.game_name), []
    for hand in range(400):
        player.reset(0, game, random.Random(hand))
        factors.append(player._factor)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pure.eqb"
        blueprint.purified(0).save(path)
        pure = load_blueprint(path)
    tree, same = blueprint.abstract.tree, True
    for node in tree.decisions.tolist():
        buckets = np.arange(blueprint.abstract.buckets.sizes[tree.round[node]])
        likeliest = blueprint.strategies(node, buckets).argmax(axis=1)
        same &= bool(np.array_equal(pure.strategies(node, buckets), np.eye(int(tree.children[node]))[likeliest]))
    return [
        at_most("largest change of a size", 0.08, max(abs(factor - 1.0) for factor in factors)),
        at_least("largest change of a size in 400 hands", 0.075, max(abs(factor - 1.0) for factor in factors)),
        equal("packed strategies are the likeliest actions", True, same),
        at_most("bits per infoset-action, packed", 1.0, 8.0 * pure.nbytes / blueprint.abstract.slots),
    ]


def run(request: Request) -> Findings:
    first, training = trainings(request)
    second, improved = improver(request)
    third, seated = searching_seat(request)
    return Findings(
        setting="limit flop hold'em with 12 cards and three-player Kuhn (exploitability of three players is what each could gain, averaged)"
        + ("; Leduc, three-player Leduc and BL26 without checks" if request.full else "")
        + "; no-limit Leduc "
        "with known sizes 0.5 and 1 and an opponent who bets 0.6; three players of no-limit hold'em with 20 cards, 10 big "
        "blinds, 10 buckets a street",
        checks=[*first, *second, *third, *ours(exact_parts(request))],
        published={"linear": "about 3 times faster", "pruning": "about 2 times faster"},
        measured={
            "trainings": training,
            "exploitability where 0.6 pot may be bet, chips a hand": improved,
            "searching seat": seated,
        },
        remarks=(
            "The searching seat goes to the end of the hand without depth limits and takes its beliefs from the blueprint alone. Its gain "
            "is an average over actions on 4,096 deals a flop; in matches of a few thousand hands it is lost in the luck of the cards.",
            "The self-improver trains the whole blueprint again with the added sizes; Libratus solved the subgames after them.",
            "Skipping is asked to save nodes without much harm; 1.3 times fewer at equal quality is more than so small a game allows.",
            "In Leduc discounts gain next to nothing: after some ten thousand deals what is left is the noise of sampling, not the first "
            "iterations. In games whose infosets are met seldom they gain more the longer one trains.",
        ),
    )


EXPERIMENT = Experiment(
    id="brown/pluribus-lite",
    title="Discounts, skipping, the self-improver and packing in small games",
    source="[Brown20, §6.3, §6.4 and §6.6]",
    seconds_quick=90,
    seconds_full=600,
    run=run,
    text="no-limit hold'em, two and six players",
    quick={"flop hold'em with 12 cards, Kuhn, no-limit Leduc, three players with 20 cards": ("pattern", "reference")},
)
