"""Tartanian's betting model and its language."""

import pytest

from equilibrist.abstraction.bets.bml import betting_model, read_bml, write_bml
from equilibrist.core.errors import EquilibristError, FormatError
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.games.catalogue import load_game
from reference.tartanian_rules import tartanian2_rules, tartanian_rules


def model(capped):
    tree = betting_tree(tartanian_rules(capped=capped))
    return tree, betting_model(tree, "tartanian")


def test_the_published_counts():
    # [Gilpin09, §7.4.1] without its cap: 35/34 sequences before the flop, 11, 111, 691 histories go on, 13,066 and 13,067 sequences,
    # 9,796 decisions
    tree, found = model(capped=False)
    assert [found.rounds[0].sequences(p) for p in (2, 1)] == [35, 34]
    assert [one.continuing for one in found.rounds] == [11, 111, 691, 0]
    assert [sum(one.sequences(p) for one in found.rounds) for p in (1, 2)] == [13_066, 13_067]
    assert len(tree.decisions) == 9_796
    tree, found = model(capped=True)
    assert [one.continuing for one in found.rounds] == [7, 83, 607, 0]
    assert [sum(one.sequences(p) for one in found.rounds) for p in (1, 2)] == [11_489, 11_490]
    assert len(tree.decisions) == 8_590


def test_the_listing():
    # [Gilpin09, Listing 7.1]: after "Ca" the sequences 19 and 20, after "A" 32 and 33; a called all-in has a pot share of 1,000,
    # folds pay two chips
    found = model(capped=False)[1].rounds[0]
    decisions = {decision.sequence: decision for decision in found.decisions}
    assert decisions["Ca"].actions == (("F", 19), ("C", 20))
    assert decisions["A"].actions == (("f", 32), ("c", 33))
    assert decisions["Ca"].parent == 1
    assert decisions["A"].parent == -1
    leaves = {leaf.sequence: leaf for leaf in found.leaves}
    assert (leaves["CaC"].kind, leaves["CaC"].amount, leaves["CaC"].seq1, leaves["CaC"].seq2) == (
        "showdown",
        1000,
        2,
        20,
    )
    assert leaves["CaF"].amount == 2
    assert leaves["Af"].amount == -2


def test_amounts_of_the_text():
    # small blind: call 1, pot 5, all-in 999; pot raises before the flop stop at 486, half of the stack being 500
    tree = betting_tree(tartanian_rules(capped=False))
    first = range(tree.first_child[0], tree.first_child[0] + tree.children[0])
    assert [tree.amount[n] for n in first] == [0, 1, 5, 999]
    preflop = {float(tree.paid[n].max()) for n in range(len(tree)) if tree.round[n] == 0}
    assert preflop == {2, 6, 18, 54, 162, 486, 1000}
    assert len(betting_tree(tartanian2_rules())) > len(tree)


def test_round_trip():
    found = betting_model(betting_tree(load_game("nolimit-leduc(sizes=fcpa)").rules), 'a "name" & more')
    assert read_bml(write_bml(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE bml [<!ENTITY a "aaaa">]><bml name="&a;"/>',
        '<!DOCTYPE bml SYSTEM "http://example.org/bml.dtd"><bml name="x"/>',
        "<bml",
        "",
        "<other/>",
        "<bml/>",
        '<bml name="x"><round number="one"/></bml>',
        '<bml name="x"><round number="1"><leaves><leaf seq1="0" seq2="0" type="tie" sequence=""/></leaves></round></bml>',
    ],
)
def test_foreign_documents_are_refused(text):
    with pytest.raises(FormatError):
        read_bml(text)


def test_two_players_only():
    with pytest.raises(EquilibristError, match="two players"):
        betting_model(betting_tree(load_game("kuhn(players=3)").rules), "kuhn")
