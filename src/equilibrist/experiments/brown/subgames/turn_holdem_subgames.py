"""Subgames of no-limit turn hold'em solved again: all turn boards with --full, all those of a deck of fifteen cards otherwise."""

from __future__ import annotations

from equilibrist.experiments.brown.subgames.nlfh import ColumnSetting
from equilibrist.experiments.brown.subgames.nlfh_table import run_table
from equilibrist.experiments.findings import Findings, Request
from equilibrist.experiments.registry import Experiment

# about five minutes of an H200 for a column of 200 buckets
FULL = tuple(ColumnSetting(buckets, game="turn", blueprint=100, search=40) for buckets in (200, 2000, 20_000))
QUICK = (
    ColumnSetting(20, game="turn", ranks=5, suits=3, blueprint=150, search=24),
    ColumnSetting(100, game="turn", ranks=5, suits=3, blueprint=150, search=24),
)
GAIN = (1.3, 2.2)  # of Maxmargin over the blueprint: 1.60, 1.55 and 1.47 in the text
PUBLISHED = {  # Table 5.3, mbb per hand; action sets and stacks of the thesis's game are not given
    "trunk": {200: 684.6, 2000: 465.1, 20_000: 345.5},
    "unsafe": {200: 130.4, 2000: 85.95, 20_000: 79.34},
    "resolve": {200: 454.9, 2000: 321.5, 20_000: 251.8},
    "maxmargin": {200: 427.6, 2000: 299.6, 20_000: 234.4},
    "reach-maxmargin": {200: 424.4, 2000: 298.3, 20_000: 233.5},
    "reach-maxmargin-unsplit": {200: 333.4, 2000: 229.4, 20_000: 175.5},
    "estimate-resolve": {200: 120.6, 2000: 89.43, 20_000: 76.44},
    "estimate-distributional": {200: 119.4, 2000: 87.83, 20_000: 74.35},
    "reach-estimate-distributional": {200: 116.8, 2000: 85.80, 20_000: 72.59},
    "reach-estimate-distributional-unsplit": {200: 113.3, 2000: 83.24, 20_000: 70.68},
}


def run(request: Request) -> Findings:
    return run_table(request, FULL if request.full else QUICK, PUBLISHED, GAIN)


EXPERIMENT = Experiment(
    id="brown/turn-holdem-subgames",
    title="Subgames of no-limit turn hold'em solved again, eleven techniques",
    source="[Brown20, Table 5.3]",
    seconds_quick=70,
    seconds_full=42_000,
    run=run,
    text="no-limit turn hold'em with 52 cards, stacks and sizes not given",
    quick={"15 cards, stacks and sizes of ours": ("pattern",)},
    full={"52 cards, stacks and sizes of ours": ("pattern", "reference")},
    gpu=True,
)
