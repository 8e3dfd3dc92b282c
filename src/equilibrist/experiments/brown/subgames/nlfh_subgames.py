"""Subgames of small no-limit flop hold'em solved again: all flops with --full, all flops of a deck of eighteen cards otherwise."""

from __future__ import annotations

from equilibrist.experiments.brown.subgames.nlfh import ColumnSetting
from equilibrist.experiments.brown.subgames.nlfh_table import run_table
from equilibrist.experiments.findings import Findings, Request
from equilibrist.experiments.registry import Experiment

FULL = (ColumnSetting(200, scaled=True), ColumnSetting(2000), ColumnSetting(30_000))
QUICK = (
    ColumnSetting(20, ranks=6, suits=3, blueprint=300, search=100),
    ColumnSetting(100, ranks=6, suits=3, blueprint=300, search=100),
)
PUBLISHED = {  # Table 5.1, mbb per hand; action sets and stacks of the thesis's game are not given
    "trunk": {200: 88.69, 2000: 37.374, 30_000: 9.128},
    "unsafe": {200: 14.68, 2000: 3.958, 30_000: 0.5514},
    "resolve": {200: 60.16, 2000: 17.79, 30_000: 5.407},
    "maxmargin": {200: 30.05, 2000: 13.99, 30_000: 4.343},
    "reach-maxmargin": {200: 29.88, 2000: 13.90, 30_000: 4.147},
    "reach-maxmargin-unsplit": {200: 24.87, 2000: 9.807, 30_000: 2.588},
    "estimate-resolve": {200: 11.66, 2000: 6.261, 30_000: 2.423},
    "estimate-distributional": {200: 10.44, 2000: 6.245, 30_000: 3.430},
    "reach-estimate-distributional": {200: 10.21, 2000: 5.798, 30_000: 2.258},
    "reach-estimate-distributional-unsplit": {200: 9.560, 2000: 4.924, 30_000: 1.733},
}


def run(request: Request) -> Findings:
    return run_table(request, FULL if request.full else QUICK, PUBLISHED)


EXPERIMENT = Experiment(
    id="brown/nlfh-subgames",
    title="Subgames of no-limit flop hold'em solved again, eleven techniques",
    source="[Brown20, Table 5.1, Figure 5.7]",
    seconds_quick=60,
    seconds_full=24_000,
    run=run,
    text="no-limit flop hold'em with 52 cards, stacks and sizes not given",
    quick={"18 cards, stacks and sizes of ours": ("pattern",)},
    full={"52 cards, stacks and sizes of ours": ("pattern", "reference")},
    gpu=True,
)
