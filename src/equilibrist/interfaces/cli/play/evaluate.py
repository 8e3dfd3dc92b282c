"""`equilibrist evaluate`: how good a player is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from equilibrist.core.errors import ParameterError
from equilibrist.interfaces.cli.completion import complete_agent, complete_game

HANDS, LBR, AGAINST = 1000, "1,2,3", "always-call random tight-aggressive"  # unless something else is asked for


def evaluate(
    agent: Annotated[
        str,
        typer.Argument(
            help="A player or a solution (.eqb); with --responses also a game, for its equilibrium.",
            autocompletion=complete_agent,
        ),
    ],
    game: Annotated[str | None, typer.Option(help="The game.", autocompletion=complete_game)] = None,
    hands: Annotated[int, typer.Option(help="Number of hands per measurement.", min=2)] = HANDS,
    seed: Annotated[int, typer.Option(help="Random seed of the deals.", min=0)] = 0,
    lbr: Annotated[str, typer.Option(help="Settings of local best response, such as 1,2,3; empty for none.")] = LBR,
    against: Annotated[str, typer.Option(help="Opponents, separated by spaces; empty for none.")] = AGAINST,
    learn: Annotated[
        int,
        typer.Option(help="Trained blueprints: also learn a response from so many deals (one-sided CFR).", min=0),
    ] = 0,
    bets: Annotated[
        str,
        typer.Option(
            help="With --learn: the learner's bets, such as '33%, 75%, a' (default: the blueprint's own); with --from river: further "
            "bets of the best response."
        ),
    ] = "",
    responses: Annotated[
        str | None,
        typer.Option(
            help="Measure the strategy against opponents that answer it instead: 'default', or names such as "
            "'best equilibria blind ranks set set:call+raise rnr-0.5 uct-1000 fbr-1000'."
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option(help="With --responses: number of runs of each Monte Carlo responder.", min=2)
    ] = 20,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Blueprints: measure only what a best response wins with the same bets, over all boards and hands.",
        ),
    ] = False,
    flops: Annotated[
        int | None,
        typer.Option(help="With --exact: draw so many flops instead of all, and say an interval (at least 8).", min=8),
    ] = None,
    street: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Measure only what a best response wins from this street on: of blueprints flop, turn or river, on boards that are drawn; "
            "of other players the last street, in hands that they play against themselves.",
        ),
    ] = None,
    boards: Annotated[
        int | None,
        typer.Option(help="With --from: number of boards (default: 100 rivers, 40 turns, 8 flops).", min=2),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="With --exact and --from: number of threads, a flop or board each (default: all cores).", min=1
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="With --exact: cpu, cuda (one GPU) or auto (default: cpu).")
    ] = None,
    png: Annotated[Path | None, typer.Option(help="With --responses: write the strength curve to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Exact exploitability where it can be computed, local best response, and results against known players."""
    if bets and not learn and street is None:
        raise ParameterError(f"--bets {bets} are those of a learner; give --learn and a number of deals, too.")
    if exact or street is not None:
        _refuse_beside(
            "exact" if street is None else "from", learn=learn, responses=responses, png=png, lbr=lbr != LBR, against=against != AGAINST
        )  # fmt: skip
    if street is not None:
        _refuse_beside("from", exact=exact, flops=flops is not None, device=device)
        if not bets and _is_blueprint(agent):
            from equilibrist.interfaces.cli.play.evaluate_street import evaluate_street

            _refuse_beside("from", game=game, hands=hands != HANDS)
            evaluate_street(agent, street, boards, seed, threads, as_json)
        else:
            from equilibrist.interfaces.cli.play.evaluate_last_street import evaluate_last_street

            if boards is not None or threads is not None:
                raise ParameterError("--boards and --threads are for blueprints by themselves; here it is --hands.")
            evaluate_last_street(agent, street, game, hands, bets, seed, as_json)
        return
    if boards is not None:
        raise ParameterError("--boards are those of a response from a street on; give --from, too.")
    if exact:
        from equilibrist.interfaces.cli.play.evaluate_exact import evaluate_exactly

        _refuse_beside("exact", game=game, hands=hands != HANDS)
        evaluate_exactly(agent, flops, seed, threads, device or "cpu", as_json)
        return
    if flops is not None or threads is not None or device is not None:
        raise ParameterError("--flops, --threads and --device are those of an exact best response; give --exact, too.")
    if responses is not None:
        from equilibrist.interfaces.cli.play.evaluate_strength import evaluate_strength

        evaluate_strength(agent, game, responses, runs, seed, png, as_json)
        return
    from equilibrist.agents.matches.match import DEFAULT_GAME
    from equilibrist.agents.registry import agent_game, load_agent
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.output import print_json

    if game is not None:
        load_game(game)  # first: solutions of a game from a Python file are read with it
    load_agent(agent)
    named = game if game is not None else agent_game(agent) or DEFAULT_GAME
    table = load_game(named)
    facts: dict[str, Any] = {
        "agent": agent,
        "game": table.name,
        "unit": "mbb/g" if table.big_blind else "points / 1000",
    }
    facts["exploitability"] = _exact(agent, table)
    facts["local_best_response"] = _lbr(agent, table, lbr, hands, seed)
    if learn:
        facts["learned_response"] = _learned(agent, table, learn, bets, hands, seed)
    facts["head_to_head"] = _matches(agent, table, against.split(), hands, seed)
    if as_json:
        print_json(facts)
    else:
        _print(facts)


