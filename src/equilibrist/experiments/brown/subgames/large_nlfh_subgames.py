"""Subgames of large no-limit flop hold'em solved again: all flops with --full, eighteen cards and short stacks otherwise."""

from __future__ import annotations

from equilibrist.experiments.brown.subgames.nlfh import ColumnSetting
from equilibrist.experiments.brown.subgames.nlfh_table import run_table
from equilibrist.experiments.findings import Findings, Request
from equilibrist.experiments.registry import Experiment

# as many iterations as a column of 200 buckets can have in nine minutes of an H200
FULL = tuple(ColumnSetting(buckets, game="large", blueprint=150, search=64) for buckets in (200, 2000, 30_000))
QUICK = (ColumnSetting(20, game="large", stack=1000, ranks=6, suits=3, blueprint=200, search=100),)
PUBLISHED = {  # Table 5.2, mbb per hand; action sets and stacks of the thesis's game are not given
    "trunk": {200: 283.7, 2000: 165.2, 30_000: 41.41},
    "unsafe": {200: 65.59, 2000: 38.22, 30_000: 396.8},
    "resolve": {200: 179.6, 2000: 101.7, 30_000: 23.11},
    "maxmargin": {200: 134.7, 2000: 77.89, 30_000: 19.50},
    "reach-maxmargin": {200: 134.0, 2000: 72.22, 30_000: 18.80},
    "reach-maxmargin-unsplit": {200: 130.3, 2000: 66.79, 30_000: 16.41},
    "estimate-resolve": {200: 52.62, 2000: 41.93, 30_000: 30.09},
    "estimate-distributional": {200: 49.56, 2000: 38.98, 30_000: 10.54},
    "reach-estimate-distributional": {200: 49.33, 2000: 38.52, 30_000: 9.840},
    "reach-estimate-distributional-unsplit": {200: 49.13, 2000: 37.22, 30_000: 8.777},
}


def run(request: Request) -> Findings:
    return run_table(request, FULL if request.full else QUICK, PUBLISHED)


EXPERIMENT = Experiment(
    id="brown/large-nlfh-subgames",
    title="Subgames of large no-limit flop hold'em solved again, eleven techniques",
    source="[Brown20, Table 5.2]",
    seconds_quick=60,
    seconds_full=85_000,
    run=run,
    text="no-limit flop hold'em with 52 cards, stacks and sizes not given",
    quick={"18 cards, stacks and sizes of ours": ("pattern",)},
    full={"52 cards, stacks and sizes of ours": ("pattern", "reference")},
    gpu=True,
)
