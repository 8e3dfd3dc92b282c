"""OpenSpiel games through our tree give OpenSpiel's own counts, values and NashConv."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from equilibrist.core.errors import (
    MissingExtraError,
    NotApplicableError,
    ParameterError,
    UnknownNameError,
)
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.history_tree.game_tree import GameTree, compile_tree
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.formats.openspiel import OpenSpielState, load_openspiel
from equilibrist.games.rules import TERMINAL
from equilibrist.solvers.responses.best_response import evaluate_policy
from equilibrist.testing.games import check_game

pyspiel = pytest.importorskip("pyspiel")
spiel_policy = pytest.importorskip("open_spiel.python.policy")
exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
expected_game_score = pytest.importorskip("open_spiel.python.algorithms.expected_game_score")

GAMES = [
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(numdice=1,dice_sides=3)",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "goofspiel(num_cards=3,imp_info=True)",
    "kuhn_poker(players=3)",
    "matrix_bos",
    "matching_pennies_3p",
    "sheriff(max_items=1,num_rounds=2,max_bribe=1)",
    "first_sealed_auction(max_value=3)",
    "tiny_hanabi",
    "python_kuhn_poker",
]
OPEN_GOOFSPIEL = "goofspiel(num_cards=4,points_order=descending)"  # its texts forget who bid what when
WITH_PUBLIC_STATES = [
    "kuhn_poker",
    "leduc_poker",
    "kuhn_poker(players=3)",
    "coordinated_mp",
    "goofspiel(num_cards=3,imp_info=True)",
    "goofspiel(num_cards=3,imp_info=True,players=3,points_order=descending)",
    "tic_tac_toe",
]


class Everything:
    """A plain walk over an OpenSpiel game, apart from our code."""

    def __init__(self, rules) -> None:
        self.histories = self.terminals = 0
        self.infosets: dict[tuple[int, str], int] = {}
        stack = [rules.new_initial_state()]
        while stack:
            state = stack.pop()
            self.histories += 1
            if state.is_terminal():
                self.terminals += 1
                continue
            if not state.is_chance_node():
                text = state.information_state_string(state.current_player())
                self.infosets[state.current_player(), text] = len(state.legal_actions())
            stack.extend(state.child(action) for action in state.legal_actions())


class AsOpenSpiel(spiel_policy.Policy):
    """Rows given by player and information state."""

    def __init__(self, rules, rows) -> None:
        super().__init__(rules, list(range(rules.num_players())))
        self.rows = rows

    def action_probabilities(self, state, player_id=None):
        player = state.current_player() if player_id is None else player_id
        row = self.rows[player, state.information_state_string(player)]
        return dict(zip(state.legal_actions(player), row.tolist(), strict=True))


def random_rows(infosets, seed: int):
    """A random policy, with some actions never played."""
    rng = np.random.default_rng(seed)
    rows = {}
    for place, width in infosets.items():
        weights = rng.random(width) * (rng.random(width) < 0.7)
        weights[rng.integers(width)] += 0.1
        rows[place] = weights / weights.sum()
    return rows


def as_ours(tree: GameTree, rows) -> TabularPolicy:
    """The same policy on our infosets, found by their keys."""
    by_key = {(player, text.rstrip("\n").replace("\n", " / ")): row for (player, text), row in rows.items()}
    probabilities = []
    for player, key in zip(tree.infosets.player.tolist(), tree.infosets.keys, strict=True):
        bare = key.removeprefix(f"{player + 1}|").partition(" | memory ")[0]
        probabilities.append(by_key[player, bare] if (player, bare) in by_key else by_key[player, key])
    return TabularPolicy(tree.infosets, np.concatenate(probabilities))


@pytest.mark.parametrize("name", GAMES)
def test_tree_has_the_same_histories_infosets_and_terminals(name):
    game = load_openspiel(name)
    tree, everything = compile_tree(game), Everything(game.rules)
    assert tree.histories == everything.histories
    assert len(tree.returns) == everything.terminals
    assert len(tree.infosets) == len(everything.infosets)
    assert tree.players == game.rules.num_players()
    if game.zero_sum:
        assert np.allclose(tree.returns.sum(axis=1), 0.0)


def test_published_sizes():
    # The literature's counts: 12 infosets in Kuhn poker, 936 in Leduc hold'em.
    assert len(compile_tree(load_game("openspiel:kuhn_poker")).infosets) == 12
    assert len(compile_tree(load_game("openspiel:leduc_poker")).infosets) == 936


@pytest.mark.parametrize("name", [*GAMES, OPEN_GOOFSPIEL, "dark_hex(board_size=2)"])
def test_values_and_nash_conv_are_those_of_openspiel(name):
    game = load_openspiel(name)
    tree, everything = compile_tree(game), Everything(game.rules)
    policies = [{place: np.full(width, 1.0 / width) for place, width in everything.infosets.items()}]
    policies += [random_rows(everything.infosets, seed) for seed in range(2)]
    for rows in policies:
        theirs, ours = AsOpenSpiel(game.rules, rows), as_ours(tree, rows)
        evaluation = evaluate_policy(tree, ours)
        start = game.rules.new_initial_state()
        value = expected_game_score.policy_value(start, [theirs] * game.players)
        assert evaluation.value == pytest.approx(tuple(value), abs=1e-12)
        assert evaluation.nash_conv == pytest.approx(exploitability.nash_conv(game.rules, theirs), abs=1e-9)


@pytest.mark.parametrize(
    "name", [*GAMES, *WITH_PUBLIC_STATES, OPEN_GOOFSPIEL, "liars_dice_ir(dice_sides=3)", "phantom_ttt"]
)
def test_conforms(name):
    assert check_game(load_openspiel(name), histories=1500) > 0


@pytest.mark.parametrize("name", [n for n in WITH_PUBLIC_STATES if n != "tic_tac_toe"])
def test_public_observers_make_public_trees(name):
    game = load_openspiel(name)
    assert game.observations
    tree, public = compile_tree(game), public_tree(game)
    rows = random_rows(Everything(game.rules).infosets, seed=3)
    assert public.values(_reordered(as_ours(tree, rows), public)) == pytest.approx(
        evaluate_policy(tree, as_ours(tree, rows)).value, abs=1e-12
    )


def _reordered(policy: TabularPolicy, public) -> TabularPolicy:
    rows = [policy.row(policy.infosets.number(key)) for key in public.infosets.keys]
    return TabularPolicy(public.infosets, np.concatenate(rows))


def test_games_without_a_public_observer_say_so():
    game = load_openspiel("liars_dice(numdice=1,dice_sides=3)")
    assert not game.observations
    assert game.start().public() == ""
    with pytest.raises(NotApplicableError, match="does not say what is public"):
        public_tree(game)


def test_forgetful_texts_are_completed():
    """Goofspiel's open-bid texts drop the order of past bids; our keys must tell it."""
    game = load_openspiel(OPEN_GOOFSPIEL)
    assert game.perfect_recall
    assert len(compile_tree(game).infosets) > len(Everything(game.rules).infosets)
    assert load_openspiel("goofspiel(num_cards=4,imp_info=True)").observations  # this one recalls by itself
    assert not load_openspiel("liars_dice_ir(dice_sides=3,recall_length=1)").perfect_recall  # meant to forget


