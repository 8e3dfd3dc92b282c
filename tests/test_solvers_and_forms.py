"""Which solver runs on which form: every filled cell is tried, and docs/solvers-and-forms.md is made from the table.

`python tests/test_solvers_and_forms.py --write` renews the page.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from equilibrist.solvers.postflop.public_chance_boards import PublicChanceBoards

PAGE = Path(__file__).parents[1] / "docs" / "solvers-and-forms.md"
COLUMNS = (
    "histories",
    "sequence form",
    "public tree",
    "boards: game",
    "boards: spot",
    "hand classes",
    "streamed buckets",
    "betting tree",
)
FUSED, GENERIC, NONE = "●", "○", "–"  # fused or own run; generic run; not possible yet
# a row: solver's name where the columns can be tried by name, then one sign per column; "" leaves a cell out, with the reason below
ROWS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "regret matching, RM+, discounts": ("dcfr", (FUSED, FUSED, FUSED, FUSED, FUSED, FUSED, FUSED, FUSED)),
    "predictive RM+": ("pcfr+", (FUSED, FUSED, FUSED, FUSED, FUSED, FUSED, FUSED, "")),
    "Hedge": ("cfr(minimiser=hedge)", (FUSED, FUSED, FUSED, GENERIC, GENERIC, GENERIC, GENERIC, "")),
    "simultaneous updates": ("cfr(updates=simultaneous)", (FUSED, FUSED, FUSED, GENERIC, GENERIC, GENERIC, FUSED, "")),
    "regret-based and best-response pruning": ("cfr(pruning=rbp)", (FUSED, "", "", FUSED, FUSED, NONE, NONE, FUSED)),
    "models followed per hand": ("", ("", FUSED, FUSED, FUSED, FUSED, GENERIC, NONE, NONE)),
    "models followed per infoset (locks)": ("", ("", FUSED, FUSED, FUSED, FUSED, GENERIC, NONE, NONE)),
    "warm start": ("", (FUSED, FUSED, FUSED, FUSED, FUSED, FUSED, NONE, NONE)),
    "external sampling": ("es-mccfr", (FUSED, FUSED, "", FUSED, FUSED, GENERIC, "", FUSED)),
    "outcome sampling": ("os-mccfr", (FUSED, FUSED, "", FUSED, FUSED, NONE, "", NONE)),
    "public chance sampling": ("pcs-mccfr", ("", "", FUSED, FUSED, FUSED, "", "", "")),
    "fictitious play, FLOP": ("flop", ("", FUSED, "", GENERIC, GENERIC, GENERIC, NONE, "")),
    "CFR-BR": ("cfr-br", ("", FUSED, "", GENERIC, GENERIC, GENERIC, NONE, "")),
    "excessive gap, smoothing, mirror methods": ("egt", ("", FUSED, "", GENERIC, GENERIC, GENERIC, NONE, "")),
    "linear program": ("lp", ("", FUSED, "", GENERIC, GENERIC, GENERIC, "", "")),
    "safe search: all techniques": ("", ("", "", FUSED, FUSED, FUSED, NONE, FUSED, "")),
    "nested search, off-tree bets": ("", ("", "", FUSED, FUSED, FUSED, NONE, FUSED, NONE)),
    "depth limit with continuations": ("", ("", "", FUSED, FUSED, FUSED, NONE, FUSED, "")),
    "CFR-f, UCT-n, FBR-n": ("", ("", FUSED, "", NONE, NONE, FUSED, NONE, NONE)),
}
LEFT_OUT = {
    "histories": "methods on plans need perfect recall, which the sequence form says; public states are the public tree's",
    "sequence form": "pruning walks histories; gadgets need hands at public states",
    "public tree": "its solver is vector CFR; whoever wants plans takes the sequence form of the same game",
    "hand classes": "there are no public cards to sample",
    "streamed buckets": "boards pass through memory one by one, so nothing walks them hand by hand or writes them down",
    "betting tree": "blueprints are trained by sampling, with imperfect recall; methods on plans and exact gadgets do not apply",
}
# cells that are not tried below, by row and column: the test that tries them
WARM = "solvers/cfr/test_warm_start.py::test_every_member_of_the_family_can_be_started"
CLASSES = "solvers/hand_classes/test_any_solver_on_classes.py::"
TRAINED = "solvers/blueprint/test_blueprint.py::"
MODELS = {
    "sequence form": "solvers/cfr/test_cfr.py::test_a_model_that_always_binds_is_answered_by_a_best_response",
    "public tree": "solvers/cfr/test_cfr.py::test_models_bind_the_same_on_the_public_tree",
    "boards: game": "solvers/postflop/test_bound_boards.py::test_models_bind_as_on_the_sequence_form",
    "hand classes": CLASSES + "test_models_bind_as_on_the_sequence_form",
}
SEARCHED = dict.fromkeys(
    ("public tree", "boards: game", "boards: spot", "streamed buckets"),
    "test_search_engines.py::test_cells_are_as_the_page_says",
)
TRIED_BY: Mapping[str, Mapping[str, str]] = {
    "regret matching, RM+, discounts": {"betting tree": TRAINED + "test_leduc_is_learned"},
    "regret-based and best-response pruning": {"betting tree": TRAINED + "test_pruning_skips_walks_and_floors_regrets"},
    "external sampling": {"betting tree": TRAINED + "test_leduc_is_learned"},
    "models followed per hand": MODELS
    | {"boards: spot": "exploit/responses/test_restricted_spots.py::test_responses_are_those_of_the_linear_program"},
    "models followed per infoset (locks)": MODELS
    | {"boards: spot": "solvers/postflop/test_locks.py::test_locked_games_have_the_value_of_their_linear_program"},
    "warm start": {
        **dict.fromkeys(("histories", "sequence form", "public tree"), WARM),
        "boards: game": "solvers/postflop/test_solve_game.py::test_warm_starts_stand_for_iterations",
        "boards: spot": "solvers/postflop/test_warm_spots.py::test_a_profile_saves_most_of_the_way",
        "hand classes": CLASSES + "test_a_profile_starts_a_run",
    },
    "safe search: all techniques": SEARCHED,
    "nested search, off-tree bets": SEARCHED,
    "depth limit with continuations": SEARCHED,
    "CFR-f, UCT-n, FBR-n": {
        "sequence form": "exploit/response_functions/test_response_functions.py::test_any_regret_minimiser_learns",
        "hand classes": "exploit/response_functions/test_class_responses.py::test_cfr_f_learns_as_on_the_tree",
    },
}
SPOT = 'board = "KhTd7c4s2h"\npot = 60\nstack = 90\n[range]\noop = "AA,KQs,T9s"\nip = "KK,JTs,A5s,98s"\n[bets]\nbet = "a"\nraise = "a"\n'


def share() -> float:
    """Filled cells of those that make sense."""
    signs = [sign for _, row in ROWS.values() for sign in row if sign]
    return sum(sign != NONE for sign in signs) / len(signs)


@cache
def _leduc() -> Any:
    from equilibrist.forms.compiled import compiled

    return compiled("leduc")


def _tree(on: str) -> Callable[[str], Any]:
    def start(name: str) -> Any:
        from equilibrist.solvers.registry import make_solver

        solver: Any = make_solver(name)
        if on and hasattr(solver, "representation") and not solver.pruning.walks:
            from dataclasses import replace

            solver = replace(solver, representation=on)
        return solver.start(_leduc())

    return start


def _form(name: str) -> Any:
    from equilibrist.solvers.registry import make_solver

    solver: Any = make_solver(name)
    return solver.on(_leduc().sequence_form)


def _classes(name: str) -> Any:
    from equilibrist.abstraction.information.gameshrink import shrink
    from equilibrist.forms.hand_classes.kronecker import kronecker_form
    from equilibrist.solvers.registry import make_solver

    rules = _leduc().game.rules
    solver: Any = make_solver(name)
    return solver.on(kronecker_form(rules, shrink(rules)))


def _boards(name: str) -> Any:
    from equilibrist.games.catalogue import load_game
    from equilibrist.solvers.postflop.solve_game import start_boards

    # walks take long to see all of a larger one, and a program has a column for every hand on every board
    game = "leduc" if "mccfr" in name or name == "lp" else "rhode-island(ranks=3,suits=2)"
    return start_boards(load_game(game), name)  # type: ignore[arg-type]


def _spot(name: str) -> Any:
    from equilibrist.games.spots.spot import Spot
    from equilibrist.solvers.postflop.solve_spot import start_spot

    text = SPOT.replace('4s2h"', '4s"') if name.startswith("pcs") else SPOT  # a turn, so that there is a card to sample
    return start_spot(Spot.from_text(text), name)


class _Streamed:
    """A small game with each hand in a bucket of its own, so that best responses say how far it is solved."""

    def __init__(self, name: str) -> None:
        from equilibrist.games.poker.family import flop_holdem
        from equilibrist.solvers.blueprint.abstract_poker import ExactBuckets
        from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
        from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame
        from equilibrist.solvers.registry import make_solver

        game, solver = flop_holdem(ranks=4, suits=2), make_solver(name)
        self.run = BucketedCFR(BucketedGame.of(game, ExactBuckets(game.rules)), solver)  # type: ignore[arg-type]
        self.advance = self.run.advance

    def evaluate(self) -> Any:
        from equilibrist.core.solution import Evaluation
        from equilibrist.solvers.postflop.streamed_buckets.bucketed_responses import respond_fully

        best = [respond_fully(self.run.stream, self.run.profile(), me).average for me in range(2)]
        return Evaluation((0.0, 0.0), (best[0], best[1]))


STARTS: Mapping[str, Callable[[str], Any]] = {
    "histories": _tree("tree"),
    "sequence form": _form,
    "public tree": _tree("public"),
    "boards: game": _boards,
    "boards: spot": _spot,
    "hand classes": _classes,
    "streamed buckets": _Streamed,
}
CELLS = [
    (row, solver, column)
    for row, (solver, signs) in ROWS.items()
    for column, sign in zip(COLUMNS, signs, strict=True)
    if solver and sign in (FUSED, GENERIC) and column in STARTS
]


@pytest.mark.parametrize(("row", "solver", "column"), CELLS, ids=[f"{row}, {column}" for row, _, column in CELLS])
@pytest.mark.sampled(12)
def test_filled_cells_come_closer_to_equilibrium(row: str, solver: str, column: str) -> None:
    run = STARTS[column](solver)
    if solver == "lp":  # solved in one go
        before = run.evaluate().exploitability
        run.advance(1)
        assert run.evaluate().exploitability < 1e-5 * before
        return
    few, many = (
        (2, 60) if "mccfr" not in solver else (20, 1000) if isinstance(run, PublicChanceBoards) else (200, 20_000)
    )
    run.advance(few)
    before = run.evaluate().exploitability
    run.advance(many)
    assert run.evaluate().exploitability < 0.7 * before


def test_cells_do_not_become_empty_again() -> None:
    assert share() >= 0.7


def test_every_filled_cell_is_tried_here_or_by_a_test_that_exists() -> None:
    folder, here = Path(__file__).parent, {(row, column) for row, _, column in CELLS}
    for row, (_, signs) in ROWS.items():
        for column, sign in zip(COLUMNS, signs, strict=True):
            elsewhere = TRIED_BY.get(row, {}).get(column)
            if sign not in (FUSED, GENERIC):
                assert elsewhere is None, f"'{row}', {column}: not filled, but {elsewhere} is named"
            elif elsewhere is None:
                assert (row, column) in here, f"'{row}', {column}: filled, but tried by nothing"
            else:
                file, _, name = elsewhere.partition("::")
                assert f"\ndef {name}(" in (folder / file).read_text(encoding="utf-8"), elsewhere


def page() -> str:
    lines = [
        "# Solvers and forms",
        "",
        f"Which solver runs on which form. {FUSED} a run of its own, {GENERIC} the generic run (right everywhere, slower), {NONE} not yet;",
        f"cells that make no sense are empty. {100 * share():.0f} % of the others are filled.",
        "The filled cells are tried by `tests/test_solvers_and_forms.py`, which also writes this page, and by the tests it names.",
        "Games are solved on another form with `solve GAME --on boards` (or `buckets`, `tree`), trees with `dcfr(on=public)` and the like.",
        "",
        "| solver | " + " | ".join(COLUMNS) + " |",
        "|---|" + ":-:|" * len(COLUMNS),
    ]
    lines += [f"| {row} | " + " | ".join(signs) + " |" for row, (_, signs) in ROWS.items()]
    lines += ["", "Left out:", ""] + [f"- **{column}**: {why}." for column, why in LEFT_OUT.items()]
    return "\n".join(lines) + "\n"


def test_the_page_is_made_from_this_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run tests/test_solvers_and_forms.py --write"


if __name__ == "__main__" and "--write" in sys.argv:
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{100 * share():.0f} % filled")  # noqa: T201