def _is_blueprint(agent: str) -> bool:
    """Whether a file holds a trained blueprint, by itself."""
    from equilibrist.core.artifact import artifact_kind

    return agent.endswith(".eqb") and artifact_kind(agent) == "poker-blueprint"


def _refuse_beside(measured: str, **given: Any) -> None:
    """An exact best response is measured by itself."""
    for name, value in given.items():
        if value:
            raise ParameterError(f"--{measured} measures nothing else; leave --{name} out, or run it by itself.")


def _scale(game: Any) -> float:
    return 1000.0 / (game.big_blind or 1.0)


def _exact(agent: str, game: Any) -> dict[str, Any]:
    """Exploitability of the player in both seats, or the reason why it is not known."""
    from equilibrist.agents.registry import load_agent
    from equilibrist.agents.tabulate import tabulate
    from equilibrist.agents.translated_player import TranslatedPlayer, translated_exploitability
    from equilibrist.core.errors import EquilibristError
    from equilibrist.core.solution import Evaluation
    from equilibrist.solvers.responses.best_response import evaluate_policy

    player = load_agent(agent)
    solved = getattr(player, "game", None)  # before the player sits down elsewhere
    try:
        if isinstance(player, TranslatedPlayer) and player.mapping is not None and player.own != game.name:
            return {
                "value": translated_exploitability(player, game) * _scale(game),
                "reason": "with its bets translated",
            }
        found = evaluate_policy(game, tabulate(player, game, agent))
    except EquilibristError as error:
        stated = getattr(player, "stated", None)  # a solution that follows its own game was measured when it was solved
        if isinstance(stated, Evaluation) and solved == game.name:
            return {
                "value": stated.exploitability * _scale(game),
                "reason": "as the file states; 'verify' recomputes it",
            }
        return {"value": None, "reason": _exactly(agent, error)}
    return {"value": found.exploitability * _scale(game), "reason": None}


def _exactly(agent: str, error: Exception) -> str:
    """Why it is not known, or how to know it."""
    from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
    from equilibrist.agents.registry import load_agent

    if isinstance(load_agent(agent), BlueprintPlayer) and agent.endswith(".eqb"):
        return f"{error} With the blueprint's own bets: --exact."
    return str(error)


def _lbr(agent: str, game: Any, settings: str, hands: int, seed: int) -> list[dict[str, Any]]:
    from equilibrist.agents.registry import load_agent
    from equilibrist.core.errors import EquilibristError
    from equilibrist.evaluation.play.local_best_response import local_best_response
    from equilibrist.games.poker.game import Poker

    out: list[dict[str, Any]] = []
    for text in filter(None, (part.strip() for part in settings.split(","))):
        if text not in ("1", "2", "3"):
            raise ParameterError(f"Local best response has the settings 1, 2 and 3, but '{text}' was given.")
        try:
            if not isinstance(game, Poker):
                raise ParameterError("Local best response is for poker.")
            found = local_best_response(game, lambda: load_agent(agent), int(text), hands, seed)
        except EquilibristError as error:
            out.append({"setting": int(text), "value": None, "interval": None, "plain": None, "reason": str(error)})
            continue
        fair, won = (each.scaled(_scale(game)) for each in (found.adjusted, found.won))
        plain = {"value": won.mean, "interval": list(won.interval)}
        told = {"value": fair.mean, "interval": list(fair.interval), "plain": plain, "reason": None}
        out.append({"setting": int(text)} | told)
    return out


