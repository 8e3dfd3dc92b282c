"""`equilibrist tournament`: jam or fold in a tournament of two or three players, at all stacks, with what a deviation gains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from equilibrist.games.tournaments.jam_fold import JamFold
    from equilibrist.solvers.stochastic_games.tournaments import TournamentSolution


def tournament(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE.eqb]", help="A tournament that --out has written, to look up stacks."),
    ] = None,
    stacks: Annotated[
        str, typer.Option(help="Chips of button, small blind and big blind (two players: small, big blind).")
    ] = "",
    payouts: Annotated[
        str, typer.Option(help="Prizes of two or three places (default: 50,30,20; two players: 1,0).")
    ] = "",
    blinds: Annotated[str, typer.Option(help="Small and big blind, such as 300,600.")] = "300,600",
    unit: Annotated[
        int | None,
        typer.Option(min=1, help="Stacks are multiples of it (default: the largest that divides stacks and blinds)."),
    ] = None,
    line: Annotated[
        str,
        typer.Option(help="What was done before, F or J for each seat, such as FJ; shows the grid of the next one."),
    ] = "",
    until: Annotated[
        float | None,
        typer.Option(help="Largest gain of a deviation, in prize money (default: 0.0005 of first less last prize)."),
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, help="Maximum number of iterations.")] = 100,
    method: Annotated[str, typer.Option(help="pi-fp, vi-fp or fp-mdp.")] = "pi-fp",
    samples: Annotated[
        int, typer.Option(min=1, help="Samples of each three-way all-in; the table is made once and kept.")
    ] = 10_000,
    out: Annotated[Path | None, typer.Option(help="Write the strategies of all stacks to this file (.eqb).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Solve the jam/fold tournament from given stacks on, or look up other stacks in a solved one."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.interfaces.cli.files import check_writable
    from equilibrist.interfaces.cli.output import print_json

    check_writable(out, "--out")
    if file is not None:
        from equilibrist.solvers.stochastic_games.tournaments import load_tournament

        found = load_tournament(file)
        asked = _chips("--stacks", stacks) if stacks else ()
        if not asked:
            raise ParameterError("Which stacks? Give --stacks, such as 4500,4500,4500.")
    else:
        asked = _chips("--stacks", stacks)
        rules = _rules(asked, payouts, blinds, unit)
        rules.state_of(asked)
        _check_line(rules, line)
        found = _solved(rules, method, until, iterations, samples, out)
        if out is not None:
            found.save(out)
    _check_line(found.rules, line)
    facts = _facts(found, asked, line)
    if as_json:
        print_json(facts)
    else:
        _print(found, asked, line, facts, out)


def _chips(option: str, text: str) -> tuple[int, ...]:
    """Whole numbers separated by commas."""
    from equilibrist.core.errors import ParameterError

    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise ParameterError(
            f"{option} are whole numbers separated by commas, such as 300,600, but '{text[:40]}' was given."
        ) from None


def _rules(stacks: tuple[int, ...], payouts: str, blinds: str, unit: int | None) -> JamFold:
    from math import gcd

    from equilibrist.core.errors import ParameterError
    from equilibrist.games.tournaments.jam_fold import JamFold
    from equilibrist.games.tournaments.standings import parse_amounts

    if len(stacks) not in (2, 3) or min(stacks) < 1:
        raise ParameterError(
            f"Two or three players have positive stacks, but {stacks} was given; give --stacks such as 4500,4500,4500."
        )
    small, *others = _chips("--blinds", blinds)
    if len(others) != 1:
        raise ParameterError(f"--blinds are two numbers, such as 300,600, but '{blinds[:40]}' was given.")
    prizes = parse_amounts("payouts", payouts) if payouts else ([50.0, 30.0, 20.0] if len(stacks) == 3 else [1.0, 0.0])
    if len(prizes) != len(stacks):
        raise ParameterError(
            f"There are {len(stacks)} players, but {len(prizes)} prizes; give one for each place (0 for none)."
        )
    common = unit or gcd(*stacks, small, others[0])
    return JamFold(sum(stacks), common, (small, others[0]), tuple(float(prize) for prize in prizes))


def _check_line(rules: JamFold, line: str) -> None:
    from equilibrist.core.errors import ParameterError
    from equilibrist.solvers.stochastic_games.jam_fold_stages import SLOTS

    if line not in SLOTS[rules.players]:
        known = ", ".join(f"'{each}'" for each in SLOTS[rules.players] if each)
        raise ParameterError(
            f"There is no decision after '{line[:20]}'; --line is one of {known}, or nothing for the first seat."
        )


def _solved(
    rules: JamFold, method: str, until: float | None, iterations: int, samples: int, out: Path | None
) -> TournamentSolution:
    import hashlib

    from equilibrist.compute.kernel import cache_folder
    from equilibrist.core.errors import UnknownNameError, suggest
    from equilibrist.interfaces.cli.guard import complain
    from equilibrist.interfaces.cli.progress import Meter, preparing
    from equilibrist.solvers.stochastic_games.tournaments import solve_tournament

    methods: tuple[Literal["pi-fp", "vi-fp", "fp-mdp"], ...] = ("pi-fp", "vi-fp", "fp-mdp")
    chosen = next((each for each in methods if each == method), None)
    if chosen is None:
        raise UnknownNameError(
            f"There is no method '{method[:20]}'; expected {', '.join(methods)}.{suggest(method, methods)}"
        )
    name = hashlib.sha256(f"{rules} {method} {until} {samples}".encode()).hexdigest()[:16]

    def unmeasured(found: TournamentSolution) -> None:
        if out is not None:
            found.save(out)
        complain("Interrupted; measuring what a deviation gains. Ctrl-C again leaves that unknown.")

    try:
        with Meter(f"tournament of {rules.state_count:,} states") as meter:
            meter.show(None, preparing())
            found = solve_tournament(
                rules,
                chosen,
                gain=until,
                iterations=iterations,
                samples=samples,
                progress=lambda done, gain: meter.show(None, f"iteration {done}  largest gain {gain:.4g}"),
                report=lambda text, share: meter.show(share, text),
                checkpoints=cache_folder() / "tournaments" / name,
                unmeasured=unmeasured,
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "Interrupted before there were strategies; nothing was written. "
            "What there is of the table of all-ins is kept, and the same command goes on."
        ) from None
    if found.interrupted:
        where = "no --out was given" if out is None else f"the strategies so far are in '{out}'"
        complain(f"Interrupted in iteration {found.iterations + 1}; {where}. The same command goes on from here.")
    return found


def _facts(found: TournamentSolution, stacks: tuple[int, ...], line: str) -> dict[str, Any]:
    """What is printed, as plain values."""
    from equilibrist.cards.allins.classes import NAMES, combinations
    from equilibrist.games.tournaments.icm import icm
    from equilibrist.games.tournaments.jam_fold import SEATS
    from equilibrist.solvers.stochastic_games.jam_fold_stages import SLOTS

    rules, state = found.rules, found.rules.state_of(stacks)
    worth, weight = icm(stacks, rules.payouts), combinations() / combinations().sum()
    forced = rules.forced(rules.states[state])
    decisions = [
        {"line": before, "seat": SEATS[rules.players][len(before)], "jams": float(found.jams[state, slot] @ weight)}
        for slot, before in enumerate(SLOTS[rules.players])
        if not forced[len(before)]
    ]
    return {
        "states": rules.state_count,
        "chips": rules.chips,
        "unit": rules.unit,
        "blinds": list(rules.blinds),
        "payouts": list(rules.payouts),
        "method": found.method,
        "iterations": found.iterations,
        "largest_gain": found.gain,
        "seats": [
            {"seat": seat, "stack": stack, "value": float(value), "icm": float(model), "all_in": all_in}
            for seat, stack, value, model, all_in in zip(
                SEATS[rules.players], stacks, found.values[state], worth, forced, strict=True
            )
        ],
        "decisions": decisions,
        "line": line,
        "jams": dict(zip(NAMES, found.jams[state, SLOTS[rules.players].index(line)].tolist(), strict=True)),
    }


def _print(
    found: TournamentSolution, stacks: tuple[int, ...], line: str, facts: dict[str, Any], out: Path | None
) -> None:
    from math import isnan

    import numpy as np

    from equilibrist.cards.allins.classes import combinations
    from equilibrist.interfaces.cli.output import number, plain_table, screen
    from equilibrist.interfaces.pictures.grid import SIDE, Grid, grid_text

    console = screen()
    table = plain_table("seat", "stack", "prize money", "ICM", "difference")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in facts["seats"]:
        off = row["value"] - row["icm"]
        seat = row["seat"] + (" (all-in by the blind)" if row["all_in"] else "")
        table.add_row(
            seat,
            f"{row['stack']:,}",
            number(row["value"], 4),
            number(row["icm"], 4),
            "–" if isnan(off) else f"{off:+.4f}",
        )
    console.print(table)
    decisions = plain_table("decision", "after", "jams")
    for row in facts["decisions"]:
        words = ", ".join({"F": "fold", "J": "jam"}[each] for each in row["line"]) or "–"
        decisions.add_row(row["seat"], words, f"{100.0 * row['jams']:.1f} %")
    console.print(decisions)
    jams = found.grid(stacks, line)
    shown = Grid(
        actions=("fold", "jam"),
        combos=combinations().reshape(SIDE, SIDE),
        weight=np.ones((SIDE, SIDE)),
        mix=np.stack([1.0 - jams, jams], axis=2),
    )
    coloured = console.color_system not in (None, "standard")
    console.print(grid_text(shown, coloured=coloured), crop=False)
    judged = (
        f"What a deviation gains is not measured, at {facts['states']:,} stacks"
        if isnan(found.gain)
        else f"No deviation gains more than {found.gain:.3g}, from any of {facts['states']:,} stacks"
    )
    console.print(
        f"{judged}; {found.method}, "
        f"{found.iterations} {'iteration' if found.iterations == 1 else 'iterations'}. Jam or fold alone: other bets are left out.",
        style="dim",
        markup=False,
    )
    if out is not None:
        console.print(f"Strategies of all stacks in {out}", style="dim", markup=False)
