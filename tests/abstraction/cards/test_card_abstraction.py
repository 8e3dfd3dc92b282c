"""Abstractions as a whole: every method through one interface, recall, files, interruptions, workers."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from equilibrist.abstraction.cards.build import build_abstraction, opponent_groups
from equilibrist.abstraction.cards.card_abstraction import load_card_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.public_boards import transition_table
from equilibrist.abstraction.cards.recipe import PRESETS, find_preset, make_recipe
from equilibrist.abstraction.cards.report import report_on
from equilibrist.cards.deck import Deck
from equilibrist.compute.workers import RayWorkers, ThreadWorkers
from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, ParameterError, UnknownNameError
from reference.naive_isomorphism import burnside_count

SMALL = Streets(Deck(4, 3))  # 16 / 1,376 / 2,384 / 2,856 hands up to suits
COLUMNS = (2, 5, 6, 7)
WORDS = ("ehs-percentile", "ehs-equal", "kmeans-emd", "kmeans-l2", "distribution-aware", "potential-aware")


def deals(count=4000, seed=0):
    return np.argsort(np.random.default_rng(seed).random((count, SMALL.deck.size)), axis=1)[:, :7]


def buckets(made, cards):
    return [made.bucket(street, cards[:, :columns]) for street, columns in enumerate(COLUMNS)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", WORDS)
def test_every_method_gives_every_hand_one_of_its_buckets(method):
    recipe = make_recipe(method, "all/12/10/8", streets=SMALL)
    made = build_abstraction(recipe)
    cards = deals()
    for size, found in zip(recipe.sizes, buckets(made, cards), strict=True):
        assert found.min() >= 0
        assert found.max() < size
    again = build_abstraction(recipe, threads=2)
    assert again.fingerprint == made.fingerprint
    assert build_abstraction(replace(recipe, seed=1)).hash != made.hash


def test_suits_and_the_order_within_a_street_do_not_matter():
    made = build_abstraction(make_recipe("potential-aware", "all/12/10/8", streets=SMALL))
    cards = deals(500)
    moved = cards - cards % 3 + np.array([2, 0, 1])[cards % 3]
    moved[:, [0, 1]] = moved[:, [1, 0]]
    moved[:, [2, 3, 4]] = moved[:, [4, 2, 3]]
    for one, other in zip(buckets(made, cards), buckets(made, moved), strict=True):
        assert np.array_equal(one, other)


def test_isomorphism_loses_nothing():
    made = build_abstraction(make_recipe("isomorphism", "all/all/all/all", streets=SMALL, recall="perfect"))
    assert made.sizes == (16, 1376, 9344, 55584)
    assert np.array_equal(made.bucket(3, deals(50)), SMALL.hands(3, ordered=True).index(deals(50)))
    forgetful = build_abstraction(make_recipe("isomorphism", "all/all/all/all", streets=SMALL))
    assert forgetful.sizes == (16, 1376, 2384, 2856)


def test_potential_aware_over_single_hands_and_over_itself():
    build_abstraction(make_recipe("isomorphism/potential-aware/isomorphism/ehs-equal", "all/9/all/5", streets=SMALL))
    chained = "isomorphism/potential-aware/potential-aware/kmeans-emd"
    made = build_abstraction(make_recipe(chained, "all/9/8/7", streets=SMALL))
    assert len(np.unique(made.bucket(1, deals()[:, :5]))) == 9


@pytest.mark.parametrize("method", ["ehs-equal(of=ehs2)", "kmeans-emd"])
def test_perfect_recall_buckets_tell_all_buckets_before_them(method):
    made = build_abstraction(make_recipe(method, "3/9/27/81", streets=SMALL, recall="perfect"))
    found = buckets(made, deals())
    for earlier, later in pairwise(found):
        assert np.array_equal(later // 3, earlier)


def test_imperfect_recall_depends_on_the_board_as_a_set():
    made = build_abstraction(make_recipe("kmeans-emd", "all/9/9/9", streets=SMALL))
    cards = deals(500)
    assert np.array_equal(made.bucket(3, cards), made.bucket(3, cards[:, [0, 1, 6, 5, 4, 3, 2]]))


def test_public_clusters_are_never_forgotten_and_their_buckets_are_disjoint():
    made = build_abstraction(make_recipe("distribution-aware", "all/20/24/28", streets=SMALL, public=4))
    cards = deals()
    cluster = made.public_cluster(cards[:, 2:5])
    assert set(np.unique(cluster)) == {0, 1, 2, 3}
    for street, inner in ((1, 5), (2, 6), (3, 7)):
        assert np.array_equal(made.bucket(street, cards[:, : COLUMNS[street]]) // inner, cluster)


def test_transitions_count_all_holdings():
    table = np.arange(SMALL.hands(1).size) % 13
    counts = transition_table(SMALL, table, 13)
    assert (counts.sum(axis=1) == 36).all()  # C(9, 2) holdings beside three board cards
    assert len(counts) == burnside_count((3,), 4, 3)


def test_opponent_groups_rise_in_strength():
    group = opponent_groups(SMALL, 4)
    from equilibrist.abstraction.cards.features import Strength, feature_table

    strength = feature_table(SMALL, 0, Strength())[:, 0]
    from equilibrist.cards.evaluator import pairs

    by_pair = strength[SMALL.hands(0).index(pairs(SMALL.deck))]
    means = [by_pair[group == g].mean() for g in range(4)]
    assert means == sorted(means)


# -- files ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("abstraction") / "small.eqb"
    made = build_abstraction(make_recipe("distribution-aware", "all/20/24/28", streets=SMALL, public=4))
    made.save(path)
    return made, path


def test_what_is_saved_loads_back_equal(saved):
    made, path = saved
    loaded = load_card_abstraction(path, hash=made.hash, streets=SMALL)
    assert loaded.hash == made.hash
    assert loaded.recipe == made.recipe
    assert loaded.fingerprint == made.fingerprint
    assert loaded.provenance["package"]
    for one, other in zip(buckets(made, deals(200)), buckets(loaded, deals(200)), strict=True):
        assert np.array_equal(one, other)


def test_other_decks_and_hashes_are_refused(saved):
    made, path = saved
    with pytest.raises(NotApplicableError, match="is needed"):
        load_card_abstraction(path, hash="0" * 32)
    with pytest.raises(NotApplicableError, match="make one"):
        load_card_abstraction(path, streets=Streets(Deck(5, 2)))
    with pytest.raises(NotApplicableError):
        made.require(deck=Deck())
    assert made.require(made.hash, deck=SMALL.deck) is made


def test_damaged_and_foreign_files_are_refused(saved, tmp_path):
    whole = saved[1].read_bytes()
    bad = tmp_path / "bad.eqb"
    start = int.from_bytes(whole[:8], "little") + 8
    cut, changed = whole[: len(whole) // 2], bytearray(whole)
    changed[start + 100 :: 97] = bytes(255 for _ in changed[start + 100 :: 97])
    recipe = whole.replace(b'\\"seed\\":0', b'\\"seed\\":7')
    for data in (b"", b"hello", cut, bytes(changed), recipe):
        bad.write_bytes(data)
        with pytest.raises(FormatError):
            load_card_abstraction(bad)
    with pytest.raises(FormatError):
        load_card_abstraction(tmp_path / "none.eqb")


# -- interruptions and workers -------------------------------------------------------------------------------------

SCRIPT = """
import sys
from pathlib import Path
from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.recipe import make_recipe
from equilibrist.cards.deck import Deck
recipe = make_recipe("potential-aware", "all/40/30/30", streets=Streets(Deck(4, 3)))
say = lambda text, share: print(text, flush=True)
build_abstraction(recipe, checkpoints=Path(sys.argv[1]), checkpoint_seconds=0.0, report=say).save(sys.argv[2])
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_result(tmp_path):
    recipe = make_recipe("potential-aware", "all/40/30/30", streets=SMALL)
    expected = build_abstraction(recipe).fingerprint
    out = tmp_path / "out.eqb"
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "parts"), str(out)]
    for lines in (2, 9, 25, 60):  # killed after so many reports
        run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for _ in range(lines):
            if not run.stdout.readline():
                break
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        run.stdout.close()
        assert out.exists() is False or load_card_abstraction(out).fingerprint == expected
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert load_card_abstraction(out).fingerprint == expected


