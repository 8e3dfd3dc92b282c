"""Writes any finite game as a Gambit file, version EFG 2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.history_tree.game_tree import GameTree, compile_tree
from equilibrist.games.formats.efg.tokens import quote
from equilibrist.games.rules import CHANCE, TERMINAL, Game

_LARGEST_DENOMINATOR = 10**6  # of probabilities written as ratios


def write_efg(game: Game) -> str:
    """The text of an `.efg` file with every history of the game; infosets keep their keys as names."""
    tree = compile_tree(game)
    players = " ".join(quote(f"Player {player + 1}") for player in range(tree.players))
    lines = [f"EFG 2 R {quote(game.name)} {{ {players} }}", '""', ""]
    printer = _Printer(tree)
    stack = [0]
    while stack:
        node = stack.pop()
        lines.append(printer.line(node))
        first = int(tree.first_child[node])
        stack.extend(range(first + int(tree.children[node]) - 1, first - 1, -1))
    return "\n".join(lines) + "\n"


class _Printer:
    """Prints nodes one after the other.

    Infosets are described at every node and each terminal has its own outcome, though the format allows to
    describe them once and refer to them later: some readers, OpenSpiel's for one, do not follow references.
    """

    def __init__(self, tree: GameTree) -> None:
        self._tree = tree
        self._returns = tree.returns
        self._chance_nodes = 0
        self._numbers: dict[int, int] = {}  # infoset -> number for its player
        self._counts = [0] * tree.players

    def line(self, node: int) -> str:
        acting = int(self._tree.player[node])
        if acting == TERMINAL:
            return f't "" {self._outcome(int(self._tree.terminal[node]))}'
        if acting == CHANCE:
            self._chance_nodes += 1
            return f'c "" {self._chance_nodes} "" {{ {self._chance(node)} }} 0'
        return f'p "" {acting + 1} {self._infoset(acting, int(self._tree.infoset[node]))} 0'

    def _chance(self, node: int) -> str:
        tree = self._tree
        below = range(int(tree.first_child[node]), int(tree.first_child[node]) + int(tree.children[node]))
        numbers = format_probabilities([float(tree.chance_probability[child]) for child in below])
        return " ".join(
            f"{quote(tree.labels[tree.label[child]])} {number}" for child, number in zip(below, numbers, strict=True)
        )

    def _infoset(self, player: int, infoset: int) -> str:
        if infoset not in self._numbers:
            self._counts[player] += 1
            self._numbers[infoset] = self._counts[player]
        actions = " ".join(quote(action) for action in self._tree.infosets.actions[infoset])
        return f"{self._numbers[infoset]} {quote(self._tree.infosets.keys[infoset])} {{ {actions} }}"

    def _outcome(self, terminal: int) -> str:
        payoffs = [float(payoff) for payoff in self._returns[terminal]]
        if not all(math.isfinite(payoff) for payoff in payoffs):
            raise NotApplicableError(
                f"The game '{self._tree.game.name}' has the payoffs {payoffs}, but an .efg file holds finite "
                "numbers only."
            )
        return f'{terminal + 1} "" {{ {", ".join(_format(payoff) for payoff in payoffs)} }}'


def format_probabilities(probabilities: Sequence[float]) -> list[str]:
    """Ratios where they give the same floats and sum to one, decimals elsewhere."""
    ratios = [Fraction(probability).limit_denominator(_LARGEST_DENOMINATOR) for probability in probabilities]
    if sum(ratios) == 1 and all(float(ratio) == p for ratio, p in zip(ratios, probabilities, strict=True)):
        return [str(ratio) for ratio in ratios]
    return [repr(probability) for probability in probabilities]


def _format(payoff: float) -> str:
    return str(int(payoff)) if payoff.is_integer() and abs(payoff) < 1e15 else repr(payoff)
