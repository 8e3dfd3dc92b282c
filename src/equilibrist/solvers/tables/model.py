"""What is solved at a table: in one place, the words that go with every result."""

from __future__ import annotations

from collections.abc import Sequence

from equilibrist.core.arrays import Floats
from equilibrist.forms.table_tree.table_tree import TableTree
from equilibrist.games.tables.flop_leaves import REALISED, FlopLeaves
from equilibrist.games.tables.table import THREE_BY_ODDS, THREE_BY_TABLE

MEASURED = "largest gain of a seat's exact best response in the model"
FLOPS = "Flops are checked down: whoever sees one shows its cards without further bets."
REALISED_EQUITY = (
    "Whoever sees a flop has its equity and what its class of hands won beyond that in our own solves of flops heads-up, by position, "
    "depth and who raised last; what one wins by it the other loses."
)
THREE_REALISED = "Of three players on a flop each pair does so for half the pot."
MORE_REALISED = "Of three players on a flop each pair does so for half the pot, of four for a third, and so on."
BUNCHED = (
    "A seat counts its own cards against the others' hands exactly; how likely those are beside what all others have done (bunching) is "
    "weighed one seat at a time."
)
INDEPENDENT = (
    "A seat counts its own cards against the others' hands exactly, but takes those for independent of each other: what folded hands tell "
    "about the deck (bunching) is left out."
)
BY_TABLE = "Two hands that show are compared exactly, three by a table of sampled showdowns."
NEARER = 'With three_way = "table" in the table\'s file they are compared by sampled showdowns, made once in minutes.'
BY_PRODUCTS = (
    f"Two hands that show are compared exactly, three by conditional products of two, which favours folding. {NEARER}"
)
ODDS = "each wins a pot in proportion to its odds against the hand that looks, as if these two were alone, and a split is half a win"
BY_ODDS = f"Two hands that show are compared exactly, three by odds of two: {ODDS}. {NEARER}"
MORE_BY_ODDS = f"More than three hands that show are compared by odds of two: {ODDS}."
NO_GUARANTEE = "The game is not zero-sum for two: CFR has no guarantee here, the gains say how good the answer is."


def model_sentences(tree: TableTree, played: Sequence[int], chances: Floats) -> list[str]:
    """What the model keeps and what it leaves out, for people; ends `played` on flops, `chances` [end] that they come."""
    table, out = tree.table, []
    if tree.flops:
        out += flop_sentences(tree, played, chances)
    if table.seats > 2:
        out.append(BUNCHED if table.bunching else INDEPENDENT)
        if table.players_to_flop < table.seats:
            out.append(f"At most {table.players_to_flop} players see a flop; the next ones fold.")
    if (tree.showing == 3).any():
        out.append({THREE_BY_TABLE: BY_TABLE, THREE_BY_ODDS: BY_ODDS}.get(table.three_way, BY_PRODUCTS))
    if (tree.showing > 3).any():
        out.append(MORE_BY_ODDS if table.three_way != THREE_BY_ODDS else "More than three are compared by odds, too.")
    if tree.depth:
        out.append(_futures(tree))
    if table.seats > 2 or table.payouts or table.rake.rate:
        out.append(NO_GUARANTEE)
    return out


def flop_sentences(tree: TableTree, played: Sequence[int], chances: Floats) -> list[str]:
    """What happens after the flop."""
    leaves = tree.table.leaves
    if leaves == REALISED:
        more = max((len(end.staying) for end in tree.played_ends.values()), default=0)
        return [REALISED_EQUITY, *([THREE_REALISED] if more == 3 else [MORE_REALISED] if more > 3 else [])]
    if not isinstance(leaves, FlopLeaves):
        return [FLOPS]
    flops, left = len(leaves.flops), [end for end in tree.flop_ends if end not in set(played)]
    out = [
        f"Two players who see a flop bet on it: {len(played)} of {len(tree.flop_ends)} lines go on over {flops} weighted "
        f"{'flop' if flops == 1 else 'flops'} with {leaves.cards_text}; gains go through them. Equities are those of all boards."
    ]
    if left:
        missed = 100.0 * sum(float(chances[end]) for end in left)
        out.append(
            f"Lines of two players that come too rarely are checked down: {len(left)}, in {missed:.2g} % of hands."
        )
    if tree.flops > len(tree.flop_ends):
        out.append("Three or more players who see a flop check it down.")
    return out


def _futures(tree: TableTree) -> str:
    """What stacks are worth after the hand."""
    depth, players = tree.table.fgs.depth, tree.table.fgs.players
    hands = "one more hand" if depth == 1 else f"{depth} more hands"
    return (
        f"Stacks after the hand are worth what ICM says after {hands} of jam or fold at the same blinds (future-game simulation), at most "
        f"{players} all-in in each; no seat could gain more than {tree.future_gain:.2g} in one of them."
    )
