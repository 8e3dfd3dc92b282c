"""The clairvoyance game: equilibrium in closed form, and by the linear program on a grid of bets."""

from __future__ import annotations

from collections.abc import Iterable

from equilibrist.experiments.findings import Check, Findings, Request, close, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.solvers.solve import solve

STACKS = (1, 3, 5, 10, 20, 50, 100)  # those of the translation experiments
EXACT = 1e-9


def closed_form(stack: float) -> dict[str, float]:
    """Value n/(2(1+n)); the winner bets all, the loser with n/(1+n); the bet is called with 1/(1+n)."""
    return {
        "value": stack / (2 * (1 + stack)),
        "value bet": 1.0,
        "bluff": stack / (1 + stack),
        "call": 1 / (1 + stack),
    }


def by_linear_program(stack: float) -> dict[str, float]:
    """The same four numbers; other bets than all-in have no part in any equilibrium."""
    solution = solve(f"clairvoyance(stack={stack:g})", "lp")
    all_in = f"b{stack:g}"
    return {
        "value": solution.value[0],
        "value bet": solution.policy["win"][all_in],
        "bluff": solution.policy["lose"][all_in],
        "call": solution.policy[all_in]["c"],
    }


def compare(stacks: Iterable[float]) -> tuple[list[Check], dict[str, dict[str, float]]]:
    """Checks and measured numbers for each stack."""
    checks, measured = [], {}
    for stack in stacks:
        found = measured[f"{stack:g}"] = by_linear_program(stack)
        checks += [close(f"n={stack:g}: {name}", x, found[name], EXACT) for name, x in closed_form(stack).items()]
    return checks, measured


def run(request: Request) -> Findings:
    request.report("clairvoyance: linear programs", None)
    checks, measured = compare(STACKS)
    return Findings(
        setting=f"stacks {', '.join(map(str, STACKS))}, bets on a grid of 0.1, exact",
        checks=printed(checks),
        published={f"{stack:g}": closed_form(stack) for stack in STACKS},
        measured=measured,
    )


EXPERIMENT = Experiment(
    id="ganzfried/clairvoyance",
    title="The clairvoyance game in closed form and by linear program",
    source="[Ganzfried15, §7.2.1]",
    seconds_quick=1,
    seconds_full=1,
    run=run,
    text="the clairvoyance game",
    quick={"text": ("printed",)},
)
