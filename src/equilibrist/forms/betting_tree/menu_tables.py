"""Menus of a set of rules as arrays, the form in which kernels read them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equilibrist.core.errors import NotApplicableError
from equilibrist.forms.betting_tree._kernels import betting_tree as kernels
from equilibrist.games.poker.bet_menus import COMMIT_RULES, Commitment, RoundMenu
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.rules import PokerRules

_KINDS = {"%": kernels.POT, "c": kernels.CHIPS, "x": kernels.TIMES, "a": kernels.ALL_IN_SIZE, "*": kernels.EVERY}


@dataclass(frozen=True)
class MenuTables:
    """Sizes of every situation [player, round, bets]: kinds and values first .. last - 1."""

    first: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]
    lift: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.int8]
    values: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]  # [round] of the stack that a bet short of all-in may commit
    commit_rule: npt.NDArray[np.int8]  # [round]
    widest: int  # raises that one decision can have at most

    @classmethod
    def of(cls, rules: PokerRules) -> MenuTables:
        rounds = [_as_round(menu) for menu in rules.menus]
        levels = max(len(menus) for each in rounds for menus in each.players)
        shape = (rules.players, len(rounds), levels)
        first, last, lift = np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.bool_)
        kinds: list[int] = []
        values: list[float] = []
        known: dict[Menu, tuple[int, int]] = {}
        for p, r, level in np.ndindex(*shape):
            menu = rounds[r].at(p, level)
            if menu not in known:
                begin = len(kinds)
                _refuse_unknown(menu)
                kinds += [_KINDS[size.unit] for size in menu.sizes]
                values += [size.amount / 100.0 if size.unit == "%" else size.amount for size in menu.sizes]
                known[menu] = begin, len(kinds)
            (first[p, r, level], last[p, r, level]), lift[p, r, level] = known[menu], menu.lift
        every = [math.ceil(rules.stack / v) + 1 for k, v in zip(kinds, values, strict=True) if k == kernels.EVERY]
        return cls(
            first,
            last,
            lift,
            np.array(kinds, dtype=np.int8),
            np.array(values, dtype=np.float64),
            np.array([each.commitment.share for each in rounds], dtype=np.float64),
            np.array([COMMIT_RULES.index(each.commitment.rule) for each in rounds], dtype=np.int8),
            len(kinds) + sum(every) + 1,
        )


def _refuse_unknown(menu: Menu) -> None:
    """Betting trees are grown by a kernel that knows fewer sizes than the rules."""
    unknown = [str(size) for size in menu.sizes if size.unit not in _KINDS]
    if unknown or menu.multiple != "call":
        what = f"The geometric size '{unknown[0]}'" if unknown else "A multiple of the bettor's total"
        raise NotApplicableError(f"{what} is not offered in betting trees; give shares of the pot such as 75%.")


def _as_round(menu: object) -> RoundMenu:
    if isinstance(menu, RoundMenu):
        return menu
    if isinstance(menu, Menu):
        return RoundMenu(((menu,),), Commitment())
    raise NotApplicableError(f"A betting tree needs a Menu or a RoundMenu for each round, but {menu!r} was given.")
