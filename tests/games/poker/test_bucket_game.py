"""Hold'em in buckets: deals against every deal dealt by hand, tree against matrices, sizes and files."""

from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError
from equilibrist.forms.hand_classes.betting_rounds import betting_rounds
from equilibrist.forms.hand_classes.betting_walk import betting_walk
from equilibrist.forms.hand_classes.bucket_form import bucket_form
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bucket_deals import (
    BucketDeals,
    BucketRecipe,
    bucket_deals,
    drawn_boards,
    load_deals,
    make_deals,
    save_deals,
    split_by_mass,
)
from equilibrist.games.poker.family import limit_holdem
from equilibrist.solvers.hand_classes.solve_classes import solve_rounds
from equilibrist.solvers.solve import solve
from equilibrist.testing.games import check_game
from reference.naive_buckets import flop_game

TINY = "bucket-holdem(buckets=2,boards=0,rounds=2,ranks=5)"


@lru_cache
def tiny():
    return load_game(TINY)


@pytest.mark.parametrize("buckets", [2, 3])
def test_deals_are_those_of_every_hand_dealt_one_by_one(buckets):
    """Ten cards, all 120 flops: the same pairs and the same winners, in whole numbers."""
    deck = Deck(5, 2)
    deals, balance = flop_game(deck, buckets)
    made, net = make_deals(BucketRecipe(deck, (0, 3), buckets, 0)).matrices[-1]
    sequences = [(a, b) for a in range(buckets) for b in range(buckets)]
    assert made.tolist() == [[deals[one, other] for other in sequences] for one in sequences]
    assert net.tolist() == [[balance[one, other] for other in sequences] for one in sequences]


def test_percentiles_hold_equal_shares_and_streets_add_up():
    deals = tiny().deals
    for street, (pairs, balance) in enumerate(deals.matrices):
        assert (pairs == pairs.T).all()
        assert (balance == -balance.T).all()
        shares = pairs.sum(axis=1) / pairs.sum()
        assert shares == pytest.approx(1 / len(shares), abs=0.04)  # equal strengths stay together
        assert pairs.sum() == deals.matrices[0][0].sum(), street
    k = deals.recipe.buckets
    assert deals.matrices[1][0].reshape(k, k, k, k).sum(axis=(1, 3)).tolist() == deals.matrices[0][0].tolist()


def test_the_stronger_bucket_wins_oftener():
    pairs, balance = tiny().deals.matrices[-1]
    edge = balance / pairs
    assert (np.diff(edge.mean(axis=1).reshape(2, 2), axis=1) > 0).all()


