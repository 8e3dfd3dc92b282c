"""How strong a strategy is beyond exploitability: what it loses to opponents who answer, from weak to perfect ([Davis15, chapter 3])."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.core.policy import TabularPolicy
from equilibrist.exploit.models.model_files import NAMED, named_model
from equilibrist.exploit.response_functions.response_functions import (
    AbstractBestResponse,
    BestOf,
    BestResponse,
    EquilibriumFace,
    ResponseFunction,
)
from equilibrist.exploit.response_functions.strength import Sides, both_sides, seat_average
from equilibrist.exploit.response_functions.uct_fbr import FBR, UCT
from equilibrist.exploit.responses.restricted_nash import restricted_nash_answer
from equilibrist.exploit.seat import Seat
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.sequence_form.merged_infosets import CARD, merge_infosets
from equilibrist.forms.sequence_form.sequence_form import SequenceForm

DEFAULT = "set blind rnr-0.25 rnr-0.5 rnr-0.75 uct-100 uct-1000 uct-10000 fbr-100 fbr-1000 fbr-10000 equilibria best"
GRADED = ("uct", "fbr")
MOST_SAMPLES = 10**7  # of a graded responder
KINDS = {
    "best": "best response",
    "equilibria": "best of its equilibria (domination value)",
    "blind": "best response that does not see its own cards",
    "ranks": "best response that sees ranks only",
}


@dataclass(frozen=True)
class NamedResponder:
    """A responder by the name people type."""

    name: str
    label: str
    strength: int | None = None  # samples of a graded responder


@dataclass(frozen=True, kw_only=True)
class Responder(NamedResponder):
    """A response function for each seat."""

    seats: tuple[ResponseFunction, ResponseFunction]  # the responder to the first and to the second seat


@dataclass(frozen=True)
class Loss:
    """What a strategy loses to a responder, both seats averaged, beyond what the game is worth; half a 95 % interval."""

    responder: NamedResponder
    chips: float
    interval: float


@dataclass(frozen=True)
class StrengthReport:
    """All losses, in the order asked for, and the exploitability they lead up to."""

    game: str
    losses: tuple[Loss, ...]
    exploitability: float

    def curve(self, kind: str) -> list[Loss]:
        """Losses to a graded family (`uct`, `fbr`), weakest responder first."""
        found = [loss for loss in self.losses if loss.responder.name.startswith(f"{kind}-")]
        return sorted(found, key=lambda loss: loss.responder.strength or 0)


@dataclass(frozen=True)
class CautiousResponse:
    """The opponent's restricted Nash response to us: it trusts that we play our strategy in a share p of the hands."""

    p: float
    pretty_good: bool = False
    stochastic: bool = False

    def respond(self, side: Seat, plan: Floats, rng: np.random.Generator) -> Floats:
        mine = side.policy(plan, np.ones(side.form.sequences[side.opponent]))
        return restricted_nash_answer(side.other, mine, self.p).plan


def read_responders(text: str, game: Compiled, sides: Sides) -> list[Responder]:
    """Responders by name: `best`, `equilibria`, `blind`, `ranks`, `set` or `set:call+raise`, `rnr-0.5`, `uct-100`, `fbr-1000`."""
    names = [name for name in re.split(r"[\s,]+", text.strip()) if name]
    if not names or names == ["default"]:
        return default_responders(game, sides)
    return [_responder(name, game, sides) for name in names]


def default_responders(game: Compiled, sides: Sides) -> list[Responder]:
    """A bit of everything; what needs poker is left out in other games."""
    out = []
    for name in DEFAULT.split():
        try:
            out.append(_responder(name, game, sides))
        except NotApplicableError:
            continue
    return out


