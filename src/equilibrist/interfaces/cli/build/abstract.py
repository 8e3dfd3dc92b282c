"""`equilibrist abstract`: classes of hands for a poker game, and what playing with them costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_game

if TYPE_CHECKING:
    from equilibrist.evaluation.reports.abstraction_report import AbstractionReport
    from equilibrist.evaluation.reports.abstraction_study import AbstractionStudy, WantedAbstraction
    from equilibrist.solvers.hand_classes.gameshrink_loss import VerifiedShrink

EQUILIBRIUM = "equilibrium"
USUAL_SHARE = 0.001  # of the largest forced bet: the exploitability solved to where none is asked for
SMALLEST_SHARE = 1e-9  # of the same; sums of payoffs are not exact beyond it


def abstract(
    game: Annotated[
        str,
        typer.Argument(
            help="A two-player poker game: leduc, 'rhode-island(ranks=6,suits=3)' …", autocompletion=complete_game
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help="suits, signature, threshold, eb, eb2, pa or strategy, with parameters as in 'pa(restarts=30,seed=1)'."
        ),
    ] = "eb",
    sizes: Annotated[
        str | None, typer.Option(help="Classes of each betting round, such as 13-25-125; 0 means no limit.")
    ] = None,
    cap: Annotated[
        int | None,
        typer.Option(help="Maximum number of bets and raises per round in the model."),
    ] = None,
    reply: Annotated[
        str, typer.Option(help="Answer to raises that the model lacks: 'call', or 'model' (fold and call as it would).")
    ] = "call",
    solve: Annotated[
        bool, typer.Option("--solve", help="Solve the abstraction and measure its strategy in the reference game.")
    ] = False,
    until: Annotated[
        float | None,
        typer.Option(help="Solve to this exploitability, in chips (default: 0.1 % of the largest forced bet)."),
    ] = None,
    reference: Annotated[
        str, typer.Option(help="The game to measure in: 'suits' (all cards) or 'signature' (the thesis' reduced game).")
    ] = "suits",
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="Also measure against this (can be given several times): 'equilibrium', 'pa', 'pa:13-50-250' …; implies --solve."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Number of threads.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Merge hands into classes, and say how good the smaller game is: sizes, variance, exact exploitability, matches."""
    from equilibrist.abstraction.information.methods import parse_sizes
    from equilibrist.abstraction.information.raise_caps import REPLY_RULES
    from equilibrist.core.errors import ParameterError, suggest
    from equilibrist.evaluation.reports.abstraction_study import AbstractionStudy, WantedAbstraction
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter

    if reply not in REPLY_RULES:
        raise ParameterError(
            f"The reply '{reply}' is not one of {', '.join(REPLY_RULES)}.{suggest(reply, REPLY_RULES)}"
        )
    if reference not in ("suits", "signature"):
        raise ParameterError(f"The reference is 'suits' or 'signature', but '{reference}' was given.")
    if until is not None and not until > 0:
        raise ParameterError(f"--until is an exploitability above 0, in chips, but {until} was given.")
    with Meter(f"abstracting {game}") as meter:
        study = AbstractionStudy(load_game(game), reference=reference, threads=threads, watch=_watch(meter))
        wanted = WantedAbstraction(method, None if sizes is None else parse_sizes(sizes), cap, REPLY_RULES[reply])
        posted = max(study.rules.forced(player) for player in range(2))
        goal = USUAL_SHARE * posted if until is None else until
        if goal < SMALLEST_SHARE * posted:
            raise ParameterError(
                f"--until {goal:g} is below what can be measured; give at least {SMALLEST_SHARE * posted:g} chips."
            )
        if solve or against:
            report = _solved(study, wanted, against or [], goal)
        else:
            report = study.report_classes(wanted, goal)
    if as_json:
        print_json({"kind": "abstraction", **report.to_json()})
    else:
        print(report.text())


def _solved(study: AbstractionStudy, wanted: WantedAbstraction, against: list[str], until: float) -> AbstractionReport:
    """Plays the abstraction and everybody it is to be measured against."""
    others = [_opponent(text, wanted) for text in against if text != EQUILIBRIUM]  # refused before anything is solved
    if EQUILIBRIUM in against:
        study.solve_reference(until)
    made = study.play(wanted, until)
    opponents: list[tuple[str, VerifiedShrink]] = [(other.name, study.play(other, until)) for other in others]
    return study.report(wanted, made, opponents)


def _opponent(text: str, wanted: WantedAbstraction) -> WantedAbstraction:
    """`pa` has the sizes of the abstraction itself, `pa:13-50-250` its own; methods without sizes need none."""
    from dataclasses import replace

    from equilibrist.abstraction.information.methods import parse_sizes

    method, colon, sizes = text.partition(":")
    fixed = method in ("suits", "signature")
    own = parse_sizes(sizes) if colon else None if fixed else wanted.sizes
    return replace(wanted, method=method, sizes=own, cap=None, reply=None)


def _watch(meter: Any) -> Any:
    """Tells the meter what is being solved and how far it is."""

    def about(title: str) -> Any:
        def tell(progress: Any) -> None:
            measured = "" if progress.exploitability is None else f", exploitability {progress.exploitability:.3g}"
            meter.show(progress.fraction, f"{title}: iteration {progress.iteration:,}{measured}")

        return tell

    return about
