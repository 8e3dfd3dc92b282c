"""Sizes of a menu that can never be bet."""

import pytest

from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.forms.betting_tree.growth import first_decision
from equilibrist.forms.betting_tree.unused_sizes import unused_sizes
from equilibrist.games.poker.bet_menus import menu_of, menu_sources, written_menus
from equilibrist.games.rules import CHANCE, TERMINAL
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


SMALL = {"bet": "10%", "raise": "a", "preflop": {"raise": ""}}
COMMITTED = {"bet": "100%, 300%", "raise": "a", "preflop": {"raise": "100%"}}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"menu": {**SMALL, "lift": True}}, []),  # bet as the least bet
        (
            {"menu": SMALL},
            [
                "'10%' of menu.bet can never be bet: wherever it stands it is below the least bet.",
                'menu.raise = "a" is never used: every decision there that betting comes to has a narrower entry.',
            ],
        ),
        (
            {
                "menu": {**COMMITTED, "bet": "100%, 300%, a"},
                "commit": {"flop": 0.25, "turn": 0.25, "river": 0.25},
            },
            [
                "'300%' of menu.bet can never be bet: wherever it stands it is beyond the stack, where the menu has all-in already or "
                "more than 'commit' allows."
            ],
        ),
        (
            {"menu": {"raise": "a", "bet": "2x, 100%"}},
            ["'2x' of menu.bet can never be bet: wherever it stands it is a multiple of a bet where there is none."],
        ),
    ],
)
def test_reasons(table, said):
    tree = betting_tree(BlueprintPlan("nolimit-holdem(stack=2000)", table).rules)
    assert [each.sentence() for each in unused_sizes(tree, table)] == said


MENUS = [
    {"menu": {**SMALL, "lift": True}},
    {"menu": SMALL},
    {"menu": COMMITTED, "commit": {"rule": "remaining", "flop": 0.5, "turn": 0.2, "river": 0.3}},
    {"menu": COMMITTED, "commit": {"rule": "increment", "turn": 0.1}},
    {"menu": {"bet": "20%, 120c, a", "raise": "2x, 2.5x, 3x, 10c", "raise2": "50%, 5000c", "turn": {"bet": "2x, 20%"}}},
]


@pytest.mark.parametrize("table", MENUS)
@pytest.mark.parametrize("game", ["nolimit-holdem(stack=900)", "nolimit-holdem(stack=400,players=3)"])
def test_sizes_are_those_that_no_menu_makes_a_bet_of(table, game):
    """Beside the game's own betting, situation by situation."""
    rules = BlueprintPlan(game, table).rules
    sources, used, reached = menu_sources(table, rules.players, len(rules.board)), set(), set()
    for spot, number in spots(first_decision(rules)):
        entry = sources[spot.player, number, spot.bets]
        menu, commitment = rules.menus[number].at(spot.player, spot.bets), rules.menus[number].commitment
        reached.add(entry)
        for size in menu.sizes:
            made = menu_of(size.token, lift=menu.lift).raises(spot)
            short = any(x < spot.remaining and commitment.allows(x, spot) for x in made)
            goes_in = spot.remaining in made and (size.unit == "a" or "a" not in menu.tokens)
            if short or goes_in:
                used.add((entry, str(size)))
    known = {(entry, str(size)) for entry, text in written_menus(table).items() for size in menu_of(text).sizes}
    found = {(each.entry, each.sizes) for each in unused_sizes(betting_tree(rules), table) if each.reached}
    assert found == {each for each in known if each[0] in reached} - used


def spots(root):
    """What menus look at, at every decision."""
    left = [root]
    while left:
        node = left.pop()
        if node.player == CHANCE:
            left.append(node.after_deal)
        elif node.player != TERMINAL:
            if (spot := node._spot()) is not None:
                yield spot, node.round
            left += [node.play(label) for label in node.labels]


@pytest.mark.parametrize("word", sorted(word for word in PRESETS if PRESETS[word].plan.menu and "pluribus" not in word))
def test_no_preset_has_sizes_in_vain(word):
    plan = PRESETS[word].plan
    if plan.rules.players == 2:
        assert unused_sizes(betting_tree(plan.rules), plan.menu) == []
