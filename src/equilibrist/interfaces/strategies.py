"""Rows of a policy in the order in which people read them: by public state, then by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from equilibrist.core.errors import ParameterError, UnknownNameError, suggest
from equilibrist.core.policy import InfosetIndex, PublicPolicy, TabularPolicy

if TYPE_CHECKING:
    from equilibrist.core.solution import Solution

EQUAL_WITHIN = 0.005  # strategies that differ by less are shown as one when suits are left out

_SUITED = re.compile(r"([2-9TJQKA])[cdhs](?![a-z])")
_RANKS = {rank: number for number, rank in enumerate("TJQKA", start=10)}


@dataclass(frozen=True)
class StrategyRow:
    """One line of a table; `merged` infosets that differ only in suits stand behind it."""

    player: int
    key: str
    public: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    merged: int = 1


def by_public_state(solution: Solution) -> PublicPolicy | None:
    """The policy of a solution that is looked up by public state; None where it is a table of all infosets."""
    policy = solution.policy
    return None if isinstance(policy, TabularPolicy) else cast(PublicPolicy, policy)


def solution_rows(solution: Solution, *, line: str | None = None, player: int | None = None) -> list[StrategyRow]:
    """Rows of a solution: at a line and after it, or, where strategies are kept by public state, at that one alone."""
    policy = by_public_state(solution)
    if policy is None:
        return strategy_rows(solution.tabular(), line=line, player=player)
    place = policy.find(line or "")
    acting, public, actions = policy.player(place), line or "", policy.actions(place)
    where = f"after '{line}'" if line else "first"
    if acting < 0:
        raise UnknownNameError(f"Nobody acts {where}; {policy.what_follows(place)}.")
    if player is not None and player != acting:
        raise UnknownNameError(
            f"Player {acting + 1} acts {where}, but player {player + 1} was asked for; leave out --player."
        )
    keys = [f"{label}:{public}" if public else label for label in policy.labels(place, acting)]
    table = policy.table(place, acting).tolist()
    rows = [StrategyRow(acting, key, public, actions, tuple(row)) for key, row in zip(keys, table, strict=True)]
    return _by_public_state(rows)


def strategy_json(solution: Solution, rows: list[StrategyRow]) -> dict[str, Any]:
    """A solution and rows of it, as `show --json` prints them; players count from 1."""
    return {
        "game": solution.game,
        "solver": solution.solver,
        "iterations": solution.iterations,
        "exploitability": solution.exploitability,
        "converged": solution.converged,
        "infosets": {
            row.key: {
                "player": row.player + 1,
                "public": row.public,
                "strategy": dict(zip(row.actions, row.probabilities, strict=True)),
            }
            for row in rows
        },
    }


def strategy_rows(policy: TabularPolicy, *, line: str | None = None, player: int | None = None) -> list[StrategyRow]:
    """Rows at a line and everything after it, of one player (from 0) or of all."""
    infosets = policy.infosets
    chosen = list(range(len(infosets))) if line is None else infosets_at(infosets, line)
    if player is not None:
        if player not in infosets.player:
            raise ParameterError(f"Player {player + 1} makes no decision in this game; players count from 1.")
        chosen = [i for i in chosen if infosets.player[i] == player]
    rows = []
    for i in chosen:
        public = infosets.public[i] if infosets.public else ""
        probabilities = tuple(policy.row(i).tolist())
        rows.append(StrategyRow(int(infosets.player[i]), infosets.keys[i], public, infosets.actions[i], probabilities))
    return _by_public_state(rows)


def infosets_at(infosets: InfosetIndex, line: str) -> list[int]:
    """Infosets whose public state (or key) is the line or goes on from it; suits may be left out."""
    for texts in (infosets.public, infosets.keys):
        for simplify in (str, without_suits):
            found = [i for i, text in enumerate(texts) if _goes_on(simplify(text), line)]
            if found:
                return found
    known = sorted(set(infosets.public) | set(infosets.keys))
    raise UnknownNameError(f"No decision lies at or after the line '{line}'.{suggest(line, known)}")


def shortened(rows: Sequence[StrategyRow], most: int) -> list[StrategyRow]:
    """At most so many rows: suits that do not matter are left out, then the earliest public states are kept."""
    if len(rows) <= most:
        return list(rows)
    merged = merge_suits(rows)
    if len(merged) <= most:
        return merged
    kept = sorted(merged, key=lambda row: _depth(row.public))[: most + 1]
    whole = len(kept) - 1  # a public state that does not fit is left out, unless it is the only one
    while whole > 0 and kept[whole].public == kept[whole - 1].public:
        whole -= 1
    return kept[: whole or most]


def merge_suits(rows: Sequence[StrategyRow]) -> list[StrategyRow]:
    """One row for infosets that differ only in suits and are played alike."""
    groups: dict[tuple[int, str], list[StrategyRow]] = {}
    for row in rows:
        groups.setdefault((row.player, without_suits(row.key)), []).append(row)
    out = []
    for (_, key), group in groups.items():
        first = group[0]
        alike = all(
            row.actions == first.actions
            and all(abs(a - b) <= EQUAL_WITHIN for a, b in zip(row.probabilities, first.probabilities, strict=True))
            for row in group
        )
        if len(group) == 1 or not alike:
            out.extend(group)
            continue
        mean = tuple(sum(column) / len(group) for column in zip(*(row.probabilities for row in group), strict=True))
        out.append(StrategyRow(first.player, key, without_suits(first.public), first.actions, mean, len(group)))
    return out


def without_suits(text: str) -> str:
    """`Kc:b` is `K:b`."""
    return _SUITED.sub(r"\1", text)


def _goes_on(text: str, line: str) -> bool:
    """The text is the line, or the line and a further step (`b:c` goes on from `b`, `b20` does not)."""
    if not text.startswith(line):
        return False
    rest = text[len(line) :]
    return not rest or not line or not line[-1].isalnum() or not rest[0].isalnum()


def _by_public_state(rows: list[StrategyRow]) -> list[StrategyRow]:
    groups: dict[tuple[str, int], list[StrategyRow]] = {}
    for row in rows:
        groups.setdefault((row.public, row.player), []).append(row)
    return [row for group in groups.values() for row in sorted(group, key=lambda row: hand_order(row.key))]


def hand_order(key: str) -> tuple[int, ...]:
    """The private part of a key, cards by rank; the order of the tree decides the rest."""
    private = re.split(r"[:\s]", key, maxsplit=1)[0]
    return tuple(_RANKS.get(c, int(c) if c.isdecimal() else 100 + ord(c)) for c in private)


def _depth(public: str) -> int:
    return sum(1 for step in re.split(r"[:,\s]", public) if step)
