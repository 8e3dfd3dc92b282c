"""`equilibrist play`: play in the terminal."""

from __future__ import annotations

import math
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equilibrist.core.units import chip_text
from equilibrist.interfaces.cli.completion import complete_agent, complete_game

if TYPE_CHECKING:
    from equilibrist.core.player import Event, View
    from equilibrist.games.rules import Game
    from equilibrist.interfaces.cli.play.hand_file import HandFile

SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
HELP = "x check · c call · f fold · b300 bet or raise to 300 · 50% or pot of the pot · a all-in · u take back your last action · q leave"

AT_TABLES = "Actions are listed: f fold · x check · c call or limp · r2.5 raise to 2.5 · a all-in · u take back your last action · q leave"


class Leave(BaseException):
    """The person at the table has had enough; no fault, so the referee must not catch it."""


class TakeBack(BaseException):
    """The last action was a typo: the hand is played again up to it."""


class KeyboardPlayer:
    """A player that asks whoever sits at the keyboard."""

    def __init__(self) -> None:
        self.seat = 0
        self.game: Any = None
        self.names: tuple[str, ...] = ()  # of the seats
        self.made: list[str] = []  # own actions of this hand
        self.script: list[str] = []  # those to be made again after one was taken back

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        self.seat, self.game, self.made = seat, rules, []
        self.names = rules.seat_names or tuple(f"player {number + 1}" for number in range(rules.players))

    def observe(self, event: Event) -> None:
        if self.script:
            return
        if event.kind == "action" and event.player != self.seat:
            print(f"  {self.names[event.player or 0]} {describe(event.label)}")
        elif event.kind == "reveal":
            print(f"  board: {pretty(event.label)}")
        elif event.kind == "shown" and event.player != self.seat:
            print(f"  {self.names[event.player or 0]} shows {pretty(event.label)}")

    def act(self, view: View, deadline: float | None = None) -> str:
        if self.script:
            self.made.append(self.script.pop(0))
            return self.made[-1]
        print(self._situation(view))
        label = None
        while label is None:
            label = self._ask(view)
        self.made.append(label)
        return label

    def _situation(self, view: View) -> str:
        if view.chips is None:
            return f"  {view.infoset}\n  {', '.join(view.actions)}"
        chips, deck = view.chips, self.game.deck
        own = pretty("".join(map(deck.label, reversed(chips.hole))))
        board = pretty("".join(map(deck.label, chips.board))) or "–"
        left = chips.behind[view.seat]
        text = f"  you hold {own}   board {board}   pot {chip_text(chips.pot)}"
        text += f"   behind {chip_text(left)}" if math.isfinite(left) else ""  # limit games have no stacks
        if self.game.seat_names:
            text += f"   {', '.join(view.actions)}"
        if chips.to_call:
            text += f"\n  {chip_text(chips.to_call)} to call: you need {chips.pot_odds:.1%} equity"
        if chips.raise_bounds:
            text += f"\n  bet or raise to {chip_text(chips.raise_bounds[0])} – {chip_text(chips.raise_bounds[1])}"
        return text

    def _ask(self, view: View) -> str | None:
        typed = _read("> ")
        if typed.lower() in ("u", "undo"):
            if not self.made:
                print("  there is nothing to take back in this hand")
                return None
            self.script = self.made[:-1]
            raise TakeBack
        label = parse_action(typed, view)
        if label is None:
            listed = self.game.seat_names or not view.chips
            print(f"  '{typed}' is not possible here. {', '.join(view.actions) if listed else HELP}")
        return label


def parse_action(typed: str, view: View) -> str | None:
    """The action that somebody meant, or None."""
    text = typed.strip().lower()
    words = {"check": "x", "call": "c", "fold": "f", "k": "x", "all-in": "a", "allin": "a", "pot": "100%"}
    text = words.get(text, text)
    if text in view.actions:
        return text
    if text in ("c", "x"):
        return view.passive() if view.chips else None
    if view.chips is None or view.chips.raise_bounds is None:
        return None
    if text == "a":
        return view.nearest_raise(view.chips.raise_bounds[1])
    if text.endswith("%") and _number(text[:-1]) is not None:
        return view.raise_by(float(text[:-1]) / 100.0)
    total = _number(text.lstrip("br").removeprefix("aise").removeprefix("et").removeprefix(" to").strip())
    if total is None or not view.chips.raise_bounds[0] <= total <= view.chips.raise_bounds[1]:
        return None
    label = view.nearest_raise(total)
    if label == "a":
        return label if view.chips.raise_bounds[1] == total else None
    return label if label in ("b", "r") or float(label[1:]) == total else None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _read(prompt: str) -> str:
    try:
        typed = input(prompt).strip()
    except EOFError:
        raise Leave from None
    if typed.lower() in ("q", "quit", "exit"):
        raise Leave
    return typed


def describe(label: str) -> str:
    words = {"x": "checks", "c": "calls", "f": "folds", "b": "bets", "r": "raises", "a": "goes all-in"}
    if label in words:
        return words[label]
    if label[:1] in "br" and _number(label[1:]) is not None:
        return f"{'bets' if label[0] == 'b' else 'raises to'} {label[1:]}"
    return label


def pretty(cards: str) -> str:
    """`Td9d` as `T♦ 9♦`."""
    out, place = [], 0
    while place < len(cards):
        width = 2 if place + 1 < len(cards) and cards[place + 1] in SUIT_SIGNS else 1
        out.append(cards[place] + SUIT_SIGNS.get(cards[place + 1 : place + width], ""))
        place += width
    return " ".join(out)


