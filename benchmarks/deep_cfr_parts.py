"""Where the time of Deep CFR on limit flop hold'em goes: walks, fits, the exact average, exploitability; and what a step costs by settings.

    python benchmarks/deep_cfr_parts.py --device cuda --traversals 10000 --steps 4000 --batch 10000 --memory 40000000

Seconds are wall time after the device has finished. `--step BATCH:WIDTH:HOW` times steps of a fit, `--fit STEPS:BATCH:RATE[:WIDTH[:HOW]]`
fits one net more to the memory of the first player and prints the mean squared error on a fixed part of it. HOW is `fused` (default of a
fit), `compiled` or `plain`; `fused,64x4,bf16,stashed,r168` has tiles of 64 samples, 4 warps, factors in bfloat16, layers that wait
in memory and 168 registers; with `,profile` kernels are listed. Nothing new is begun after `--seconds`.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch

from equilibrist.forms.compiled import compiled
from equilibrist.learning.networks import torch_extra
from equilibrist.learning.networks.card_net import CardNet
from equilibrist.learning.networks.torch_extra import quick_products
from equilibrist.learning.poker.poker_deep_cfr import PokerDeepCFRLearner
from equilibrist.learning.poker.samples import PokerSamples
from equilibrist.learning.regression import step_graphs
from equilibrist.learning.regression.deep_cfr import DeepCFR
from equilibrist.learning.regression.fitting import FitPlan, fit_captured
from equilibrist.learning.regression.step_graphs import StepGraph

HELD = 1 << 21  # samples that errors are measured on
TIMED = 300  # steps
PARTS = ("collect", "add_average", "improve")


class Clock:
    """Seconds by name, and whether there is time for more."""

    def __init__(self, seconds: float, device: str) -> None:
        self.begin, self.most, self.device = time.perf_counter(), seconds, device
        self.spent: dict[str, list[float]] = defaultdict(list)

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            self.sync()
            start = time.perf_counter()
            found = work(*given, **named)
            self.sync()
            self.spent[name].append(time.perf_counter() - start)
            return found

        return run

    def sync(self) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()

    def say(self, text: str) -> None:
        print(f"[{time.perf_counter() - self.begin:6.1f} s] {text}", flush=True)

    @property
    def over(self) -> bool:
        return time.perf_counter() - self.begin > self.most


def started(args: argparse.Namespace, clock: Clock) -> PokerDeepCFRLearner:
    """A learner whose parts are timed, after one warm iteration."""
    method = DeepCFR(
        "sd-cfr", "nets", args.traversals, args.steps, batch=args.batch, memory=args.memory, rate=args.rate
    )
    learner = clock.timed("start", method.start)(compiled(args.game), seed=0, device=args.device)
    clock.say(f"start: {clock.spent['start'][-1]:.2f} s")
    value = clock.timed("measure", learner.measure)()[0]
    clock.say(
        f"first measure (kernels are compiled): {clock.spent['measure'][-1]:.2f} s, even play {1000 * value:.2f} mbb/g"
    )
    for part in PARTS:
        setattr(learner, part, clock.timed(part, getattr(learner, part)))
    return learner


def iterations(learner: PokerDeepCFRLearner, args: argparse.Namespace, clock: Clock) -> None:
    for _ in range(args.iterations):
        learner.advance()
        told = ", ".join(f"{part} {'/'.join(f'{each:.3f}' for each in clock.spent[part][-2:])}" for part in PARTS)
        clock.say(f"iteration {learner.iteration}: {told}; loss {learner.loss.round(6)}")
        if clock.over:
            break
    value = clock.timed("measure", learner.measure)()[0]
    clock.say(f"measure: {clock.spent['measure'][-1]:.2f} s, {1000 * value:.2f} mbb/g at iteration {learner.iteration}")
    counts = ", ".join(f"{key} {value:,}" for key, value in learner.counts().items())
    clock.say(f"{counts}; samples kept {[len(each) for each in learner.regrets]}")


def checked(learner: PokerDeepCFRLearner, clock: Clock) -> None:
    """The same sums by threads on the host."""
    from equilibrist.learning.poker.tables import packed
    from equilibrist.solvers.blueprint.values.streamed_responses import StreamedResponses

    shares = clock.timed("pack", lambda: packed(learner.abstract, learner.average()).astype(np.float32))()
    host = StreamedResponses(learner.abstract, threads=args_threads())
    value = clock.timed("host", host.exploitability)(shares, np.zeros_like(shares))
    there = learner.measure()[0]
    clock.say(
        f"on the host: {clock.spent['pack'][-1]:.2f} + {clock.spent['host'][-1]:.2f} s, {value:.7f}; there {there:.7f} chips"
    )


def args_threads() -> int:
    from equilibrist.compute.machine import cores

    return cores()


@contextmanager
def steps_by(how: str, samples: PokerSamples) -> Iterator[None]:
    """Steps are fused, compiled or neither; what was asked for and is not there is said."""
    before = samples.tiling
    with ExitStack() as undo:
        undo.callback(setattr, samples, "tiling", before)
        undo.callback(setattr, step_graphs, "compiled_here", torch_extra.compiled_here)
        undo.callback(samples.__dict__.pop, "fused_of", None)
        if "fused" not in how:
            samples.fused_of = lambda *given: None
        if "fused" not in how and "compiled" not in how:
            step_graphs.compiled_here = lambda device: False
        for part in how.split(","):
            if part in ("fp16", "bf16", "fp32"):
                samples.tiling = samples.tiling._replace(factors=part)
            if part == "stashed":
                samples.tiling = samples.tiling._replace(stashed=True)
            if part[0] == "r" and part[1:].isdigit():
                samples.tiling = samples.tiling._replace(registers=int(part[1:]))
            if part[0].isdigit():
                tile, warps = part.split("x")
                samples.tiling = samples.tiling._replace(samples=int(tile), warps=int(warps))
        yield


def step_time(learner: PokerDeepCFRLearner, what: str, clock: Clock) -> None:
    batch, width, how = what.split(":")
    net = fresh(learner, int(width))
    with steps_by(how, learner.samples[0]):
        graph = StepGraph(fresh(learner, int(width)), learner.samples[0], int(batch), False)
        random = torch.Generator(learner.device).manual_seed(0)
        plan = FitPlan(TIMED, int(batch), 1e-3)
        first = clock.timed("first", fit_captured)
        first(graph, net, plan, random)
        clock.timed("steps", fit_captured)(graph, net, plan, random)
        per_step = 1e3 * clock.spent["steps"][-1] / TIMED
        clock.say(
            f"step of batch {batch}, width {width}, {how}{said(graph, how)}: {per_step:.4f} ms; first {clock.spent['first'][-1]:.1f} s"
        )
        if "profile" in how:
            profiled(graph, net, plan, random)


def said(graph: StepGraph, how: str) -> str:
    return " (but it was NOT fused)" if "fused" in how and not graph.fused else ""


def profiled(graph: StepGraph, net: CardNet, plan: FitPlan, random: torch.Generator) -> None:
    """Kernels of some steps, by time."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as found:
        fit_captured(graph, net, FitPlan(50, plan.batch, plan.rate), random)
        torch.cuda.synchronize()
    rows = sorted(found.key_averages(), key=lambda row: -row.self_device_time_total)
    print(f"kernels of a step: {sum(row.count for row in rows) / 50:.1f}", flush=True)
    for row in rows[:28]:
        print(
            f"  {row.self_device_time_total / 50:8.2f} us a step  {row.count / 50:6.1f} x  {row.key[:110]}", flush=True
        )


