"""`equilibrist diagnose`: where a blueprint leaks, and whether it passes tests of common sense."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equilibrist.interfaces.cli.completion import complete_solution

if TYPE_CHECKING:
    from equilibrist.evaluation.diagnosis.leaks import StreetLeaks
    from equilibrist.evaluation.diagnosis.off_tree import OffTreeLeak
    from equilibrist.evaluation.diagnosis.sanity import SanityCheck
    from equilibrist.evaluation.diagnosis.untrained import Untrained
    from equilibrist.games.poker.game import Poker
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.solvers.blueprint.strategy import PokerBlueprint

OFF_TREE_HANDS = 200


@dataclass
class Diagnosis:
    """What was found out before it ended or was interrupted."""

    agent: str
    blueprint: PokerBlueprint
    seed: int
    streets: list[StreetLeaks]  # the last street first
    no_leaks: str = ""  # why leaks cannot be found
    off_tree: OffTreeLeak | None = None
    bets: str = ""
    untrained: Untrained | None = None
    sanity: tuple[SanityCheck, ...] = ()
    finished: bool = False


def diagnose(
    blueprint: Annotated[
        Path,
        typer.Argument(
            metavar="BLUEPRINT.eqb", help="A blueprint of 'equilibrist train'.", autocompletion=complete_solution
        ),
    ],
    street: Annotated[
        str | None,
        typer.Option(
            "--from", help="First street that is looked into, with all later ones (default: the last but one)."
        ),
    ] = None,
    boards: Annotated[
        int | None, typer.Option(help="Boards of each street (default: 100 rivers, 40 turns, 8 flops).", min=2)
    ] = None,
    bets: Annotated[
        str,
        typer.Option(help="Bets that the tree has not, such as '33%, 250%': what they win more on the last street."),
    ] = "",
    hands: Annotated[
        int, typer.Option(help="Hands that are played to see whether untrained actions come into play.", min=2)
    ] = 2000,
    seed: Annotated[int, typer.Option(help="Random seed of boards and hands.", min=0)] = 0,
    threads: Annotated[int | None, typer.Option(help="Number of threads (default: all cores).", min=1)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Where a blueprint leaks: chips lost by street, pot, bet faced and line, from exact best responses; and tests of common sense."""
    from equilibrist.compute.machine import cores
    from equilibrist.interfaces.cli.guard import complain
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.play.evaluate_last_street import pot_shares
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.interfaces.cli.strength.diagnosis_view import diagnosis_facts, print_diagnosis

    agent = str(blueprint)
    found = Diagnosis(agent, _blueprint(agent), seed, [], bets=bets)
    wanted = _streets(street, found)
    sizes = pot_shares(bets)
    game = _game_with_bets(found) if sizes else None
    with Meter("diagnose") as meter:
        found.finished = (
            _look_into(found, wanted, boards, threads or cores(), meter)
            and _leave_the_tree(found, game, sizes, meter)
            and _test(found, hands, meter)
        )
    if as_json:
        print_json(diagnosis_facts(found))
    else:
        print_diagnosis(found)
    if not found.finished:
        complain("Interrupted: this is what was found out by then.")


def _blueprint(agent: str) -> PokerBlueprint:
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.solvers.blueprint.strategy import PokerBlueprint
    from equilibrist.solvers.saved_solutions import load_solution

    found = load_solution(agent)
    if not isinstance(found, PokerBlueprint):
        raise NotApplicableError(
            f"'equilibrist diagnose' looks into blueprints of 'equilibrist train', but '{agent}' is none; try 'equilibrist verify'."
        )
    return found


def _streets(street: str | None, found: Diagnosis) -> list[int]:
    """The streets to look into, the last first; none where leaks cannot be found, which is noted."""
    from equilibrist.cards.streets import STREETS
    from equilibrist.core.errors import ParameterError
    from equilibrist.solvers.blueprint.exact.bucketed_streets import has_exact_streets

    tree = found.blueprint.abstract.tree
    names = STREETS[1 : tree.rounds]
    if street is not None and street not in names:
        raise ParameterError(
            f"--from is a street after the first ({', '.join(names) or 'this game has none'}), but '{street}' was given."
        )
    if not has_exact_streets(tree.rules):
        found.no_leaks = (
            "leaks are found for two players with one or two private cards each, equal stacks, no dead money and board cards "
            f"before every betting round but the first, not for '{found.blueprint.game}'"
        )
        return []
    first = len(names) - 1 if street is None else STREETS.index(street)
    return list(range(len(names), max(first, 1) - 1, -1))


def _look_into(found: Diagnosis, streets: list[int], boards: int | None, threads: int, meter: Meter) -> bool:
    """Street after street; whether all were finished."""
    from equilibrist.cards.streets import STREETS
    from equilibrist.evaluation.diagnosis.leaks import street_leaks

    for street in streets:
        told = _Told(meter, f"{STREETS[street]}s")
        try:
            leaks = street_leaks(found.blueprint, street, boards=boards, seed=found.seed, threads=threads, report=told)
        except KeyboardInterrupt:
            if not found.streets:
                raise
            return False
        found.streets.append(leaks)
        if leaks.boards < leaks.asked:
            return False
    return True


def _game_with_bets(found: Diagnosis) -> Poker:
    """The game that --bets are tried in; refused before anything is looked into."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.evaluation.play.last_street_response import refuse_other_games
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.games.poker.game import Poker

    game = recorded_game(found.blueprint.game)
    if not isinstance(game, Poker):
        raise NotApplicableError(f"--bets are for poker, but '{game.name}' is none; leave them out.")
    if game.rules.fixed_size(len(game.rules.board) - 1):
        raise NotApplicableError(
            f"--bets are for games with bets of any size, but those of '{game.short_name}' are fixed; leave --bets out."
        )
    refuse_other_games(game)
    return game


def _leave_the_tree(found: Diagnosis, game: Poker | None, sizes: list[float | str], meter: Meter) -> bool:
    """What other bets win more, if any were given."""
    from equilibrist.agents.registry import load_agent
    from equilibrist.evaluation.diagnosis.off_tree import off_tree_leak
    from equilibrist.interfaces.cli.play.evaluate_last_street import READINGS

    if game is None:
        return True
    try:
        found.off_tree = off_tree_leak(
            game, lambda: load_agent(found.agent), sizes, OFF_TREE_HANDS, seed=found.seed, readings=READINGS,
            report=_Told(meter, "hands with other bets"),
        )  # fmt: skip
    except KeyboardInterrupt:
        return False
    return found.off_tree.hands == found.off_tree.asked


def _test(found: Diagnosis, hands: int, meter: Meter) -> bool:
    """The tests of common sense."""
    from equilibrist.evaluation.diagnosis.sanity import sanity_checks
    from equilibrist.evaluation.diagnosis.untrained import untrained_streets

    try:
        found.untrained = untrained_streets(found.blueprint, hands, found.seed, _Told(meter, "hands played"))
        found.sanity = sanity_checks(found.blueprint, found.untrained)
    except KeyboardInterrupt:
        if not found.streets:
            raise
        return False
    return found.untrained.hands == hands


class _Told:
    """Progress of one part."""

    def __init__(self, meter: Meter, what: str) -> None:
        self.meter, self.what, self.begun = meter, what, time.monotonic()

    def __call__(self, done: int, of: int) -> None:
        from equilibrist.interfaces.cli.output import duration

        left = duration((time.monotonic() - self.begun) / done * (of - done))
        self.meter.show(done / of, f"{done:,} of {of:,} {self.what}, {left} left")
