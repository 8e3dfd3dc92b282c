"""Endgame solving: no-limit Leduc with its flop solved again (R6), and programs against CFR+ on random rivers (R4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from equilibrist.abstraction.actions.menus import MenuPlan, StreetMenu, menu_of, with_menus
from equilibrist.abstraction.actions.translated_policy import TranslatedPolicy
from equilibrist.abstraction.actions.translation import find_mapping
from equilibrist.core.policy import Floats, InfosetIndex, TabularPolicy
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, close
from equilibrist.experiments.lu.asymmetric_leduc import MENUS, STACK
from equilibrist.experiments.registry import Experiment
from equilibrist.games.catalogue import load_game
from equilibrist.games.compiled import Compiled
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.menu import Menu
from equilibrist.search.endgame_betting import grow_betting, last_round
from equilibrist.search.endgame_menus import LU_MENU, FixedMenu
from equilibrist.search.endgame_policy import EndgamePolicy
from equilibrist.search.endgame_solving import EndgameMethod, solve_endgame
from equilibrist.search.joint_hands import river_hands
from equilibrist.solvers.best_response import best_response, counterfactual_values
from equilibrist.solvers.solve import solve

Sizes = Sequence[float | str]
Flop = tuple[Menu, ...]  # opening, raises

OPENING: Sizes = [0.1, 0.25, 0.375, 0.5, 0.625, 0.75, 1.0, 1.5, 2.0, 3.0, "a"]
RAISES: Sizes = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, "a"]
RANDOM_SIZES: Sizes = [0.15, 0.37, 0.62, 0.87, 1.25, 1.75, 2.3, "a"]
# lu 3.8, milli-chips a game, by how many sizes the base menu has
DUEL = {1: 4.3, 2: 0.8, 4: -0.9}
RANDOM = {1: (468, 510), 2: (461, 490), 4: (471, 481)}
CALL = {1: (766, 745), 2: (703, 733), 4: (680, 683)}
RAISE = {1: (915, 826), 2: (1466, 1508), 4: (1439, 1508)}
EXPLOITABILITY = {1: (383, 187), 2: (117, 62), 4: (97, 24)}
BY_CFR = EndgameMethod("cfr+, 300 iterations", bucketing="hands", solver="cfr+", iterations=300)
BY_PROGRAM = EndgameMethod("linear program", bucketing="hands")
RIVERS = {False: 3, True: 50}


def lifted(sizes: Sizes) -> Menu:
    return menu_of([*sizes] if "a" in sizes else [*sizes, "a"], lift=True)


FINE: Flop = (lifted(OPENING), lifted(RAISES))


def leduc(name: str, first: tuple[Flop, Flop], second: tuple[Flop, Flop]) -> Poker:
    """No-limit Leduc with both players' menus before and after the flop."""
    base = load_game(f"nolimit-leduc(stack={STACK},suits=merged)")
    assert isinstance(base, Poker)
    rules = replace(base.rules, raise_at_least_last=True)
    streets = tuple(StreetMenu((first[street], second[street])) for street in (0, 1))
    return Poker(name, with_menus(rules, MenuPlan(streets)))


@dataclass(frozen=True)
class Base:
    """An equilibrium of the game with one small menu, and what becomes of it in larger ones."""

    size: int
    iterations: int = 4000

    @property
    def menu(self) -> Flop:
        return (lifted(MENUS[self.size]),)

    @cached_property
    def model(self) -> Poker:
        return leduc(f"Leduc {self.size}", (self.menu, self.menu), (self.menu, self.menu))

    @cached_property
    def policy(self) -> TabularPolicy:
        return solve(self.model, "cfr+", iterations=self.iterations).policy

    def real(self, seat: int, flop: Flop, other: tuple[Flop, Flop]) -> Compiled:
        """The game in which our seat bets by the base menu, then by `flop`, and the other one by menus of its own."""
        ours = self.menu, flop
        return Compiled(leduc("real Leduc", *((ours, other) if seat == 0 else (other, ours))))

    def play(self, game: Compiled, seat: int, method: EndgameMethod | None = None) -> TabularPolicy:
        """Rows of one seat: translated, with the flop solved again if a method is given."""
        assert isinstance(game.game, Poker)
        mapping = find_mapping("soft-geometric")
        how: dict[str, str] = {"all_in": "call"}
        if method is None:
            return TranslatedPolicy(game.game, self.model, self.policy, mapping, all_in="call").tabular(
                game.infosets, (seat,)
            )
        menus = FixedMenu(StreetMenu((FINE,)))
        player = EndgamePolicy(game.game, self.model, self.policy, mapping, seat, menus=menus, method=method, **how)
        return player.tabular(game.infosets, (seat,))


