"""Exact best responses inside an endgame, over all hands, whatever buckets the strategies were found with."""

from __future__ import annotations

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.search.endgame_programs.endgame_betting import EndgameBetting
from equilibrist.search.endgame_programs.joint_hands import JointHands


def sequence_values(betting: EndgameBetting, hands: JointHands, player: int, plan: Floats) -> Floats:
    """[hand, sequence + 1] what each own sequence earns against the other player's plan [hand, sequence + 1]."""
    mass, sign = hands.probability, hands.sign
    if player == 1:
        mass, sign = mass.T, -sign.T
    folded, shown = mass @ plan, (mass * sign) @ plan
    out = np.zeros((len(mass), betting.players[player].sequences + 1))
    for (one, two), show, payoff in zip(betting.ends, betting.showdown, betting.payoff, strict=True):
        own, other = (one, two) if player == 0 else (two, one)
        out[:, own] += payoff * shown[:, other] if show else (payoff if player == 0 else -payoff) * folded[:, other]
    return out


def best_reply(betting: EndgameBetting, hands: JointHands, player: int, plan: Floats) -> float:
    """The most that a player wins against the other's plan, in chips of the whole hand."""
    worth, tree = sequence_values(betting, hands, player, plan), betting.players[player]
    for number in reversed(range(len(tree.lines))):
        first, width = int(tree.first[number]), int(tree.width[number])
        worth[:, tree.parent[number]] += worth[:, first : first + width].max(axis=1)
    return float(worth[:, 0].sum())


def endgame_exploitability(betting: EndgameBetting, hands: JointHands, plans: tuple[Floats, Floats]) -> float:
    """Half of what two best responders win together, in chips: 0 for an equilibrium of the endgame, given its ranges."""
    return (best_reply(betting, hands, 0, plans[1]) + best_reply(betting, hands, 1, plans[0])) / 2.0
