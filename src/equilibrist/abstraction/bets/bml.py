"""BML, the betting-model language: a two-player betting tree with its sequences and leaves as XML ([Gilpin09, §7.4.3]).

Player 1 writes small letters, player 2 capitals: f fold, c call, k check, r1, r2 … raises by size, a all-in. Sequences are numbered for
each player and round, depth first; `parent` is the player's sequence before a decision in the same round, -1 where there is none.
Lines of earlier rounds stand before a slash.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.forms.betting_tree.betting_tree import DECISION, FOLD, FOLDED, RAISED, BettingTree

MOST_CHARACTERS = 32_000_000
DEEPEST = 8  # bml, round, decisions, decision, action


@dataclass(frozen=True)
class SequenceDecision:
    """Who acts after a sequence, and the numbers of the sequences that follow."""

    player: int  # 1 or 2
    sequence: str
    parent: int
    actions: tuple[tuple[str, int], ...]  # name and number


@dataclass(frozen=True)
class Leaf:
    """An end of the hand: last sequence numbers of both players in this round, and chips."""

    seq1: int
    seq2: int
    kind: Literal["fold", "showdown"]
    sequence: str
    amount: float  # fold: payoff of player 1; showdown: chips of each player in the pot


@dataclass(frozen=True)
class Round:
    number: int
    decisions: tuple[SequenceDecision, ...]
    leaves: tuple[Leaf, ...]
    continuing: int  # histories that go on to the next round

    def sequences(self, player: int) -> int:
        """How many sequences a player has in this round."""
        return sum(len(decision.actions) for decision in self.decisions if decision.player == player)


@dataclass(frozen=True)
class BettingModel:
    name: str
    rounds: tuple[Round, ...]


def betting_model(tree: BettingTree, name: str) -> BettingModel:
    """The model of a betting tree of two players."""
    if tree.players != 2:
        raise NotApplicableError(f"BML describes two players, but this betting tree has {tree.players}.")
    rounds, roots = [], [(0, "")]
    for number in range(tree.rounds):
        walk = _Walk(tree, number)
        for node, line in roots:
            walk.visit(node, line, (-1, -1))
        rounds.append(Round(number + 1, tuple(walk.decisions), tuple(walk.leaves), len(walk.following)))
        roots = walk.following
    return BettingModel(name, tuple(rounds))


class _Walk:
    """One round, depth first: the sequences of a decision are numbered when it is met."""

    def __init__(self, tree: BettingTree, round: int) -> None:
        self.tree, self.round = tree, round
        self.count = [0, 0]
        self.decisions: list[SequenceDecision] = []
        self.leaves: list[Leaf] = []
        self.following: list[tuple[int, str]] = []

    def visit(self, node: int, line: str, last: tuple[int, int]) -> None:
        tree = self.tree
        if tree.kind[node] != DECISION:
            self.leaves.append(self._leaf(node, line, last))
            return
        if tree.round[node] != self.round:
            self.following.append((node, f"{line}/"))
            return
        player, first = int(tree.player[node]), int(tree.first_child[node])
        names = self._names(node)
        start = self.count[player]
        self.count[player] += len(names)
        self.decisions.append(
            SequenceDecision(player + 1, line, last[player], tuple((name, start + i) for i, name in enumerate(names)))
        )
        for i, name in enumerate(names):
            after = (start + i, last[1]) if player == 0 else (last[0], start + i)
            self.visit(first + i, line + name, after)

    def _names(self, node: int) -> list[str]:
        tree = self.tree
        first, raises, out = int(tree.first_child[node]), 0, []
        facing = tree.paid[node].max() > tree.paid[node, tree.player[node]]
        for child in range(first, first + int(tree.children[node])):
            if tree.step[child] == FOLDED:
                name = "f"
            elif tree.step[child] != RAISED:
                name = "c" if facing else "k"
            elif tree.paid[child].max() >= tree.rules.stack - 1e-9:
                name = "a"
            else:
                raises += 1
                name = f"r{raises}"
            out.append(name if tree.player[node] == 0 else name.upper())
        return out

    def _leaf(self, node: int, line: str, last: tuple[int, int]) -> Leaf:
        paid, folded = self.tree.paid[node], int(self.tree.folded[node])
        if self.tree.kind[node] == FOLD:
            amount = -float(paid[0]) if folded & 1 else float(paid[1])
            return Leaf(last[0], last[1], "fold", line, amount)
        return Leaf(last[0], last[1], "showdown", line, float(paid.min()))


def write_bml(model: BettingModel) -> str:
    """The XML of a model."""
    out = [f"<bml name={quoteattr(model.name)}>"]
    for one in model.rounds:
        out.append(f' <round number="{one.number}" continuing="{one.continuing}">\n  <decisions>')
        for decision in one.decisions:
            out.append(
                f'   <decision player="{decision.player}" sequence={quoteattr(decision.sequence)} parent="{decision.parent}">'
            )
            out += [f'    <action name={quoteattr(name)} number="{number}"/>' for name, number in decision.actions]
            out.append("   </decision>")
        out.append("  </decisions>\n  <leaves>")
        for leaf in one.leaves:
            key = "payoff" if leaf.kind == "fold" else "potshare"
            out.append(
                f'   <leaf seq1="{leaf.seq1}" seq2="{leaf.seq2}" type="{leaf.kind}" sequence={quoteattr(leaf.sequence)} '
                f'{key}="{leaf.amount:.17g}"/>'
            )
        out.append("  </leaves>\n </round>")
    return "\n".join([*out, "</bml>", ""])


def read_bml(text: str) -> BettingModel:
    """A model from XML; refuses documents with entities or types of their own, and what is no BML."""
    root = _parse(text)
    try:
        if root.tag != "bml":
            raise FormatError(f"This XML is a '{root.tag}', but a 'bml' was expected.")
        return BettingModel(root.attrib["name"], tuple(_read_round(one) for one in root.findall("round")))
    except (KeyError, ValueError) as error:
        raise FormatError(f"This BML is incomplete or damaged ({error}); write it again with write_bml.") from None


def _parse(text: str) -> ElementTree.Element:
    if len(text) > MOST_CHARACTERS:
        raise FormatError(f"This BML has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read.")
    builder, parser, depth = ElementTree.TreeBuilder(), expat.ParserCreate(), 0

    def refuse(*_: object) -> int:
        raise FormatError("This XML declares a document type or entities, which BML never needs; it is not read.")

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise FormatError(f"This XML has elements more than {DEEPEST} deep, which BML never needs; it is not read.")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(text, True)
        return builder.close()
    except (expat.ExpatError, AssertionError) as error:
        raise FormatError(f"This is not XML: {error}.") from None


def _read_round(element: ElementTree.Element) -> Round:
    decisions = tuple(
        SequenceDecision(
            int(one.attrib["player"]),
            one.attrib["sequence"],
            int(one.attrib["parent"]),
            tuple((action.attrib["name"], int(action.attrib["number"])) for action in one.findall("action")),
        )
        for one in element.findall("decisions/decision")
    )
    leaves = tuple(_read_leaf(one) for one in element.findall("leaves/leaf"))
    return Round(int(element.attrib["number"]), decisions, leaves, int(element.attrib.get("continuing", 0)))


def _read_leaf(one: ElementTree.Element) -> Leaf:
    kind, given = one.attrib["type"], one.attrib
    numbers = int(given["seq1"]), int(given["seq2"])
    if kind == "fold":
        return Leaf(*numbers, "fold", given["sequence"], float(given["payoff"]))
    if kind == "showdown":
        return Leaf(*numbers, "showdown", given["sequence"], float(given["potshare"]))
    raise FormatError(f"A leaf of type '{kind}' is unknown; expected fold or showdown.")