def always_call(infosets: InfosetIndex, base: TabularPolicy) -> TabularPolicy:
    return _rows(infosets, lambda labels, row, public: _answer(labels))


def always_raise(infosets: InfosetIndex, base: TabularPolicy) -> TabularPolicy:
    """The smallest raise of a menu of half a pot and all-in."""

    def row(labels: tuple[str, ...], before: Floats, public: str) -> Floats:
        raises = [i for i, label in enumerate(labels) if label[0] in "br"]
        return np.eye(len(labels))[raises[0]] if raises else _answer(labels)

    return _rows(infosets, row)


def random_flop(infosets: InfosetIndex, base: TabularPolicy) -> TabularPolicy:
    """The base before the flop; then check or call half of the time, and any raise otherwise."""

    def row(labels: tuple[str, ...], before: Floats, public: str) -> Floats:
        if not {"J", "Q", "K"} & {word[:1] for word in public.split(":")}:
            return before
        raises = np.array([label[0] in "br" for label in labels], np.float64)
        return _answer(labels) if not raises.any() else (_answer(labels) + raises / raises.sum()) / 2.0

    return _rows(infosets, row, base)


def _answer(labels: tuple[str, ...]) -> Floats:
    return np.array([float(label in ("x", "c")) for label in labels])


def _rows(
    infosets: InfosetIndex,
    rule: Callable[[tuple[str, ...], Floats, str], Floats],
    base: TabularPolicy | None = None,
) -> TabularPolicy:
    given = infosets.uniform() if base is None else base
    rows = [rule(infosets.actions[i], given.row(i), infosets.public[i]) for i in range(len(infosets))]
    return TabularPolicy(infosets, np.concatenate(rows))


Bot = Callable[[InfosetIndex, TabularPolicy], TabularPolicy]


def duel(base: Base, method: EndgameMethod | None, other: tuple[Flop, Flop], bot: Bot | None) -> float:
    """Milli-chips a game against a bot, or against the base itself; mean over seats."""
    total = 0.0
    for seat in (0, 1):
        game = base.real(seat, base.menu if method is None else FINE, other)
        owner = np.repeat(game.infosets.player, np.diff(game.infosets.first_slot))
        theirs = base.play(game, 1 - seat)
        answer = theirs if bot is None else bot(game.infosets, theirs)
        mine = base.play(game, seat, method)
        joined = TabularPolicy(game.infosets, np.where(owner == seat, mine.probabilities, answer.probabilities))
        total += counterfactual_values(game, joined, seat).value
    return 500 * total


def exploitability(base: Base, method: EndgameMethod | None) -> float:
    """Milli-chips a game that a responder with eight sizes wins, mean over seats."""
    eight: Flop = (lifted(MENUS[8]),)
    total = 0.0
    for seat in (0, 1):
        game = base.real(seat, base.menu if method is None else FINE, (eight, eight))
        total += best_response(game, base.play(game, seat, method), 1 - seat).value
    return 500 * total


def column(base: Base, method: EndgameMethod | None) -> dict[str, float]:
    """One strategy against everybody."""
    half: Flop = (lifted([0.5]),)
    found = {
        "random flop": duel(base, method, (base.menu, (lifted(RANDOM_SIZES),)), random_flop),
        "always call": duel(base, method, (half, half), always_call),
        "always raise": duel(base, method, (half, half), always_raise),
        "exploitability": exploitability(base, method),
    }
    return found if method is None else {"base": duel(base, method, (base.menu, base.menu), None), **found}
