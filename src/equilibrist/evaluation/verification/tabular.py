"""A second opinion: value and exploitability of a saved policy from the rules alone, with dictionaries and no arrays.

One walk over all histories adds up, for every player, what each of its own sequences (infoset, action) earns against
the others; best responses are then read off from the deepest infosets upwards. Nothing here is shared with the solvers
or with compiled trees.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation, Solution
from equilibrist.evaluation.verification.claims import NO_CLAIMS, Claims
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

RELATIVE_TOLERANCE = 1e-9  # of the largest payoff: both routes add up in double precision
DISTRIBUTION_TOLERANCE = 1e-6  # of probabilities that should sum to one
REPORT_EVERY = 20_000  # histories between calls of a progress callback
MOST_PROBLEMS = 20  # listed; one is enough to refuse

WalkProgress = Callable[[int], None]  # told how many histories have been walked
Sequences = tuple[int, ...]  # per player, the number of its last own (infoset, action); 0 before its first


@dataclass(frozen=True)
class Verification:
    """What the file says beside what the rules say."""

    game: str
    stated: Evaluation | None
    recomputed: Evaluation | None  # None where the policy does not fit the rules
    tolerance: float
    histories: int
    seconds: float
    problems: tuple[str, ...] = ()
    walked: str = "histories"  # what was counted
    route: str = "the rules say"
    claims: Claims = NO_CLAIMS

    @property
    def difference(self) -> float:
        """Largest distance between a stated and a recomputed number."""
        if self.stated is None or self.recomputed is None:
            return math.nan
        stated, recomputed = list(self.stated.value), list(self.recomputed.value)
        stated += self.stated.best_response_value or ()  # what is left out where it can be known is wrong, too
        recomputed += self.recomputed.best_response_value or ()
        if len(stated) != len(recomputed) or not all(map(math.isfinite, stated)):
            return math.inf
        return max(abs(a - b) for a, b in zip(stated, recomputed, strict=True))

    @property
    def agrees(self) -> bool:
        """The policy fits the rules, and nothing that is stated is wrong."""
        if self.problems or self.recomputed is None or self.claims.wrong:
            return False
        return self.stated is None or self.difference <= self.tolerance

    @property
    def rows(self) -> list[tuple[str, float | None, float | None]]:
        """What is compared: a name, what the file says, what the rules say."""
        if self.recomputed is None:
            return []
        stated, best = self.stated, self.recomputed.best_response_value
        rows = _pairs("value", stated.value if stated else None, self.recomputed.value)
        rows += _pairs("best response", stated.best_response_value if stated else None, best)
        if best is not None:
            rows.append(("exploitability", stated.exploitability if stated else None, self.recomputed.exploitability))
        return rows

    def to_json(self) -> dict[str, Any]:
        """What `verify --json` prints."""
        return {
            "game": self.game,
            "agrees": self.agrees,
            "stated": _numbers(self.stated),
            "recomputed": _numbers(self.recomputed),
            "difference": self.difference,
            "tolerance": self.tolerance,
            "histories": self.histories,
            "seconds": self.seconds,
            "problems": [*self.problems, *self.claims.wrong],
            "right": list(self.claims.right),
            "stated_only": self.claims.stated,
        }


def _pairs(
    name: str, stated: Sequence[float] | None, recomputed: Sequence[float] | None
) -> list[tuple[str, float | None, float | None]]:
    players = max(len(stated or ()), len(recomputed or ()))
    both = [
        [None if each is None or p >= len(each) else each[p] for each in (stated, recomputed)] for p in range(players)
    ]
    return [(f"{name} of player {p + 1}", first, second) for p, (first, second) in enumerate(both)]


def _numbers(evaluation: Evaluation | None) -> dict[str, Any] | None:
    if evaluation is None:
        return None
    return {
        "value": list(evaluation.value),
        "best_response_value": evaluation.best_response_value,
        "nash_conv": evaluation.nash_conv,
        "exploitability": evaluation.exploitability,
    }


def verify_solution(
    solution: Solution, game: Game | None = None, *, progress: WalkProgress | None = None
) -> Verification:
    """Recompute what `solution` claims; `game` is loaded by its name unless given."""
    begin = time.perf_counter()
    if solution.settings.get("bindings"):
        raise NotApplicableError(
            "This solution was found with opponent models bound to a player, so its numbers belong to that other game; "
            "solve without bindings to verify."
        )
    if solution.settings.get("bets"):
        raise NotApplicableError(
            "This solution states its exploitability against bets of any size, and its own game has only some; "
            "recompute it with evaluate_on_intervals."
        )
    rules = recorded_game(solution.game) if game is None else game
    book = _PolicyBook(solution.tabular(), rules.players)
    walk = _Walk(rules, book)
    walk.run(progress)
    recomputed = None if book.problems else Evaluation(tuple(walk.value), walk.best_responses())
    book.report_unused()
    return Verification(
        game=rules.name,
        stated=solution.evaluation,
        recomputed=recomputed,
        tolerance=RELATIVE_TOLERANCE * (walk.largest_payoff or 1.0),
        histories=walk.histories,
        seconds=time.perf_counter() - begin,
        problems=tuple(book.problems),
    )


def verify_saved(
    solution: Solution, full: bool, report: Callable[[float | None, str], None], rules: Game | None = None
) -> Verification:
    """The route of tabular solutions."""
    game = rules or recorded_game(solution.game)
    total = game.histories()

    def count(histories: int) -> None:
        report(min(1.0, histories / total) if total else None, f"{histories:,} histories")

    return verify_solution(solution, game, progress=count)


class _PolicyBook:
    """The policy as a dictionary, and every way in which it fails to fit the rules."""

    def __init__(self, policy: TabularPolicy, players: int) -> None:
        self.problems: list[str] = []
        self.rows: dict[tuple[int, str], tuple[tuple[str, ...], list[float]]] = {}
        self.used: set[tuple[int, str]] = set()
        infosets = policy.infosets
        numbers = policy.probabilities.tolist()
        first = 0
        for i, key in enumerate(infosets.keys):
            actions, player = infosets.actions[i], int(infosets.player[i])
            row = numbers[first : first + len(actions)]
            first += len(actions)
            if not 0 <= player < players:
                self.problem(f"the infoset '{key}' belongs to player {player + 1}, but there are {players} players")
            if not (min(row) >= 0.0 and abs(math.fsum(row) - 1.0) <= DISTRIBUTION_TOLERANCE):
                shown = ", ".join(f"{p:.6g}" for p in row)
                self.problem(f"the probabilities at '{key}' are no distribution ({shown})")
            self.rows[player, key] = (actions, row)

    def problem(self, text: str) -> None:
        if len(self.problems) < MOST_PROBLEMS and text not in self.problems:
            self.problems.append(text)

    def look_up(self, player: int, key: str, actions: Sequence[str]) -> list[float]:
        """Probabilities where the rules ask for them; uniform, with a problem noted, where the policy has none."""
        place = (player, key)
        if place not in self.rows:
            place = (player, f"{player + 1}|{key}")  # how a text that two players share is told apart
        found = self.rows.get(place)
        self.used.add(place)
        if found is None:
            self.problem(f"the policy says nothing about the infoset '{key}' of player {player + 1}")
            return [1.0 / len(actions)] * len(actions)
        if found[0] != tuple(actions):
            given, expected = ", ".join(found[0]), ", ".join(actions)
            self.problem(f"the policy has the actions {given} at '{key}', but the rules offer {expected}")
            return [1.0 / len(actions)] * len(actions)
        return found[1]

    def report_unused(self) -> None:
        for player, key in self.rows:
            if (player, key) not in self.used:
                self.problem(
                    f"the policy names the infoset '{key}' of player {player + 1}, which the rules do not have"
                )


@dataclass
class _Infoset:
    """One infoset of one player in the order in which sequences were met."""

    player: int
    before: int  # the player's own sequence that leads here
    first: int  # its actions are the sequences first .. first + width - 1
    width: int
    probabilities: list[float] = field(repr=False)


class _Walk:
    """Every history once, depth first, on a stack of our own."""

    def __init__(self, game: Game, book: _PolicyBook) -> None:
        self.game, self.book = game, book
        self.infosets: dict[tuple[int, str], _Infoset] = {}
        self.earned: list[list[float]] = [[0.0] for _ in range(game.players)]  # [player][sequence]
        self.value = [0.0] * game.players
        self.histories = 0
        self.largest_payoff = 0.0
        self.forgets = False  # imperfect recall: a best response is no longer a maximum at each infoset

    def run(self, progress: WalkProgress | None) -> None:
        players = self.game.players
        # a history, chance's share of its reach, each player's share, each player's last sequence
        stack: list[tuple[State, float, tuple[float, ...], Sequences]] = [
            (self.game.start(), 1.0, (1.0,) * players, (0,) * players)
        ]
        while stack:
            state, chance, reach, sequences = stack.pop()
            self.histories += 1
            if progress is not None and self.histories % REPORT_EVERY == 0:
                progress(self.histories)
            acting = state.player
            if acting == TERMINAL:
                self._finish(state.returns(), chance, reach, sequences)
            elif acting == CHANCE:
                for index, (_, probability) in enumerate(state.chance()):
                    stack.append((state.child(index), chance * probability, reach, sequences))
            else:
                here = self._infoset(state, acting, sequences[acting])
                for action, probability in enumerate(here.probabilities):
                    own = (*reach[:acting], reach[acting] * probability, *reach[acting + 1 :])
                    after = (*sequences[:acting], here.first + action, *sequences[acting + 1 :])
                    stack.append((state.child(action), chance, own, after))

    def _infoset(self, state: State, player: int, before: int) -> _Infoset:
        key = state.infoset(player)
        found = self.infosets.get((player, key))
        if found is None:
            actions = state.actions()
            probabilities = self.book.look_up(player, key, actions)
            earned = self.earned[player]
            found = _Infoset(player, before, len(earned), len(actions), probabilities)
            earned.extend([0.0] * len(actions))
            self.infosets[player, key] = found
        elif found.before != before:
            self.forgets = True
        return found

    def _finish(self, returns: Sequence[float], chance: float, reach: tuple[float, ...], sequences: Sequences) -> None:
        """Add a terminal to the profile's value and to what each player's last sequence earns against the others."""
        for player, amount in enumerate(returns):
            self.largest_payoff = max(self.largest_payoff, abs(amount))
            others = chance
            for p, share in enumerate(reach):
                if p != player:
                    others *= share
            self.earned[player][sequences[player]] += others * amount
            self.value[player] += others * reach[player] * amount

    def best_responses(self) -> tuple[float, ...] | None:
        """Infosets are met after the sequences that lead to them, so the reverse order goes upwards."""
        if self.forgets:
            return None
        earned = [list(amounts) for amounts in self.earned]
        for infoset in reversed(self.infosets.values()):
            amounts = earned[infoset.player]
            amounts[infoset.before] += max(amounts[infoset.first : infoset.first + infoset.width])
        return tuple(amounts[0] for amounts in earned)
