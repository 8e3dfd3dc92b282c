"""Kuhn poker as a linear program: the worked matrices, both programs' value, and how fragile an endgame solution is."""

from __future__ import annotations

import math

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.findings import Check, Findings, Request, close, equal, printed
from equilibrist.experiments.ganzfried.clairvoyance import closed_form, compare
from equilibrist.experiments.registry import Experiment
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.linear_programs.plan_program import PlanProgram, incidence, payoff_matrix
from equilibrist.solvers.responses.best_response import best_response
from equilibrist.solvers.solve import solve

VALUE = -1 / 18
EXACT = 1e-9
FRAGILE = {"0": 1 / 9, "1/3": 0.0, "2/3": 1 / 18, "1": 1 / 9}  # exploitability by the probability of calling with Q
CALLS = {"0": 0.0, "1/3": 1 / 3, "2/3": 2 / 3, "1": 1.0}
STACKS = (1, 2, 5)

CARDS = "JQK"
# Each player's sequences within one card, and its infosets as (sequence before, sequences after); 0 is the empty one.
SEQUENCES = (("", "x", "x:b:f", "x:b:c", "b"), ("", "x:x", "x:b", "b:f", "b:c"))
INFOSETS = (((0, (1, 4)), (1, (2, 3))), ((0, (1, 2)), (0, (3, 4))))
# (sequence of player 1, of player 2, chips that change hands, and whether the better card decides who gets them)
ENDS = ((1, 1, 1, True), (2, 2, -1, False), (3, 2, 2, True), (4, 3, 1, False), (4, 4, 2, True))


def worked_matrices() -> tuple[Floats, Floats, Floats]:
    """E, F and A of the text's example, by replication over the cards ([Lu16, §4.2.4])."""
    constraints = []
    for infosets in INFOSETS:
        matrix = np.zeros((1 + 3 * 2, 1 + 3 * 4))
        matrix[0, 0] = 1.0
        for card in range(3):
            for number, (before, after) in enumerate(infosets):
                row = 1 + 2 * card + number
                matrix[row, _index(card, before)] = -1.0
                matrix[row, [_index(card, sequence) for sequence in after]] = 1.0
        constraints.append(matrix)
    payoff = np.zeros((13, 13))
    for one in range(3):
        for two in (card for card in range(3) if card != one):
            for first, second, chips, by_cards in ENDS:
                won = chips if not by_cards or one > two else -chips
                payoff[_index(one, first), _index(two, second)] = won / 6
    return constraints[0], constraints[1], payoff


def _index(card: int, sequence: int) -> int:
    return 0 if sequence == 0 else 1 + 4 * card + sequence - 1


def our_matrices(game: Compiled) -> tuple[Floats, Floats, Floats]:
    """The same from the sequence form, rows and columns put in the order of the example."""
    form = game.sequence_form
    columns = [_columns(game, player) for player in range(2)]
    constraints = []
    for player in range(2):
        matrix = incidence(form, player).toarray()[:, columns[player]]
        first_choice = np.argmax(matrix == 1.0, axis=1)  # tells a row's place in the example
        constraints.append(matrix[np.argsort(first_choice)])
    payoff = payoff_matrix(form, 0).toarray()[np.ix_(columns[0], columns[1])]
    return constraints[0], constraints[1], payoff


def _columns(game: Compiled, player: int) -> list[int]:
    """Our number of each sequence of the example, by its name: card, line and own last action."""
    form, infosets = game.sequence_form, game.infosets
    begin, end = int(form.offset[player]), int(form.offset[player + 1])
    names = {"": 0}
    owner = np.repeat(np.arange(len(infosets)), np.diff(infosets.first_slot))
    for sequence in range(begin + 1, end):
        slot = int(form.slot[sequence])
        infoset = int(owner[slot])
        action = infosets.actions[infoset][slot - int(infosets.first_slot[infoset])]
        names[f"{infosets.keys[infoset]}:{action}"] = sequence - begin
    return [0, *(names[f"{card}:{line}"] for card in CARDS for line in SEQUENCES[player][1:])]


def trunk_with(game: Compiled, call: float) -> TabularPolicy:
    """Player 1 never bets, folds J and calls K after check and bet; Q calls with the given probability."""
    policy = game.infosets.uniform()
    for card, called in zip(CARDS, (0.0, call, 1.0), strict=True):
        policy = policy.with_row(card, [1.0, 0.0]).with_row(f"{card}:x:b", [1.0 - called, called])
    return policy


def matrix_checks(game: Compiled) -> list[Check]:
    checks = []
    for name, ours, theirs in zip("EFA", our_matrices(game), worked_matrices(), strict=True):
        checks.append(equal(f"{name}: shape", list(theirs.shape), list(ours.shape)))
        apart = float(np.abs(ours - theirs).max()) if ours.shape == theirs.shape else math.nan
        checks.append(close(f"{name}: largest difference", 0.0, apart, 1e-15))
    return [*checks, equal("A: non-zeros", 30, int(payoff_matrix(game.sequence_form, 0).nnz))]


def program_checks(game: Compiled) -> list[Check]:
    """The program of either player, and the equilibrium that they give."""
    guarantees = [PlanProgram(game.sequence_form, player).maximise().guarantee for player in range(2)]
    return [
        close("value by the program of player 1", VALUE, guarantees[0], EXACT),
        close("value by the program of player 2", VALUE, -guarantees[1], EXACT),
        close("exploitability of the plans", 0.0, solve(game, "lp").exploitability, EXACT),
    ]


def fragility(game: Compiled) -> dict[str, float]:
    """What player 1 loses against a best response, beyond the value."""
    return {c: VALUE + best_response(game, trunk_with(game, call), 1).value for c, call in CALLS.items()}


def run(request: Request) -> Findings:
    request.report("kuhn: matrices and linear programs", None)
    game = compiled("kuhn")
    found = fragility(game)
    more, clairvoyance = compare(STACKS)
    programs = program_checks(game)
    return Findings(
        setting="the matrices, the fragile endgame and clairvoyance, exact",
        checks=printed(
            [
                *matrix_checks(game),
                *programs,
                *(close(f"exploitability if Q calls {c}", FRAGILE[c], found[c], EXACT) for c in FRAGILE),
                *more,
            ]
        ),
        published={
            "value": VALUE,
            "A": "13 x 13 with 30 non-zeros",
            "clairvoyance": {str(stack): closed_form(stack) for stack in STACKS},
        },
        recomputed={"exploitability by P(call with Q)": FRAGILE},
        measured={
            "value": [check.measured for check in programs[:2]],
            "exploitability by P(call with Q)": found,
            "clairvoyance": clairvoyance,
        },
        remarks=("The text prints F with 8 rows and e, f with 8 entries; the game has 7, which is what is compared.",),
    )


EXPERIMENT = Experiment(
    id="lu/kuhn",
    title="Kuhn poker as a linear program, and a fragile endgame",
    source="[Lu16, §3.3.4, §4.1 and §4.2.4]",
    seconds_quick=2,
    seconds_full=2,
    run=run,
    text="Kuhn poker and the clairvoyance game",
    quick={"text": ("printed",)},
)
