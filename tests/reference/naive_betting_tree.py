"""The betting tree by walking the rules themselves, one readable node after the other."""

from equilibrist.games.poker.betting import first_node
from equilibrist.games.rules import CHANCE, TERMINAL

DECISION, FOLD, SHOWDOWN, RUNOUT = 0, 1, 2, 3


def walk(rules):
    """Dictionaries of all nodes in the order of BettingTree: siblings together, then depth first."""
    nodes = []

    def add(node, parent, label):
        ended = node.round
        while node.player == CHANCE:
            node = node.after_deal
        kind = DECISION
        if node.player == TERMINAL:
            kind = (
                FOLD if sum(node.folded) == rules.players - 1 else RUNOUT if ended + 1 < len(rules.board) else SHOWDOWN
            )
        else:
            ended = node.round
        nodes.append(
            {
                "player": node.player,
                "kind": kind,
                "round": ended,
                "parent": parent,
                "label": label,
                "paid": node.paid,
                "folded": node.folded,
            }
        )
        return node

    stack = [(0, add(first_node(rules), -1, ""))]
    while stack:
        n, node = stack.pop()
        below = [(len(nodes), add(child, n, label)) for label, child in node.options]
        nodes[n]["children"] = len(below)
        nodes[n]["first_child"] = below[0][0]
        stack.extend(entry for entry in reversed(below) if entry[1].player >= 0)
    return nodes
