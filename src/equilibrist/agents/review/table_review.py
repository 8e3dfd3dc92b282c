"""What a decision at a table before the flop cost, by the values of the solution that plays all other seats."""

from __future__ import annotations

from equilibrist.agents.review.decision_review import Valued
from equilibrist.agents.review.hindsight import Decided
from equilibrist.cards.allins.classes import class_number
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.player import Player
from equilibrist.games.rules import Game
from equilibrist.solvers.tables.table_solution import TablePolicy


def value_at_table(game: Game, player: Player, own: Decided) -> Valued:
    """Chips or prize money of each action, folding now being 0 where it is possible; the person goes on as the solution does."""
    policy = getattr(player, "policy", None)
    if not isinstance(policy, TablePolicy):
        raise NotApplicableError(
            "Decisions at tables are valued against solutions of the table, not against other players."
        )
    solution, hand = policy.solution, own.view.infoset.partition(":")[0]
    node = solution.at(own.view.public_state)
    scale = game.big_blind or 1.0
    values = node.ev_by_action[class_number(hand)] * scale
    if not (values == values).all():
        raise NotApplicableError("The solution never comes here, so that it has no values.")
    values = values - (values[node.labels.index("f")] if "f" in node.labels else 0.0)
    return Valued(
        "solved",
        node.actions,
        tuple(values.tolist()),
        node.labels.index(own.action),
        solution.exploitability * scale,
        " ".join(solution.model[:1]),
    )