def fresh(learner: PokerDeepCFRLearner, width: int) -> CardNet:
    torch.manual_seed(1)
    deck = learner.hands.rules.deck
    bets, outputs = learner.numbers.shape[1], learner.betting.outputs
    return CardNet(learner.hands.groups, deck.ranks, deck.suits, bets, outputs, width).to(learner.device)


def fit_error(learner: PokerDeepCFRLearner, what: str, clock: Clock) -> None:
    steps, batch, rate, *more = what.split(":")
    width, how = int(more[0]) if more else 64, more[1] if len(more) > 1 else "fused"
    net = fresh(learner, width)
    plan = FitPlan(int(steps), int(batch), float(rate))
    with steps_by(how, learner.samples[0]):
        graph = StepGraph(fresh(learner, width), learner.samples[0], plan.batch, False)
        random = torch.Generator(learner.device).manual_seed(0)
        fit_captured(graph, net, FitPlan(20, plan.batch, plan.rate), random)
        again = fresh(learner, width)
        clock.timed("fit", fit_captured)(graph, again, plan, random)
    clock.say(f"fit {what}{said(graph, how)}: {clock.spent['fit'][-1]:.2f} s, error {held_error(learner, again):.6f}")


@torch.no_grad()
def held_error(learner: PokerDeepCFRLearner, net: CardNet) -> float:
    loss = learner.samples[0].loss_of(net, False, False)
    most = min(HELD, len(learner.regrets[0]))
    chosen = torch.randperm(len(learner.regrets[0]), device=learner.device)[:most] if most < HELD else None
    rows = torch.arange(most, device=learner.device) if chosen is None else chosen
    with quick_products(learner.device):
        return float(torch.stack([loss(part) for part in rows.split(1 << 17)]).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="flop-holdem")
    parser.add_argument("--device", default="cpu")
    for name, value in (
        ("traversals", 10_000),
        ("steps", 4000),
        ("batch", 10_000),
        ("memory", 40_000_000),
        ("iterations", 3),
    ):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seconds", type=float, default=75.0)
    parser.add_argument("--step", action="append", default=[])
    parser.add_argument("--fit", action="append", default=[])
    parser.add_argument(
        "--more-walks", type=int, default=0, help="before --fit: so many walks more of the first player"
    )
    parser.add_argument("--check", action="store_true", help="exploitability also on the host")
    args = parser.parse_args()
    clock = Clock(args.seconds, args.device)
    name = torch.cuda.get_device_name() if args.device == "cuda" else platform.processor()
    clock.say(f"torch {torch.__version__} on {name}, {args_threads()} cores")
    learner = started(args, clock)
    iterations(learner, args, clock)
    for what in args.step:
        if not clock.over:
            step_time(learner, what, clock)
    if args.more_walks and not clock.over:
        learner.collect(0, args.more_walks, float(learner.iteration))
        learner.samples[0].begin()
        clock.say(f"{args.more_walks:,} walks: {clock.spent['collect'][-1]:.3f} s, {len(learner.regrets[0]):,} samples")
    for what in args.fit:
        if not clock.over:
            fit_error(learner, what, clock)
    if args.check and not clock.over:
        checked(learner, clock)
    if args.device == "cuda":
        clock.say(f"most device memory: {torch.cuda.max_memory_allocated() / 1e9:.2f} GB by torch")


if __name__ == "__main__":
    main()
