"""Whole poker games solved on boards, searched again at a line by every technique ([Brown20, §5.1])."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.search.alternatives import expected, smallest_margin
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.board_continuations import start_board_street
from equilibrist.search.engines.board_subgame import BoardProfile, BoardSubgame
from equilibrist.search.engines.boards import board_engine
from equilibrist.search.gadget_run import GadgetGap, GadgetRun, on_host
from equilibrist.search.off_tree.unknown_bet import forests_after
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.iteration_loop import Loop, Stop
from equilibrist.solvers.postflop.solutions.board_policy import BoardPolicy, Place
from equilibrist.solvers.postflop.solve_game import board_solver
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

DEFAULT_SOLVER = "dcfr(gamma=5)"


@dataclass(frozen=True)
class BoardSearch:
    """What was found for the searcher below some lines of a board, and what the opponent's hands can get against it."""

    subgame: BoardSubgame
    searcher: int
    technique: Technique
    run: BoardCFR = field(
        repr=False
    )  # its averages are the strategies; the opponent's are of no use outside this search
    values: Floats  # [line * hand] expected chips of the opponent's hands when they respond best
    alternative: Floats | None
    mass: Floats
    exploitability: float  # chips, of the gadget game
    seconds: float

    @property
    def margin(self) -> float:
        """Smallest amount by which a hand gets less than its alternative; negative: some hand gets more."""
        return smallest_margin(self.alternative, self.values, self.mass)

    @property
    def tolerance(self) -> float:
        """By how much, at most, the opponent's best response in the whole game can have risen; NaN if that is unknown."""
        if self.alternative is None or not self.technique.safe:
            return float("nan")
        over, opponent = np.maximum(self.values - self.alternative, 0.0) * self.mass, 1 - self.searcher
        dealt = self.subgame.blueprint.dealt(self.subgame.path, opponent)[self.subgame.hands(opponent)]
        return float(over @ np.tile(dealt, len(self.subgame.nodes)))

    @property
    def blueprint(self) -> BoardProfile:
        """What was found as the blueprint of the next search."""
        above, path = self.subgame.blueprint, self.subgame.path
        return BoardProfile(self.run, self.subgame.below, (above.dealt(path, 0), above.dealt(path, 1)))

    def strategy(self, line: int = 0) -> Floats:
        """[hand, action] of the player who acts first on a line, hands as in `subgame.hands`."""
        rows = self.run.streets[0].strategy(0, line)
        player = int(self.subgame.below[0].kind[line])
        return rows[:, : len(self.subgame.hands(player))].T


def search_board(
    subgame: BoardSubgame,
    searcher: int,
    technique: str | Technique = "resolve",
    *,
    solver: str = DEFAULT_SOLVER,
    stop: Stop | None = None,
    threads: int = 1,
    on_gpu: bool = False,
    policy: BoardPolicy | None = None,
    continuations: Continuations | None = None,
) -> BoardSearch:
    """Solve the subgames of all lines side by side for one player: to the end, or this street alone with `continuations` of a `policy`."""
    if searcher not in (0, 1):
        raise ParameterError(f"The searcher is player 0 or 1, but {searcher} was given.")
    begin, chosen, settings = time.perf_counter(), find_technique(technique), board_solver(solver)
    inputs = subgame.inputs(chosen, 1 - searcher)
    check_ranges(subgame, searcher, chosen)
    predictive = settings.minimiser != "rm"
    run: BoardCFR
    if continuations is None:
        run = subgame.start(settings.schedule, threads=threads, predictive=predictive, on_gpu=on_gpu)
    else:
        if policy is None or len(subgame.nodes) > 1:
            raise NotApplicableError(
                "A depth limit needs one line of a solved game and its policy; several lines are searched to the end."
            )
        how: dict[str, Any] = {"predictive": predictive, "threads": threads}
        run = start_board_street(subgame, policy, settings.schedule, continuations, searcher, **how)
    held = subgame.ranges(searcher).ravel()
    searched = GadgetRun(board_engine(run), searcher, chosen.gadget, inputs, held)
    loop: Loop[GadgetGap] = Loop(searched, stop or Stop(iterations=400), None, 0.0)

    def found(_: bool) -> BoardSearch:
        return BoardSearch(
            subgame=subgame,
            searcher=searcher,
            technique=chosen,
            run=run,
            values=expected(on_host(searched.answer()), inputs.mass),
            alternative=inputs.alternative,
            mass=inputs.mass,
            exploitability=loop.final_evaluation().exploitability,
            seconds=time.perf_counter() - begin,
        )

    return loop.finish(found)


