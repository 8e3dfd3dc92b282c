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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("leduc(ranks=0)", "at least 1 rank"),
        ("kuhn(cards=0)", "rank|cards"),
        ("kuhn(players=0)", "players"),
        ("kuhn(ante=inf)", "positive and finite"),
        ("leduc(ranks=true)", "takes a value such as 3"),
        ("leduc-5(suits=true)", "takes a value such as merged"),
        ("nolimit-leduc(sizes=0)", "above 0"),
        ("nolimit-leduc(sizes=[])", "above 0"),
        ("nolimit-holdem(stacks=[x,y])", "a list of numbers"),
        ("nolimit-holdem(stacks=[0,100])", "positive number"),
        ("nolimit-holdem(blinds=[[1],[2]])", r"a list such as \[50,100\]"),
        ("matrix(rows=[1,2])", r"a list such as \[\[1,0\],\[0,2\]\]"),
        ("random-matrix(rows=1000000000)", "too large"),
        ("coin-toss(subgames=1000000000)", "at most"),
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
