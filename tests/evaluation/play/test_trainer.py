"""Questions drawn from solutions, and what answers lose."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import equilibrist as eq
from equilibrist.cards.allins.classes import NAMES
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.play.trainer import TrainingScore, draw_question, grade_answer, trainable
from equilibrist.games.tables.table import Table
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.tables.solve_table import solve_table

RAISES = {"open": "2.5x", "3bet": "a", "limp": True}


@pytest.fixture(scope="module")
def chips():
    return solve_table(Table(stacks=[12, 8, 10], blinds=[1, 2], menu=RAISES), iterations=40)


@pytest.fixture(scope="module")
def prizes():
    return solve_table(Table(stacks=[12, 8, 10], blinds=[0.5, 1], payouts=[50, 30]), iterations=40)


def test_decisions_of_a_table_come_up_as_often_as_they_are_reached(chips):
    asked = [draw_question(chips, seed) for seed in range(600)]
    for number in np.argsort(-chips.reached)[:3]:
        share = chips.reached[number] / chips.reached.sum()
        seen = sum(question.node.line == chips.tree.lines[number] for question in asked) / len(asked)
        assert seen == pytest.approx(share, abs=4.0 * np.sqrt(share / len(asked)))
    aces = sum(question.hand_name == "AA" for question in asked if not question.node.line)
    assert aces <= 8  # some 6 of 1,326 hands, not one of 169 classes each time
    again = draw_question(chips, 7)
    assert (again.node.line, again.hand_name) == (asked[7].node.line, asked[7].hand_name)


def test_seats_and_lines_are_chosen(chips):
    assert {draw_question(chips, seed, "BB").player for seed in range(20)} == {"BB"}
    below = [draw_question(chips, seed, line="r5").node.line for seed in range(20)]
    assert all(line == "r5" or line.startswith("r5:") for line in below)
    with pytest.raises(NotApplicableError, match="No decision of BTN comes up after 'f'"):
        draw_question(chips, 1, "BTN", "f")
    with pytest.raises(ParameterError, match="no seat 'CO'"):
        draw_question(chips, 1, "CO")
    with pytest.raises(ParameterError, match="no action"):
        draw_question(chips, 1, line="x")


@pytest.mark.parametrize("name", ["chips", "prizes"])
def test_answers_lose_what_the_best_has_more(name, request):
    solution, score = request.getfixturevalue(name), TrainingScore()
    for seed in range(10):
        question = draw_question(solution, seed)
        node = question.node
        values = node.to_json()["hands"][question.hand_name]["ev_by_action"]
        for label, value in zip(node.labels, values, strict=True):
            grade = grade_answer(question, label)
            assert grade.ev_loss == pytest.approx(max(values) - value)
            assert (grade.ev_loss == 0.0) == (label == grade.best)
            score.add(grade)
        price = 80 / 30 if name == "prizes" else 0.5  # of a chip
        assert question.pot_worth == pytest.approx(node.pot * price)
        assert NAMES[question.place] == question.hand_name
    assert 0 < score.good < score.asked
    with pytest.raises(ParameterError, match="not on offer"):
        grade_answer(question, "x99")


def test_what_led_here_leaves_out_what_nobody_chose():
    """The button neither calls nor raises after a raise: its folds stand in lines, but nobody decided them."""
    menu = {"open": "3x", "3bet": "a", "BTN": {"open": "3x", "3bet": "", "cold_call": 0}}
    solution = solve_table(Table(stacks=[12, 8, 10, 10], blinds=[1, 2], menu=menu), iterations=3)
    question = draw_question(solution, 1, line="r6:f:c")
    assert (question.player, question.history) == ("BB", ["CO raise to 6", "SB call 5"])


def test_spots_of_three_players_ask_too():
    three = {"sb": "AA,KQs,76s,22", "bb": "KK,A5s,JTs", "btn": "QQ,AJs,98s"}
    solution = eq.solve(
        eq.games.ThreeWaySpot(board="Ks9d6h4c2s", pot=120, stack=300, range=three, bets={"bet": "50%"}), iterations=20
    )
    asked = [draw_question(solution, seed) for seed in range(12)]
    assert {question.player for question in asked} == {"sb", "bb", "btn"}
    question = draw_question(solution, 3, "btn", "x:b60")
    assert question.history == ["sb check", "bb bet 60"]
    best = grade_answer(question, question.node.labels[0]).best
    assert grade_answer(question, best).verdict == "best"


def test_other_games_have_no_questions():
    with pytest.raises(NotApplicableError, match="spots and tables"):
        trainable(eq.solve("kuhn", iterations=3))


def run(*words, typed="", code=0):
    done = CliRunner().invoke(app, list(map(str, words)), input=typed, prog_name="equilibrist")
    assert done.exit_code == code, done.output + done.stderr
    return done


def test_in_the_terminal(prizes, tmp_path):
    prizes.save(tmp_path / "t.eqb")
    told = run("quiz", tmp_path / "t.eqb", "--seed", 3, "--questions", 2, typed="what\n1\n2\n").stdout
    assert "'what' is not on offer" in told
    assert len(re.findall(r"It loses [0-9.]+ prize money, [0-9.]+ % of the pot", told)) == 2
    assert "2 questions:" in told
    assert "1 question:" in run("quiz", tmp_path / "t.eqb", "--player", "SB", typed="f\nq\n").stdout
    assert "No question was answered" in run("quiz", tmp_path / "t.eqb").stdout
    assert "no seat 'CO'" in run("quiz", tmp_path / "t.eqb", "--player", "CO", code=2).stderr
