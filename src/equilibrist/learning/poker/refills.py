"""Memories and averages filled again from nets that were kept: the walks of a run are made anew, its fits are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from equilibrist.learning.networks.state import net_arrays
from equilibrist.learning.regression.kept_nets import load_kept

if TYPE_CHECKING:
    from equilibrist.learning.poker.poker_deep_cfr import PokerDeepCFRLearner


def refill(learner: PokerDeepCFRLearner, offered: npt.NDArray[Any]) -> None:
    """Each kept pair of nets stands for the iterations until the next one; with all of them kept the average comes back as it was.

    Takes what walks and averages of the run took: where nets were dropped, fewer averages; where memories were full, at most half as many
    samples again as they hold.
    """
    share = min(1.0, 1.5 * learner.regrets[0].capacity / max(int(offered.max()), 1))
    for player, iterations, weight in _again(learner):
        learner.collect(player, max(1, round(share * iterations * learner.settings.traversals)), weight / iterations)
        learner.add_average(1 - player, weight)
    for number, memory in enumerate(learner.all_memories()):
        if len(memory) == memory.capacity:
            memory.offered = max(int(offered[number]), memory.offered)


def averages_again(learner: PokerDeepCFRLearner) -> None:
    """The average over all nets alone."""
    for player, _, weight in _again(learner):
        learner.add_average(1 - player, weight)


def _again(learner: PokerDeepCFRLearner) -> Iterator[tuple[int, int, float]]:
    """Walking player, iterations and their weight, with the nets that were kept in play; the present ones come back in the end."""
    now = [net_arrays(net, "net") for net in learner.advantage]
    spans = list(learner.kept.spans(learner.iteration + 1))
    later = [nets for _, _, nets in spans[1:]] + [now]
    for (begin, end, nets), after in zip(spans, later, strict=True):
        weight = sum(learner.weight(t) for t in range(begin, end))
        for player, playing in enumerate(
            (nets, [after[0], nets[1]])
        ):  # the first player's net is new when the second one walks
            load_kept(learner.advantage, playing)
            yield player, end - begin, weight
    load_kept(learner.advantage, now)
