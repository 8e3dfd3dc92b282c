"""The tests of common sense pass a sane blueprint, and name what offends in others."""

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, class_number, disjoint_pairs
from equilibrist.cards.allins.pairs import pair_outcomes
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.evaluation.diagnosis.first_round import FirstRound
from equilibrist.evaluation.diagnosis.sanity import CALLS, PREMIUM, TRAINED, sanity_checks
from equilibrist.evaluation.diagnosis.untrained import untrained_rows, untrained_streets
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.solvers.blueprint.abstract_poker import AbstractPoker
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.strategy import WHOLE
from random_blueprint import LEDUC, TextureBuckets, random_blueprint, random_strategy

CELL = hands_of(STANDARD).cell
RAISES = {"menu": {"bet": "a", "raise": "", "preflop": {"bet": "", "raise": "50%, a"}}}  # limps, a small raise, all-ins


class ClassBuckets(TextureBuckets):
    """Every class of hands by itself before the flop."""

    sizes = (CLASSES, 7, 11, 6)

    def bucket(self, round, cards):
        if round:
            return super().bucket(round, cards)
        low, high = np.sort(cards[:, :2].astype(np.int64), axis=1).T
        return CELL[high * (high - 1) // 2 + low]


def blueprint(menu=RAISES, game="nolimit-holdem(stack=1000)", **rows):
    """Plays every action at times, and no hand folds but as `rows` say: by line with strokes for colons, [class, action]."""
    plan = BlueprintPlan(game, menu)
    buckets = ClassBuckets()
    buckets.sizes = buckets.sizes[: len(plan.rules.board)]
    found = random_strategy(plan, AbstractPoker(betting_tree(plan.rules), buckets))
    tree = found.abstract.tree
    for node in FirstRound(found).decisions:
        width = int(tree.children[node])
        calm = np.full((CLASSES, width), 1.0 / (width - 1 if FirstRound(found).folds(node) else width))
        calm[:, 0] = 0.0 if FirstRound(found).folds(node) else calm[:, 0]
        put(found, node, rows.get(tree.line(node).replace(":", "_") or "start", calm))
    return found


def put(found, node, rows):
    width, first = rows.shape[1], int(found.abstract.first_slot[node])
    bytes_ = np.floor(WHOLE * rows).astype(np.int64)
    bytes_[:, -1] += WHOLE - bytes_.sum(axis=1)
    found.packed[first : first + rows.size] = bytes_.ravel()
    assert width == found.abstract.tree.children[node]


def checks(found, hands=100):
    return {each.name: each for each in sanity_checks(found, untrained_streets(found, hands))}


def folding(width, **hands):
    """[class, action] that never folds, but these classes with these chances."""
    out = np.zeros((CLASSES, width))
    for name, chance in hands.items():
        out[class_number(name), 0] = chance
    out[:, 1:] = (1.0 - out[:, :1]) / (width - 1)
    return out


def test_a_sane_blueprint_passes():
    found = checks(blueprint())
    assert found[PREMIUM].passed
    assert found[CALLS].passed
    assert min(found[PREMIUM].looked, found[CALLS].looked) > 4


def test_premium_hands_that_fold_are_named():
    found = checks(blueprint(r200=folding(4, AA=0.3, AKs=0.5, AQs=1.0), r1000=folding(2, AKs=1.0, QQ=1.0, KK=0.05)))
    offences = found[PREMIUM].offences
    assert found[PREMIUM].passed is False
    assert {(each.hand, each.line, each.text) for each in offences} == {
        ("AA", "r200", "folds 30 %"), ("AKs", "r200", "folds 50 %"), ("KK", "r1000", "folds 5 %"),
    }  # fmt: skip


def test_what_is_never_played_is_left_alone():
    """Aces that never limp do not learn what to do after a limp and a raise."""
    rows = {"c_r200": folding(4, AA=1.0)}
    assert checks(blueprint(**rows))[PREMIUM].passed is False
    never = np.zeros((CLASSES, 4))
    never[:, 1:] = 1.0 / 3.0
    never[class_number("AA")] = (0.0, 0.0, 0.5, 0.5)
    assert checks(blueprint(start=never, **rows))[PREMIUM].passed


def test_stronger_hands_that_fold_more_are_named():
    """Kings have more equity than deuces against any all-in range that has everything."""
    found = checks(blueprint(r1000=folding(2, KK=0.5, **{"72o": 1.0})))[CALLS]
    assert found.passed is False
    assert {(each.hand, each.line) for each in found.offences} == {("KK", "r1000"), ("72o", "r1000")}
    assert "folds 50 %, but" in next(each.text for each in found.offences if each.hand == "KK")
    weakest = folding(2, **{"32o": 1.0})
    assert checks(blueprint(r1000=weakest))[CALLS].passed


def test_rows_that_were_never_trained_are_counted_and_met():
    found = random_blueprint(LEDUC)
    before = untrained_streets(found, 400)
    assert checks(found)[TRAINED].passed
    node = int(found.abstract.tree.find("x:b"))
    first, width = int(found.abstract.first_slot[node]), int(found.abstract.tree.children[node])
    found.packed[first : first + 6 * width] = np.tile([85, 85, 85], 6)
    assert untrained_rows(found, node, np.arange(6)).all()
    after = untrained_streets(found, 400)
    assert [now.rows - then.rows for now, then in zip(after.streets, before.streets, strict=True)] == [6, 0]
    share = after.streets[0].share
    assert 0.0 < share.low < share.value < share.high < 1.0
    failed = checks(found, hands=400)[TRAINED]
    assert failed.passed is False
    assert [(each.line, each.text) for each in failed.offences] == [
        ("preflop", f"6 of {after.streets[0].of} rows were never trained")
    ]


def test_the_share_of_untrained_decisions_is_that_of_play():
    """Everything untrained: all decisions are. An interrupt leaves it at the hands that are done."""
    found = random_blueprint(LEDUC)
    tree = found.abstract.tree
    for node in tree.decisions.tolist():
        rows = np.full(
            (found.abstract.buckets.sizes[tree.round[node]], int(tree.children[node])),
            WHOLE // int(tree.children[node]),
        )
        rows[:] = int(WHOLE / rows.shape[1] + 0.5)
        rows[:, 0] += WHOLE - rows.sum(axis=1)
        first = int(found.abstract.first_slot[node])
        found.packed[first : first + rows.size] = rows.ravel()
    all_of_them = untrained_streets(found, 200)
    assert [each.share.value for each in all_of_them.streets] == [1.0, 1.0]
    assert all(each.rows == each.of for each in all_of_them.streets)

    def interrupt(done, of):
        raise KeyboardInterrupt

    assert untrained_streets(found, 10_000, report=interrupt).hands == 200


def test_other_games_skip_what_is_for_holdem():
    found = checks(random_blueprint(LEDUC))
    assert [found[name].passed for name in (PREMIUM, CALLS)] == [None, None]
    assert "52 cards" in found[PREMIUM].why


def test_equities_are_those_of_five_board_cards():
    """With three of them a hand may be the stronger one that is the weaker one on five; premium hands are the same."""
    found = checks(blueprint(game="nolimit-flop-holdem(stack=1000)", r1000=folding(2, KK=0.5)))
    assert found[CALLS].passed is None
    assert "five board cards" in found[CALLS].why
    assert found[PREMIUM].passed is False


def test_purified_streets_are_left_out():
    found = random_blueprint(LEDUC)
    assert [each.street for each in untrained_streets(found.purified(1), 20).streets] == ["preflop"]
    pure = checks(found.purified(0), hands=20)[TRAINED]
    assert pure.passed is None
    assert "purified" in pure.why


def test_equity_is_that_against_the_range_that_is_all_in():
    """Against aces and kings alone AKo is worse than 98s; against all hands it is not."""
    jam = np.tile([0.0, 1.0, 0.0, 0.0], (CLASSES, 1))
    strong = [class_number("AA"), class_number("KK")]
    jam[strong] = (0.0, 0.0, 0.0, 1.0)
    met = disjoint_pairs()[:, strong]
    equity = (met * pair_outcomes().equity[:, strong]).sum(axis=1) / met.sum(axis=1)
    calls = equity > 0.21
    assert (bool(calls[class_number("AKo")]), bool(calls[class_number("98s")])) == (False, True)
    answer = np.stack([~calls, calls], axis=1).astype(float)
    tight = checks(blueprint(start=jam, r1000=answer))[CALLS]
    assert [each for each in tight.offences if each.line == "r1000"] == []
    assert "AKo" in {each.hand for each in checks(blueprint(r1000=answer))[CALLS].offences if each.line == "r1000"}
