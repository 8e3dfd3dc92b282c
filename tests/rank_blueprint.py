"""A blueprint of heads-up hold'em that is trained in a second: hands are told apart by their highest card."""

import numpy as np

from equilibrist.cards.evaluator import evaluate
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.poker.bet_menus import menu_of, same_everywhere, with_menus
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.run import BLOCK, BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.blueprint.training import Training

MENU = "50%, 100%, a"


class RankBuckets:
    """One bucket per highest hole card, and real strengths: enough to play by."""

    sizes = (13, 13, 13, 13)
    hash = "ranks"

    def bucket(self, round, cards):
        return cards[:, :2].max(axis=1).astype(np.int64) // 4

    def strength(self, cards):
        return evaluate(cards.astype(np.uint8))


def rank_blueprint(game):
    """A little training is enough to have a strategy everywhere."""
    tree = betting_tree(with_menus(game.rules, same_everywhere(menu_of(MENU))))
    run = BlueprintRun(AbstractPoker(tree, RankBuckets()), Training(), planned=10 * BLOCK)
    run.advance(10)
    return PokerBlueprint(BlueprintPlan(game.name, {"menu": {"bet": MENU}}), run.game, run.packed())
