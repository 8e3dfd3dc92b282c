"""Names with parameters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilibrist.core.errors import ParameterError, UnknownNameError
from equilibrist.core.names import Name, parse_name
from equilibrist.games.catalogue import GAMES, load_game

words = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True).filter(lambda w: w not in ("true", "false", "inf", "nan"))
keys = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
plain = st.one_of(st.booleans(), st.integers(-999, 999), st.floats(-9, 9, allow_nan=False), words)
values = st.one_of(plain, st.lists(plain, min_size=1, max_size=3).map(tuple))


@given(words, st.dictionaries(keys, values, max_size=4))
def test_print_and_parse_are_inverse(base, parameters):
    name = Name(base, parameters)
    assert parse_name(str(name)) == name


@pytest.mark.parametrize(
    "text", ["", "(a=1)", "leduc(", "leduc(ranks)", "leduc(ranks=)", "leduc(a=1,a=2)", "leduc(a=[1)", "x y"]
)
def test_malformed_names_are_refused(text):
    with pytest.raises(ParameterError):
        parse_name(text)


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("leducc", UnknownNameError, "no game 'leducc'. Did you mean 'leduc'"),
        ("leduc(rank=3)", ParameterError, "no parameter 'rank'.*Did you mean 'ranks'"),
        ("leduc(ranks=many)", ParameterError, "'ranks' of 'leduc'"),
        ("leduc(ranks=2.5)", ParameterError, "whole number"),
        ("leduc(ranks=-1)", ParameterError, "is 1 to 1,000, but -1"),
        ("leduc(bets=3)", ParameterError, r"\[2,4\]"),
        ("kuhn(cards=2,players=3)", ParameterError, "need 3 cards"),
        ("kuhn(ante=0)", ParameterError, "'ante' of 'kuhn' is 1e-06 to"),
        ("nolimit-leduc(stack=-5)", ParameterError, "'stack' of 'nolimit-leduc' is 1e-06 to"),
        ("nolimit-leduc(sizes=[huge])", ParameterError, "The bet size 'huge' cannot be read"),
        ("continuous-leduc(sizes=[2])", ParameterError, "from 0.01 to 1"),
    ],
)
def test_bad_games_get_one_clear_sentence(text, error, sentence):
    with pytest.raises(error, match=sentence) as caught:
        load_game(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(GAMES.homes))
def test_game_names_read_back(name):
    game = load_game(name)
    assert load_game(game.name).name == game.name


def test_suggestions_are_written_as_they_are_known():
    from equilibrist.core.errors import suggest

    assert suggest("x:x:qd", ["x:x:Qd", "x:b:Qd"]) == " Did you mean 'x:x:Qd'?"
    assert suggest("LEDUCC", ["leduc"]) == " Did you mean 'leduc'?"
    assert suggest("zzz", ["leduc"]) == ""
