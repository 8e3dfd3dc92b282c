"""SAEF: the abstraction of actions grows while its equilibrium is found ([Brown20, §4.3]).

CFR runs on a coarse game. Every few iterations the bet outside the game that is regretted most is weighed against the work it would cost
(Proposition 2); if it pays, it is added with a past made up by a recovery game, and the past counts for less from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import ParameterError
from equilibrist.core.names import Name
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Evaluation, Solution, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.history_tree.game_tree import Extension, GameTree
from equilibrist.solvers.bet_sizing._kernels.recovery import count_reached, slot_sizes
from equilibrist.solvers.bet_sizing.recovery_game import RecoveredTables
from equilibrist.solvers.bet_sizing.saef_rules import best_candidate, rarely_played
from equilibrist.solvers.bet_sizing.subgame_addition import METHODS, Addition, add_action
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.runs import SequenceRun
from equilibrist.solvers.iteration_loop import ProgressCallback, Stop
from equilibrist.solvers.iterative_solver import drive
from equilibrist.solvers.registry import SolverEntry
from equilibrist.solvers.responses.any_size_response import LEAST, MOST, BetSizes, bet_sizes, evaluate_on_intervals

NO_LIMIT = (1 << 63) - 1


@dataclass(frozen=True)
class SAEF:
    """Settings of simultaneous abstraction and equilibrium finding."""

    threshold: float = 1.01  # c of Proposition 2; inf never adds
    every: int = 5  # iterations between looks
    method: str = "recovery"  # or transfer
    estimate: str = "transfer"  # of regrets outside the abstraction; or response, their upper bound by best responses
    remove: float = 0.0  # C: added bets played less than C / sqrt(T) and regretted by nobody are taken out; 0 never

    def __post_init__(self) -> None:
        if not self.threshold >= 1.0:
            raise ParameterError(f"'threshold' is a number of at least 1, but {self.threshold} was given.")
        if type(self.every) is not int or self.every < 1:
            raise ParameterError(f"'every' is a whole number of iterations, at least 1, but {self.every} was given.")
        for name, known in (("method", METHODS), ("estimate", ("response", "transfer"))):
            if getattr(self, name) not in known:
                raise ParameterError(f"'{name}' is one of {', '.join(known)}, but {getattr(self, name)!r} was given.")
        if not self.remove >= 0.0:
            raise ParameterError(f"'remove' must be zero or more, but {self.remove} was given.")

    @property
    def name(self) -> str:
        given = {key: getattr(self, key) for key in PARAMETERS if getattr(self, key) != PARAMETERS[key]}
        return str(Name("saef", given))

    def start(self, game: Compiled) -> SAEFRun:
        return SAEFRun(self, Compiled(game.game, game.tree))

    def solve(
        self,
        game: Compiled,
        stop: Stop,
        *,
        seed: int = 0,
        progress: ProgressCallback | None = None,
        resume: Solution | None = None,
    ) -> TabularSolution:
        if resume is not None and resume.game.startswith(f"{game.game.name}+"):
            from equilibrist.games.catalogue import recorded_game

            game = Compiled(recorded_game(resume.game))
        run = self.start(game)
        settings = {"bets": [LEAST, MOST], "method": self.method, "estimate": self.estimate}
        return drive(run, run.game, self.name, stop, seed=seed, progress=progress, resume=resume, settings=settings)


class SAEFRun:
    """SAEF at work; `game` is the abstraction as it stands and changes as it grows."""

    first_check = 5
    check_growth = 1.2

    def __init__(self, solver: SAEF, game: Compiled) -> None:
        self.solver, self.game = solver, game
        self.iteration, self.nodes, self.additions, self.removals = 0, 0, 0, 0
        self.log: list[
            tuple[int, str, str, float]
        ] = []  # iteration, line, token and weight of the past, for each addition
        self.added: list[tuple[str, str]] = []  # line and token, in order
        self._place(game.tree, None, None)
        self.weight = 0.0

    def _place(self, tree: GameTree, tables: RecoveredTables | None, strategy: Floats | None) -> None:
        """Stand on a tree with given tables."""
        self.game.game = tree.game
        self.game.__dict__.clear()
        self.game.__dict__.update({"game": tree.game, "tree": tree})
        self.sizes: BetSizes = bet_sizes(self.game)
        self.run = SequenceRun(CFR(updates="simultaneous"), self.game.sequence_form)
        self.slot_size = np.zeros(tree.infosets.slots)
        slot_sizes(
            tree.parent,
            tree.first_child,
            tree.infoset,
            tree.player,
            tree.infosets.first_slot,
            np.zeros(tree.histories),
            self.slot_size,
        )
        self._reach = np.zeros((tree.histories, 2))
        if tables is not None and strategy is not None:
            zero = np.zeros_like(strategy)
            state = {"strategy": strategy, "regret": tables.regret, "memory": zero, "average": tables.average}
            self.run.restore(state | {"iteration": np.array([self.iteration])})
            self.weight = tables.weight

    @property
    def tables(self) -> RecoveredTables:
        return RecoveredTables(self.run.form, self.run.regret, self.run.average_sum, self.weight)

    @property
    def nodes_touched(self) -> int:
        return self.nodes

    def advance(self, iterations: int, nodes: int = NO_LIMIT) -> None:
        """CFR, with a look at what is missing every few iterations."""
        last = self.iteration + iterations
        while self.iteration < last and self.nodes < nodes:
            chunk = min(last - self.iteration, self.solver.every - self.iteration % self.solver.every)
            self.nodes += chunk * self._reached()
            self.run.advance(chunk)
            self.iteration += chunk
            self.weight += chunk
            if self.iteration % self.solver.every == 0:
                self._look()

    def _reached(self) -> int:
        """Histories of one iteration that leaves out what no player reaches."""
        tree, form = self.game.tree, self.run.form
        plan, own = np.zeros(tree.infosets.slots), form.slot >= 0
        plan[form.slot[own]] = self.run.plan[own]
        arrays = (tree.player, tree.parent, tree.first_child, tree.infoset, tree.infosets.first_slot)
        return int(count_reached(*arrays, plan, self._reach))

    def _look(self) -> None:
        if self.solver.threshold == float("inf"):
            return
        found = best_candidate(
            self.sizes, self.tables, self.slot_size, self.solver.threshold, response=self.solver.estimate == "response"
        )
        if self.solver.estimate == "response":
            self.nodes += self.game.tree.histories  # a walk of its own; transfer reads sums that a walk keeps anyway
        if found is not None:
            self.add(found.line, found.token)
        if self.solver.remove > 0.0 and self.added:
            unused = rarely_played(self.sizes, self.tables, self.added, self.solver.remove)
            if unused is not None:
                self.take_out(*unused)

    def add(self, line: str, token: str) -> Addition:
        """One more bet at a betting line, with the past that SAEF makes up for it."""
        extension = self.game.tree.with_action(line, token)
        addition = add_action(self.tables, self.sizes, extension, self.run.strategy, self.solver.method)
        self.nodes += addition.nodes
        self.additions += 1
        self.added.append((line, token))
        self.log.append((self.iteration, line, token, addition.weight))
        self._place(extension.tree, addition.tables, addition.strategy)
        return addition

    def take_out(self, line: str, token: str) -> None:
        """The reverse: the bet and all that follows it are forgotten."""
        from equilibrist.forms.history_tree.game_tree import compile_tree
        from equilibrist.games.poker.game import Poker

        assert isinstance(self.game.game, Poker)
        tree = compile_tree(self.game.game.without_action(line, token))
        kept = Extension.between(tree, self.game.tree)
        self.added = [(at, size) for at, size in self.added if (at, size) != (line, token)]
        self.removals += 1
        form = Compiled(tree.game, tree).sequence_form
        old, sequences = self.run.form, np.zeros(self.game.tree.infosets.slots, dtype=np.int64)
        own, mine = old.slot >= 0, form.slot >= 0
        sequences[old.slot[own]] = np.flatnonzero(own)
        source = sequences[kept.slot[form.slot[mine]]]
        regret, average, strategy = (np.zeros(int(form.offset[2])) for _ in range(3))
        regret[mine], average[mine], strategy[mine] = (
            self.run.regret[source],
            self.run.average_sum[source],
            self.run.strategy[source],
        )
        average[form.offset[:2]], strategy[form.offset[:2]] = self.run.average_sum[old.offset[:2]], 1.0
        self._place(tree, RecoveredTables(form, regret, average, self.weight), _renormalised(form, strategy))

    def average(self) -> TabularPolicy:
        return self.run.average()

    def last(self) -> TabularPolicy:
        return self.run.last()

    def evaluate(self) -> Evaluation:
        """Best responses in the full game, with bets of any size."""
        return evaluate_on_intervals(self.sizes, self.average())

    def counts(self) -> dict[str, Any]:
        return {
            "nodes_touched": self.nodes,
            "nodes_unit": "histories",
            "added": self.additions,
            "removed": self.removals,
            "histories": self.game.tree.histories,
            "abstract_exploitability": self.run.evaluate().exploitability,
        }

    def state(self) -> dict[str, npt.NDArray[Any]]:
        counters = np.array([self.nodes, self.additions, self.removals])
        return self.run.state() | {
            "weight": np.array([self.weight]),
            "counters": counters,
            "iteration": np.array([self.iteration]),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        self.run.restore(state)
        self.iteration, self.weight = int(state["iteration"][0]), float(state["weight"][0])
        self.nodes, self.additions, self.removals = (int(x) for x in state["counters"])


def _renormalised(form: Any, strategy: Floats) -> Floats:
    """Behaviour again after actions were taken away."""
    out: Floats = form.behaviour(strategy)
    return out


PARAMETERS: dict[str, Any] = {
    "threshold": 1.01,
    "every": 5,
    "method": "recovery",
    "estimate": "transfer",
    "remove": 0.0,
}
ENTRIES = (
    SolverEntry(
        "saef",
        "adds bet sizes to the game while solving it; for pot-share bets of any size (continuous-leduc)",
        SAEF,
        PARAMETERS,
        "Brown20",
        "two-player zero-sum: converges to an equilibrium of the full game",
        status="lightly tested",
    ),
)