def check_ranges(subgame: BoardSubgame, searcher: int, technique: Technique) -> None:
    """Beliefs that sum to zero say nothing to solve for."""
    believed = (searcher,) if technique.gadget.needs_values else (0, 1)
    for player in believed:
        if (subgame.ranges(player).sum(axis=1) <= 0.0).any():
            forest = subgame.blueprint.forests[len(subgame.path)]
            line = forest.line(subgame.nodes[int(np.argmin(subgame.ranges(player).sum(axis=1)))])
            raise NotApplicableError(
                f"Player {player + 1} never gets to '{line}' in this solution; search from a line that is played."
            )


@dataclass(frozen=True)
class GameSearch:
    """A search at one public line of a game."""

    found: BoardSearch
    policy: BoardPolicy = field(repr=False)
    place: Place  # where ranges and alternatives were read
    line: str  # where the search begins

    @property
    def player(self) -> int:
        """Who acts there."""
        return int(self.found.subgame.below[0].kind[0])

    @property
    def actions(self) -> tuple[str, ...]:
        return self.found.subgame.below[0].labels(0)

    def by_label(self) -> dict[str, Floats]:
        """[action] for every hand of the player who acts, by name."""
        policy, player = self.policy, self.player
        strategy, hands = self.found.strategy(), self.found.subgame.hands(player)
        number = {int(hand): row for row, hand in enumerate(hands.tolist())}
        order = self.found.subgame.blueprint.hands(self.place.path, player)[policy.places(self.place, player)]
        rows = strategy[[number[int(hand)] for hand in order.tolist()]]
        return dict(zip(policy.labels(self.place, player), rows, strict=True))

    def frequencies(self) -> Floats:
        """[action] over all hands by their reach."""
        weights = self.found.subgame.ranges(self.player)[0]
        mean: Floats = np.average(self.found.strategy(), axis=0, weights=weights if weights.any() else None)
        return mean


def search_game(
    policy: BoardPolicy,
    line: str,
    technique: str | Technique = "resolve",
    *,
    searcher: int | None = None,
    bet: str | None = None,
    **how: Any,
) -> GameSearch:
    """Search a game that was solved on boards again at a line; the player who acts there is the searcher, if none is named.

    `bet` is a size that the opponent has bet at the line and that the solution does not know (`75%`, `3c`, `a`).
    """
    place, blueprint = policy.find(line), BoardProfile(policy.run, policy.forests)
    acting = policy.player(place)
    if acting < 0:
        raise NotApplicableError(f"Nobody acts after '{line}' in '{policy.game.name}'; {policy.what_follows(place)}.")
    if bet is None:
        subgame = BoardSubgame.of(blueprint, place.path, (place.node,))
        told = line
    else:
        if searcher == acting:
            raise ParameterError(
                f"Player {acting + 1} itself acts after '{line}', so '{bet}' is no answer to search for."
            )
        subgame, label = _after_bet(policy, blueprint, place, line, bet)
        told = f"{line}:{label}" if line else label
    seat = (acting if bet is None else 1 - acting) if searcher is None else searcher
    return GameSearch(search_board(subgame, seat, technique, policy=policy, **how), policy, place, told)


def _after_bet(
    policy: BoardPolicy, blueprint: BoardProfile, place: Place, line: str, bet: str
) -> tuple[BoardSubgame, str]:
    """What follows a bet that the solution does not know, and the bet's label."""
    below, _, label = forests_after(policy.game, policy.forests[len(place.path)], place.node, line, bet)
    return BoardSubgame(blueprint, place.path, (place.node,), below, off_tree=True), label
