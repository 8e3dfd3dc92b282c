"""Sizes of a menu that can never be bet."""

import pytest

from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.forms.betting_tree.unused_sizes import unused_sizes
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.presets import PRESETS


def unused(menu, game="nolimit-holdem(stack=2000)"):
    table = {"menu": menu}
    return [(each.entry, each.sizes) for each in unused_sizes(betting_tree(BlueprintPlan(game, table).rules), table)]


FIVE = {"bet": "100%, a", "raise": "a", "raise3": "a"}


@pytest.mark.parametrize(
    ("menu", "found"),
    [
        ({**FIVE, "preflop": {"bet": "50%, 100%, a", "raise": "50%, a"}}, [("menu.preflop.bet", "50%, 100%, a")]),
        ({**FIVE, "preflop": {"raise": "50%, a"}}, []),
        ({**FIVE, "preflop": {"raise": "10%, a"}}, [("menu.preflop.raise", "10%")]),  # below the least raise
        ({**FIVE, "river": {"raise4": "a"}}, []),  # no mistake: betting is over before anybody raises four times
        ({**FIVE, "turn": {"bet": "100%, 3000%"}}, []),  # beyond every stack: it is the menu's all-in
        ({**FIVE, "turn": {"bet": "100%, 3000%, a"}}, [("menu.turn.bet", "3000%")]),
        ({**FIVE, "p1": {"bet": "75%, a"}, "river": {"p1": {"bet": "50%"}}}, []),
    ],
)
def test_sizes_in_vain_are_found(menu, found):
    assert unused(menu) == found


def test_the_sentence_says_why():
    table = {"menu": {**FIVE, "preflop": {"bet": "50%", "raise": "10%, a"}}}
    one, other = unused_sizes(betting_tree(BlueprintPlan("nolimit-holdem(stack=2000)", table).rules), table)
    assert "the first raise before the flop is 'raise'" in one.sentence()
    assert other.sentence().startswith("'10%' of menu.preflop.raise can never be bet")


@pytest.mark.parametrize("word", sorted(word for word in PRESETS if PRESETS[word].plan.menu and "pluribus" not in word))
def test_no_preset_has_sizes_in_vain(word):
    plan = PRESETS[word].plan
    if plan.rules.players == 2:
        assert unused_sizes(betting_tree(plan.rules), plan.menu) == []
