"""`values.eqb`: a network of values as searches read it, with what it was made of and how far it is off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from equilibrist.core.artifact import Artifact, load_artifact, save_artifact
from equilibrist.core.errors import FormatError
from equilibrist.learning.hand_values.belief_states import Street
from equilibrist.learning.hand_values.value_net import HandValueNet
from equilibrist.learning.hand_values.value_order import BETS, DEPTHS, ValueOrder
from equilibrist.learning.networks.state import load_net, net_arrays
from equilibrist.version import __version__

VALUES = "values.eqb"
KIND = "hand-values-net"
FORM = 1  # of questions and network; files of another are refused


@dataclass(frozen=True, eq=False)
class SavedValues:
    """A network and what is known of it."""

    net: HandValueNet
    street: Street
    bets: Mapping[str, Any]
    depths: tuple[float, float]  # the shallowest and the deepest that were trained
    errors: Mapping[str, float]  # % of the pot on states held out


def save_values(path: Path, net: HandValueNet, order: ValueOrder, errors: Mapping[str, Any]) -> None:
    header = {
        "form": FORM,
        "street": order.street,
        "bets": BETS,
        "depths": [min(DEPTHS), max(DEPTHS)],
        "order": asdict(order),
        "errors": dict(errors),
        "version": __version__,
    }
    save_artifact(path, Artifact(KIND, header, net_arrays(net, "net")))


def load_values(path: Path) -> SavedValues:
    """Refuses files of another kind, form or shape."""
    found = load_artifact(path, KIND)
    header = found.header
    if header.get("form") != FORM:
        raise FormatError(
            f"'{path}' holds values in form {header.get('form')}, but this version reads form {FORM}; train them again, or use the version "
            f"that wrote it ({header.get('version', 'not stated')})."
        )
    try:
        order = {"rounds": 1, "outcomes": 0} | header["order"]  # earlier files say neither
        width, wide, rounds = (int(order[key]) for key in ("width", "wide", "rounds"))
        net = HandValueNet(width, wide, rounds, bool(order["outcomes"]))
        load_net(net, found.arrays, "net")
        depths = (float(header["depths"][0]), float(header["depths"][1]))
        return SavedValues(net.eval(), header["street"], dict(header["bets"]), depths, dict(header["errors"]))
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise FormatError(f"'{path}' is damaged ({error}); train the values again.") from None
