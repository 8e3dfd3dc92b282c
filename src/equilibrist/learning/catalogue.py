"""Methods of learning by name: `sd-cfr(traversals=1500)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equilibrist.core.catalogue import Entry, Makers

if TYPE_CHECKING:
    from equilibrist.learning.learner import LearningMethod

METHODS: Makers[Entry, LearningMethod] = Makers(
    kind="method of learning",
    package="equilibrist.learning",
    table={
        "regression.deep_cfr": ("sd-cfr", "deep-cfr"),
        "outcome_sampling.vr_deep": ("vr-deep-dcfr+", "vr-deep-pdcfr+"),
        "outcome_sampling.dream": ("dream",),
        "outcome_sampling.escher": ("escher",),
        "reinforcement.nfsp": ("nfsp",),
        "reinforcement.fitted_nfsp": ("fitted-nfsp",),
        "reinforcement.policy_gradient": ("ppo", "mmd"),
        "rebel.rebel": ("rebel",),
    },
    hint="See 'equilibrist learn methods'.",
)


def load_method(text: str) -> LearningMethod:
    """A method from its name and parameters; refused with a sentence where PyTorch is missing."""
    from equilibrist.learning.networks.torch_extra import need_torch

    need_torch()
    return METHODS.make(text)
