"""What `equilibrist diagnose` prints: tables of leaks and the outcome of every test, or the same as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from equilibrist.evaluation.diagnosis.leaks import Leak, LineLeak, StreetLeaks
    from equilibrist.evaluation.diagnosis.off_tree import OffTreeLeak
    from equilibrist.evaluation.diagnosis.sanity import SanityCheck
    from equilibrist.evaluation.diagnosis.untrained import Untrained
    from equilibrist.evaluation.play.statistics import Estimate
    from equilibrist.interfaces.cli.strength.diagnose import Diagnosis
    from equilibrist.solvers.blueprint.exact.street_response import BoardMean

OFFENCES = 5  # that are shown of a test
TABLES = {
    "pots": "pot",
    "sizes": "pot when the street begins",
    "faced": "facing",
    "answers": "what a best response does instead",
}


def diagnosis_facts(found: Diagnosis) -> dict[str, Any]:
    """What `diagnose --json` prints; losses in thousandths of a big blind per hand, both seats on average."""
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.interfaces.cli.play.evaluate_exact import seat_names

    big_blind = recorded_game(found.blueprint.game).big_blind
    scale = 1000.0 / (big_blind or 1.0)
    two = found.blueprint.abstract.tree.players == 2
    seats = seat_names(found.blueprint) if two else []
    return {
        "agent": found.agent,
        "game": found.blueprint.game,
        "unit": "mbb/g" if big_blind else "points / 1000",
        "seats": seats,
        "seed": found.seed,
        "streets": [_street_facts(each, scale, seats) for each in found.streets],
        "no_leaks": found.no_leaks or None,
        "off_tree": None if found.off_tree is None else _off_tree_facts(found.off_tree, found.bets, scale),
        "untrained": None if found.untrained is None else _untrained_facts(found.untrained),
        "sanity": [_check_facts(each) for each in found.sanity],
        "passed": None if not found.sanity else all(each.passed is not False for each in found.sanity),
        "finished": found.finished,
    }


def _street_facts(found: StreetLeaks, scale: float, seats: Sequence[str]) -> dict[str, Any]:
    from equilibrist.cards.streets import STREETS

    def told(mean: BoardMean) -> dict[str, Any]:
        return _told(mean.scaled(scale))

    def leak(each: Leak) -> dict[str, Any]:
        facts = {"kind": each.kind, "loss": told(each.loss)}
        if each.reached is None:
            return facts
        a_hand = each.loss.value * scale / 1000.0 / each.reached if each.reached else None
        return facts | {"reached": each.reached, "each": a_hand}

    def line(each: LineLeak) -> dict[str, Any]:
        return {"line": each.line, "seat": seats[each.seat], "loss": told(each.loss)}

    return {
        "street": STREETS[found.street],
        "gains": [told(each) for each in found.gain],
        "gain": told(found.mean),
        "here": told(found.here),
        "later": told(found.later),
        **{name: [leak(each) for each in getattr(found, name)] for name in TABLES},
        "lines": [line(each) for each in found.lines],
        "boards": found.boards,
        "asked": found.asked,
        "complete": found.complete,
        "seconds": found.seconds,
    }


def _told(mean: BoardMean) -> dict[str, Any]:
    return {"value": mean.value, "interval": [mean.low, mean.high]}


def _off_tree_facts(found: OffTreeLeak, bets: str, scale: float) -> dict[str, Any]:
    def told(each: Estimate) -> dict[str, Any]:
        scaled = each.scaled(scale)
        return {"value": scaled.mean, "interval": list(scaled.interval)}

    return {"bets": bets, "on_tree": told(found.on_tree), "off_tree": told(found.off_tree), "hands": found.hands}


def _untrained_facts(found: Untrained) -> dict[str, Any]:
    rows = [
        {
            "street": each.street,
            "rows": each.rows,
            "of": each.of,
            "decisions": each.decisions,
            "share": _told(each.share),
        }
        for each in found.streets
    ]
    return {"hands": found.hands, "streets": rows}


def _check_facts(check: SanityCheck) -> dict[str, Any]:
    return {
        "name": check.name,
        "passed": check.passed,
        "looked": check.looked,
        "why": check.why or None,
        "offences": [
            {"hand": each.hand, "line": each.line, "text": each.text, "share": each.share} for each in check.offences
        ],
    }


def print_diagnosis(found: Diagnosis) -> None:
    """Streets from the first to the last, then the tests."""
    from equilibrist.games.catalogue import recorded_game
    from equilibrist.interfaces.cli.output import screen

    console, facts = screen(), diagnosis_facts(found)
    console.print(f"{found.agent} in {recorded_game(found.blueprint.game).short_name}, {facts['unit']}", markup=False)
    if found.no_leaks:
        console.print(f"{found.no_leaks[0].upper()}{found.no_leaks[1:]}.", markup=False)
    streets = facts["streets"][::-1]
    if streets:
        _print_streets(console, streets)
    for street in streets:
        _print_street(console, street)
    if facts["off_tree"]:
        _print_off_tree(console, facts["off_tree"], streets[-1]["street"] if streets else "last street")
    for check in facts["sanity"]:
        _print_check(console, check)
    if facts["untrained"]:
        _print_untrained(console, facts["untrained"])


def _print_streets(console: Console, streets: Sequence[dict[str, Any]]) -> None:
    rows = [
        (each["street"], *_cells(each["here"], each["complete"]), *_cells(each["gain"], each["complete"]))
        for each in streets
    ]
    _print_table(console, ("street", "lost on it", "95 % interval", "from it on", "95 % interval "), rows)


def _print_street(console: Console, street: dict[str, Any]) -> None:
    for name, title in TABLES.items():
        rows = [(each["kind"], *_cells(each["loss"], street["complete"]), *_reached(each)) for each in street[name]]
        more = ("hands", "bb a hand") if any("reached" in each for each in street[name]) else ()
        _print_table(console, (f"{street['street']}: {title}", "lost", "95 % interval", *more), rows)
    rows = [(each["line"], each["seat"], *_cells(each["loss"], street["complete"])) for each in street["lines"]]
    _print_table(
        console, (f"{street['street']}: a best response wins most by", "seat", "its gain", "95 % interval"), rows
    )
    told = "All" if street["complete"] else f"{street['boards']:,} drawn"
    console.print(f"{told} boards; decisions on the {street['street']} only.", style="dim", markup=False)


def _print_off_tree(console: Console, facts: dict[str, Any], street: str) -> None:
    rows = [
        ("bets of its tree", *_cells(facts["on_tree"], False)),
        (f"what {facts['bets']} add", *_cells(facts["off_tree"], False)),
    ]
    _print_table(console, (f"{street}, {facts['hands']:,} hands played", "lost", "95 % interval"), rows)


def _print_check(console: Console, check: dict[str, Any]) -> None:
    outcome = {True: "pass", False: "FAIL", None: "skip"}[check["passed"]]
    told = check["why"] or f"{check['looked']:,} looked at"
    count = len(check["offences"])
    if count:
        told += f", {count:,} offend"
    console.print(f"{outcome}  {check['name']} ({told})", markup=False)
    for each in check["offences"][:OFFENCES]:
        text = f"{each['hand']} after {each['line'] or 'nothing'}" if each["hand"] else f"on the {each['line']}"
        console.print(f"      {text}: {each['text']} ({100 * each['share']:.2f} % of the time)", markup=False)
    if count > OFFENCES:
        console.print(f"      … {count - OFFENCES:,} more (--json)", markup=False)


def _print_untrained(console: Console, facts: dict[str, Any]) -> None:
    rows = [
        (
            each["street"],
            f"{each['rows']:,} of {each['of']:,}",
            f"{100 * each['share']['value']:.2f} %",
            f"{100 * max(each['share']['interval'][0], 0.0):.2f} to {100 * each['share']['interval'][1]:.2f} %",
        )
        for each in facts["streets"]
    ]
    title = ("street", "rows never trained", f"decisions there in {facts['hands']:,} hands", "95 % interval")
    _print_table(console, title, rows)


def _print_table(console: Console, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from equilibrist.interfaces.cli.output import plain_table, print_whole

    if not rows:
        return
    table = plain_table(*titles)
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for row in rows:
        table.add_row(*row)
    print_whole(table, console)


def _cells(mean: dict[str, Any], complete: bool) -> tuple[str, str]:
    low, high = mean["interval"]
    return f"{mean['value']:.1f}", "exact" if complete else f"{low:.1f} to {high:.1f}"


def _reached(each: dict[str, Any]) -> tuple[str, ...]:
    """How often, and what each of these hands loses."""
    if "reached" not in each:
        return ()
    return f"{100 * each['reached']:.1f} %", "–" if each["each"] is None else f"{each['each']:.2f}"
