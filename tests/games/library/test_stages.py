"""Stage-based sequential games: Kuhn as four stages, filters, graphs that are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equilibrist import compiled, load_game, solve
from equilibrist.core.errors import ParameterError
from equilibrist.games.library.stages import PASS, Interaction, Outcomes, Signals, Stage, StageGame
from equilibrist.testing.games import check_game


def asks(player: int, *actions: str) -> Interaction:
    """One player decides, and everybody sees what."""
    offered = (actions, PASS) if player == 0 else (PASS, actions)
    return Interaction(offered, {(a, "-") if player == 0 else ("-", a): {a: 1.0} for a in actions})


def betting(private: int = 1) -> dict[str, Stage]:
    """One bet of one chip: a graph of stages that is no line."""
    return {
        "open": Stage(asks(0, "x", "b"), {"x": "checked", "b": "facing"}, private=(private, private)),
        "checked": Stage(asks(1, "x", "b"), {"x": None, "b": "back"}),
        "facing": Stage(asks(1, "f", "c"), {"f": None, "c": None}),
        "back": Stage(asks(0, "f", "c"), {"f": None, "c": None}),
    }


def pay(order: str):
    """Antes of 1; ranks are the first letters of signals."""

    def payoff(outcomes: Outcomes, _: Signals, private: tuple[Signals, ...]) -> tuple[float, float]:
        stage, last = outcomes[-1]
        mine, theirs = (order.index(held[0][0]) for held in private)
        if last == "f":
            won = 1.0 if stage == "facing" else -1.0
        else:
            won = (2.0 if last == "c" else 1.0) * ((mine > theirs) - (mine < theirs))
        return won, -won

    return payoff


def kuhn(**given) -> StageGame:
    return StageGame("kuhn of stages", 2, ("J", "Q", "K"), betting(), "open", pay("JQK"), **given)


def test_kuhn() -> None:
    game = kuhn()
    assert check_game(game) > 50
    assert game.order[0] == "open"
    assert game.order.index("checked") < game.order.index("back")
    assert sorted(game.paths()) == [("open",), ("open", "checked"), ("open", "checked", "back"), ("open", "facing")]
    assert len(compiled(game).infosets) == len(compiled("kuhn").infosets)
    assert solve(game, "lp").value[0] == pytest.approx(-1 / 18, abs=1e-9)


def test_filters_make_smaller_games() -> None:
    """[Gilpin09, Figure 5.2]: two jacks and two kings, merged by rank: 4 infosets a player instead of 8, value 0."""
    plain, merged = load_game("jacks-and-kings"), load_game("jacks-and-kings(see=ranks)")
    assert [len(compiled(game).infosets) for game in (plain, merged)] == [16, 8]
    check_game(merged)
    values = [solve(game, "lp").value[0] for game in (plain, merged)]
    assert values == pytest.approx([0.0, 0.0], abs=1e-9)
    blind = replace(plain, see=lambda player, path, public, own: "")
    assert len(compiled(blind).infosets) == 4


def test_what_is_seen_is_cards_or_ranks() -> None:
    with pytest.raises(ParameterError, match="one of cards, ranks"):
        load_game("jacks-and-kings(see=suits)")


def test_simultaneous_choices_and_chance_outcomes() -> None:
    """Matching pennies, of which a quarter is drawn; the winner of a draw is a public signal."""
    both = {(a, b): {"even" if a == b else "odd": 0.75, "draw": 0.25} for a in "HT" for b in "HT"}
    stages = {
        "pennies": Stage(Interaction((("H", "T"), ("H", "T")), both), {"even": None, "odd": None, "draw": "lot"}),
        "lot": Stage(Interaction((PASS, PASS), {("-", "-"): {"done": 1.0}}), {"done": None}, public=1),
    }

    def payoff(outcomes: Outcomes, public: Signals, _: tuple[Signals, ...]) -> tuple[float, float]:
        won = (1.0 if public[0] == "one" else -1.0) if public else (1.0 if outcomes[0][1] == "even" else -1.0)
        return won, -won

    game = StageGame("pennies", 2, ("one", "two", "three"), stages, "pennies", payoff)
    check_game(game)
    assert solve(game, "lp").value[0] == pytest.approx(0.25 * -1 / 3, abs=1e-9)


def test_refusals() -> None:
    round_and_round = betting() | {"back": Stage(asks(0, "f", "c"), {"f": None, "c": "checked"})}
    with pytest.raises(ParameterError, match="come round again"):
        StageGame("loop", 2, ("J", "Q", "K"), round_and_round, "open", pay("JQK"))
    with pytest.raises(ParameterError, match="reveals 4 signals, but there are 3"):
        StageGame("few", 2, ("J", "Q", "K"), betting(private=2), "open", pay("JQK"))
    lost = betting() | {"facing": Stage(asks(1, "f", "c"), {"f": None, "c": "elsewhere"})}
    with pytest.raises(ParameterError, match="no stage 'elsewhere'"):
        StageGame("lost", 2, ("J", "Q", "K"), lost, "open", pay("JQK"))
    half = Stage(Interaction((("a", "b"), PASS), {("a", "-"): {"x": 0.5}, ("b", "-"): {"x": 1.0}}), {"x": None})
    with pytest.raises(ParameterError, match="sum to 1"):
        StageGame("half", 2, (), {"only": half}, "only", pay("JQK"))
    some = Stage(Interaction((("a", "b"), PASS), {("a", "-"): {"x": 1.0}}), {"x": None})
    with pytest.raises(ParameterError, match="every joint action"):
        StageGame("some", 2, (), {"only": some}, "only", pay("JQK"))
    alone = Stage(Interaction((("a", "b"),), {("a",): {"x": 1.0}, ("b",): {"x": 1.0}}), {"x": None})
    with pytest.raises(ParameterError, match="actions for 2 players"):
        StageGame("alone", 2, (), {"only": alone}, "only", pay("JQK"))
