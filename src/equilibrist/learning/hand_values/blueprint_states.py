"""States as trained blueprints reach them: a board drawn evenly, a line of betting to it, and the hands that both players bring there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from equilibrist.cards.evaluator import hand_index
from equilibrist.cards.range_text import STANDARD
from equilibrist.compute.threads import in_spans
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.boards.street_betting import IP
from equilibrist.learning.hand_values.belief_states import (
    BOARD_CARDS,
    HANDS,
    KINDS,
    BeliefStates,
    Street,
    as_stored,
    possible_hands,
)
from equilibrist.solvers.blueprint.exact.bucketed_streets import BucketedStreets
from equilibrist.solvers.blueprint.exact.street_reach import StreetReach
from equilibrist.solvers.blueprint.strategy import load_blueprint

NUMBER: dict[Street, int] = {"turn": 2, "river": 3}  # of a street, the first is 0
RARE = 1e-6  # chance of a line on a board below which it is not taken
TRIED = 200  # boards before a blueprint is given up
EVENLY = 0.5  # share of the states whose line is any that is taken, whatever its chance


class BlueprintPlay:
    """What one blueprint brings to the beginning of a street."""

    def __init__(self, file: Path, street: Street, depths: Sequence[float]) -> None:
        blueprint = load_blueprint(file)
        rules = blueprint.abstract.rules
        if (rules.players, rules.hole, rules.deck.size, tuple(rules.board)) != (2, 2, STANDARD.size, (0, 3, 1, 1)):
            raise NotApplicableError(
                f"States are drawn from blueprints of hold'em for two players with all 52 cards, but '{file}' is one of "
                f"'{blueprint.game}'."
            )
        self.file, self.street, self.streets = file, street, BucketedStreets.of(blueprint)
        self.before = StreetReach(self.streets, NUMBER[street])
        forest = self.streets.forests[NUMBER[street]]
        roots = slice(forest.roots)
        pot = 2.0 * forest.stake[roots]
        self.depth: Floats = np.round((forest.stack - forest.paid[roots].max(axis=1)) / pot, 3)
        self.acting: Longs = forest.kind[roots].astype(np.int64)
        bounded = (self.depth >= min(depths)) & (self.depth <= max(depths))
        self.lines: Longs = np.flatnonzero((self.acting <= IP) & bounded)
        if not len(self.lines):
            raise NotApplicableError(
                f"No line of '{file}' comes to the {street} with {min(depths):g} to {max(depths):g} pots behind."
            )
        hands = self.streets.deal.hands.astype(np.int64)
        self.places: Longs = np.argsort(
            hand_index(np.sort(hands, axis=1))
        )  # hands of the deal in the order of all others

    def draw(self, random: np.random.Generator) -> tuple[Longs, Floats, float]:
        """A board, [2, 1326] weights of who acts first and of the other, chips behind as a share of the pot."""
        for _ in range(TRIED):
            board = random.permutation(STANDARD.size)[: BOARD_CARDS[self.street]]
            reach = self.before.on(board.tolist())
            chance = (reach[0] * self.streets.deal.met(reach[1])).sum(axis=1)[self.lines] / self.streets.first.pairs
            taken = np.flatnonzero(chance > RARE)
            if len(taken):
                break
        else:
            raise NotApplicableError(
                f"'{self.file}' never plays to the {self.street} with chips behind (on {TRIED} boards); leave it out."
            )
        weights = None if random.random() < EVENLY else chance[taken] / chance[taken].sum()
        line = int(self.lines[random.choice(taken, p=weights)])
        first = int(self.acting[line])
        held = np.stack([reach[first][line], reach[1 - first][line]])
        return board.astype(np.int64), held[:, self.places], float(self.depth[line])


def blueprint_play(file: Path, street: Street, depths: tuple[float, ...]) -> BlueprintPlay:
    """Read once, and again where the file is another by now."""
    here = file.resolve()
    known = here.stat() if here.exists() else None  # one that is gone is refused where it is read
    return _read(here, (known.st_mtime_ns, known.st_size) if known else (0, 0), street, depths)


@lru_cache(maxsize=8)
def _read(file: Path, version: tuple[int, int], street: Street, depths: tuple[float, ...]) -> BlueprintPlay:
    return BlueprintPlay(file, street, depths)


def blueprint_states(
    street: Street, count: int, random: np.random.Generator, depths: Sequence[float], files: Sequence[Path]
) -> BeliefStates:
    """About as many of each blueprint."""
    plays = [blueprint_play(file, street, tuple(depths)) for file in files]
    drawers = random.spawn(count)
    boards, depth = np.zeros((count, BOARD_CARDS[street]), dtype=np.int64), np.zeros(count)
    weights = np.zeros((count, 2, HANDS.count))

    def draw(some: slice) -> None:
        for number in range(some.start, some.stop):
            boards[number], weights[number], depth[number] = plays[number % len(plays)].draw(drawers[number])

    in_spans(count, draw, least=1)
    kind = np.full(count, KINDS.index("blueprint"))
    return BeliefStates(boards, as_stored(weights, possible_hands(boards)[:, None]), depth, kind)
