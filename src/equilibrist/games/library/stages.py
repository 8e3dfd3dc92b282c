"""Stage-based sequential games ([Gilpin09, Definitions 11 to 13]): interactions joined to an acyclic graph of stages.

At each stage some signals are revealed, publicly and to each player, then all players choose at once, an outcome follows and leads to the
next stage or to the end. What a player makes of its signals may pass through a filter, which makes a smaller game of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, product

from equilibrist.core.errors import ParameterError
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

Signals = tuple[str, ...]
Outcomes = tuple[tuple[str, str], ...]  # (stage, outcome), one for each stage played
Payoff = Callable[[Outcomes, Signals, tuple[Signals, ...]], Sequence[float]]  # public signals, private ones by player
Filter = Callable[
    [int, tuple[str, ...], Signals, Signals], str
]  # player, stages so far, public and own signals -> label

PASS = ("-",)  # the one action of a player who has no say


@dataclass(frozen=True)
class Interaction:
    """Actions of each player, and the chances of outcomes for every joint action (by their labels)."""

    actions: tuple[tuple[str, ...], ...]
    outcomes: Mapping[tuple[str, ...], Mapping[str, float]]


@dataclass(frozen=True)
class Stage:
    """Signals revealed, the interaction, and where each outcome leads: to a stage, or to None, the end."""

    interaction: Interaction
    leads_to: Mapping[str, str | None]
    public: int = 0
    private: tuple[int, ...] = ()  # by player; empty: none


@dataclass(frozen=True, eq=False)
class StageGame(Game):
    """Signals are drawn without replacement, equally likely."""

    name: str
    players: int
    signals: Signals
    stages: Mapping[str, Stage]
    first: str
    payoff: Payoff
    see: Filter | None = None  # none: players see their signals as they are
    zero_sum: bool = True
    order: tuple[str, ...] = field(init=False)  # every stage before those it leads to

    def __post_init__(self) -> None:
        for name, stage in self.stages.items():
            self._check_stage(name, stage)
        after = {name: {to for to in stage.leads_to.values() if to} for name, stage in self.stages.items()}
        try:
            last_first = tuple(TopologicalSorter(after).static_order())
        except CycleError as error:
            around = " -> ".join(error.args[1])
            raise ParameterError(f"Stages may not come round again, but these do: {around}.") from None
        object.__setattr__(self, "order", last_first[::-1])
        most = max(self.revealed(path) for path in self.paths())
        if most > len(self.signals):
            raise ParameterError(f"Some line of stages reveals {most} signals, but there are {len(self.signals)}.")

    def _check_stage(self, name: str, stage: Stage) -> None:
        unknown = [to for to in stage.leads_to.values() if to is not None and to not in self.stages]
        if unknown or self.first not in self.stages:
            raise ParameterError(f"There is no stage '{unknown[0] if unknown else self.first}' in '{self.name}'.")
        if len(stage.interaction.actions) != self.players:
            raise ParameterError(f"The stage '{name}' needs actions for {self.players} players.")
        if set(product(*stage.interaction.actions)) != set(stage.interaction.outcomes):
            raise ParameterError(f"The stage '{name}' needs outcomes for every joint action, and for no others.")
        for joint, chances in stage.interaction.outcomes.items():
            if abs(sum(chances.values()) - 1.0) > 1e-9 or not set(chances) <= set(stage.leads_to):
                raise ParameterError(
                    f"The outcomes of {joint} at the stage '{name}' must have chances that sum to 1 and lead somewhere."
                )

    def paths(self) -> list[tuple[str, ...]]:
        """All sequences of stages that can be played; filters are indexed by them."""
        found: list[tuple[str, ...]] = []
        waiting: list[tuple[str, ...]] = [(self.first,)]
        while waiting:
            path = waiting.pop()
            found.append(path)
            following = {to for to in self.stages[path[-1]].leads_to.values() if to is not None}
            waiting += [(*path, to) for to in sorted(following)]
        return found

    def revealed(self, path: Sequence[str]) -> int:
        """Signals out after a sequence of stages has begun."""
        return sum(self.stages[name].public + sum(self.stages[name].private) for name in path)

    def start(self) -> StageState:
        return StageState(self, self.first, (), (), ((),) * self.players, ((),) * self.players, None)


class StageState(State):
    """A stage before its signals are out (`chosen` is None), while players choose, or before the outcome is drawn."""

    __slots__ = ("chosen", "game", "outcomes", "own", "player", "private", "public_signals", "stage")

    def __init__(
        self,
        game: StageGame,
        stage: str | None,
        outcomes: Outcomes,
        public_signals: Signals,
        private: tuple[Signals, ...],
        own: tuple[Signals, ...],
        chosen: tuple[str, ...] | None,
    ) -> None:
        self.game, self.stage, self.outcomes = game, stage, outcomes
        self.public_signals, self.private, self.own = public_signals, private, own
        if stage is not None and chosen is None and not game.revealed([stage]):
            chosen = ()
        self.chosen = None if chosen is None else self._passed(chosen)
        if stage is None:
            self.player = TERMINAL
        elif self.chosen is None or len(self.chosen) == game.players:
            self.player = CHANCE
        else:
            self.player = len(self.chosen)

    def _passed(self, chosen: tuple[str, ...]) -> tuple[str, ...]:
        """Players with a single action are not asked."""
        while self.stage is not None and len(chosen) < self.game.players:
            offered = self.game.stages[self.stage].interaction.actions[len(chosen)]
            if len(offered) > 1:
                break
            chosen = (*chosen, offered[0])
        return chosen

    def _here(self) -> Stage:
        assert self.stage is not None
        return self.game.stages[self.stage]

    def actions(self) -> Sequence[str]:
        return self._here().interaction.actions[self.player]

    def chance(self) -> Sequence[tuple[str, float]]:
        if self.chosen is not None:
            return list(self._here().interaction.outcomes[self.chosen].items())
        deals = self._deals()
        return [(" ".join("".join(part) for part in deal), 1.0 / len(deals)) for deal in deals]

    def _deals(self) -> list[tuple[Signals, ...]]:
        """Ways to reveal this stage's signals: public ones first, then those of each player; sets, in the order of the signals."""
        stage = self._here()
        counts = [stage.public, *(stage.private or (0,) * self.game.players)]
        gone = {*self.public_signals, *(signal for held in self.private for signal in held)}
        found: list[tuple[Signals, ...]] = [()]
        for count in counts:
            longer = []
            for deal in found:
                used = gone | {signal for part in deal for signal in part}
                left = [signal for signal in self.game.signals if signal not in used]
                longer += [(*deal, part) for part in combinations(left, count)]
            found = longer
        return found

    def child(self, index: int) -> StageState:
        game, stage = self.game, self.stage
        assert stage is not None
        if self.chosen is None:
            public, *parts = self._deals()[index]
            private = tuple((*held, *part) for held, part in zip(self.private, parts, strict=True))
            return StageState(game, stage, self.outcomes, (*self.public_signals, *public), private, self.own, ())
        if self.player >= 0:
            action = self.actions()[index]
            own = tuple((*acts, action) if p == self.player else acts for p, acts in enumerate(self.own))
            return StageState(
                game, stage, self.outcomes, self.public_signals, self.private, own, (*self.chosen, action)
            )
        outcome = self.chance()[index][0]
        outcomes = (*self.outcomes, (stage, outcome))
        return StageState(
            game, self._here().leads_to[outcome], outcomes, self.public_signals, self.private, self.own, None
        )

    def infoset(self, player: int) -> str:
        stages = tuple(stage for stage, _ in self.outcomes) + (
            (self.stage,) if self.stage and self.chosen is not None else ()
        )
        if self.game.see is None:
            seen = f"{''.join(self.private[player])}|{''.join(self.public_signals)}"
        else:
            seen = self.game.see(player, stages, self.public_signals, self.private[player])
        return f"{seen}|{self._line()}|{'.'.join(self.own[player])}"

    def public(self) -> str:
        return f"{''.join(self.public_signals) if self.game.see is None else ''}|{self._line()}"

    def _line(self) -> str:
        """Outcomes so far and how far the present stage has come."""
        done = ":".join(f"{stage}={outcome}" for stage, outcome in self.outcomes)
        progress = "end" if self.stage is None else "deal" if self.chosen is None else f"{self.stage}{len(self.chosen)}"
        return f"{done}:{progress}"

    def returns(self) -> tuple[float, ...]:
        return tuple(float(x) for x in self.game.payoff(self.outcomes, self.public_signals, self.private))
