"""An off-tree raise in no-limit flop hold'em answered with k values per leaf: all flops with --full, a deck of fifteen cards otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from equilibrist.compute.machine import cores
from equilibrist.experiments.brown.depth_limits.off_tree_flops import FlopSetting, OffTreeFlops, SearchedAnswer
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most, between, printed
from equilibrist.experiments.pictures import COLOURS
from equilibrist.experiments.registry import Experiment

FULL, QUICK = FlopSetting(), FlopSetting(ranks=5, suits=3, trained=400, searched=300)
VALUES = {False: (1, 2, 4, 8, 16), True: (1, 2, 4, 8, 16, 32)}  # per leaf infoset
PUBLISHED = {
    "Figure 5.8": "exploitability, axis 0 to 14 mbb: with one value worse than translation, then better; at 16 close to having the raise",
    "blueprint within its abstraction, mbb": "< 1",
}
SELF_GENERATED, BIASED = "self-generated", "4 biased"
TOGETHER, MEANS = f"{SELF_GENERATED}, flops searched together", f"{SELF_GENERATED}, means of neighbours on flops"
AXIS = 14.0  # mbb, where the figure ends
NOISE = 0.1  # by which more values may be worse than fewer
CLOSE = 0.25  # of what translation loses against having the raise


def checks_of(found: Mapping[str, Any], full: bool) -> list[Check]:
    """What the text says of Figure 5.8."""
    curve, known, translated = found[SELF_GENERATED], found["in the abstraction"], found["translation"]
    left = (curve[16] - known) / (translated - known)
    checks = [
        at_least("one value / translation", 1.0, curve[1] / translated),
        at_most("two values / translation", 1.0, curve[2] / translated),
        at_most("more values / fewer, at worst", 1.0 + NOISE, max(b / a for a, b in pairwise(curve.values()))),
        at_most("16 values / what translation loses, both over having the raise", CLOSE, left),
    ]
    if full:
        checks.append(at_most("worst of all, mbb", AXIS, max(*curve.values(), translated)))
        checks += printed(
            [between("blueprint within its abstraction, mbb", 0.0, 1.0, found["blueprint"], target="< 1")]
        )
    return checks


def measure(setting: FlopSetting, counts: Sequence[int], request: Request) -> dict[str, Any]:
    """Exploitability of the big blind's strategy in mbb, for each way to answer the raise."""
    game = OffTreeFlops(setting, request.report, device=request.device, threads=cores())
    got, low, high = game.in_abstraction()
    value = (low + high) / 2.0
    request.report("translation")
    found: dict[str, Any] = {
        "blueprint": game.residual,
        "value of the game, between": [low, high],
        "in the abstraction": got - value,
        "translation": game.translated() - value,
    }
    continuations = game.self_generated(max(counts))
    answers = {count: game.answer(continuations[:count]) for count in counts}
    ways: dict[str, Callable[[SearchedAnswer], float]] = {
        SELF_GENERATED: game.searched,
        TOGETHER: game.searched_together,
        MEANS: lambda answer: game.searched(answer, means=True),
    }
    for name, searched in ways.items():
        found[name] = {}
        for count, answer in answers.items():
            request.report(f"{name}: {count} values")
            found[name][count] = searched(answer) - value
    request.report(BIASED)
    return found | {BIASED: game.searched(game.answer(game.biased())) - value}


def draw(figure: Any, found: Mapping[str, Any]) -> None:
    """Like Figure 5.8."""
    panel = figure.subplots()
    for number, name in enumerate((SELF_GENERATED, TOGETHER, MEANS)):
        panel.plot(list(found[name]), list(found[name].values()), "o-", color=COLOURS[number], label=name)
    for number, name in enumerate(("translation", BIASED, "in the abstraction"), start=3):
        panel.axhline(found[name], color=COLOURS[number], linestyle=":", label=name)
    panel.set_xscale("log", base=2)
    panel.set(xlabel="values per leaf infoset", ylabel="exploitability, mbb")
    panel.legend(fontsize=7)


def run(request: Request) -> Findings:
    setting = FULL if request.full else QUICK
    found = measure(setting, VALUES[request.full], request)
    low, high = found["value of the game, between"]
    return Findings(
        setting=f"{setting.ranks * setting.suits} cards, stacks of 200 big blinds, raises and bets of 0.5 and 1 pot, two before the flop "
        f"and two on it; {setting.trained} iterations of CFR+ for blueprints, {setting.searched} for searches, {setting.generated} for "
        f"continuations; device {request.device}" + ("" if request.full else "; all flops need --full"),
        checks=checks_of(found, request.full),
        published=PUBLISHED,
        measured=found,
        remarks=(
            "The text gives neither stacks nor the number of raises. Exploitability is that of the big blind's whole strategy, which meets "
            f"an opening raise of 0.75 pot; the value of the game is known to {(high - low) / 2.0:.2g} mbb.",
            "On a flop a hand's alternative payoff is what it has there in the search before the flop, by the continuations that it chose; "
            "beside it stand one gadget for all flops of a line, and the mean of what the blueprint leaves it after 0.5 and after 1 pot. "
            "The text says only that flops are solved safely.",
        ),
        draw=lambda figure: draw(figure, found),
    )


EXPERIMENT = Experiment(
    id="brown/nlfh-multi-valued-states",
    title="An off-tree raise in no-limit flop hold'em, k values per leaf",
    source="[Brown20, §5.2.3, Figure 5.8]",
    seconds_quick=100,
    seconds_full=40_000,
    run=run,
    text="no-limit flop hold'em with 52 cards, stacks and number of raises not given",
    quick={"15 cards, stacks and number of raises of ours": ("pattern",)},
    full={"52 cards, stacks and number of raises of ours": ("pattern", "printed")},
    gpu=True,
)
