"""Techniques of subgame solving by name: a gadget, how alternative payoffs are found, and gifts ([Brown20, §5.1])."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from equilibrist.core.arrays import Floats, Ints
from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError, suggest
from equilibrist.core.names import parse_name
from equilibrist.search.alternatives import estimates, upper_bounds
from equilibrist.search.gadgets import Distributional, Gadget, GadgetInputs, Unsafe
from equilibrist.search.maxmargin import Maxmargin
from equilibrist.search.reach import gifts
from equilibrist.search.resolve import Resolve
from equilibrist.search.subgame import Subgame
from equilibrist.search.tree_profile import TreeProfile


@dataclass(frozen=True)
class Technique:
    """One way of solving a subgame again."""

    name: str
    gadget: Gadget
    gift_scale: float = 0.0  # 0: none, 1: all that is safe to count
    split: bool = True  # False: gifts are counted once for every draw crossed, which is not safe
    estimated: bool = False  # alternative payoffs as the abstraction sees them, instead of upper bounds

    def __post_init__(self) -> None:
        if not 0.0 <= self.gift_scale < np.inf:
            raise ParameterError(f"Gifts are scaled by a number of zero or more, but {self.gift_scale} was given.")

    @property
    def safe(self) -> bool:
        """Exploitability cannot rise, up to how far the subgame is solved."""
        sound = self.gadget.sound and not self.estimated
        return sound and (self.gift_scale == 0.0 or (self.split and self.gift_scale <= 1.0))

    def check_off_tree(self) -> None:
        """Whether this can begin right after an off-tree action, without knowing with which hands it is taken."""
        if not self.gadget.needs_values or self.estimated:
            raise NotApplicableError(
                f"'{self.name}' cannot answer an off-tree action, because nothing says with which hands it is taken; use resolve, "
                "maxmargin or a reach technique."
            )

    def inputs(self, subgame: Subgame, opponent: int, blueprint: TreeProfile | None) -> GadgetInputs:
        """What the gadget needs to know, from the blueprint where one is given."""
        door = GadgetInputs(mass=subgame.mass(opponent), group=subgame.groups(opponent), reach=subgame.ranges[opponent])
        if not self.gadget.needs_values:
            return door
        if blueprint is None:
            raise NotApplicableError(
                f"The technique '{self.name}' needs the blueprint's values at the subgame; give a blueprint, or use 'unsafe'."
            )
        hands = blueprint.at(subgame.roots, opponent)
        worth, deviation = self.alternative(blueprint, hands, opponent)
        return replace(door, alternative=worth, deviation=deviation)

    def alternative(self, blueprint: TreeProfile, hands: Ints, opponent: int) -> tuple[Floats, Floats | None]:
        """What these hands of the opponent get without entering, and how uncertain that is."""
        return self.alternatives(
            upper_bounds(blueprint, hands, opponent),
            estimates(blueprint, hands, opponent) if self.estimated else None,
            gifts(blueprint, hands, opponent, split=self.split) if self.gift_scale else None,
        )

    def alternatives(self, bound: Floats, estimate: Floats | None, gift: Floats | None) -> tuple[Floats, Floats | None]:
        """Alternative payoffs and how uncertain they are, from upper bounds and, where this technique uses them, estimates and gifts."""
        worth, deviation = bound, None
        if self.estimated:
            assert estimate is not None
            worth, deviation = estimate, np.abs(estimate - bound)
        if self.gift_scale:
            assert gift is not None
            worth = worth + self.gift_scale * gift
        return worth, deviation


TECHNIQUES: Mapping[str, Technique] = {
    technique.name: technique
    for technique in (
        Technique("unsafe", Unsafe()),
        Technique("resolve", Resolve()),
        Technique("maxmargin", Maxmargin()),
        Technique("reach-resolve", Resolve(), gift_scale=1.0),
        Technique("reach-maxmargin", Maxmargin(), gift_scale=1.0),
        Technique("reach-maxmargin-unsplit", Maxmargin(), gift_scale=1.0, split=False),
        Technique("estimate-resolve", Resolve(), estimated=True),
        Technique("estimate-maxmargin", Maxmargin(), estimated=True),
        Technique("estimate-distributional", Distributional("cdf"), estimated=True),
        Technique("estimate-distributional-hedge", Distributional("hedge"), estimated=True),
        Technique("reach-estimate-distributional", Distributional("cdf"), gift_scale=1.0, estimated=True),
        Technique(
            "reach-estimate-distributional-unsplit", Distributional("cdf"), gift_scale=1.0, split=False, estimated=True
        ),
    )
}


def find_technique(technique: str | Technique) -> Technique:
    """A technique by name; gifts of Reach techniques may be scaled, as in `reach-maxmargin(scale=0.5)`."""
    if isinstance(technique, Technique):
        return technique
    asked = parse_name(technique)
    name, parameters = asked.base, asked.parameters
    if name not in TECHNIQUES:
        raise UnknownNameError(
            f"There is no search technique '{name}'.{suggest(name, TECHNIQUES)} Known are: {', '.join(TECHNIQUES)}."
        )
    found = TECHNIQUES[name]
    if not parameters:
        return found
    scale = parameters.get("scale")
    if (
        set(parameters) != {"scale"}
        or not found.gift_scale
        or isinstance(scale, bool)
        or not isinstance(scale, int | float)
    ):
        raise ParameterError(
            f"'{technique}' cannot be read: only Reach techniques have a parameter, the scale of their gifts, as in "
            "'reach-maxmargin(scale=0.5)'."
        )
    return replace(found, name=f"{name}(scale={scale:g})", gift_scale=float(scale))