def test_all_rounds_with_boards_drawn():
    """Four streets of a short deck: drawing every board often enough gives what taking all of them gives, in distribution."""
    recipe = BucketRecipe(Deck(5, 2), (0, 3, 1, 1), 2, 40, seed=3)
    boards, weight = drawn_boards(recipe)
    assert weight.sum() == 40
    assert len(np.unique(boards, axis=0)) == len(boards)
    deals = make_deals(recipe)
    assert deals.counts == (2, 4, 8, 16)
    hands_left = 5 * 4 // 2 * (3 * 2 // 2)  # ordered pairs of hands that five cards leave
    assert deals.matrices[0][0].sum() == 40 * hands_left
    assert make_deals(recipe, threads=2).hash == deals.hash


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6), st.integers(1, 5)), min_size=1), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_splits_keep_the_order_and_put_each_key_where_its_middle_lies(entries, parts):
    parent, key, weight = (np.array(column, np.int64) for column in zip(*entries, strict=True))
    found = split_by_mass(parent, key, weight, parts)
    assert (found // parts == parent).all()
    for owner in set(parent.tolist()):
        own = parent == owner
        mass = Counter()
        for k, w in zip(key[own].tolist(), weight[own].tolist(), strict=True):
            mass[k] += w
        below = 0
        for k in sorted(mass):
            expected = min(int(parts * (below + mass[k] / 2) / sum(mass.values())), parts - 1)
            assert set((found[own & (key == k)] % parts).tolist()) == {expected}
            below += mass[k]


def test_tree_and_matrices_are_the_same_game():
    """CFR+ on the laid-out tree and on the matrices: equal values and best responses after equal iterations."""
    game = tiny()
    by_tree = solve(game, "cfr+", iterations=50)
    by_pairs = solve_rounds(bucket_form(game), "cfr+", iterations=50, bits=64)
    assert by_pairs.evaluation.value == pytest.approx(by_tree.value, abs=1e-9)
    assert by_pairs.evaluation.best_response_value == pytest.approx(by_tree.evaluation.best_response_value, abs=1e-9)
    assert sum(bucket_form(game).infosets) == by_tree.infosets
    assert solve(game, "lp").value[0] == pytest.approx(by_tree.value[0], abs=0.02)


def test_it_is_a_game_like_any_other():
    check_game(tiny())
    assert load_game(tiny().name).name == tiny().name
    state = tiny().start()
    assert sum(probability for _, probability in state.chance()) == pytest.approx(1.0)
    assert state.child(1).infoset(0) == "1"
    assert state.child(1).infoset(1) == "2"


def test_the_five_bucket_game_has_the_published_size():
    """[Davis15, §5.2.2]: 40 + 1,750 + 78,750 + 3,543,750 infosets."""
    rounds = betting_rounds(limit_holdem().rules)
    decisions = [sum(columns.infosets for columns in betting.columns) for betting in rounds]
    assert decisions == [8, 70, 630, 5670]
    assert sum(n * 5 ** (r + 1) for r, n in enumerate(decisions)) == 3_624_290
    assert load_game("bucket-holdem").histories() > 1e9
    assert load_game("bucket-holdem").name == "bucket-holdem"


def test_columns_know_which_actions_are_passive():
    for betting in betting_rounds(limit_holdem().rules):
        for columns in betting.columns:
            assert columns.passive.sum() == columns.infosets + (columns.width - columns.count)


def test_the_walk_has_every_situation_once():
    walk = betting_walk(bucket_form(tiny()))
    assert (walk.player >= 0).sum() == 8 + 70
    assert walk.shown.sum() == 7 * 9
    decisions = np.flatnonzero(walk.player >= 0)
    children = [walk.child[n, a] for n in decisions for a in range(walk.actions[n])]
    assert sorted(children) == list(range(1, len(walk.player)))


def test_deals_are_kept_and_damaged_files_are_made_again(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("EQUILIBRIST_CACHE", str(tmp_path))
    recipe = BucketRecipe(Deck(5, 2), (0, 3), 2, 0)
    told = []
    made = bucket_deals(recipe, report=lambda text, share: told.append(text))
    assert any("flop" in text for text in told)
    assert any("pairs" in text for text in told)
    told.clear()
    assert bucket_deals(recipe, report=lambda text, share: told.append(text)).hash == made.hash
    assert not told
    (path,) = (tmp_path / "deals").iterdir()
    with pytest.raises(FormatError, match="another game"):
        load_deals(path, BucketRecipe(Deck(5, 2), (0, 3), 2, 0, seed=1))
    wrong = BucketDeals(recipe, made.wins + 1, made.ties)
    save_deals(wrong, path)
    altered = bytearray(path.read_bytes())
    altered[-1] ^= 1
    path.write_bytes(bytes(altered))
    with pytest.raises(FormatError, match="checksum"):
        load_deals(path, recipe)
    assert bucket_deals(recipe).hash == made.hash
    assert "made again" in caplog.text
    assert load_deals(path, recipe).hash == made.hash


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="is 1 to 9"):
        load_game("bucket-holdem(buckets=10)")
    with pytest.raises(ParameterError, match="4 rounds"):
        load_game("bucket-holdem(rounds=3)")
    with pytest.raises(NotApplicableError, match="buckets alone"):
        bucket_form(tiny()).hand_classes(0)
