"""Values of small poker games, exactly: no-limit Kuhn, one-card poker, Kuhn, Leduc and generalised Kuhn G_n."""

from __future__ import annotations

from equilibrist.core.policy import Policy
from equilibrist.experiments.findings import Check, Findings, Request, close, equal, printed
from equilibrist.experiments.registry import Experiment
from equilibrist.solvers.solve import solve

EXACT = 1e-9

STACKS = (1, 3, 5, 10, 20, 50, 100)
NOLIMIT_KUHN = {"value": 1 / 35, "bet": 0.4}  # the bet: [Ganzfried15, §7.8.2]; the value: recomputed
VALUES = {  # recomputed, with the tolerance of the digits given
    "leduc": (-0.085606, 5e-7),
    "one-card-poker": (-5 / 78, EXACT),
    "kuhn": (-1 / 18, EXACT),
}
GENERALISED_KUHN = {50: -0.0576, 100: -0.0566, 150: -0.0563, 200: -0.0561, 250: -0.0560}  # Fig. 11.1
FOUR_DECIMALS = 0.00005


def bet_with(policy: Policy, hand: str) -> float:
    """The one size that player 1 bets with a hand; NaN if it bets none or several."""
    sizes = [float(a[1:]) for a, p in policy[hand].items() if a.startswith("b") and p > EXACT]
    return sizes[0] if len(sizes) == 1 else float("nan")


def nolimit_kuhn(stack: int) -> tuple[list[Check], dict[str, float]]:
    solution = solve(f"nolimit-kuhn(stack={stack})", "lp")
    found = {"value": solution.value[0], "bet": bet_with(solution.policy, "K")}
    name = f"no-limit Kuhn, stack {stack}"
    return [
        close(f"{name}: value", NOLIMIT_KUHN["value"], found["value"], EXACT),
        *printed([equal(f"{name}: bet of player 1", NOLIMIT_KUHN["bet"], found["bet"])]),
    ], found


def run(request: Request) -> Findings:
    checks: list[Check] = []
    bets: dict[str, dict[str, float]] = {}
    for stack in STACKS:
        request.report(f"no-limit Kuhn, stack {stack}", None)
        more, bets[str(stack)] = nolimit_kuhn(stack)
        checks += more
    values = {game: solve(game, "lp").value[0] for game in VALUES}
    checks += [close(game, target, values[game], tolerance) for game, (target, tolerance) in VALUES.items()]
    sizes = list(GENERALISED_KUHN) if request.full else [50, 100]
    generalised: dict[int, float] = {}
    for number, n in enumerate(sizes):
        request.report(f"kuhn(cards={n})", number / len(sizes))
        generalised[n] = solve(f"kuhn(cards={n})", "lp").value[0]
    checks += printed(close(f"v(G_{n})", GENERALISED_KUHN[n], v, FOUR_DECIMALS) for n, v in generalised.items())
    scope = "all of Fig. 11.1" if request.full else "G_n for n = 50 and 100; 150 to 250 need --full"
    return Findings(
        setting=f"exact values by linear program, to player 1; {scope}",
        checks=checks,
        published={"no-limit kuhn": NOLIMIT_KUHN, "kuhn": -1 / 18, "G_n": GENERALISED_KUHN},
        recomputed={"leduc": VALUES["leduc"][0], "one-card-poker": VALUES["one-card-poker"][0]},
        measured={"no-limit kuhn": bets, **values, "G_n": generalised},
    )


EXPERIMENT = Experiment(
    id="ganzfried/small-games",
    title="Exact values of small poker games",
    source="[Ganzfried15, §7.8.2, §10.7.3, §13.7.1 and Figure 11.1]",
    seconds_quick=3,
    seconds_full=20,
    run=run,
    text="no-limit Kuhn, Kuhn with n cards, one-card poker, Leduc",
    quick={"text": ("printed", "reference")},
)
