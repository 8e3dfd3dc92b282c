"""`equilibrist betting`: how large the betting tree of a poker game is, before anything is built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.cards.streets import STREETS

if TYPE_CHECKING:
    from equilibrist.forms.betting_tree.counting import BettingSize
    from equilibrist.games.poker.rules import PokerRules


def betting(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME|TREE.bml",
            help="A poker game, such as 'nolimit-holdem(stack=2000)', or a file that --bml wrote.",
        ),
    ],
    menu: Annotated[
        str | None, typer.Option(help="Bet sizes for all, such as '50%, 100%, a', or a TOML file with menus by street.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Bet sizes of the other player; --menu is then the menu of --seat.")
    ] = None,
    seat: Annotated[
        int, typer.Option(help="Player to whom --menu belongs when --against is given, counted from 1.")
    ] = 1,
    buckets: Annotated[
        str | None, typer.Option(help="Buckets of private cards in each round, such as 169,1000,1000,1000.")
    ] = None,
    cap: Annotated[int | None, typer.Option(help="Bets and raises allowed in each round.")] = None,
    bml: Annotated[
        Path | None, typer.Option(help="Write the betting of two players to this file as BML (XML).")
    ] = None,
    value_bytes: Annotated[int, typer.Option("--bytes", help="Bytes per infoset and action.", min=1, max=1024)] = 4,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")] = False,
) -> None:
    """Count the betting of a poker game under a menu: nodes by round, ends of the hand, memory for given buckets."""
    from equilibrist.forms.betting_tree.any_bets import has_any_bets
    from equilibrist.forms.betting_tree.counting import count_betting
    from equilibrist.interfaces.cli.output import print_json

    if Path(game).suffix in (".bml", ".xml"):
        _read_bml(Path(game), as_json)
        return
    rules = _rules(game, menu, against, seat, cap)
    if bml is not None:
        _write_bml(game, rules, bml)
    if has_any_bets(rules):
        _count_any(game, rules, as_json)
        return
    size = count_betting(rules)
    _warn_of_sizes(rules, menu, size.nodes)
    sizes = _buckets(buckets, len(rules.board))
    facts = _facts(game, size, sizes, value_bytes)
    if as_json:
        print_json(facts)
    else:
        _print(game, size, facts)


def _write_bml(name: str, rules: PokerRules, path: Path) -> None:
    from equilibrist.abstraction.bets.bml import betting_model, write_bml
    from equilibrist.core.writing import write_text
    from equilibrist.forms.betting_tree.betting_tree import betting_tree
    from equilibrist.interfaces.cli.files import check_writable

    check_writable(path, "--bml")
    write_text(path, write_bml(betting_model(betting_tree(rules), name)))


def _read_bml(path: Path, as_json: bool) -> None:
    """What a file says about a betting tree of two players, round by round."""
    from equilibrist.abstraction.bets.bml import read_bml
    from equilibrist.core.reading import HAND_BYTES, read_text
    from equilibrist.interfaces.cli.output import plain_table, print_json, screen

    model = read_bml(read_text(path, "The betting tree", "expected the lines that --bml writes", most=HAND_BYTES))
    rows: list[dict[str, Any]] = [
        {
            "round": one.number,
            "decisions": len(one.decisions),
            "sequences": [one.sequences(player) for player in (1, 2)],
            "folds": sum(leaf.kind == "fold" for leaf in one.leaves),
            "showdowns": sum(leaf.kind == "showdown" for leaf in one.leaves),
            "continuing": one.continuing,
        }
        for one in model.rounds
    ]
    if as_json:
        print_json({"file": str(path), "name": model.name, "rounds": rows})
        return
    console = screen()
    console.print(
        f"{model.name}: {sum(len(one.decisions) for one in model.rounds):,} decisions", style="bold", markup=False
    )
    table = plain_table("round", "decisions", "sequences of player 1", "of player 2", "folds", "showdowns", "go on")
    for row, one in zip(rows, model.rounds, strict=True):
        counts = (len(one.decisions), *row["sequences"], row["folds"], row["showdowns"], one.continuing)
        table.add_row(str(one.number), *(f"{count:,}" for count in counts))
    console.print(table)


def _count_any(name: str, rules: PokerRules, as_json: bool) -> None:
    """A game with every whole bet: only its size can be told."""
    from dataclasses import asdict

    from equilibrist.forms.betting_tree.any_bets import count_any_bets
    from equilibrist.games.poker.game import Poker
    from equilibrist.interfaces.cli.output import print_json, screen

    size = count_any_bets(Poker(name, rules))
    if as_json:
        print_json({"game": name, "nodes": size.decisions + size.ends, **asdict(size)})
        return
    console = screen()
    console.print(
        f"{name}: about {size.decisions + size.ends:.3e} betting nodes with every whole bet", style="bold", markup=False
    )
    console.print(
        f"{size.decisions:.3e} decisions, {size.ends:.3e} ends, {size.states:.3e} game states with cards", markup=False
    )


def _rules(name: str, menu: str | None, against: str | None, seat: int, cap: int | None) -> PokerRules:
    from dataclasses import replace

    from equilibrist.core.errors import NotApplicableError, ParameterError
    from equilibrist.games.catalogue import load_game
    from equilibrist.games.poker.bet_menus import asymmetric, menu_of, read_plan, same_everywhere, with_menus
    from equilibrist.games.poker.game import Poker

    game = load_game(name)
    if not isinstance(game, Poker):
        raise NotApplicableError(f"'{name}' has no betting to count; give a poker game such as nolimit-holdem.")
    rules = game.rules
    if cap is not None:
        if cap < 0:
            raise ParameterError(f"--cap is a number of bets from 0 on, but {cap} was given.")
        rules = replace(rules, caps=(float(cap),) * len(rules.caps))
    if against is not None:
        if menu is None or rules.players != 2 or seat not in (1, 2):
            raise ParameterError(
                "--against is for two players: give --menu for --seat 1 or 2, and --against for the other."
            )
        pair = [menu_of(menu), menu_of(against)]
        return with_menus(rules, asymmetric(*(pair if seat == 1 else pair[::-1])))
    if menu is None:
        return rules
    if menu.endswith(".toml"):
        return with_menus(rules, read_plan(menu, rules.players, len(rules.board)))
    return with_menus(rules, same_everywhere(menu_of(menu)))


def _warn_of_sizes(rules: PokerRules, menu: str | None, nodes: int) -> None:
    """Menu files may have sizes that nobody can bet."""
    from equilibrist.core.reading import read_toml
    from equilibrist.interfaces.cli.build.menu_warnings import warn_of_unused_sizes

    if menu is not None and menu.endswith(".toml"):
        warn_of_unused_sizes(rules, read_toml(menu, "The menu file", ""), nodes)


def _buckets(text: str | None, rounds: int) -> list[int] | None:
    from equilibrist.core.errors import ParameterError

    if text is None:
        return None
    try:
        sizes = [int(word) for word in text.split(",")]
        if len(sizes) != rounds or min(sizes) < 1:
            raise ValueError
    except ValueError:
        raise ParameterError(
            f"--buckets has one positive number for each of {rounds} rounds, but '{text}' was given."
        ) from None
    return sizes


def _facts(game: str, size: BettingSize, buckets: list[int] | None, value_bytes: int) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "game": game,
        "nodes": size.nodes,
        "decisions": [list(row) for row in size.decisions],
        "actions": [list(row) for row in size.actions],
        "folds": size.folds,
        "showdowns": size.showdowns,
        "runouts": size.runouts,
    }
    if buckets is not None:
        players = range(len(size.decisions[0]))
        facts |= {
            "buckets": buckets,
            "infosets": size.infosets(buckets),
            "slots": size.slots(buckets),
            "slots_by_player": [size.slots(buckets, p) for p in players],
            "bytes": size.slots(buckets) * value_bytes,
        }
    return facts


def _print(game: str, size: BettingSize, facts: dict[str, Any]) -> None:
    from equilibrist.interfaces.cli.output import plain_table, screen

    console = screen()
    console.print(f"{game}: {size.nodes:,} betting nodes", style="bold", markup=False)
    players = len(size.decisions[0])
    table = plain_table("round", *(f"decisions of player {p + 1}" for p in range(players)), "actions")
    for r, (row, actions) in enumerate(zip(size.decisions, size.actions, strict=True)):
        name = STREETS[r] if len(size.decisions) == 4 else str(r + 1)
        table.add_row(name, *(f"{count:,}" for count in row), f"{sum(actions):,}")
    console.print(table)
    console.print(
        f"ends: {size.folds:,} folds, {size.showdowns:,} showdowns, {size.runouts:,} all-in before the last round"
    )
    if "slots" in facts:
        console.print(
            f"with {', '.join(map(str, facts['buckets']))} buckets: {facts['infosets']:,} infosets, {facts['slots']:,} values, "
            f"{facts['bytes'] / 2**20:,.1f} MiB",
            markup=False,
        )
