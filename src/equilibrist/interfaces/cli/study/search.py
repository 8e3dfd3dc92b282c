"""`equilibrist search`: solve one decision again in real time, from a saved solution or from a spot file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.interfaces.cli.completion import complete_solution
from equilibrist.interfaces.cli.files import save_result

if TYPE_CHECKING:
    from equilibrist.search.depth_limited.spot_continuations import Continuations
    from equilibrist.search.requests.request import SearchRequest
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution

BELOW = "Later streets (with --depth street)"
NET = "net"  # of --leaves


def search(
    file: Annotated[
        Path,
        typer.Argument(
            help="A solution of a spot or game written by 'solve --out', a trained blueprint, or a spot file (searched from its ranges).",
            metavar="SOLUTION|SPOT.toml",
            autocompletion=complete_solution,
        ),
    ],
    line: Annotated[
        str,
        typer.Option(
            help="Decision to search, such as 'x:b120:c:8h' or, in Leduc, 'b:c:Kc'; in a solved spot also where a card comes: 'x:b120:c'."
        ),
    ] = "",
    searcher: Annotated[
        str | None, typer.Option(help="oop or ip; in games 1 or 2 (default: the player who acts).")
    ] = None,
    technique: Annotated[
        str | None,
        typer.Option(
            help="unsafe, resolve, maxmargin, reach-maxmargin, … (default: resolve; unsafe for spot files and blueprints)."
        ),
    ] = None,
    bet: Annotated[
        str | None,
        typer.Option(
            help="Bet by the opponent at --line that the solution does not contain: b165, r400; in games 75% or 3c."
        ),
    ] = None,
    bets: Annotated[str | None, typer.Option(help="Bet sizes from here on, such as '33%, 75%, a' (spots).")] = None,
    raises: Annotated[str | None, typer.Option(help="Raise sizes from here on (spots).")] = None,
    until: Annotated[
        str | None, typer.Option(help="Target exploitability: chips, or '1%' of the pot of a spot.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Maximum number of iterations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Maximum time in seconds.")] = None,
    threads: Annotated[int, typer.Option(help="Number of threads.")] = 1,
    device: Annotated[
        str, typer.Option(help="cpu, cuda (a GPU; spots searched to the end) or auto (a GPU where there is one).")
    ] = "cpu",
    depth: Annotated[
        str,
        typer.Option(help="end: search to the end of the hand. street: only this street, in seconds even on a flop."),
    ] = "end",
    policies: Annotated[
        str | None,
        typer.Option(
            help="Continuations to choose from: blueprint, fold, call, raise (default: all four); in small games also self-generated.",
            rich_help_panel=BELOW,
        ),
    ] = None,
    factor: Annotated[
        float | None,
        typer.Option(
            help="How strongly a biased continuation prefers its action (default: 10).", rich_help_panel=BELOW
        ),
    ] = None,
    one_sided: Annotated[
        bool, typer.Option("--one-sided", help="Only the opponent chooses a continuation.", rich_help_panel=BELOW)
    ] = False,
    blueprint: Annotated[
        str | None,
        typer.Option(
            help="solved: solve the sampled boards first (default). learned: learn them together with this street, without choices. "
            "check: no more bets. Or a solution of the spot (.eqb), which offers its own bet sizes.",
            rich_help_panel=BELOW,
        ),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            help="Number of cards sampled for each later street, such as '16,4', or all.", rich_help_panel=BELOW
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed for the sampled boards (default: 0).", rich_help_panel=BELOW)
    ] = None,
    below_bets: Annotated[
        str | None, typer.Option(help="Bet sizes on later streets (default: 75 %).", rich_help_panel=BELOW)
    ] = None,
    below_raises: Annotated[
        str | None, typer.Option(help="Raise sizes on later streets (default: all-in).", rich_help_panel=BELOW)
    ] = None,
    leaves: Annotated[
        str | None,
        typer.Option(
            help="Spots: net, what hands are worth by a network instead of continuations. Small games: cfr-d or cfr-avg, solve what lies "
            "below at every iteration.",
            rich_help_panel=BELOW,
        ),
    ] = None,
    values: Annotated[
        Path | None,
        typer.Option(
            help="The network for --leaves net: a file values.eqb or a folder of 'learn start --preset values-turn' (default: the one "
            "that comes with the package).",
            rich_help_panel=BELOW,
        ),
    ] = None,
    nested: Annotated[
        bool,
        typer.Option(
            "--nested",
            help="--line may contain bets the solution does not contain; each is answered in turn.",
        ),
    ] = False,
    program: Annotated[
        str | None,
        typer.Option(
            help="Solve a spot file by a linear program on buckets of hands: lu, ganzfried or exact (no-limit rivers), gs1 or "
            "gs2 (limit turns)."
        ),
    ] = None,
    everywhere: Annotated[
        bool,
        typer.Option(
            "--everywhere",
            help="Search all subgames after a public card of a small game or a solved turn, or a river at --line, and measure the result. "
            "With --bet 75%: answer that bet wherever the opponent can make it, by search or --technique translation (small games, "
            "and flop hold'em solved on its boards).",
        ),
    ] = False,
    game: Annotated[
        str | None, typer.Option(help="The game, for solutions of a game from a Python file: my_game.py:MyGame.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the solution found to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Search one decision again: finer bets, bets that a solution does not contain, one street only or to the end."""
    from equilibrist.compute.interrupts import StopSignals
    from equilibrist.interfaces.cli.files import check_writable, read_solution
    from equilibrist.interfaces.cli.guard import complain
    from equilibrist.search.requests.request import SearchRequest

    said = {"policies": policies, "factor": factor, "blueprint": blueprint, "sample": sample, "seed": seed}
    menus_below = None if below_bets is None and below_raises is None else (below_bets or "", below_raises or "")
    below = read_continuations(said, one_sided, menus_below)
    if leaves == NET or values is not None:
        below, leaves = _values_below(below, leaves, values), None
    request = SearchRequest(
        line, searcher, technique, bet, bets, raises, until, iterations, seconds, threads, depth, below, leaves, nested, device,
    )  # fmt: skip
    check_writable(out, "--out")
    if game is not None:
        read_solution(file, game)  # which refuses another game, and lets this one be found
    if program is not None:
        _search_by_program(file, program, request, as_json)
    elif everywhere:
        _search_everywhere(file, request, out, as_json)
    elif _is_streamed(file):
        _search_streamed(file, request, out, as_json)
    elif _is_spot(file):
        _search_spot(file, request, out, as_json)
    else:
        _search_game(file, request, out, as_json)
    if StopSignals.arrived is not None:
        complain("Interrupted; this is what the search had found by then.")


