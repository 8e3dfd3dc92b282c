"""What is solved at a table: in one place, the words that go with every result."""

from __future__ import annotations

from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.tables.table import THREE_BY_TABLE

MEASURED = "largest gain of a seat's exact best response in the model"
FLOPS = "Flops are checked down: whoever sees one shows its cards without further bets."
BUNCHED = (
    "A seat counts its own cards against the others' hands exactly; how likely those are beside what all others have done (bunching) is "
    "weighed one seat at a time."
)
INDEPENDENT = (
    "A seat counts its own cards against the others' hands exactly, but takes those for independent of each other: what folded hands tell "
    "about the deck (bunching) is left out."
)
BY_TABLE = "Two hands that show are compared exactly, three by a table of sampled showdowns."
BY_PRODUCTS = "Two hands that show are compared exactly, three by conditional products of two, which favours folding."
NO_GUARANTEE = "The game is not zero-sum for two: CFR has no guarantee here, the gains say how good the answer is."


def model_sentences(tree: TableTree) -> list[str]:
    """What the model keeps and what it leaves out, for people."""
    table, out = tree.table, []
    if tree.flops:
        out.append(FLOPS)
    if table.seats > 2:
        out.append(BUNCHED if table.bunching else INDEPENDENT)
        if table.players_to_flop < table.seats:
            out.append(f"At most {table.players_to_flop} players see a flop; the next ones fold.")
    if (tree.staying[:, 2] >= 0).any():
        out.append(BY_TABLE if table.three_way == THREE_BY_TABLE else BY_PRODUCTS)
    if table.seats > 2 or table.payouts or table.rake.rate:
        out.append(NO_GUARANTEE)
    return out
