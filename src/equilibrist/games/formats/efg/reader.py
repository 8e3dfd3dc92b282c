"""Reads Gambit's extensive-form files, version EFG 2; whatever is malformed is refused with its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from equilibrist.core.reading import HAND_BYTES, read_bytes
from equilibrist.games.formats.efg.game import EfgGame, Infoset, NodeTable
from equilibrist.games.formats.efg.tokens import Tokens, one_line
from equilibrist.games.rules import CHANCE, TERMINAL

_MOST_PLAYERS = 100  # a tree keeps the acting player in one byte
_ROUNDED_SUM = Fraction(1, 10**6)  # how far decimals such as 0.333333 may miss a sum of one

Payoffs = tuple[Fraction, ...]
ActionList = tuple[tuple[str, ...], tuple[float, ...]]  # labels, probabilities (chance only)


def load_efg(path: str | Path) -> EfgGame:
    """The game in a file."""
    content = read_bytes(path, "The file", most=HAND_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # older files; what is no text at all fails on its first word
    return read_efg(text, name=str(path))


def read_efg(text: str, name: str = "text.efg") -> EfgGame:
    """The game in a text; `name` appears in errors and becomes the name of the game."""
    return _Reader(Tokens(text, name)).read()


@dataclass
class _Open:
    """A node whose children are not all read yet."""

    node: int
    missing: int
    payoffs: Payoffs | None  # collected from the root to here


class _Reader:
    """The state of reading: what has been defined so far."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._table = NodeTable()
        self._numbers: dict[tuple[int, int], int] = {}  # (player, number in the file) -> row of table.infosets
        self._outcomes: dict[int, Payoffs] = {}
        self._players: list[str] = []

    def read(self) -> EfgGame:
        title = self._prologue()
        self._nodes()
        if self._tokens.kind != "end":
            raise self._tokens.unexpected("the end of the file after the last node of the tree")
        return EfgGame(self._tokens.source, title, self._players, self._table)

    def _prologue(self) -> str:
        """`EFG 2 R "title" { "player" … } "comment"`."""
        tokens = self._tokens
        if tokens.kind == "end":
            raise tokens.refuse("the file is empty, but an .efg file begins with: EFG 2 R")
        for expected in (("EFG",), ("2",), ("R", "D")):
            if tokens.kind != "word" or tokens.value not in expected:
                raise tokens.unexpected(f"'{expected[0]}', as a Gambit file begins with: EFG 2 R")
            tokens.advance()
        title = tokens.take_text("the title of the game")
        tokens.take_mark("{", "'{' and the names of the players")
        while tokens.kind == "text":
            self._players.append(tokens.take_text("a player"))
        if not 1 <= len(self._players) <= _MOST_PLAYERS:
            raise tokens.refuse(f"a game has 1 to {_MOST_PLAYERS} players, but {len(self._players)} are named")
        tokens.take_mark("}", "the name of a player or '}'")
        if tokens.kind == "text":
            tokens.advance()  # the comment
        return title

    def _nodes(self) -> None:
        """All nodes, each followed by the subtrees of its children; an explicit stack stands any depth."""
        table, tokens = self._table, self._tokens
        stack: list[_Open] = []
        while True:
            above = stack[-1] if stack else None
            if tokens.kind == "end":
                waiting = sum(entry.missing for entry in stack) or 1
                raise tokens.refuse(f"the tree is incomplete: the file ends, but {waiting} more nodes must follow")
            start = tokens.start
            player, infoset = self._place()
            payoffs = self._collect(above.payoffs if above else None, self._outcome())
            node = table.add(player, above.node if above else -1, infoset)
            if above:
                above.missing -= 1
            if player == TERMINAL:
                table.payoffs[node] = self._as_floats(payoffs, start)
            else:
                stack.append(_Open(node, len(table.infosets[infoset].actions), payoffs))
            while stack and not stack[-1].missing:
                stack.pop()
            if not stack:
                return

    def _place(self) -> tuple[int, int]:
        """The letter, name, player and infoset of a node: who acts and the row of the infoset."""
        tokens = self._tokens
        letter = tokens.value if tokens.kind == "word" else ""
        if letter not in ("c", "p", "t"):
            raise tokens.unexpected("a node: 'c' (chance), 'p' (player) or 't' (terminal)")
        tokens.advance()
        tokens.take_text("the name of the node")
        if letter == "t":
            return TERMINAL, -1
        player = CHANCE
        if letter == "p":
            start = tokens.start
            player = tokens.take_whole("the number of a player") - 1
            if not 0 <= player < len(self._players):
                raise tokens.refuse(
                    f"there is no player {player + 1}; the file names {len(self._players)} players", start
                )
        return player, self._infoset(player)

    def _infoset(self, player: int) -> int:
        """Number, name and actions of an infoset; later mentions may give the number alone."""
        tokens, start = self._tokens, self._tokens.start
        number = tokens.take_whole("the number of an infoset")
        name = tokens.take_text("the name of the infoset") if tokens.kind == "text" else ""
        actions = self._actions(player) if tokens.kind == "{" else None
        row = self._numbers.get((player, number))
        who = "chance" if player == CHANCE else f"player {player + 1}"
        if row is not None:
            known = self._table.infosets[row]
            if actions is not None and actions != (known.actions, known.probabilities):
                raise tokens.refuse(
                    f"infoset {number} of {who} is given {_describe(actions)}, but earlier it had "
                    f"{_describe((known.actions, known.probabilities))}",
                    start,
                )
            return row
        if actions is None:
            others = sorted({p + 1 for p, n in self._numbers if n == number and p >= 0})
            hint = f" (infoset {number} belongs to player {others[0]})" if others else ""
            raise tokens.refuse(f"infoset {number} of {who} is used before its actions are listed{hint}", start)
        self._numbers[player, number] = len(self._table.infosets)
        self._table.infosets.append(Infoset(player, number, name, *actions))
        return self._numbers[player, number]

    def _actions(self, player: int) -> ActionList:
        """`{ "a" "b" }`, for chance `{ "a" 1/2 "b" 0.5 }`."""
        tokens, start = self._tokens, self._tokens.start
        labels: list[str] = []
        numbers: list[tuple[Fraction, bool]] = []
        tokens.take_mark("{", "'{' and a list of actions")
        while tokens.kind == "text":
            labels.append(tokens.take_text("an action"))
            if player == CHANCE:
                tokens.skip_comma()
                numbers.append(tokens.take_number("the probability of the action"))
            tokens.skip_comma()
        if not labels:
            raise tokens.unexpected("at least one action in quotes")
        tokens.take_mark("}", "an action in quotes or '}'")
        probabilities = self._probabilities(numbers, start) if player == CHANCE else ()
        return distinct_labels(labels), probabilities

    def _probabilities(self, numbers: Sequence[tuple[Fraction, bool]], start: int) -> tuple[float, ...]:
        """Ratios must sum to one exactly; decimals nearly, and are divided by their sum."""
        total = sum((number for number, _ in numbers), Fraction(0))
        if any(number < 0 for number, _ in numbers):
            raise self._tokens.refuse("a probability is negative", start)
        allowed = 0 if all(exact for _, exact in numbers) else _ROUNDED_SUM
        if abs(total - 1) > allowed:
            raise self._tokens.refuse(f"the probabilities sum to {float(total):.9g} instead of 1", start)
        return tuple(float(number / total) for number, _ in numbers)

    def _outcome(self) -> Payoffs | None:
        """Number, name and payoffs of an outcome; 0 is none, later mentions may give the number alone."""
        tokens, start = self._tokens, self._tokens.start
        number = tokens.take_whole("the number of an outcome")
        if tokens.kind == "text":
            tokens.advance()
        payoffs = self._payoffs() if tokens.kind == "{" else None
        if number == 0:
            if payoffs is not None:
                raise tokens.refuse("outcome 0 means none and has no payoffs; number outcomes from 1", start)
            return None
        if payoffs is None and number not in self._outcomes:
            raise tokens.refuse(f"outcome {number} is used before its payoffs are listed", start)
        if payoffs is not None and self._outcomes.setdefault(number, payoffs) != payoffs:
            raise tokens.refuse(f"outcome {number} is given other payoffs than before", start)
        return self._outcomes[number]

    def _payoffs(self) -> Payoffs:
        """`{ 1, -1 }`, with or without commas."""
        tokens, start = self._tokens, self._tokens.start
        tokens.take_mark("{", "'{' and payoffs")
        payoffs: list[Fraction] = []
        while tokens.kind == "word":
            payoffs.append(tokens.take_number("a payoff")[0])
            tokens.skip_comma()
        tokens.take_mark("}", "a payoff or '}'")
        if len(payoffs) != len(self._players):
            raise tokens.refuse(f"{len(payoffs)} payoffs are given for {len(self._players)} players", start)
        return tuple(payoffs)

    def _collect(self, before: Payoffs | None, here: Payoffs | None) -> Payoffs | None:
        """Payoffs at inner nodes count for every terminal below."""
        if before is None or here is None:
            return here if before is None else before
        return tuple(a + b for a, b in zip(before, here, strict=True))

    def _as_floats(self, payoffs: Payoffs | None, start: int) -> tuple[float, ...]:
        if payoffs is None:
            return (0.0,) * len(self._players)
        try:
            return tuple(float(payoff) for payoff in payoffs)
        except OverflowError:
            raise self._tokens.refuse(
                "the payoffs on the way to this terminal sum to too large a number", start
            ) from None


def distinct_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels on one line each; unnamed actions and repeated names are told apart by their number."""
    names = [one_line(label) if label.strip() else "" for label in labels]
    taken = {name for name in names if name}
    out: dict[str, None] = {}
    for position, name in enumerate(names, start=1):
        label = name
        if not name or name in out:
            label = f"{name} {position}".strip()
            while label in taken:
                label += "'"
            taken.add(label)
        out[label] = None
    return tuple(out)


def _describe(actions: ActionList) -> str:
    labels, probabilities = actions
    shown = list(labels)
    if probabilities:
        shown = [f"{label} {chance:.6g}" for label, chance in zip(labels, probabilities, strict=True)]
    more = ", …" if len(shown) > 6 else ""
    return f"{len(labels)} actions ({', '.join(shown[:6])}{more})"
