"""What is solved at a table: in one place, the words that go with every result."""

from __future__ import annotations

from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.tables.table import THREE_BY_TABLE

MEASURED = "largest gain of a seat's exact best response in the model"


def model_sentences(tree: TableTree) -> list[str]:
    """What the model keeps and what it leaves out, for people."""
    table, out = tree.table, []
    if tree.flops:
        out.append("Flops are checked down: whoever sees one shows its cards without further bets.")
    if table.seats > 2:
        out.append(
            "A seat counts its own cards against the others' hands exactly, but takes those for independent of each other: what folded "
            "hands tell about the deck (bunching) is left out."
        )
        if table.players_to_flop < table.seats:
            out.append(f"At most {table.players_to_flop} players see a flop; the next ones fold.")
    if (tree.staying[:, 2] >= 0).any():
        by_table = table.three_way == THREE_BY_TABLE
        three = (
            "three by a table of sampled showdowns"
            if by_table
            else "three by conditional products of two, which favours folding"
        )
        out.append(f"Two hands that show are compared exactly, {three}.")
    if table.seats > 2 or table.payouts or table.rake.rate:
        out.append("The game is not zero-sum for two: CFR has no guarantee here, the gains say how good the answer is.")
    return out
