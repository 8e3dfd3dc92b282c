"""`equilibrist quiz`: decisions drawn from a solved spot or table, answers graded by what they lose."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from equilibrist.evaluation.play.trainer import TrainingGrade, TrainingQuestion, TrainingScore

WORDS = {
    "best": "Best.",
    "fine": "Fine.",
    "inaccuracy": "Inaccurate.",
    "mistake": "A mistake.",
    "blunder": "A blunder.",
}


def quiz(
    file: Annotated[
        Path, typer.Argument(help="A solved spot or table, written by 'solve --out'.", autocompletion=complete_solution)
    ],
    player: Annotated[
        str | None, typer.Option(help="Only decisions of this player or seat: oop, ip, BB … (default: all).")
    ] = None,
    line: Annotated[str, typer.Option(help="Only decisions at or after this line, as in f:f or x:b120.")] = "",
    questions: Annotated[
        int | None, typer.Option(help="Number of questions (default: until you leave).", min=1)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the questions.", min=0)] = None,
) -> None:
    """Train on a solution: you are asked what to do, and told what your answer loses."""
    from equilibrist.evaluation.play.trainer import TrainingScore, draw_question, trainable
    from equilibrist.interfaces.cli.files import read_solution
    from equilibrist.interfaces.cli.output import number

    solution = trainable(read_solution(file))
    start = random.randrange(2**30) if seed is None else seed
    score, unit = TrainingScore(), solution.unit
    print(f"{solution.title}, solved to {number(solution.exploitability)} {unit}. q leaves.")
    try:
        while questions is None or score.asked < questions:
            question = draw_question(solution, start + score.asked, player, line)
            grade = _asked(question, score.asked + 1)
            if grade is None:
                print(f"\n{_summary(score, unit)}")
                break
            score.add(grade)
            _tell(question, grade, score)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"Interrupted; {_summary(score, unit)}") from None


def _asked(question: TrainingQuestion, number: int) -> TrainingGrade | None:
    """Ask until there is an answer; None where the person leaves."""
    from equilibrist.core.units import chip_text
    from equilibrist.evaluation.play.trainer import grade_answer
    from equilibrist.interfaces.cli.play.play import pretty

    node = question.node
    before = " · ".join(question.history) or "You are the first to act."
    board = f"   board {pretty(node.board)}" if hasattr(node, "board") else ""
    behind = chip_text(node.stacks[node.players.index(question.player)])
    hand = pretty(question.hand_name) if board else question.hand_name
    print(f"\n{number}. {before}")
    print(f"   You are {question.player} with {hand}{board}   pot {chip_text(node.pot)}   behind {behind}")
    print("   " + "   ".join(f"{n} {action}" for n, action in enumerate(node.actions, 1)))
    while True:
        try:
            typed = input("> ").strip()
        except EOFError:
            return None
        if typed.lower() in ("q", "quit", "exit"):
            return None
        label = _label(typed, node)
        if label is not None:
            return grade_answer(question, label)
        print(
            f"   '{typed[:40]}' is not on offer; type a number from 1 to {len(node.labels)}, or {', '.join(node.labels)}."
        )


def _label(typed: str, node: Any) -> str | None:
    """The action that was meant: by number, label, or the word it begins with."""
    text = typed.lower()
    if text in node.labels:
        return text
    if text.isascii() and text.isdigit():
        return node.labels[int(text) - 1] if 1 <= int(text[:9]) <= len(node.labels) else None
    meant = [label for label, action in zip(node.labels, node.actions, strict=True) if text and action.startswith(text)]
    return meant[0] if len(meant) == 1 else None


def _tell(question: TrainingQuestion, grade: TrainingGrade, score: TrainingScore) -> None:
    node, unit = question.node, question.unit
    print(f"   {WORDS[grade.verdict]} It loses {grade.ev_loss:.3f} {unit}, {grade.percent_of_pot:.2f} % of the pot.")
    rows = zip(node.labels, node.actions, grade.ev_by_action, grade.strategy, strict=True)
    for label, action, worth, share in rows:
        mark = ">" if label == grade.answer else " "
        best = "   best" if label == grade.best else ""
        print(f"   {mark} {action:<16} {worth:+10.3f} {unit}   {100.0 * share:5.1f} %{best}")
    print(f"   {_summary(score, unit)}")


def _summary(score: TrainingScore, unit: str) -> str:
    if not score.asked:
        return "No question was answered."
    asked = f"{score.asked} question{'s' if score.asked > 1 else ''}"
    good = f"{100.0 * score.good / score.asked:.0f} % best or fine"
    lost = f"{score.lost / score.asked:.3f} {unit} lost on average ({score.percent / score.asked:.2f} % of the pot)"
    return f"{asked}: {good}, {lost}."