def test_checkpoints_of_other_work_are_not_read(tmp_path):
    one = make_recipe("kmeans-emd", "all/9/9/9", streets=SMALL)
    build_abstraction(one, checkpoints=tmp_path)
    other = replace(one, seed=5)
    assert build_abstraction(other, checkpoints=tmp_path).fingerprint == build_abstraction(other).fingerprint


def test_workers_give_results_in_order():
    def slowly(x):
        time.sleep(0.002 * (x % 3))
        return x * x

    assert list(ThreadWorkers(3).map(slowly, range(20))) == [x * x for x in range(20)]


@pytest.mark.slow
def test_a_ray_cluster_gives_the_same_buckets():
    pytest.importorskip("ray")
    recipe = make_recipe("potential-aware", "all/12/10/8", streets=SMALL)
    with RayWorkers("local", 2) as workers:
        made = build_abstraction(recipe, workers=workers)
    assert made.fingerprint == build_abstraction(recipe).fingerprint


# -- reports and refusals ------------------------------------------------------------------------------------------


def test_reports_measure_what_buckets_lose():
    fine = report_on(build_abstraction(make_recipe("ehs-equal", "all/200/200/200", streets=SMALL)))
    coarse = report_on(build_abstraction(make_recipe("ehs-equal", "all/5/5/5", streets=SMALL)))
    for street in range(1, 4):
        assert fine[street].within < coarse[street].within <= coarse[street].variance
        assert coarse[street].share.sum() == pytest.approx(1.0)
        assert 0.0 < coarse[street].mixed <= 1.0
    assert fine[0].within == pytest.approx(0.0, abs=1e-9)
    assert fine[0].mixed == 0.0
    assert fine[0].emd == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize(
    ("method", "sizes", "settings", "said"),
    [
        ("kmeans-emd", "all/2000/5/5", {}, "1,376 different hands"),
        ("kmeans-emd", "5/5/5", {}, "4"),
        ("kmeans-emd", "5/5/x/5", {}, "'x'"),
        ("kmeans-emd", "5/0/5/5", {}, "'0'"),
        ("kmeans", "5/5/5/5", {}, "Did you mean"),
        ("kmeans-emd(bin=3)", "5/5/5/5", {}, "no parameter 'bin'"),
        ("kmeans-emd(bins=many)", "5/5/5/5", {}, "'bins' of 'kmeans-emd'"),
        ("kmeans-emd/ochs", "5/5/5/5", {}, "2 methods"),
        ("ehs-equal/ehs-equal/ehs-equal/potential-aware", "5/5/5/5", {}, "between the first and the last"),
        ("kmeans-emd", "5/9/27/81", {"recall": "perfect"}, "multiple of 5"),
        ("kmeans-emd", "5/10/20/40", {"recall": "total"}, "'total'"),
        ("potential-aware", "all/20/20/20", {"public": 4}, "by design"),
        ("kmeans-emd", "5/10/20/40", {"public": 99}, "different flops"),
        ("ehs-equal(of=hs)", "5/5/5/5", {}, "of=hs"),
        ("kmeans-emd", "5/5/5/5", {"seed": -1}, "seed"),
    ],
)
def test_recipes_that_make_no_sense_are_refused(method, sizes, settings, said):
    with pytest.raises((ParameterError, UnknownNameError), match=said.replace("(", r"\(")):
        make_recipe(method, sizes, streets=SMALL, **settings)


def test_ochs_before_the_flop_is_refused():
    with pytest.raises(EquilibristError, match="before the flop"):
        build_abstraction(make_recipe("ochs", "5/5/5/5", streets=SMALL))


def test_presets_are_for_the_full_deck():
    for word in PRESETS:
        assert find_preset(word).recipe().sizes[0] == 169
    with pytest.raises(UnknownNameError, match="small"):
        find_preset("smal")


def test_a_missing_ray_is_said_clearly(monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EquilibristError, match=r"equilibrist\[cluster\]"):
        RayWorkers("local")


def test_the_scratch_of_a_finished_run_is_removed(tmp_path):
    from equilibrist.compute.checkpoints import Checkpoints

    kept = Checkpoints(Path(tmp_path / "parts"), "key", seconds=0.0)
    kept.save("one", {"x": np.arange(3)})
    assert kept.load("one")["x"].tolist() == [0, 1, 2]
    assert Checkpoints(tmp_path / "parts", "other").load("one") is None
    kept.clear()
    assert not (tmp_path / "parts").exists()
