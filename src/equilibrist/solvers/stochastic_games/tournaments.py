"""`solve_tournament`: jam/fold strategies of two or three players at all stacks, with the exact gain of the best deviation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.cards.allins.classes import CLASSES
from equilibrist.cards.allins.joint import joint_showdowns
from equilibrist.cards.allins.triples import SAMPLES
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.solvers.stochastic_games.jam_fold_stages import SLOTS, HeadsUpStages, JamFoldStages
from equilibrist.solvers.stochastic_games.outer_loops import METHODS, Method, Search, StochasticSettings
from equilibrist.solvers.stochastic_games.solve_stochastic import Progress, Reached, Report, search_until
from equilibrist.solvers.stochastic_games.three_way_stages import ThreeWayStages
from equilibrist.solvers.tables.showdowns.triples_made import made_triples

KIND = "tournament"
GAIN = 5e-4  # of the first prize to the last: 0.05 of 100


@dataclass(frozen=True)
class TournamentSolution:
    """Who jams what at which stacks."""

    rules: JamFold
    method: str
    jams: Floats  # [state, decision, class] probabilities; decisions are those of `SLOTS`
    values: Floats  # [state, seat] prize money; nan where an interrupt has left it unknown
    gain: float  # what the best deviation wins at most, wherever the tournament starts; nan: not measured
    iterations: int
    interrupted: bool = False

    def __repr__(self) -> str:
        return f"<TournamentSolution: {self.rules.state_count:,} states, {self.method}, largest gain {self.gain:.3g}>"

    def grid(self, stacks: tuple[int, ...], line: str = "") -> Floats:
        """13 x 13 probabilities to jam at stacks in chips, after a line such as "", "J", "FJ" (fold, jam) of the seats before."""
        state = self.rules.state_of(stacks)
        grid: Floats = self.jams[state, SLOTS[self.rules.players].index(line)].reshape(13, 13)
        return grid

    def save(self, path: str | Path) -> None:
        rules = {
            "chips": self.rules.chips,
            "unit": self.rules.unit,
            "blinds": self.rules.blinds,
            "payouts": self.rules.payouts,
        }
        gain = None if np.isnan(self.gain) else self.gain
        header = {"rules": rules, "method": self.method, "gain": gain, "iterations": self.iterations}
        save_artifact(path, Artifact(KIND, header, {"jams": self.jams, "values": self.values}))


def load_tournament(path: str | Path) -> TournamentSolution:
    """Read a solved tournament back."""
    found = load_artifact(path, KIND)
    try:
        told = found.header["rules"]
        small, big = map(int, told["blinds"])
        rules = JamFold(int(told["chips"]), int(told["unit"]), (small, big), tuple(map(float, told["payouts"])))
        jams, values = found.arrays["jams"], found.arrays["values"]
        made = TournamentSolution(
            rules,
            str(found.header["method"]),
            jams,
            values,
            np.nan if found.header["gain"] is None else float(found.header["gain"]),
            int(found.header["iterations"]),
        )
        shapes = (rules.state_count, len(SLOTS[rules.players]), CLASSES), (rules.state_count, rules.players)
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"'{path}' is damaged or incomplete ({error}); write it again.") from None
    unknown = found.header["gain"] is None  # then values may be unknown, too, all of them
    whole = ((jams >= 0.0) & (jams <= 1.0)).all() and (unknown or np.isfinite(made.gain))
    whole = whole and (np.isfinite(values).all() or (unknown and np.isnan(values).all()))
    if (jams.shape, values.shape) != shapes or not whole or made.method not in METHODS:
        raise FormatError(f"'{path}' is damaged: its strategies are not those of {rules.state_count:,} states.")
    return made


def tournament_stages(
    rules: JamFold,
    *,
    groups: Longs | None = None,
    samples: int = SAMPLES,
    arrays: Any = np,
    report: Report = lambda text, share: None,
) -> JamFoldStages:
    """A tournament's hands, by the table of all-ins that its number of players needs; for three it is sampled at first use."""
    if rules.players == 2:
        return HeadsUpStages(rules, heads_up_showdowns())
    table = made_triples(samples, report=report)
    report("all-ins of three hands, by seats", None)
    joint = joint_showdowns(table, groups)
    report("ends of all hands", None)
    return ThreeWayStages(rules, joint, arrays)


def heads_up_showdowns() -> Floats:
    """[win, tie or loss; class; class] probabilities of hands and showdown, exactly."""
    from equilibrist.cards.allins.pairs import pair_outcomes

    table = pair_outcomes()
    ties = table.deals - table.wins - table.wins.T
    counts = np.stack([table.wins, ties, table.wins.T]).astype(np.float64)
    showdowns: Floats = counts / counts.sum()
    return showdowns


def solve_tournament(
    rules: JamFold,
    method: Method = "pi-fp",
    *,
    gain: float | None = None,
    iterations: int = 100,
    samples: int = SAMPLES,
    progress: Progress | None = None,
    report: Report = lambda text, share: None,
    checkpoints: Path | None = None,
    unmeasured: Callable[[TournamentSolution], None] = lambda found: None,
) -> TournamentSolution:
    """Search until no deviation gains more than `gain` prize money (default: 0.0005 of the first prize less the last, from any stacks).

    With a folder for checkpoints an interrupted search goes on where it was; they are removed once it is done. Ctrl-C answers with the
    strategies so far (`.interrupted`), once there has been a sweep; `unmeasured` gets them before their gain is measured, if it is not
    known, and a second Ctrl-C leaves it at that.
    """
    wanted = gain if gain is not None else GAIN * (rules.payouts[0] - rules.payouts[-1])
    stages = tournament_stages(rules, samples=samples, report=report)
    settings = StochasticSettings(gamma=0.2 * wanted, first_gamma=2.0 * wanted)
    search = Search(stages, method, settings, values=rules.guess())
    kept = Checkpoints(checkpoints, f"{rules} {method} {settings} {samples}")

    def solution(reached: Reached) -> TournamentSolution:
        jams, done = stages.jams(reached.plan), search.iteration
        return TournamentSolution(rules, method, jams, reached.values, reached.gain, done, reached.interrupted)

    found = search_until(
        search,
        wanted,
        iterations,
        progress,
        kept,
        report=report,
        unmeasured=lambda reached: unmeasured(solution(reached)),
    )
    if not found.interrupted:
        kept.clear()
    return solution(found)
