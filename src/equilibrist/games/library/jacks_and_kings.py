"""Two jacks and two kings, one card each and one bet, as a game of stages ([Gilpin09, Figure 5.2]).

Both cards of a rank play alike, so a player who only sees ranks loses nothing: the smallest example of what GameShrink merges.
"""

from __future__ import annotations

from equilibrist.core.errors import ParameterError, suggest
from equilibrist.core.names import Name
from equilibrist.games.library.stages import PASS, Interaction, Outcomes, Signals, Stage, StageGame
from equilibrist.games.rules import GameEntry

CARDS = ("J1", "J2", "K1", "K2")
SEEN = ("cards", "ranks")


def jacks_and_kings(see: str = "cards") -> StageGame:
    """`see` is what players are told of their card: the card itself, or only its rank."""
    if see not in SEEN:
        raise ParameterError(f"'see' is one of {', '.join(SEEN)}, but '{see}' was given.{suggest(see, SEEN)}")
    name = str(Name("jacks-and-kings", {} if see == "cards" else {"see": see}))
    return StageGame(name, 2, CARDS, _betting(), "open", _payoff, see=_rank if see == "ranks" else None)


def _betting() -> dict[str, Stage]:
    """One bet of one chip: a graph of stages that is no line."""
    return {
        "open": Stage(_asks(0, "x", "b"), {"x": "checked", "b": "facing"}, private=(1, 1)),
        "checked": Stage(_asks(1, "x", "b"), {"x": None, "b": "back"}),
        "facing": Stage(_asks(1, "f", "c"), {"f": None, "c": None}),
        "back": Stage(_asks(0, "f", "c"), {"f": None, "c": None}),
    }


def _asks(player: int, *actions: str) -> Interaction:
    """One player decides, and everybody sees what."""
    offered = (actions, PASS) if player == 0 else (PASS, actions)
    return Interaction(offered, {(a, "-") if player == 0 else ("-", a): {a: 1.0} for a in actions})


def _payoff(outcomes: Outcomes, _: Signals, private: tuple[Signals, ...]) -> tuple[float, float]:
    """Antes of one chip; K beats J, equal ranks share."""
    stage, last = outcomes[-1]
    mine, theirs = (held[0][0] == "K" for held in private)
    if last == "f":
        won = 1.0 if stage == "facing" else -1.0
    else:
        won = (2.0 if last == "c" else 1.0) * (mine - theirs)
    return won, 0.0 - won


def _rank(player: int, path: tuple[str, ...], public: Signals, own: Signals) -> str:
    return own[0][0] if own else ""


ENTRIES = [
    GameEntry(
        "jacks-and-kings",
        "one of two jacks and two kings each, one bet",
        jacks_and_kings,
        {"see": "cards"},
        "[Gilpin09, Figure 5.2]",
    )
]
