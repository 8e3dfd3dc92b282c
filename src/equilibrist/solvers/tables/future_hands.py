"""Hands of jam or fold after this one, many at once: those whose betting has one shape are settled and solved by one kernel.

The rules of betting are those of tables (`games/tables/betting.py`): a table grows the shape, and hands with other stacks take it over.
Deep stacks do not change it, since everybody acts once; stacks of a big blind or less do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from equilibrist.cards.allins.classes import CLASSES, combinations
from equilibrist.cards.allins.pairs import pair_outcomes, removal
from equilibrist.compute.threads import Team
from equilibrist.core.arrays import Floats, Longs
from equilibrist.forms.table_tree.table_tree import STAY, grow_table
from equilibrist.games.tables.betting import NOBODY, first_situation, posted
from equilibrist.games.tables.payoffs import weak_orders
from equilibrist.games.tables.table import Ante, Table
from equilibrist.solvers.cfr.schedules import Discounted, discount_factors
from equilibrist.solvers.tables._kernels.ends import Reaches
from equilibrist.solvers.tables._kernels.future_hands import Betting, Known, Learning, settle_hands, solve_hand
from equilibrist.solvers.tables.showdowns.several_hands import nowhere_several
from equilibrist.solvers.tables.showdowns.three_hands import no_table
from equilibrist.solvers.tables.table_cfr import standings_of_three

MOST_ITERATIONS = 1000
HANDS_AT_ONCE = 16  # that are worth a thread

Stacks = tuple[float, ...]  # in the order of acting, none of them empty


@dataclass(frozen=True)
class HandRules:
    """What all hands to come have in common."""

    blinds: tuple[float, float]
    ante: Ante
    players: int  # the most who are all-in in one hand, unless blinds and antes force more


@dataclass(frozen=True)
class HandGroup:
    """Hands whose betting has one shape."""

    which: Longs  # [hand] number of each in the list that was given
    stacks: Floats  # [hand, seat]
    betting: Betting
    after: Floats  # [hand, outcome, seat] stacks after the hand


def group_hands(rules: HandRules, hands: Sequence[Stacks], numbers: Sequence[int]) -> tuple[list[HandGroup], list[int]]:
    """Hands by the shape of their betting, settled; and numbers of those in which blinds leave nobody or too many to be compared."""
    alike: dict[tuple[int, Stacks], list[int]] = defaultdict(list)
    not_played = []
    for number in numbers:
        stacks = hands[number]
        bets, dead = posted(stacks, rules.blinds, rules.ante)
        forced = sum(stack <= bet + ante for stack, bet, ante in zip(stacks, bets, dead, strict=True))
        if forced >= min(len(stacks), STAY):
            not_played.append(number)
            continue
        short = [stack if stack - ante <= rules.blinds[1] else np.inf for stack, ante in zip(stacks, dead, strict=True)]
        players = min(len(stacks), STAY, max(rules.players, forced + 1))
        alike[players, tuple(short)].append(number)
    return [_group(rules, players, which, hands) for (players, _), which in alike.items()], not_played


def _group(rules: HandRules, players: int, which: list[int], hands: Sequence[Stacks]) -> HandGroup:
    first = hands[which[0]]
    table = Table(
        stacks=list(first), blinds=rules.blinds, ante={rules.ante.kind: rules.ante.amount}, players_to_flop=players
    )
    betting = _shape(table)
    stacks = np.array([hands[number] for number in which])
    posts = np.array(
        [posted(hands[number], rules.blinds, rules.ante) for number in which]
    )  # [hand, live or dead, seat]
    after = np.empty((len(which), int(betting.first_pay[-1]), len(first)))
    bets, dead = np.ascontiguousarray(posts[:, 0]), np.ascontiguousarray(posts[:, 1])
    settle_hands(
        stacks, bets, dead, rules.ante.kind == "each", betting.staying, _ranks(), betting.first_pay, after
    )  # fmt: skip
    return HandGroup(np.array(which), stacks, betting, after)


def _shape(table: Table) -> Betting:
    """The betting of a table as arrays; one end alone where nobody has anything to decide."""
    here, seats = first_situation(table), table.seats
    if here.seat == NOBODY:
        nothing, staying = np.zeros(0, np.int64), (*here.staying, -1, -1)[:STAY]
        rows = np.arange(seats)[None]
        return Betting(
            nothing, np.zeros(1, np.int64), nothing, nothing, np.zeros(seats + 1, np.int64), np.zeros(seats, np.int64), nothing,
            rows, np.zeros((0, seats), np.int64), np.array([staying]), np.array([0, len(weak_orders(len(here.staying)))]),
        )  # fmt: skip
    tree = grow_table(table)
    first_pay = np.append(tree.first_pay, len(tree.pays))
    return Betting(
        tree.seat, tree.first, tree.slots, tree.children, tree.seat_slots, tree.seat_folds, tree.before, tree.rows, tree.decision_rows,
        tree.staying, first_pay,
    )  # fmt: skip


@lru_cache(maxsize=1)
def _ranks() -> Longs:
    """[hands that show - 1, outcome, place] the orders in which hands can rank."""
    out = np.zeros((STAY, len(weak_orders(STAY)), STAY), np.int64)
    for shown in range(1, STAY + 1):
        orders = np.array(weak_orders(shown))
        out[shown - 1, : len(orders), :shown] = orders
    return out


def solve_hands(group: HandGroup, pays: Floats, target: float, team: Team) -> tuple[Floats, float]:
    """Expected payoffs [hand, seat] of solved hands from pays [hand, outcome, seat], and the largest gain that is left in any of them."""
    out, gains = np.empty(group.stacks.shape), np.empty(group.stacks.shape)
    parts = range(0, len(pays), HANDS_AT_ONCE)
    team.run(
        [partial(_solve_some, group.betting, pays, target, slice(b, b + HANDS_AT_ONCE), out, gains) for b in parts]
    )
    return out, float(gains.max(initial=0.0))


def _solve_some(betting: Betting, pays: Floats, target: float, part: slice, out: Floats, gains: Floats) -> None:
    seats, slots, decisions, ends = out.shape[1], len(betting.before), len(betting.seat), len(betting.rows)
    known = _known(decisions)
    strategy, regret, total, average = np.zeros((4, slots, CLASSES))
    values, best = np.zeros((2, max(1, decisions), CLASSES))
    learning = Learning(strategy, regret, total, average, values, best, np.empty((ends, CLASSES)))
    reaches = Reaches(*np.zeros((4, slots + seats, CLASSES)))
    reaches.reach[slots:] = 1.0
    for matrix, met in ((known.met, reaches.met), (known.won, reaches.won), (known.tied, reaches.tied)):
        met[slots:] = matrix.sum(axis=0)
    chances = np.empty(pays.shape[1])
    for hand in range(len(pays))[part]:
        solve_hand(betting, pays[hand], known, reaches, learning, target, chances, gains[hand])
        out[hand] = chances @ pays[hand]


@lru_cache(maxsize=32)
def _known(decisions: int) -> Known:
    outcomes, meets = pair_outcomes(), removal()
    met, won, tied = (np.ascontiguousarray(m.T) for m in (meets, meets * outcomes.win, meets * outcomes.tie))
    return Known(
        met=met,
        won=won,
        tied=tied,
        combinations=combinations().astype(np.float64),
        orders=standings_of_three(),
        factors=discount_factors(Discounted(), 0, MOST_ITERATIONS),
        three=no_table(1 << 12),
        several=nowhere_several(1 << 12),
        lock=np.full(decisions, -1),
        fixed=np.zeros((0, 2, CLASSES)),
        free=np.zeros((0, CLASSES)),
    )
