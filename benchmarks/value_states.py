"""How fast states are made and learned from (`learn start FOLDER --preset values-turn`), part by part, and how exact labels are.

States are drawn (`--seed`), solved by depth to each goal, and turned into questions; the same states solved to goals further apart
say how far values are off that were solved less closely, and `--check` states of each depth are solved on the CPU, too. Then networks
of several shapes make steps on them. With `--learn` networks learn from the states for so many seconds each, and are measured on others.
Parts that would begin after `--seconds` are left out. What is compiled first is timed by itself. `--json FILE` writes one object.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from equilibrist.learning.hand_values.belief_states import BeliefStates, joined_states, random_states
from equilibrist.learning.hand_values.labels import LabelledStates, Labelling, label
from equilibrist.learning.hand_values.meetings import meetings
from equilibrist.learning.hand_values.played_states import played_states
from equilibrist.learning.hand_values.value_order import BETS, DEPTHS, ValueOrder
from equilibrist.learning.hand_values.value_training import ValueTraining

BY_DEPTH = {"turn": ((0.1, 0.7), (0.7, 2.5), (2.5, 13.1)), "river": ((0.1, 13.1),)}  # betting of one shape on turns
SHAPES = ((32, 128, 1, 0), (64, 256, 1, 0), (64, 256, 1, 1), (64, 256, 2, 1), (128, 512, 2, 1))


class Clock:
    """What has been measured, printed as it comes."""

    def __init__(self, seconds: float) -> None:
        self.begin, self.seconds = time.perf_counter(), seconds
        self.found: dict[str, Any] = {}

    @property
    def over(self) -> bool:
        return time.perf_counter() - self.begin > self.seconds

    def note(self, name: str, **numbers: Any) -> None:
        self.found[name] = {key: round(each, 4) if isinstance(each, float) else each for key, each in numbers.items()}
        told = ", ".join(
            f"{key} {each:.4g}" if isinstance(each, float) else f"{key} {each}" for key, each in numbers.items()
        )
        print(f"{time.perf_counter() - self.begin:6.1f} s  {name:34s} {told}", flush=True)


def wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def memory_used(device: str) -> dict[str, float]:
    """GB on the device."""
    if device == "cpu":
        return {}
    free, whole = torch.cuda.mem_get_info()
    return {"GB_taken": (whole - free) / 1e9}


def distance(found: LabelledStates, other: LabelledStates) -> dict[str, float]:
    """% of the pot between two values of a hand, hands as they are held."""
    ranges = other.states.ranges
    held = ranges / ranges.sum(axis=2, keepdims=True)
    off = 100.0 * (found.values - other.values) * held
    each = np.abs(off).sum(axis=2)
    return {"off": float(each.mean()), "worst": float(each.max()), "of_range": float(np.abs(off.sum(axis=2)).mean())}


def measure_making(
    clock: Clock, street: Any, count: int, goals: list[float], how: dict[str, Any], seed: int, checked: int
) -> LabelledStates:
    """States by depth: drawn, solved to every goal, compared with the closest, and some with the CPU."""
    made, states = list[LabelledStates](), list[BeliefStates]()
    for _ in range(2):  # compiled first
        begin = time.perf_counter()
        played_states(street, count // 2, np.random.default_rng(seed), DEPTHS, BETS)
    clock.note("playing", states=count // 2, per_second=count // 2 / (time.perf_counter() - begin))
    for low, high in BY_DEPTH[street]:
        depths = [each for each in DEPTHS if low <= each < high]
        share = max(8, count * len(depths) // len(DEPTHS))
        random_states(street, 1, np.random.default_rng(seed), depths)
        begin = time.perf_counter()
        drawn = random_states(street, share, np.random.default_rng([seed, int(100 * low)]), depths)
        clock.note(f"drawing {low:g} to {high:g}", states=share, per_second=share / (time.perf_counter() - begin))
        name = f"{low:g} to {high:g} pots"
        begin = time.perf_counter()
        label(Labelling(street, BETS, tuple(depths), 50.0), drawn[: min(share, 32)], **how)
        clock.note(f"first solve {name}", seconds=time.perf_counter() - begin)
        found = {}
        for goal in goals:
            if clock.over and found:
                break
            begin = time.perf_counter()
            found[goal] = label(Labelling(street, BETS, tuple(depths), goal), drawn, **how)
            clock.note(
                f"solving {name} to {goal:g} %",
                per_second=share / (time.perf_counter() - begin),
                **memory_used(how["device"]),
            )
        closest = found[min(found)]
        for goal in sorted(found)[1:]:
            clock.note(f"values to {goal:g} %, {name}", **distance(found[goal], closest))
        if checked:
            some = slice(0, checked)
            begin, labelling = time.perf_counter(), Labelling(street, BETS, tuple(depths), min(found))
            cpu = label(labelling, drawn[some], threads=how["threads"])
            here = LabelledStates(drawn[some], closest.values[some], closest.error[some])
            clock.note(f"CPU, {name}", seconds=time.perf_counter() - begin, **distance(here, cpu))
        made.append(closest)
        states.append(drawn)
    values, error = (np.concatenate([getattr(each, name) for each in made]) for name in ("values", "error"))
    return LabelledStates(joined_states(states), values, error)


def split(shard: LabelledStates, share: float, seed: int) -> tuple[LabelledStates, LabelledStates]:
    """At random, so many held out."""
    rows = np.random.default_rng(seed).permutation(len(shard))
    cut = max(1, int(len(rows) * share))
    first, second = (
        LabelledStates(shard.states[some], shard.values[some], shard.error[some]) for some in (rows[cut:], rows[:cut])
    )
    return first, second


def measure_steps(clock: Clock, street: Any, shard: LabelledStates, device: str, batch: int, learn: float) -> None:
    """Steps a second of networks of several shapes; with `learn` seconds each also how far they come."""
    trained, held = split(shard, 0.1, 0)
    for width, wide, rounds, outcomes in SHAPES:
        if clock.over:
            return
        more = {"width": width, "wide": wide, "rounds": rounds, "outcomes": outcomes}
        order = ValueOrder(street, states=len(trained), shard=len(trained), batch=batch, held_out=len(held), **more)
        run = ValueTraining(order, device)
        run.memory.add(trained)
        run.held_out.add(held)
        random = np.random.default_rng(1)
        rows = torch.from_numpy(random.integers(0, len(trained), (4096, batch))).to(run.device)
        for step in range(3):
            run.step(rows[step])
        wait(device)
        begin, steps, most = time.perf_counter(), 0, max(learn, 1.5)
        while time.perf_counter() - begin < most:
            for group in run.optimiser.param_groups:
                group["lr"] = 2e-3 * (
                    0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * min(1.0, (time.perf_counter() - begin) / most)))
                )
            run.step(rows[steps % len(rows)])
            steps += 1
            if steps % 10 == 0:
                wait(device)
        told = {"per_second": steps / (time.perf_counter() - begin), **memory_used(device)}
        if learn:
            told |= {"steps": steps} | run.measure().plain()
        clock.note(f"steps of {batch}, net {width}-{wide}, {rounds} looks, outcomes {outcomes}", **told)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--street", choices=("turn", "river"), default="turn")
    parser.add_argument("--states", type=int, default=64)
    parser.add_argument("--until", type=float, nargs="+", default=[0.5, 0.2], help="%% of the pot")
    parser.add_argument("--check", type=int, default=0, help="states of each depth that are solved on the CPU, too")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--learn", type=float, default=0.0, help="seconds of each network")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args(argv)
    clock = Clock(arguments.seconds)
    how = {"threads": arguments.threads, "device": arguments.device}
    shard = measure_making(
        clock, arguments.street, arguments.states, arguments.until, how, arguments.seed, arguments.check
    )
    begin = time.perf_counter()
    meetings(shard.states)
    clock.note("questions", per_second=len(shard) / (time.perf_counter() - begin))
    measure_steps(clock, arguments.street, shard, arguments.device, arguments.batch, arguments.learn)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(clock.found, indent=1) + "\n")


if __name__ == "__main__":
    main()