def test_keys_and_labels_are_single_lines():
    tree = compile_tree(load_openspiel("goofspiel(num_cards=3,imp_info=True)"))
    texts = [*tree.infosets.keys, *tree.labels, *tree.infosets.public]
    assert not any("\n" in text or "\t" in text for text in texts)
    state = load_openspiel("kuhn_poker").start()
    assert [label for label, _ in state.chance()] == ["Deal:0", "Deal:1", "Deal:2"]
    state = state.child(0).child(0)
    assert (state.player, state.infoset(0), list(state.actions())) == (0, "0", ["Pass", "Bet"])


def test_kinds_of_games():
    three = load_openspiel("kuhn_poker(players=3)")
    assert (three.players, three.zero_sum, three.perfect_recall) == (3, True, True)
    assert not load_openspiel("matrix_bos").zero_sum
    assert not load_openspiel("sheriff").zero_sum


@pytest.mark.parametrize(
    "text", ["kuhn_poker", " goofspiel( num_cards = 3 , imp_info=true )", "misere(game=kuhn_poker())"]
)
def test_names_load_again(text):
    game = load_game(f"openspiel:{text}")
    again = load_game(game.name)
    assert again.name == game.name
    assert str(again.rules) == str(game.rules)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("kuhn_pokr", UnknownNameError, "Did you mean 'kuhn_poker'"),
        ("python_kuhn", UnknownNameError, "Did you mean 'python_kuhn_poker'"),
        ("", UnknownNameError, "no game ''"),
        ("kuhn_poker(player=3)", ParameterError, "Did you mean 'players'"),
        ("kuhn_poker(players=99)", ParameterError, "99"),
        ("kuhn_poker(players=many)", ParameterError, "a whole number"),
        ("kuhn_poker(players=3", ParameterError, "Cannot read"),
        ("kuhn_poker(players=3))", ParameterError, "Unbalanced"),
        ("kuhn_poker(players)", ParameterError, "key=value"),
        ("kuhn_poker(players=2,players=3)", ParameterError, "once"),
        ("goofspiel(num_cards=-3)", ParameterError, "count"),
        ("nfg_game", ParameterError, "cannot make"),
        ("efg_game(filename=/no/such/file)", ParameterError, "cannot make"),
        ("tarok", NotApplicableError, "chance"),
        ("hanabi", NotApplicableError, "information_state_string"),
        ("mfg_garnet", NotApplicableError, "mean-field"),
    ],
)
def test_refusals_are_clear_and_silent(text, kind, words, capfd):
    with pytest.raises(kind, match=words.replace("(", r"\(")) as caught:
        load_openspiel(text)
    assert "\n" not in str(caught.value)
    assert str(caught.value)[-1] in ".?"
    assert capfd.readouterr().err == ""  # OpenSpiel would print its own account


def test_without_openspiel(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtraError, match=r"equilibrist\[openspiel\]"):
        load_openspiel("kuhn_poker")


def test_where_no_information_state_is_given_the_last_one_stands():
    class Mute:
        def current_player(self) -> int:
            return -4

        def information_state_string(self, player: int) -> str:
            raise RuntimeError("not at terminals")

    game = load_openspiel("liars_dice(numdice=1,dice_sides=3)")
    above = game.start().child(2).child(1)
    end = OpenSpielState(game, Mute(), above, ("", ""))
    assert end.player == TERMINAL
    assert end.infoset(1) == above.infoset(1)
    assert end.infoset(0).startswith(above.infoset(0))


def test_random_play_stays_in_step_with_openspiel():
    game = load_openspiel("leduc_poker")
    rng = random.Random(5)
    for _ in range(50):
        state, theirs = game.start(), game.rules.new_initial_state()
        while state.player != TERMINAL:
            options = theirs.legal_actions()
            labels = [label for label, _ in state.chance()] if state.player < 0 else list(state.actions())
            assert labels == [theirs.action_to_string(theirs.current_player(), a) for a in options]
            index = rng.randrange(len(options))
            state = state.child(index)
            theirs.apply_action(options[index])
        assert theirs.is_terminal()
        assert list(state.returns()) == theirs.returns()
