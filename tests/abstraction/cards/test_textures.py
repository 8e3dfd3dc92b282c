"""Buckets that know the board."""

import numpy as np
import pytest

from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.card_abstraction import load_card_abstraction
from equilibrist.abstraction.cards.deals import HOLDEM, Streets, board_count, hands_on
from equilibrist.abstraction.cards.features import Strength
from equilibrist.abstraction.cards.recipe import make_recipe
from equilibrist.abstraction.cards.textures import TEXTURES, board_textures, shares
from equilibrist.cards.deck import Deck
from equilibrist.core.errors import NotApplicableError, ParameterError
from reference.naive_textures import naive_texture

SMALL = Streets(Deck(6, 3))
METHOD = "ehs-equal/texture-equal/texture-equal/texture-equal"


@pytest.fixture(scope="module")
def made():
    return build_abstraction(make_recipe(METHOD, "10/40/60/90", streets=SMALL))


@pytest.mark.parametrize("deck", [Deck(), Deck(6, 4), Deck(5, 3)], ids=str)
@pytest.mark.parametrize("cards", [3, 4, 5])
def test_textures_are_counted_as_card_by_card(deck, cards):
    rng = np.random.default_rng(cards)
    boards = np.array([rng.permutation(deck.size)[:cards] for _ in range(400)])
    assert board_textures(boards, deck).tolist() == [naive_texture(board, deck) for board in boards.tolist()]


@pytest.mark.parametrize(
    ("board", "texture"),
    [
        ([0, 5, 22, 27, 44], (0, 0, 0)),  # 2c 3d 7h 8s Kc: nothing
        ([0, 4, 20, 24, 45], (2, 0, 0)),  # four clubs
        ([0, 1, 18, 35, 36], (0, 1, 0)),  # a pair of deuces
        ([0, 1, 2, 18, 43], (0, 2, 0)),  # three deuces
        ([48, 1, 6, 11, 30], (0, 0, 2)),  # A 2 3 4 9: an ace is low
    ],
)
def test_boards_of_the_whole_deck(board, texture):
    found = int(board_textures(np.array([board]), HOLDEM.deck)[0])
    assert (found // 9, found // 3 % 3, found % 3) == texture


@pytest.mark.parametrize("street", [1, 2, 3])
def test_classes_are_intervals_of_strength_on_boards_of_one_texture(made, street):
    dealt = SMALL.merged(street)
    batch = hands_on(dealt, SMALL.deck, np.arange(board_count(dealt, SMALL.deck)))
    kinds = board_textures(batch.boards, SMALL.deck)[batch.board]
    strength = Strength().rows(SMALL, batch)[:, 0]
    bucket = made.bucket(street, batch.cards(SMALL.deck))
    assert bucket.max() < made.sizes[street]
    seen = set()
    for kind in np.unique(kinds).tolist():
        here = kinds == kind
        assert not seen & set(bucket[here].tolist())
        seen |= set(bucket[here].tolist())
        order = np.argsort(strength[here], kind="stable")
        assert (np.diff(bucket[here][order]) >= 0).all()
        assert len(np.unique(bucket[here])) > 1 or len(np.unique(strength[here])) == 1 or made.sizes[street] < 60
    assert len(seen) > 0.7 * made.sizes[street]


def test_files_keep_them(made, tmp_path):
    made.save(tmp_path / "buckets.eqb")
    again = load_card_abstraction(tmp_path / "buckets.eqb", hash=made.hash)
    cards = np.array([np.random.default_rng(n).permutation(SMALL.deck.size)[:7] for n in range(500)])
    for street, columns in enumerate((2, 5, 6, 7)):
        assert np.array_equal(again.bucket(street, cards[:, :columns]), made.bucket(street, cards[:, :columns]))


def test_suits_and_the_order_of_the_board_do_not_matter(made):
    cards = np.array([np.random.default_rng(n).permutation(SMALL.deck.size)[:7] for n in range(500)])
    moved = cards - cards % 3 + np.array([2, 0, 1])[cards % 3]
    moved[:, 2:] = moved[:, [6, 4, 5, 2, 3]]
    assert np.array_equal(made.bucket(3, cards), made.bucket(3, moved))


def test_rare_boards_get_fewer_buckets_and_all_get_some():
    found = shares(np.array([900.0, 100.0, 1.0]), 50)
    assert found.sum() == 50
    assert found.min() >= 1
    assert found[0] > found[1] > found[2]
    assert found[0] / found[1] == pytest.approx(3.0, rel=0.2)
    assert shares(np.array([1.0, 1.0]), 2).tolist() == [1, 1]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="textures, so there are at least as many buckets"):
        build_abstraction(make_recipe(METHOD, "10/40/60/5", streets=SMALL))
    with pytest.raises(NotApplicableError, match="needs a board"):
        build_abstraction(make_recipe("texture-equal", "10/40/60/90", streets=SMALL))
    assert TEXTURES == 27