def _is_streamed(file: Path) -> bool:
    """Blueprints with one deal of board cards."""
    from equilibrist.core.artifact import artifact_kind

    if artifact_kind(file) != "poker-blueprint":
        return False
    from equilibrist.search.engines.streamed.blueprint_trunk import deals_one_board
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    return deals_one_board(load_blueprint(file))


def _is_spot(file: Path) -> bool:
    """Spot files, solved spots, and trained blueprints of heads-up hold'em, whose streets are searched as spots."""
    from equilibrist.core.artifact import artifact_kind

    if artifact_kind(file) == "poker-blueprint":
        from equilibrist.agents.blueprint.blueprint_search import is_searched_as_spots
        from equilibrist.solvers.blueprint.strategy import load_blueprint

        return is_searched_as_spots(load_blueprint(file))
    return file.suffix == ".toml" or artifact_kind(file) == "spot-solution"


def _search_spot(file: Path, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.core.artifact import artifact_kind
    from equilibrist.games.spots.spot import Spot
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.views.search_view import print_spot, spot_facts
    from equilibrist.search.requests.solved_spots import deals_at, search_solved_spot, search_spot_file

    if file.suffix == ".toml":
        found = search_spot_file(Spot.from_toml(file), request)
    elif artifact_kind(file) == "poker-blueprint":
        from equilibrist.agents.blueprint.blueprint_search import search_blueprint
        from equilibrist.solvers.blueprint.strategy import load_blueprint

        found = search_blueprint(load_blueprint(file), request)
    else:
        from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

        solution = load_spot_solution(file)
        if deals_at(solution, request):
            _search_cards(solution, request, out, as_json)
            return
        found = search_solved_spot(solution, request)
    if out is not None:
        save_result(out, found.solution.save)
    if as_json:
        print_json(spot_facts(found))
    else:
        print_spot(found)


def _search_cards(solution: SpotSolution, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.interfaces.cli.views.search_view import cards_facts, print_cards
    from equilibrist.search.requests.solved_spots import search_next_cards

    if out is not None:
        raise NotApplicableError(
            f"A card comes after '{request.line}', so every card is searched, but --out writes one solution; add a card to --line."
        )
    begun = time.perf_counter()
    with Meter("searching cards") as meter:
        found = search_next_cards(
            solution, request, lambda done, of: meter.show(done / of, f"{done} of {of} cards", done < of)
        )
    if as_json:
        print_json(cards_facts(request.line, found, time.perf_counter() - begun))
    else:
        print_cards(request.line, found)


def _search_streamed(file: Path, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.views.search_view import print_game
    from equilibrist.search.engines.streamed.blueprint_lines import search_streamed
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    if out is not None:
        raise NotApplicableError("--out writes searched spots and small games; a blueprint's board is only shown.")
    found = search_streamed(load_blueprint(file), request)
    if as_json:
        print_json(found.to_json())
    else:
        print_game(found)


def _search_game(file: Path, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.core.artifact import artifact_kind
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.views.search_view import print_game
    from equilibrist.search.requests.game_answer import save_answer
    from equilibrist.search.requests.solved_boards import search_solved_boards
    from equilibrist.search.requests.solved_tables import search_tabular
    from equilibrist.solvers.saved_solutions import load_solution

    if artifact_kind(file) == "boards":
        from equilibrist.solvers.postflop.solutions.game_solution import load_board_solution

        found = search_solved_boards(load_board_solution(file), request)
    else:
        found = search_tabular(load_solution(file), request)
    if out is not None:
        save_answer(found, out)
    if as_json:
        print_json(found.to_json())
    else:
        print_game(found)


def _search_by_program(file: Path, program: str, request: SearchRequest, as_json: bool) -> None:
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.games.spots.spot import Spot
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.views.search_view import print_game
    from equilibrist.search.endgame_programs.river_spot import answer_by_program

    request.refuse_gpu()
    if file.suffix != ".toml":
        raise NotApplicableError("--program solves a spot file (.toml); leave it out to search a solution.")
    menus, spot = request.menus(), Spot.from_toml(file)
    found = answer_by_program(spot if menus is None else spot.changed(bets=menus), program)
    if as_json:
        print_json(found.to_json())
    else:
        print_game(found)


def _search_everywhere(file: Path, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.core.artifact import artifact_kind
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.evaluation.verification.search_safety import search_and_measure
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.views.search_view import measured_facts, print_measured
    from equilibrist.solvers.saved_solutions import load_solution

    if artifact_kind(file) == "poker-blueprint":
        _measure_blueprint(file, request, out, as_json)
        return
    if artifact_kind(file) == "spot-solution":
        _measure_spot(file, request, out, as_json)
        return
    if artifact_kind(file) == "boards" and request.bet is not None:
        _answer_on_flops(file, request, out, as_json)
        return
    request.refuse_gpu()
    if artifact_kind(file) in ("boards", "buckets") or file.suffix == ".toml":
        raise NotApplicableError(
            "--everywhere measures games solved as tables and solved turns and rivers; search the others line by line."
        )
    request.refuse_threads()
    if request.line or request.depth != "end":
        raise NotApplicableError("--everywhere searches all lines to the end; leave out --line and --depth.")
    if request.bet is not None:
        _answer_everywhere(file, request, out, as_json)
        return
    many = request.iterations_alone("Everything")
    report, solution = search_and_measure(load_solution(file), request.technique or "resolve", many)
    if out is not None:
        save_result(out, solution.save)
    if as_json:
        print_json(measured_facts(report, solution))
    else:
        print_measured(report, solution)


def _measure_blueprint(file: Path, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.views.search_view import print_streamed, streamed_facts
    from equilibrist.search.engines.streamed.blueprint_trunk import deals_one_board
    from equilibrist.search.engines.streamed.every_board import search_all_boards
    from equilibrist.solvers.blueprint.strategy import load_blueprint

    blueprint = load_blueprint(file)
    if not deals_one_board(blueprint) or request.line or request.bet is not None or request.depth != "end" or out:
        raise NotApplicableError(
            "--everywhere measures blueprints of games for two with one deal of board cards, in buckets of 'cluster', and all their lines; "
            "leave out --line, --bet, --depth and --out."
        )
    many = request.iterations_alone("Everything")
    how: dict[str, Any] = {"threads": request.threads, "device": request.device}
    report = search_all_boards(blueprint, request.technique or "resolve", many, **how)
    if as_json:
        print_json(streamed_facts(report))
    else:
        print_streamed(report)


def _measure_spot(file: Path, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.evaluation.verification.search_safety import search_spot_and_measure
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.views.search_view import print_measured_spot, spot_measured_facts
    from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

    if request.bet is not None or request.depth != "end" or out is not None:
        raise NotApplicableError(
            "--everywhere measures searches of a spot to its end; leave out --bet, --depth and --out."
        )
    technique = request.technique or "resolve"
    report = search_spot_and_measure(
        load_spot_solution(file),
        request.line,
        technique,
        request.iterations_alone("Everything"),
        threads=request.threads,
        device=request.device,
    )
    if as_json:
        print_json(spot_measured_facts(report))
    else:
        print_measured_spot(report)


def _answer_everywhere(file: Path, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.evaluation.verification.off_tree_bets import answer_off_tree
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.views.search_view import off_tree_facts, print_off_tree
    from equilibrist.solvers.saved_solutions import load_solution

    assert request.bet is not None
    report, solution = answer_off_tree(
        load_solution(file), request.bet, request.technique or "resolve", request.iterations_alone("Everything")
    )
    if out is not None:
        save_result(out, solution.save)
    if as_json:
        print_json(off_tree_facts(report))
    else:
        print_off_tree(report)


def _answer_on_flops(file: Path, request: SearchRequest, out: Path | None, as_json: bool) -> None:
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.evaluation.verification.off_tree_flops import answer_off_tree_flops
    from equilibrist.interfaces.cli.output import print_json
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.interfaces.cli.views.search_view import off_tree_facts, print_off_tree
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
    from equilibrist.solvers.saved_solutions import load_solution

    if request.line or request.depth != "end" or out is not None:
        raise NotApplicableError(
            "--everywhere with --bet measures answers on all flops of a game; leave out --line, --depth and --out."
        )
    solution = load_solution(file)
    assert isinstance(solution, BoardSolution)
    assert request.bet is not None
    with Meter("answering bets") as meter:
        report = answer_off_tree_flops(
            solution,
            request.bet,
            request.technique or "resolve",
            request.iterations_alone("Everything"),
            device=request.device,
            threads=request.threads,
            report=lambda doing, share: meter.show(share, doing),
        )
    if as_json:
        print_json(off_tree_facts(report))
    else:
        print_off_tree(report)


def read_continuations(said: dict[str, Any], one_sided: bool, menus: tuple[str, str] | None) -> Continuations | None:
    """The options about later streets; None if none was given."""
    from equilibrist.search.depth_limited.spot_continuations import ALL, Continuations

    given = {name: value for name, value in said.items() if value is not None}
    if not given and not one_sided and menus is None:
        return None
    if "policies" in given:
        given["policies"] = tuple(name.strip() for name in given["policies"].split(","))
    if "sample" in given and given["sample"] != ALL:
        given["sample"] = _counts(given["sample"])
    if menus is not None:
        given["bets"] = {"bet": menus[0], "raise": menus[1]}
    if str(given.get("blueprint", "")).endswith(".eqb"):
        given = _solved_below(given)
    return Continuations(**given, balanced=not one_sided)


def _values_below(given: Continuations | None, leaves: str | None, values: Path | None) -> Continuations:
    """A network's values in the place of continuations."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.learning.hand_values.network_values import NetworkValues
    from equilibrist.learning.networks.torch_extra import need_torch
    from equilibrist.search.depth_limited.spot_continuations import Continuations

    if leaves != NET:
        raise ParameterError(
            "--values names a network, but leaves are not asked for from one; give --leaves net with it."
        )
    if given is not None:
        raise ParameterError(
            "--leaves net takes the place of continuations; leave out the other options about later streets."
        )
    need_torch()
    return Continuations(values=NetworkValues(values))


def _solved_below(given: dict[str, Any]) -> dict[str, Any]:
    """Play of a solved spot below the searched street, with the sizes that it was solved with."""
    from equilibrist.search.depth_limited.spot_continuations import SolvedPolicy
    from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

    solution = load_spot_solution(given["blueprint"])
    return {"bets": solution.spot.table()["bets"]} | given | {"blueprint": SolvedPolicy(solution)}


def _counts(text: str) -> tuple[int, ...]:
    from equilibrist.core.errors import ParameterError

    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(f"--sample takes whole numbers such as '16,4', or all, but '{text}' was given.") from None
