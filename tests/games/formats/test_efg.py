"""Gambit files: read completely, written so that they read back equal, refused with a line when malformed."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.history_tree.efg_writer import format_probabilities, write_efg
from equilibrist.forms.history_tree.game_tree import compile_tree
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.games.catalogue import load_game
from equilibrist.games.formats.efg.reader import load_efg, read_efg
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State
from equilibrist.solvers.responses.best_response import best_response, evaluate_policy
from equilibrist.testing.games import check_game

DATA = Path(__file__).parents[2] / "data"
FILES = sorted(DATA.glob("*.efg"))
HEAD = 'EFG 2 R "t" { "a" "b" }\n'


# Files written by hand


def test_kuhn_has_its_known_equilibrium():
    game = load_efg(DATA / "kuhn.efg")
    tree = compile_tree(game)
    assert (tree.histories, len(tree.infosets), len(tree.returns)) == (55, 12, 30)
    assert (game.title, game.player_names) == ("Kuhn poker, three cards", ("Ann", "Bob"))
    assert game.zero_sum
    assert game.perfect_recall
    # Probability of betting or calling in [Kuhn50]; of the first player's equilibria the one with alpha = 0.
    first = {"J": 0, "Q": 0, "K": 0, "J, checked, faces a bet": 0, "K, checked, faces a bet": 1}
    second = {"J after check": 1 / 3, "Q after check": 0, "K after check": 1, "J faces a bet": 0}
    other = {"Q, checked, faces a bet": 1 / 3, "Q faces a bet": 1 / 3, "K faces a bet": 1}
    bold = first | second | other
    rows = [[1 - bold[key], bold[key]] for key in tree.infosets.keys]
    evaluation = evaluate_policy(tree, TabularPolicy(tree.infosets, np.array(rows).ravel()))
    assert evaluation.value == pytest.approx((-1 / 18, 1 / 18), abs=1e-12)
    assert evaluation.exploitability == pytest.approx(0.0, abs=1e-12)


def test_payoffs_at_inner_nodes_reach_every_terminal_below():
    game = load_efg(DATA / "three_markets.efg")
    tree = compile_tree(game)
    assert tree.returns.tolist() == [
        [3.5, 3.5, 1.125],  # fees -1/2 0 0 and 0 -0.5 0.125, then 4 4 1
        [-0.5, -0.5, -0.875],
        [2.5, 0.0, 2.5],
        [5.5, 0.0, 0.0],
        [3.0, -0.5, 2.625],  # outcome 2 again, at a decision node and by number only
        [0.0, -0.5, 0.125],
        [0.0, 0.0, 0.0],
    ]
    assert (game.players, game.zero_sum, game.perfect_recall) == (3, False, True)
    assert tree.infosets.keys == ("p1:1", "p2:1", "South")
    assert tree.infosets.actions == (("enter", "stay out"), ("enter", "2"), ("1", "2"))  # unnamed moves
    assert tree.chance_probability[tree.parent == 3].tolist() == [0.25, 0.75]


def test_absent_minded_driver_has_imperfect_recall():
    game = load_efg(DATA / "absent_minded_driver.efg")
    tree = compile_tree(game)
    assert (game.players, game.perfect_recall, game.zero_sum) == (1, False, False)
    assert len(tree.infosets) == 1
    evaluation = evaluate_policy(tree, tree.infosets.uniform())
    assert evaluation.value == (4 * 0.25 + 1 * 0.25,)
    assert evaluation.best_response_value is None
    with pytest.raises(NotApplicableError, match="perfect recall"):
        best_response(tree, tree.infosets.uniform(), 0)


def test_forgetting_the_own_action_is_imperfect_recall():
    below = 'p "" 1 2 { "l" "r" } 0 t "" 0 t "" 0 '
    assert not read_efg(HEAD + 'p "" 1 1 { "x" "y" } 0 ' + 2 * below).perfect_recall
    assert read_efg(HEAD + 'p "" 2 1 { "x" "y" } 0 ' + 2 * below).perfect_recall  # the other player's action


def test_every_way_to_write_a_number():
    game = load_efg(DATA / "mixed_numbers.efg")
    tree = compile_tree(game)
    assert tree.returns[:, 0].tolist() == [1 / 3, 0.5, 12.5, 2.0, -3.5, 0.001, 0.5]
    assert game.zero_sum
    assert tree.chance_probability[1:4].tolist() == [1 / 3] * 3  # 0.333333 three times, divided by the sum
    assert tree.infosets.keys == ('says "heads"?', "p2:7")
    assert tree.infosets.actions == (('"heads"', "tails"), ("x", "x 2", "3"))
    assert game.title == 'Say "heads" or "tails": every way to write a number'


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_conform_and_load_by_path(path):
    game = load_game(str(path))
    assert game.name == str(path)
    assert load_game(game.name).histories() == game.histories() == check_game(game)
    assert not game.observations
    with pytest.raises(NotApplicableError, match="does not say what is public"):
        public_tree(game)


def test_who_waits_knows_the_own_moves():
    state = load_efg(DATA / "kuhn.efg").start()
    assert state.infoset(0) == state.infoset(1) == "waiting"
    state = state.child(1).child(0)
    assert (state.player, state.infoset(1), state.infoset(0)) == (1, "K after check", "waiting; J → check")
    end = state.child(1).child(0)
    assert end.infoset(0) == "waiting; J → check; J, checked, faces a bet → fold"
    assert end.infoset(1) == "waiting; K after check → bet"


def test_layout_is_free():
    flat = 'EFG\n2\tD\r\n"t"{"a""b"}p\n""1\n1{"x""y"}0 t""1{1,2}t""2"o"{3\n4}'
    tree = compile_tree(read_efg(flat))
    assert tree.returns.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_names_that_cannot_serve_as_keys_are_replaced():
    lines = HEAD + (
        'p "" 1 1 "same" { "x" } 0 p "" 1 2 "same" { "x" } 0 p "" 1 3 "p1:1" { "x" } 0 '
        'p "" 2 1 "same" { "x" } 0 p "" 2 2 "two\nlines" { "back\\slash" } 0 t "" 0'
    )
    tree = compile_tree(read_efg(lines))
    assert tree.infosets.keys == ("p1:1", "p1:2", "p1:3", "same", "two lines")
    assert tree.infosets.actions[4] == ("back\\slash",)


def test_encodings(tmp_path):
    text = 'EFG 2 R "Über" { "Zoë" } t "" 1 "" { 1 }'
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        path = tmp_path / f"{encoding}.efg"
        path.write_bytes(text.encode(encoding))
        assert load_efg(path).player_names == ("Zoë",)


# Refusals

MALFORMED = {
    "empty": ("", 1, "empty"),
    "blank": ("\n\n  \n", 4, "empty"),
    "other file": ("NFG 1 R", 1, "EFG"),
    "old version": ("EFG 1 R", 1, "'2'"),
    "kind of numbers": ('EFG 2 X "t"', 1, "'R'"),
    "no title": ("EFG 2 R { }", 1, "title"),
    "no players": ('EFG 2 R "t" { }', 1, "players"),
    "too many players": ('EFG 2 R "t" {' + '"p" ' * 101 + "}", 1, "1 to 100 players"),
    "player list open": ('EFG 2 R "t" { "a" "b"\np "" 1 1 { "x" } 0', 2, "'}'"),
    "no node": (HEAD, 2, "incomplete"),
    "letter": (HEAD + 'x "" 1', 2, "'c' .chance."),
    "no node name": (HEAD + "t 1", 2, "name of the node"),
    "open quote": (HEAD + '\nt "" 1 "open { 1 2 }', 3, "never closed"),
    "payoffs too few": (HEAD + 't "" 1 "" { 1 }', 2, "1 payoffs .* 2 players"),
    "payoffs too many": (HEAD + 't "" 1 "" { 1 2 3 }', 2, "3 payoffs"),
    "payoffs open": (HEAD + 't "" 1 "" { 1 2', 2, "file ends"),
    "no number": (HEAD + 't "" 1 "" {\n1 two }', 3, "payoff such as"),
    "zero denominator": (HEAD + 't "" 1 "" { 1/0 1 }', 2, "payoff such as"),
    "huge exponent": (HEAD + 't "" 1 "" { 1e999999999 1 }', 2, "payoff such as"),
    "huge number": (HEAD + 't "" 1 "" { 1' + "0" * 5000 + " 1 }", 2, "payoff such as"),
    "not a number": (HEAD + 't "" 1 "" { nan inf }', 2, "payoff such as"),
    "sum too large": (HEAD + 'p "" 1 1 { "x" } 1 { 1e308 0 }\nt "" 2 { 1e308 0 }', 3, "too large"),
    "unknown player": (HEAD + 'p "" 3 1 "" { "x" } 0', 2, "no player 3"),
    "player zero": (HEAD + 'p "" 0 1 "" { "x" } 0', 2, "no player 0"),
    "player not whole": (HEAD + 'p "" 1.5 1 "" { "x" } 0', 2, "whole number"),
    "infoset negative": (HEAD + 'p "" 1 -1 "" { "x" } 0', 2, "whole number"),
    "no actions": (HEAD + 'p "" 1 1 "" { } 0', 2, "at least one action"),
    "actions open": (HEAD + 'p "" 1 1 "" { "x" \n0', 3, "'}'"),
    "infoset unknown": (HEAD + 'p "" 1 1 0', 2, "infoset 1 of player 1 is used before"),
    "infoset of another": (HEAD + 'p "" 1 4 { "x" } 0\np "" 2 4 0', 3, "belongs to player 1"),
    "chance infoset unknown": (HEAD + 'c "" 1 0', 2, "of chance is used before"),
    "more actions": (
        HEAD + 'p "" 1 1 { "x" } 0\np "" 1 1 { "x" "y" } 0',
        3,
        "2 actions .* earlier .* 1 actions",
    ),
    "other actions": (HEAD + 'p "" 1 1 { "x" } 0\np "" 1 1 { "y" } 0', 3, "earlier"),
    "other chances": (HEAD + 'c "" 1 { "x" 1/2 "y" 1/2 } 0 c "" 1\n"" { "x" 1/3 "y" 2/3 } 0', 2, "earlier"),
    "no probability": (HEAD + 'c "" 1 "" { "x" "y" } 0', 2, "probability"),
    "ratios miss one": (HEAD + 'c "" 1 "" { "x" 1/3 "y" 333333/500000 } 0', 2, "sum to"),
    "decimals miss one": (HEAD + 'c "" 1 "" { "x" 0.5 "y" 0.499 } 0', 2, "sum to 0.999"),
    "negative probability": (HEAD + 'c "" 1 "" { "x" 3/2 "y" -1/2 } 0', 2, "negative"),
    "outcome unknown": (HEAD + 't "" 7', 2, "outcome 7 is used before"),
    "outcome changed": (HEAD + 'p "" 1 1 { "x" } 1 { 1 2 }\nt "" 1 { 1 3 }', 3, "other payoffs"),
    "outcome zero": (HEAD + 't "" 0 "" { 1 2 }', 2, "outcome 0 means none"),
    "no outcome": (HEAD + 'p "" 1 1 { "x" }\nt "" 0', 3, "number of an outcome"),
    "left over": (HEAD + 't "" 0\nt "" 0', 3, "end of the file"),
    "incomplete": (HEAD + 'p "" 1 1 { "x" "y" "z" } 0\nt "" 0\n', 4, "2 more nodes"),
    "stray brace": (HEAD + 'p "" 1 1 { "x" } 0 }\nt "" 0', 2, "'}'"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_files_are_refused_with_their_line(case):
    text, line, words = MALFORMED[case]
    with pytest.raises(FormatError, match=words) as caught:
        read_efg(text, name="my.efg")
    assert str(caught.value).startswith(f"my.efg, line {line}: ")
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 300


def test_unreadable_files(tmp_path):
    binary = tmp_path / "binary.efg"
    binary.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(FormatError, match="line 1"):
        load_efg(binary)
    for path in (tmp_path / "missing.efg", tmp_path, "nul\0byte.efg"):
        with pytest.raises(FormatError, match="cannot be read"):
            load_efg(path)


def test_any_depth_can_be_read_and_written():
    depth = 20_000
    chain = "".join(f'p "" {n % 2 + 1} {n + 1} {{ "x" }} 0\n' for n in range(depth))
    game = read_efg(HEAD + chain + 't "" 1 { 1 2 }')
    assert game.histories() == depth + 1
    assert game.perfect_recall
    assert read_efg(write_efg(game)).histories() == depth + 1
    with pytest.raises(FormatError, match="incomplete"):
        read_efg(HEAD + chain)


# Writing


class Sketch(Game):
    """Nested tuples: ("t", payoffs), ("c", [(probability, child)]) or ("p", player, infoset, children)."""

    def __init__(self, players: int, root: tuple) -> None:
        self.name, self.players, self.root = "sketch", players, root

    def start(self) -> State:
        return SketchState(self.root)


class SketchState(State):
    def __init__(self, node: tuple) -> None:
        self.node = node
        self.player = {"t": TERMINAL, "c": CHANCE}.get(node[0], node[1] if node[0] == "p" else 0)

    def actions(self):
        return [f'do "{i}"' for i in range(len(self.node[3]))]

    def chance(self):
        return [(f"{i}\\", p) for i, (p, _) in enumerate(self.node[1])]

    def child(self, index):
        return SketchState(self.node[1][index][1] if self.node[0] == "c" else self.node[3][index])

    def infoset(self, player):
        return self.node[2] if self.player == player else ""

    def public(self):
        return ""

    def returns(self):
        return self.node[1]


@st.composite
def sketches(draw) -> Sketch:
    """Up to three players, chance, any payoffs, infosets merged at random."""
    players = draw(st.integers(1, 3))
    payoff = st.one_of(st.integers(-9, 9).map(float), st.floats(-1e6, 1e6))

    def node(depth: int) -> tuple:
        kind = draw(st.sampled_from("tcpp")) if depth else "t"
        if kind == "t":
            return ("t", tuple(draw(payoff) for _ in range(players)))
        children = [node(depth - 1) for _ in range(draw(st.integers(1, 3)))]
        if kind == "c":
            weights = [draw(st.integers(1, 7)) for _ in children]
            return (
                "c",
                [(weight / sum(weights), below) for weight, below in zip(weights, children, strict=True)],
            )
        player = draw(st.integers(0, players - 1))
        return ("p", player, f"I{draw(st.integers(0, 2))} of {len(children)}", children)

    return Sketch(players, node(3))


def assert_same_tree(one: Game, other: Game) -> None:
    first, second = compile_tree(one), compile_tree(other)
    for array in ("player", "parent", "first_child", "children", "infoset", "terminal", "label", "payoff"):
        assert np.array_equal(getattr(first, array), getattr(second, array)), array
    assert np.allclose(first.chance_probability, second.chance_probability, atol=1e-15, rtol=0)
    assert first.infosets.keys == second.infosets.keys
    assert first.infosets.actions == second.infosets.actions
    assert np.array_equal(first.infosets.player, second.infosets.player)
    assert first.labels == second.labels


@settings(max_examples=150, deadline=None)
@given(sketches())
def test_what_is_written_reads_back_equal(game):
    assert_same_tree(game, read_efg(write_efg(game)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_survive_rewriting(path):
    game = load_efg(path)
    again = read_efg(write_efg(game))
    assert (again.zero_sum, again.perfect_recall) == (game.zero_sum, game.perfect_recall)
    first, second = compile_tree(game), compile_tree(again)
    assert np.array_equal(first.infoset, second.infoset)
    assert np.array_equal(first.payoff, second.payoff)
    assert np.array_equal(first.chance_probability, second.chance_probability)
    assert first.infosets.actions == second.infosets.actions


@pytest.mark.parametrize("stem", ["kuhn", "three_markets"])
def test_openspiel_reads_what_is_written(stem):
    pyspiel = pytest.importorskip("pyspiel")
    score = pytest.importorskip("open_spiel.python.algorithms.expected_game_score")
    policy = pytest.importorskip("open_spiel.python.policy")
    game = load_efg(DATA / f"{stem}.efg")
    theirs = pyspiel.load_efg_game(write_efg(game))
    uniform = policy.UniformRandomPolicy(theirs)
    value = score.policy_value(theirs.new_initial_state(), [uniform] * game.players)
    tree = compile_tree(game)
    assert tuple(value) == pytest.approx(evaluate_policy(tree, tree.infosets.uniform()).value, abs=1e-12)


def test_own_games_are_written_with_their_keys():
    text = write_efg(load_game("kuhn"))
    assert text.startswith('EFG 2 R "kuhn" { "Player 1" "Player 2" }\n')
    assert '"K:x:b"' in text
    assert "1/6" in text or "1/3" in text
    assert_same_tree(load_game("kuhn"), read_efg(text))


def test_probabilities_are_ratios_where_that_is_exact():
    assert format_probabilities([1 / 6, 1 / 3, 0.5]) == ["1/6", "1/3", "1/2"]
    assert format_probabilities([0.333333] * 3) == ["0.333333"] * 3  # ratios would have to sum to one
    assert format_probabilities([np.pi / 4, 1 - np.pi / 4]) == [repr(np.pi / 4), repr(1 - np.pi / 4)]


def test_infinite_payoffs_cannot_be_written():
    with pytest.raises(NotApplicableError, match="finite"):
        write_efg(Sketch(1, ("t", (float("inf"),))))


# Damage

PIECES = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+|\s+|"')


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FILES), st.integers(1, 6), st.randoms(use_true_random=False))
def test_damaged_files_are_read_or_refused(path, strokes, rng: random.Random):
    text = path.read_text(encoding="utf-8")
    for _ in range(strokes):
        text = _damage(text, rng)
    try:
        game = read_efg(text)
    except FormatError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert re.match(r"text\.efg, line [0-9]+: .*\.\Z", refusal, re.DOTALL)
        return
    tree = compile_tree(game)
    assert tree.histories == game.histories()
    assert np.isfinite(tree.payoff).all()


def _damage(text: str, rng: random.Random) -> str:
    """Delete, repeat, replace or swap a character or a token."""
    parts = list(text) if rng.random() < 0.5 else PIECES.findall(text)
    if not parts:
        return text
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    stroke = rng.randrange(4)
    if stroke == 0:
        del parts[i]
    elif stroke == 1:
        parts.insert(j, parts[i])
    elif stroke == 2:
        parts[i] = rng.choice(['"', "{", "}", ",", "0", "-1", "1/0", "1e9", "t", "p", "c", "\\", "\n", "\0", "٣", " "])
    else:
        parts[i], parts[j] = parts[j], parts[i]
    return "".join(parts)