def strength_report(
    game: Compiled, policy: TabularPolicy, responders: Sequence[Responder], *, runs: int = 20, seed: int = 0
) -> StrengthReport:
    """Losses of a strategy to all responders; Monte Carlo ones are drawn `runs` times for each seat."""
    if runs < 2:
        raise ParameterError(f"Monte Carlo responders are drawn at least twice, but {runs} was given.")
    sides = both_sides(game)
    worth = (sides[0].value + sides[1].value) / 2.0  # 0 but for rounding
    losses = []
    for responder in responders:
        found = seat_average(sides, responder.seats, policy, runs=runs, seed=seed)
        losses.append(Loss(responder, worth - found.mean, found.interval))
    worst = sum(seat.risk(seat.my_plan(policy)) for seat in sides) / 2.0
    return StrengthReport(game.game.name, tuple(losses), worst)


def _responder(name: str, game: Compiled, sides: Sides) -> Responder:
    kind, _, rest = name.partition("-")
    if name in ("best", "equilibria"):
        one: ResponseFunction = BestResponse() if name == "best" else EquilibriumFace()
        return Responder(name, KINDS[name], seats=(one, one))
    if name in ("blind", "ranks"):
        return Responder(name, KINDS[name], seats=(_abstract(sides[0], name), _abstract(sides[1], name)))
    if kind == "rnr" and rest:
        p = _number(rest, name)
        if not 0.0 <= p <= 1.0:
            raise ParameterError(f"In '{name}' the share of trust is a probability from 0 to 1.")
        both = CautiousResponse(p)
        return Responder(name, f"restricted Nash response, p {p:g}", seats=(both, both))
    if kind in GRADED and rest:
        n = graded_samples(rest, name)
        make = UCT if kind == "uct" else FBR
        graded = make(game.tree, n)
        return Responder(name, f"{kind.upper()}, {n:,} samples", n, seats=(graded, graded))
    if name == "set" or name.startswith("set:"):
        return _finite(name, sides)
    raise ParameterError(
        f"'{name}' is no responder; expected best, equilibria, blind, ranks, set, set:call+raise, rnr-0.5, uct-100 or fbr-1000."
    )


def graded_samples(text: str, name: str) -> int:
    """How many samples a graded responder takes."""
    n = _number(text, name)
    if not 1 <= n <= MOST_SAMPLES or n != int(n):
        raise ParameterError(f"In '{name}' the number of samples is a whole number from 1 to {MOST_SAMPLES:,}.")
    return int(n)


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"In '{name}' a number must follow, as in rnr-0.5 or uct-100.") from None


def _finite(name: str, sides: Sides) -> Responder:
    """The best of a few fixed players."""
    asked = name.partition(":")[2]
    infosets = sides[0].form.infosets
    if not asked and not any(set(actions) & {"x", "c", "f"} for actions in infosets.actions):
        raise NotApplicableError("The usual set of players is one of poker players; name players of your own.")
    names = [each for each in asked.split("+") if each] or list(NAMED)
    best = BestOf([named_model(infosets, each) for each in names])
    return Responder(name, f"best of {', '.join(names)}", seats=(best, best))


def _abstract(seat: Seat, name: str) -> AbstractBestResponse:
    """A best response that sees less of the cards."""
    form = seat.form
    classes = [_class(form, i, seat.opponent, name) for i in range(len(form.infoset))]
    try:
        return AbstractBestResponse(merge_infosets(form, classes))
    except NotApplicableError as error:
        raise NotApplicableError(f"The responder '{name}' is not offered in '{form.name}': {error}") from None


def _class(form: SequenceForm, i: int, player: int, name: str) -> Hashable:
    """What the responding player sees of an infoset; the other player sees everything."""
    key = form.infosets.keys[int(form.infoset[i])]
    owner = int(i >= form.first_infoset[1])
    if owner != player:
        return key
    own, *rest = key.split("|")[-1].split(":")
    if not CARD.match(own):
        raise NotApplicableError(f"'{key}' does not begin with one private card")
    return (owner, *(["?"] if name == "blind" else [own[0]]), *(t if not CARD.match(t) else t[0] for t in rest))
