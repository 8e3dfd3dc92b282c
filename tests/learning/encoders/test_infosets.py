"""Infosets as rows of numbers: what a player can tell apart has numbers of its own."""

import numpy as np
import pytest
from hypothesis import given

from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.learning.encoders.infosets import encode
from random_games import small_zero_sum_games


def check(game):
    encoding, infosets = encode(game), game.infosets
    assert len(np.unique(encoding.features, axis=0)) == encoding.rows
    for i in range(len(infosets)):
        slots = slice(*infosets.first_slot[i : i + 2])
        outputs = encoding.output[slots]
        assert len(set(outputs.tolist())) == len(infosets.actions[i])
        assert set(np.flatnonzero(encoding.legal[encoding.row[i]])) == set(outputs.tolist())
        assert encoding.player[encoding.row[i]] == infosets.player[i]
    return encoding


@pytest.mark.parametrize(
    ("name", "infosets", "rows"),
    [("kuhn", 12, 12), ("leduc", 936, 288), ("liars-dice(faces=3)", 192, 192), ("goofspiel(cards=3)", None, None)],
)
def test_games_of_the_catalogue(name, infosets, rows):
    """Leduc's suits make no hand, so that [Brown20, §2.4.3] has 288 infosets where cards have suits 936."""
    game = compiled(name)
    encoding = check(game)
    if rows:
        assert (len(game.infosets), encoding.rows) == (infosets, rows)
    else:
        assert encoding.rows == len(game.infosets)


@given(small_zero_sum_games())
def test_any_game(rules):
    game = Compiled(rules)
    assert check(game).rows == len(game.infosets)


def test_sums_go_to_rows_and_back():
    game = compiled("leduc")
    encoding = encode(game)
    slots = np.random.default_rng(0).random(game.infosets.slots)
    table = encoding.by_row(slots)
    assert table.sum() == pytest.approx(slots.sum())
    alike = [i for i, key in enumerate(game.infosets.keys) if encoding.row[i] == encoding.row[0]]
    first = game.infosets.first_slot
    assert table[encoding.row[0], encoding.output[first[0]]] == pytest.approx(sum(slots[first[i]] for i in alike))
    assert encoding.by_slot(table)[first[alike]] == pytest.approx(
        np.full(len(alike), table[encoding.row[0], encoding.output[first[0]]])
    )
    assert encoding.sums_of_infosets(np.ones(len(game.infosets))).sum() == len(game.infosets)


def test_cards_are_read_without_suits_too():
    """Ranks 2 to 9 are cards, not numbers, where suits are merged: the same numbers as where they are written."""
    merged, written = (encode(compiled(name)) for name in ("leduc(ranks=6,suits=merged)", "leduc(ranks=6)"))
    assert merged.rows == written.rows == check(compiled("leduc(ranks=6,suits=merged)")).rows
    assert np.array_equal(merged.features, written.features)
