"""What `equilibrist search` prints: a searched spot as its grid, a searched game hand by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution
    from equilibrist.evaluation.verification.off_tree_bets import OffTreeReport
    from equilibrist.evaluation.verification.search_safety import SafetyReport, SpotSafetyReport
    from equilibrist.search.engines.spot_task import SpotSearch
    from equilibrist.search.engines.streamed.every_board import StreamedReport
    from equilibrist.search.requests.game_answer import GameAnswer


def spot_facts(found: SpotSearch) -> dict[str, Any]:
    """What `search --json` prints of a spot."""
    numbers = {"margin": found.margin, "tolerance": found.tolerance}
    names = ("continuations", "factor", "balanced", "blueprint", "boards", "seed", "values", "values_error", "outside")
    told = found.solution.settings
    below = {name: told[name] for name in names if name in told} if found.solution.missing else None
    return {
        "kind": "search",
        "searcher": found.searcher,
        "technique": found.technique.name,
        "iterations": found.solution.iterations,
        "seconds": found.seconds,
        "exploitability": _exploitability(found),
        **{name: value if value == value else None for name, value in numbers.items()},
        **({} if below is None else {"below": below}),
        **found.solution.root.to_json(),
    }


def _exploitability(found: SpotSearch) -> dict[str, float]:
    return {
        "chips": found.exploitability,
        "percent_of_pot": 100.0 * found.exploitability / found.solution.spot.pot,
    }


def print_spot(found: SpotSearch) -> None:
    from equilibrist.interfaces.cli.output import screen
    from equilibrist.interfaces.cli.views.spot_view import print_node

    console = screen()
    console.print(_street_summary(found) if found.solution.missing else _spot_summary(found), markup=False)
    print_node(found.solution.root, console)


def _street_summary(found: SpotSearch) -> str:
    from equilibrist.cards.streets import POSTFLOP_STREETS

    share = 100.0 * found.exploitability / found.solution.spot.pot
    street = POSTFLOP_STREETS[found.solution.spot.street]
    return (
        f"The {street} alone searched for {found.searcher} ({found.technique.name}): {found.solution.iterations} iterations, "
        f"{found.seconds:.2f} s; exploitability {share:.2f} % of the pot in the depth-limited game\n"
        f"{_below_street(found)}"
    )


def _below_street(found: SpotSearch) -> str:
    told = found.solution.settings
    if "values" in told:
        text = f"Below it: values of the {told['values']} by a network, off by {told['values_error']:.2g} % of the pot on states held out"
        if told["outside"] <= 1.0:
            return text
        return f"{text}\nStacks at some leaf are {told['outside']:.2g} times outside what it has learned: read values there with care."
    boards = " and ".join(
        f"{count} {name}s" for count, name in zip(told["boards"], found.solution.missing, strict=True)
    )
    return (
        f"Below it: {', '.join(told['continuations'])} (blueprint {told['blueprint']}) on {boards}, seed {told['seed']}"
    )


def _spot_summary(found: SpotSearch) -> str:
    share = 100.0 * found.exploitability / found.solution.spot.pot
    text = (
        f"{found.technique.name} search for {found.searcher}: {found.solution.iterations} iterations, {found.seconds:.2f} s, "
        f"exploitability {share:.2f} % of the pot"
    )
    return f"{text}{_safety(found.margin, found.tolerance, 'chips')}"


def _safety(margin: float, tolerance: float, unit: str) -> str:
    """What is known about the opponent's alternatives; nothing, where a technique compares with none."""
    if margin != margin:
        return ""
    risk = f", at most {tolerance:.3f} {unit} given away" if tolerance == tolerance else ", no guarantee"
    return f"; smallest margin {margin:+.2f} {unit}{risk}"


def cards_facts(line: str, found: Mapping[str, SpotSearch], seconds: float) -> dict[str, Any]:
    """What `search --json` prints where every card was searched; `seconds` are those of all together."""
    one = next(iter(found.values()))
    return {
        "kind": "search-cards",
        "line": line,
        "searcher": one.searcher,
        "technique": one.technique.name,
        "seconds": seconds,
        "cards": {
            card: {
                "iterations": each.solution.iterations,
                "exploitability": _exploitability(each),
                "margin": _or_none(each.margin),
                "tolerance": _or_none(each.tolerance),
                **({"frequencies": frequencies} if (frequencies := _own_frequencies(each)) else {}),
            }
            for card, each in found.items()
        },
    }


def _own_frequencies(found: SpotSearch) -> dict[str, float]:
    """How often each action is taken at the root, where the searcher acts there."""
    root = found.solution.root
    return dict(zip(root.labels, root.frequencies.tolist(), strict=True)) if root.player == found.searcher else {}


def print_cards(line: str, found: Mapping[str, SpotSearch]) -> None:
    from equilibrist.interfaces.cli.output import plain_table, screen

    console, one = screen(), next(iter(found.values()))
    console.print(
        f"{one.technique.name} search for {one.searcher} after '{line}' and each card that differs by more than suits: {len(found)} cards",
        markup=False,
    )
    actions = dict.fromkeys(name for each in found.values() for name in _own_frequencies(each))
    table = plain_table("card", *actions, "iterations", "exploitability", "margin", "given away")
    for card, each in found.items():
        root = _own_frequencies(each)
        table.add_row(
            card,
            *(f"{100.0 * root[name]:.1f} %" if name in root else "" for name in actions),
            f"{each.solution.iterations:,}",
            f"{100.0 * each.exploitability / each.solution.spot.pot:.2f} %",
            "" if each.margin != each.margin else f"{each.margin:+.2f}",
            "" if each.tolerance != each.tolerance else f"{each.tolerance:.3f}",
        )
    console.print(table)


