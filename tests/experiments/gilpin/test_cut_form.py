"""Games that are cut off before their last round: the ends are worth what fixed play there makes of them."""

from dataclasses import replace

import numpy as np
import pytest

from equilibrist.abstraction.information.gameshrink import shrink
from equilibrist.core.errors import ParameterError
from equilibrist.experiments.gilpin.gs.cut_form import CutForm
from equilibrist.experiments.gilpin.gs.simulated_round import last_round, round_worth, smoothed_table
from equilibrist.forms.contract import checked
from equilibrist.forms.hand_classes.class_pairs import class_pairs, weighted_pairs
from equilibrist.forms.hand_classes.classes import classes_from_parents
from equilibrist.forms.hand_classes.kronecker import kronecker_form
from equilibrist.games.poker.family import rhode_island


def dense(pairs, values):
    out = np.zeros(pairs.shape)
    out[np.repeat(np.arange(pairs.shape[0]), np.diff(pairs.start)), pairs.column] = values
    return out


@pytest.fixture(scope="module")
def games():
    """Rhode Island hold'em with 8 cards, whole and without its last round."""
    rules = rhode_island(ranks=4, suits=2).rules
    classes = shrink(rules)
    pairs = class_pairs(rules, classes)
    short = replace(rules, board=rules.board[:2], menus=rules.menus[:2], caps=rules.caps[:2], first=rules.first[:2])
    made = classes_from_parents(short, classes.parent[:2])
    return kronecker_form(rules, classes, pairs=pairs), kronecker_form(short, made, pairs=pairs[:2]), pairs, classes


def test_with_a_last_round_of_fixed_play_it_is_the_whole_game(games):
    whole, short, pairs, classes = games
    rng = np.random.default_rng(3)
    tree = last_round(1.0, 1.0, 3)
    count = classes.counts[2]
    table = smoothed_table({tree.line(int(n)): rng.random((count, int(tree.children[n]))) for n in tree.decisions})
    part, bets = round_worth(tree, table)
    # classes of the last round act by their own row; every pair of them wins, ties and loses in known shares
    last = pairs[2]
    deals, net = dense(last, last.deals), dense(last, last.balance)
    outcome = _outcomes(whole.rules, classes)
    assert np.array_equal(outcome.sum(axis=2), deals)
    assert np.array_equal(outcome[:, :, 2] - outcome[:, :, 0], net)
    up = np.eye(classes.counts[1])[classes.parent[2]]
    share, won = (up.T @ (outcome * worth).sum(axis=2) @ up / last.total for worth in (part, bets))
    cut = CutForm(short, share, won, float(whole.rules.menus[2].tokens[0][:-1]))
    checked(cut)
    plans = [rng.random(n) for n in short.sequences]
    longer = [_continued(whole, short, p, plans[p], table) for p in range(2)]
    for player in range(2):
        expected = np.empty(whole.sequences[player])
        whole.gradient(player, longer[1 - player], expected)
        found = np.empty(short.sequences[player])
        cut.gradient(player, plans[1 - player], found)
        assert plans[player] @ found == pytest.approx(longer[player] @ expected, rel=1e-12)


def _outcomes(rules, classes):
    """[classes, classes, 3] deals lost, tied and won by the first player in the last round, hand by hand."""
    from equilibrist.forms.hand_classes.showdowns import showdowns

    count = classes.counts[2]
    out = np.zeros((count, count, 3))
    for part in showdowns(rules):
        for n, weight in enumerate(part.weight):
            held = classes.table[2][part.hand[-1][n]]
            for a, one in enumerate(part.holes[n]):
                for b, other in enumerate(part.holes[n]):
                    if not set(one.tolist()) & set(other.tolist()):
                        sign = np.sign(part.strength[n, a] - part.strength[n, b])
                        out[held[a], held[b], int(sign) + 1] += weight
    return out


def _continued(whole, short, player, plan, table):
    """A plan of the whole game: as given before the last round, then by the table with the class of the last round."""
    layout = whole.layouts[player]
    out = np.zeros(whole.sequences[player])
    out[: len(plan)] = plan
    columns, lines = whole.rounds[2].columns[player], _of_last_round(whole, player)
    classes = int(layout.classes[3])
    for c in range(classes):
        base = int(layout.base[3]) + c * int(layout.count[3])
        for n, (line, first, width) in enumerate(zip(lines, columns.first, columns.actions, strict=True)):
            where, column = int(columns.parent[n, 0]) + 1, int(columns.parent[n, 1])
            before = out[
                int(layout.base[where]) + int(layout.ancestors[2][where][c]) * int(layout.count[where]) + column
            ]
            row = table.rows[line][c]
            out[base + first : base + first + width] = before * row
    return out


def _of_last_round(whole, player):
    """For every betting line of a player in the last round, the part that belongs to that round."""
    first = sorted(whole.rounds[2].columns[0].labels, key=len)
    starts = []
    for line in first:
        if not any(line.startswith(f"{start}:") for start in starts):
            starts.append(line)
    out = []
    for line in whole.rounds[2].columns[player].labels:
        (start,) = [start for start in starts if line == start or line.startswith(f"{start}:")]
        out.append(line[len(start) + 1 :])
    return out


def test_shown_cards_are_the_plain_game(games):
    _, short, pairs, _ = games
    plain = pairs[1]
    cut = CutForm(short, dense(plain, plain.balance) / plain.total, np.zeros(plain.shape), 20.0)
    plan = np.random.default_rng(0).random(short.sequences[1])
    out = np.empty(short.sequences[0])
    cut.gradient(0, plan, out)
    np.testing.assert_allclose(out, short.gradient(0, plan), rtol=1e-12, atol=1e-15)


def test_tables_of_another_size_are_refused(games):
    with pytest.raises(ParameterError, match="The last round has"):
        CutForm(games[1], np.zeros((2, 2)), np.zeros((2, 2)), 4.0)


def test_weights_stand_for_deals(games):
    plain = games[2][1]
    weighted = weighted_pairs(dense(plain, plain.deals) / 7.0, dense(plain, plain.balance) / 7.0)
    assert weighted.total == pytest.approx(plain.total / 7.0)
    np.testing.assert_allclose(weighted.deals * 7.0, plain.deals)
    np.testing.assert_allclose(weighted.transposed().transposed().balance, weighted.balance)


def test_classes_must_follow_each_other():
    rules = rhode_island(ranks=4, suits=2).rules
    with pytest.raises(ParameterError, match="ascending order"):
        classes_from_parents(rules, [[0, 0], [1, 0], [0, 1]])
    with pytest.raises(ParameterError, match="3 betting rounds"):
        classes_from_parents(rules, [[0, 0]])
