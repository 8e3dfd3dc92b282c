"""What others read of a training: the strategy before the flop as a blueprint, and both networks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.core.arrays import Array, Floats
from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.core.solution import SolveRecord
from equilibrist.forms.betting_tree.betting_tree import CALLED
from equilibrist.learning.hand_values.value_file import VALUES, save_values
from equilibrist.learning.hand_values.value_net import HandValueNet
from equilibrist.learning.hand_values.value_order import ValueOrder
from equilibrist.learning.networks.state import load_net, net_arrays
from equilibrist.learning.poker.tables import packed
from equilibrist.learning.rebel_holdem.preflop_search import PreflopSearch
from equilibrist.learning.rebel_holdem.rebel_training import RebelTraining
from equilibrist.learning.trainings.publishing import NETS, publish_nets
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

PREFLOP = "preflop.eqb"
FLOP_VALUES = "flop-values.eqb"
FLOP_KIND = "rebel-holdem-flop-values"
SOLVER = "rebel-holdem"
CHIPS_OF_BLIND = 100.0


def publish(folder: Path, training: RebelTraining, header: Mapping[str, Any]) -> None:
    """`preflop.eqb`, `values.eqb` as other searches take it, `flop-values.eqb`, `nets.safetensors`."""
    own, point = training.order, training.curve[-1]
    search = training.preflop()
    preflop_blueprint(search, _record(training, search)).save(folder / PREFLOP)
    turns = training.turn_values().net
    shape = ValueOrder("turn", width=turns.width, wide=_wide(turns), outcomes=int(turns.outcomes), until=own.until)
    errors = {"in_range": point["turn"], "check_down": point["turn_check_down"]}
    save_values(folder / VALUES, turns, shape, errors)
    told = {"width": own.width, "wide": own.wide, "errors": dict(point)}
    save_artifact(folder / FLOP_VALUES, Artifact(FLOP_KIND, told, net_arrays(training.flops.net, "net")))
    nets: Mapping[str, Mapping[str, Array]] = {
        "flop": net_arrays(training.flops.net, ""),
        "turn": net_arrays(turns, ""),
    }
    publish_nets(folder / NETS, nets, {"game": training.game.plan.game_name, "method": SOLVER, **header, "curve": []})


def load_flop_values(path: Path) -> HandValueNet:
    """The network of the start of the flop."""
    found = load_artifact(path, FLOP_KIND)
    try:
        net = HandValueNet(int(found.header["width"]), int(found.header["wide"]), 1, True)
        load_net(net, found.arrays, "net")
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise FormatError(f"'{path}' is damaged ({error}); train it again.") from None
    net.eval()
    return net


def preflop_blueprint(search: PreflopSearch, record: SolveRecord | None = None) -> PokerBlueprint:
    """The averages before the flop; later rounds, which are for a search to play, check and call."""
    game = search.game
    abstract = game.plan.game()
    tree, forest = abstract.tree, game.street.forest
    average = np.zeros(abstract.slots, dtype=np.float32)
    for node in tree.decisions.tolist():
        begin, width, first = int(abstract.first_slot[node]), int(tree.children[node]), int(tree.first_child[node])
        if int(tree.round[node]):
            average[begin : begin + width] = tree.step[first : first + width] == CALLED
    for node in np.flatnonzero(forest.kind <= 1).tolist():
        place = tree.find(forest.line(node))
        assert tree.actions(place) == forest.labels(node), "both lay out the same betting"
        begin, rows = int(abstract.first_slot[place]), _by_cell(search, node)
        average[begin : begin + rows.size] = rows.ravel()
    return PokerBlueprint(game.plan, abstract, packed(abstract, average), record or SolveRecord(SOLVER))


def _by_cell(search: PreflopSearch, node: int) -> Floats:
    """[cell, action] a decision's average strategy in the order of the grid."""
    forest = search.street.forest
    first, width = int(forest.slot[node]), int(forest.children[node])
    rows = search.averaged(int(forest.kind[node]))[first : first + width].T
    out = np.empty_like(rows)
    out[search.game.cell] = rows
    return out


def _record(training: RebelTraining, search: PreflopSearch) -> SolveRecord:
    value = float(search.value()[1])
    return SolveRecord(
        SOLVER,
        iterations=training.iteration,
        seconds=training.seconds,
        interrupted=training.iteration < training.order.iterations,
        settings={"iterations": training.order.iterations, "seed": training.order.seed},
        extra={
            "curve": training.curve,
            "preflop_exploitability_bb": search.exploitability() / CHIPS_OF_BLIND,
            "button_value_bb": value / CHIPS_OF_BLIND,
        },
    )


def _wide(net: HandValueNet) -> int:
    return int(net.ranges[0].out_features)