def print_game(found: GameAnswer) -> None:
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.output import plain_table, screen

    console, unit = screen(), found.unit or load_game(found.game).unit
    where = f"after '{found.line}'" if found.line else "at the beginning"
    console.print(
        f"{found.technique} search of {found.game} {where} for player {found.searcher + 1}: {found.iterations} iterations, "
        f"{found.seconds:.2f} s, exploitability {found.exploitability:.4f} {unit}"
        f"{_safety(found.margin, found.tolerance, unit)}",
        markup=False,
    )
    if found.below is not None:
        console.print(_below(found.below), markup=False)
    table = plain_table(f"player {found.player + 1}", *found.actions)
    for hand, row in (("all hands", found.frequencies), *found.hands.items()):
        table.add_row(hand, *(f"{100.0 * share:.1f} %" for share in row))
    console.print(table)


def _below(below: Mapping[str, Any]) -> str:
    if "leaves" in below:
        return f"Below this betting round: solved at every iteration ({below['leaves']})"
    factor = "" if below["factor"] is None else f" (factor {below['factor']:g})"
    return f"Below this betting round: {', '.join(below['continuations'])}{factor}"


def measured_facts(report: SafetyReport, solution: Solution) -> dict[str, Any]:
    """What `search --everywhere --json` prints; players count from 1."""
    return {
        "kind": "search-everywhere",
        "game": solution.game,
        "technique": report.technique.name,
        "subgames": {str(player + 1): count for player, count in enumerate(report.solved)},
        "exploitability": {"before": report.before.exploitability, "after": report.after.exploitability},
        "rise": {str(player + 1): rise for player, rise in enumerate(report.rise)},
        "tolerance": {str(player + 1): allowed for player, allowed in enumerate(report.tolerance)},
        "safe": report.safe,
    }


def print_measured(report: SafetyReport, solution: Solution) -> None:
    from equilibrist.interfaces.cli.output import screen

    verdict = "no best response rose beyond what the searches state" if report.safe else "not safe"
    screen().print(
        f"{report.technique.name} search of {solution.game}: {report.solved[0]} subgames for player 1, {report.solved[1]} for player 2; "
        f"exploitability {report.before.exploitability:.6f} before, {report.after.exploitability:.6f} after; {verdict}",
        markup=False,
    )


def off_tree_facts(report: OffTreeReport) -> dict[str, Any]:
    """What `search --everywhere --bet --json` prints; players count from 1."""
    return {
        "kind": "search-off-tree",
        "game": report.game,
        "bet": report.bet,
        "technique": report.answer,
        "begins": report.begins,
        "answers": {str(player + 1): count for player, count in enumerate(report.answers)},
        "exploitability": {"before": report.before, "after": report.after},
    }


def print_off_tree(report: OffTreeReport) -> None:
    from equilibrist.interfaces.cli.output import screen

    how = report.answer if report.answer == "translation" else f"{report.answer} search, begun {report.begins}"
    screen().print(
        f"Bets of {100 * report.bet:g} % of the pot answered by {how}: {report.answers[0]} lines for player 1, {report.answers[1]} for "
        f"player 2; exploitability {report.before:.6f} in the solved game, {report.after:.6f} in {report.game}",
        markup=False,
    )


def spot_measured_facts(report: SpotSafetyReport) -> dict[str, Any]:
    """What `search --everywhere --json` prints of a spot; chips."""
    seats = ("oop", "ip")
    return {
        "kind": "search-everywhere",
        "technique": report.technique.name,
        "subgames": dict(zip(seats, report.solved, strict=True)),
        "best_response": {
            "before": dict(zip(seats, report.before, strict=True)),
            "after": dict(zip(seats, report.after, strict=True)),
        },
        "rise": dict(zip(seats, report.rise, strict=True)),
        "tolerance": {seat: _or_none(allowed) for seat, allowed in zip(seats, report.tolerance, strict=True)},
        "safe": report.safe,
    }


def _or_none(value: float) -> float | None:
    return value if value == value else None


def print_measured_spot(report: SpotSafetyReport) -> None:
    from equilibrist.interfaces.cli.output import screen

    verdict = "no best response rose beyond what the searches state" if report.safe else "not safe"
    screen().print(
        f"{report.technique.name} search: {report.solved[0]} subgames for oop, {report.solved[1]} for ip; the best response of oop gets "
        f"{report.before[0]:.4f} chips before, {report.after[0]:.4f} after, that of ip {report.before[1]:.4f} and {report.after[1]:.4f}; "
        f"{verdict}",
        markup=False,
    )


def streamed_facts(report: StreamedReport) -> dict[str, Any]:
    """What `search --everywhere --json` prints of a blueprint; chips."""
    return {
        "kind": "search-everywhere",
        "game": report.game,
        "technique": report.technique.name,
        "boards": report.boards,
        "exploitability": {"before": report.before, "after": report.after},
        "tolerance": _or_none(report.tolerance),
        "safe": report.safe,
    }


def print_streamed(report: StreamedReport) -> None:
    from equilibrist.interfaces.cli.output import screen

    verdict = "no more was given away than the searches state" if report.safe else "not safe"
    screen().print(
        f"{report.technique.name} search of {report.game} on {report.boards} boards, for both players; exploitability "
        f"{report.before:.4f} chips before, {report.after:.4f} after; {verdict}",
        markup=False,
    )
