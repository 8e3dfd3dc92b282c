"""Whatever is given as a parameter is used or refused in one sentence; it is never replaced by something else."""

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from equilibrist.abstraction.bets.purification import RULES
from equilibrist.abstraction.bets.translation import TRANSLATIONS
from equilibrist.abstraction.cards.method_names import CARD_METHODS
from equilibrist.abstraction.information.methods import METHODS
from equilibrist.agents.registry import AGENTS
from equilibrist.core.errors import EquilibristError, ParameterError
from equilibrist.core.names import parse_name
from equilibrist.games.catalogue import GAMES, load_game
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.registry import SOLVERS
from equilibrist.solvers.solve import solve

PARAMETERS = [
    (catalogue, entry, key)
    for catalogue in (GAMES, SOLVERS, AGENTS, METHODS, CARD_METHODS, TRANSLATIONS, RULES)
    for entry in catalogue.entries().values()
    for key in entry.parameters
    if not entry.open
]

numbers = st.one_of(
    st.sampled_from([0, -1, 1, 2, 7, 0.0, -0.5, 0.5, math.nan, math.inf, -math.inf, 10**9, 10**30, 1e300, True, False]),
    st.integers(),
    st.floats(),
)
plain = st.one_of(numbers, st.sampled_from(["", "word", "any", "none", "1"]))
values = st.one_of(plain, st.lists(plain, max_size=3).map(tuple), st.lists(st.tuples(plain), max_size=2).map(tuple))


def says(made, key, value):
    """Whether what was made says that it has the value."""
    name = getattr(made, "name", None)
    told = [*vars(made).values()]
    if isinstance(name, str) and "(" in name:
        told.append(parse_name(name).parameters.get(key))
    alone = [part for one in told if isinstance(one, tuple) and len(one) == 1 for part in one]
    return any((type(one) is not bool and one == value) or one is value for one in (*told, *alone))


@settings(deadline=None, max_examples=600)
@given(st.sampled_from(PARAMETERS), values)
@example((GAMES, GAMES.find("leduc"), "ranks"), 0)
@example((GAMES, GAMES.find("kuhn"), "cards"), 0)
@example((GAMES, GAMES.find("nolimit-holdem"), "stacks"), "")
@example((GAMES, GAMES.find("random-matrix"), "rows"), 10**9)
@example((SOLVERS, SOLVERS.find("cfr-br"), "learner"), 0)
@example((METHODS, METHODS.find("eb"), "error"), "word")
@example((AGENTS, AGENTS.find("off-tree"), "bluff"), -1)
def test_a_value_is_used_or_refused(parameter, value):
    catalogue, entry, key = parameter
    try:
        made = catalogue.build(entry, {key: value})
    except EquilibristError as error:
        text = str(error)
        assert text.endswith((".", "?"))
        assert "\n" not in text
        return
    assert value == entry.parameters[key] or says(made, key, value), f"{entry.name}({key}={value}) is {made!r}"
    if catalogue is GAMES:
        assert load_game(made.name).name == made.name


EXTREMES = (
    0,
    -1,
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    1e-308,
    2**31,
    2**63,
    10**19,
    "",
    "word",
    True,
    (),
    ((1,),),
    0.1234567,
)


@pytest.mark.parametrize("catalogue", {id(one): one for one, _, _ in PARAMETERS}.values(), ids=lambda one: one.kind)
def test_extremes_of_every_parameter_are_used_or_refused(catalogue):
    for mine, entry, key in PARAMETERS:
        if mine is not catalogue:
            continue
        for value in EXTREMES:
            try:
                made = catalogue.build(entry, {key: value})
            except EquilibristError as error:
                assert "\n" not in str(error)
                assert str(error).endswith((".", "?"))
                continue
            assert value == entry.parameters[key] or says(made, key, value), f"{entry.name}({key}={value}) is {made!r}"


def test_numbers_of_games_state_their_bounds():
    """Whoever adds a game says what its numbers may be; the list of games shows it."""
    for entry in GAMES.entries().values():
        for key, usual in entry.parameters.items():
            numbers_ = isinstance(usual, int | float | tuple) and not isinstance(usual, bool)
            if numbers_ or {int, float} & set(entry.also.get(key, ())):
                assert key in entry.bounds, f"{entry.name} states no bounds of '{key}'"


@pytest.mark.parametrize(
    ("text", "menu"),
    [
        ("nolimit-kuhn(step=0.12345678)", "*0.12345678"),
        ("kuhn(bet=1234567.5)", "1234567.5c"),
        ("nolimit-leduc(sizes=0.123456789012)", "12.3456789012%"),
        ("nolimit-leduc(sizes=0.07)", "7%"),
    ],
)
def test_digits_are_kept(text, menu):
    assert load_game(text).rules.menus[0].tokens == (menu,)


def test_stack_and_stacks_are_not_both_given():
    with pytest.raises(ParameterError, match="both were given"):
        load_game("nolimit-holdem(stack=500,stacks=[2000,1000])")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("leduc(ranks=0)", "'ranks' of 'leduc' is 1 to 1,000, but 0 was given"),
        ("kuhn(cards=0)", "rank|cards"),
        ("kuhn(players=0)", "players"),
        ("kuhn(ante=inf)", "is 1e-06 to 1,000,000,000, but inf"),
        ("leduc(ranks=true)", "takes a value such as 3"),
        ("leduc-5(suits=true)", "takes a value such as merged"),
        ("nolimit-leduc(sizes=0)", "is 1e-06 to 1,000,000, but 0"),
        ("nolimit-leduc(sizes=[])", "above 0"),
        ("nolimit-holdem(stacks=[x,y])", "a list of numbers"),
        ("nolimit-holdem(stacks=[0,100])", "is 1e-06 to 1,000,000,000, but 0"),
        ("nolimit-holdem(blinds=[[1],[2]])", r"a list such as \[50,100\]"),
        ("matrix(rows=[1,2])", r"a list such as \[\[1,0\],\[0,2\]\]"),
        ("random-matrix(rows=1000000000)", "is 1 to 4,000,000, but 1000000000"),
        ("coin-toss(subgames=1000000000)", "is 1 to 100,000"),
    ],
)
def test_games_that_were_taken_for_others_or_crashed(text, sentence):
    with pytest.raises(EquilibristError, match=sentence):
        load_game(text)


def test_a_parameter_left_out_keeps_its_meaning():
    assert load_game("leduc(players=3)").name == "leduc(players=3)"
    assert load_game("leduc(players=3)").rules.deck.ranks == 4
    assert load_game("kuhn(players=3)").rules.deck.ranks == 4


def test_an_empty_solver_is_no_default():
    with pytest.raises(ParameterError, match="Cannot read ''"):
        solve("kuhn", "")


@pytest.mark.parametrize("key", ["bets", "rake", "thresholds", "betting"])
def test_a_table_of_a_spot_is_a_table(key):
    spot = {"board": "Td9d6hQc2s", "pot": 200, "stack": 300, "range": {"oop": "AA", "ip": "QQ"}, "bets": {"bet": "50%"}}
    for wrong in (0, "", [], False):
        with pytest.raises(ParameterError, match=f"'{key}' must be a table"):
            Spot(**{**spot, key: wrong})