def _learned(agent: str, game: Any, deals: int, bets: str, hands: int, seed: int) -> dict[str, Any]:
    """What a response that is learned wins, seats averaged, on fresh deals."""
    from equilibrist.core.errors import NotApplicableError
    from equilibrist.solvers.blueprint.strategy import PokerBlueprint
    from equilibrist.solvers.blueprint.values.one_sided_cfr import learned_exploitability
    from equilibrist.solvers.saved_solutions import load_solution

    blueprint = load_solution(agent) if agent.endswith(".eqb") else None
    if not isinstance(blueprint, PokerBlueprint):
        raise NotApplicableError(
            f"--learn is for blueprints of 'equilibrist train', but '{agent}' is none; leave it out."
        )
    if blueprint.game != game.name:
        raise NotApplicableError(f"--learn measures in the game of the blueprint, {blueprint.game}; leave --game out.")
    scale = _scale(game)
    found = learned_exploitability(blueprint, deals, max(hands, deals // 10), bets=bets, seed=seed)
    spread = 1.96 * found.error
    interval = [scale * (found.value - spread), scale * (found.value + spread)]
    return {"deals": deals, "bets": bets or None, "value": scale * found.value, "interval": interval}


def _matches(agent: str, game: Any, opponents: list[str], hands: int, seed: int) -> list[dict[str, Any]]:
    from equilibrist.agents.matches.match import MatchSettings, play_match, result_facts
    from equilibrist.core.errors import NotApplicableError

    told = ("mbb_per_game", "interval", "aivat", "hands", "faults")
    out = []
    for opponent in opponents:
        names = (agent, *[opponent] * (game.players - 1))
        try:
            facts = result_facts(play_match(MatchSettings(names, game.name, hands, seed, duplicate=True)))
        except NotApplicableError as error:  # not every player plays every game
            facts = dict.fromkeys(told) | {"reason": str(error)}
        out.append({key: facts[key] for key in told} | {"opponent": opponent, "reason": facts.get("reason")})
    return out


def _print(facts: dict[str, Any]) -> None:
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.output import plain_table, screen

    console = screen()
    table = plain_table("measure", facts["unit"], "95 % interval", "remark")
    exact = facts["exploitability"]
    table.add_row(
        "exploitability (exact)", "–" if exact["value"] is None else f"{exact['value']:.1f}", "", exact["reason"] or ""
    )
    for row in facts["local_best_response"]:
        table.add_row(
            f"local best response {row['setting']}",
            *_cells(row["value"], row["interval"]),
            row["reason"] or f"wins at least this, luck corrected; plain {_plain(row)}",
        )
    if (learned := facts.get("learned_response")) is not None:
        table.add_row(
            f"learned from {learned['deals']:,} deals",
            *_cells(learned["value"], learned["interval"]),
            "wins at least this",
        )
    for row in facts["head_to_head"]:
        table.add_row(
            f"against {row['opponent']}",
            *_cells(row["mbb_per_game"], row["interval"]),
            row["reason"] or f"{row['hands']:,} hands",
        )
    console.print(f"{facts['agent']} in {load_game(facts['game']).short_name}", markup=False)
    console.print(table)


def _plain(row: dict[str, Any]) -> str:
    """What was won in the hands as they came."""
    value, (low, high) = row["plain"]["value"], row["plain"]["interval"]
    return f"{value:+.1f} ± {(high - low) / 2.0:.1f}"


def _cells(value: float | None, interval: list[float] | None) -> tuple[str, str]:
    if value is None or interval is None:
        return "–", ""
    return f"{value:+.1f}", f"{interval[0]:+.1f} to {interval[1]:+.1f}"