def play(
    agent: Annotated[
        list[str],
        typer.Argument(help="Your opponents; at tables one may take all other seats.", autocompletion=complete_agent),
    ],
    game: Annotated[str | None, typer.Option(help="The game.", autocompletion=complete_game)] = None,
    seat: Annotated[
        str | None, typer.Option(help="Your seat at a table, such as BB (default: another one every hand).")
    ] = None,
    hands: Annotated[int | None, typer.Option(help="Maximum number of hands.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the deals.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save the hands as PHH (.phhs).")] = None,
) -> None:
    """Play against players in the terminal."""
    from equilibrist.agents.matches.match import DEFAULT_GAME
    from equilibrist.agents.registry import agent_game, load_agent
    from equilibrist.core.errors import ParameterError
    from equilibrist.games.catalogue import load_game
    from equilibrist.interfaces.cli.play.hand_file import HandFile
    from equilibrist.interfaces.cli.play.match import _for_players

    if game is not None:
        load_game(game)  # first: solutions of a game from a Python file are read with it
        named = game
    else:
        named = agent_game(agent[0].rpartition("=")[2]) or _for_players(DEFAULT_GAME, len(agent) + 1)
    table = load_game(named)
    own = _own_seat(seat, table)
    agent = _opponents(agent, table, own)
    if table.players != len(agent) + 1:
        raise ParameterError(
            f"'{table.short_name}' is for {table.players} players: name {table.players - 1} opponents, not {len(agent)}."
        )
    file = None if out is None else HandFile(out, table)
    start = random.randrange(10**9) if seed is None else seed
    against = agent[0] if len(set(agent)) == 1 else ", ".join(agent)
    print(f"{table.short_name} against {against}. {AT_TABLES if table.seat_names else HELP}")
    sitting = Sitting(table, tuple(agent), [KeyboardPlayer(), *map(load_agent, agent)], start, file, own)
    try:
        while hands is None or sitting.played < hands:
            sitting.play_one()
    except Leave:
        pass
    except KeyboardInterrupt:
        if file is not None and (place := file.close()) is not None:
            raise KeyboardInterrupt(
                f"Interrupted; the {sitting.played} hands that were finished are in '{place}'."
            ) from None
        raise
    if file is not None:
        file.close()
    played, total = sitting.played, sitting.total
    per_hand = f", {1000 * total / played / (table.big_blind or 1):+.0f} mbb a hand" if played else ""
    if table.unit == "prize money":
        per_hand = f", {total / played:g} a hand" if played else ""
    taken = f"; {sitting.taken_back} actions were taken back" if sitting.taken_back else ""
    print(f"{played} hands, {total:+g} {'prize money' if table.unit == 'prize money' else 'chips'}{per_hand}{taken}")


def _own_seat(seat: str | None, game: Game) -> int | None:
    """The number of the seat that was asked for."""
    from equilibrist.core.errors import ParameterError, suggest

    if seat is None:
        return None
    if seat not in game.seat_names:
        known = f"the seats are {', '.join(game.seat_names)}" if game.seat_names else "--seat is for tables"
        raise ParameterError(f"There is no seat '{seat[:40]}': {known}.{suggest(seat[:40], game.seat_names)}")
    return game.seat_names.index(seat)


def _opponents(agent: list[str], game: Game, own: int | None) -> list[str]:
    """The players of all other seats, the next one first."""
    from equilibrist.core.errors import ParameterError
    from equilibrist.interfaces.cli.play.seating import read_seated, seat_all

    given = read_seated(agent)
    if not game.seat_names:
        return seat_all(given, game)
    if own is None and all(each.seat is None for each in given):
        others = [each.player for each in given]
        return others * (game.players - 1) if len(others) == 1 else others
    if own is None:
        raise ParameterError(f"Say where you sit: --seat {' or '.join(game.seat_names)}.")
    others = seat_all(given, game, (game.seat_names[own],))
    return [*others[own:], *others[:own]]


@dataclass
class Sitting:
    """A person's evening: the running result, and the file that keeps its hands."""

    game: Game
    agents: tuple[str, ...]
    players: list[Any]  # the person first
    seed: int
    file: HandFile | None = None
    seat: int | None = None  # the person's own; None: another one every hand
    played: int = 0
    total: float = 0.0
    taken_back: int = 0

    def play_one(self) -> None:
        """One hand; after an action is taken back the same cards are dealt again up to it."""
        number, count = self.played, len(self.players)
        seats = [(seat + (number if self.seat is None else -self.seat)) % count for seat in range(count)]
        own = seats.index(0)
        from equilibrist.evaluation.play.referee import play_hand

        print(
            f"\nhand {number + 1}, you are {self.game.seat_names[own] if self.game.seat_names else f'player {own + 1}'}"
        )
        while True:
            draws = [random.Random(f"{self.seed}/{p}/{number}") for p in seats]
            try:
                record = play_hand(
                    self.game, [self.players[p] for p in seats], random.Random(f"{self.seed}/cards/{number}"), draws
                )
                break
            except TakeBack:
                self.taken_back += 1
                print("  taken back")
        self.total += record.returns[own]
        self.played += 1
        if self.file is not None:
            self.file.add(record, ["you" if p == 0 else self.agents[p - 1] for p in seats])
        won = record.returns[own]
        sign = "-" if self.total < 0 else "+"
        if self.game.unit == "prize money":
            print(f"  you have {won:.4g} of prize money; in all {self.total:.4g}")
        else:
            print(
                f"  you {'win' if won >= 0 else 'lose'} {chip_text(abs(won))}; in all {sign}{chip_text(abs(self.total))}"
            )
        for fault in record.faults:
            print(f"  fault of player {fault.seat + 1}: {fault.text}", file=sys.stderr)
