"""What `equilibrist icm` answers: equities, bubble factors, places, before and after a hand."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.tournaments.bubble_factors import bubble_factors
from equilibrist.games.tournaments.fields import Floats
from equilibrist.games.tournaments.icm import FEW, ROUTES, icm, placing_probabilities
from equilibrist.games.tournaments.knockout_factors import knockout_bubble_factors
from equilibrist.games.tournaments.knockouts import MOST_BY_SETS, knockout_icm
from equilibrist.games.tournaments.sampled_icm import sample_icm
from equilibrist.games.tournaments.standings import Standings

SHOWN_SEATS = 10  # whose bubble factors are shown unasked


@dataclass(frozen=True)
class HandsToCome:
    """Hands of jam or fold after which ICM is asked."""

    depth: int
    blinds: tuple[float, ...]
    ante: float


@dataclass(frozen=True)
class IcmQuestion:
    """Standings and what is asked of them."""

    standings: Standings
    moves: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    at_risk: float | None = None
    places: int = 0
    route: str = "auto"
    samples: int = 100_000
    seed: int = 0
    futures: HandsToCome | None = None


def icm_facts(asked: IcmQuestion) -> dict[str, Any]:
    """What `icm --json` prints, but for the seconds."""
    now = asked.standings
    if asked.route not in (*ROUTES, "sampled"):
        raise ParameterError(f"--route is one of {', '.join(ROUTES)}, sampled, but '{asked.route[:60]}' was given.")
    after = _after(asked)
    rows = _players(asked, now)
    if after is not None:
        later, cash = after
        for row, new in zip(rows, _players(asked, later, before=now.stacks, cash=cash), strict=True):
            row["after"] = {key: value for key, value in new.items() if key not in ("name", "places")}
            row["change"] = new["equity"] - row["equity"]
    if asked.futures is not None:
        for row, equity in zip(rows, _later(asked, asked.futures), strict=True):
            row["fgs"] = equity
    paid = now.payouts[: len(now.stacks)]
    return {
        "players": rows,
        "payouts": list(now.payouts),
        "prize_pool": sum(paid),
        "bounties": sum(now.bounties),
        "progressive": now.progressive,
        "route": _route(asked),
        "samples": asked.samples if _samples(asked) else None,
        "seed": asked.seed if _samples(asked) else None,
        "bubble_factors": _bubble(asked),
        "fgs": None if asked.futures is None else asdict(asked.futures),
    }


def csv_text(facts: dict[str, Any]) -> str:
    """One row for each player."""
    columns = [key for key in facts["players"][0] if key not in ("places", "after")]
    places = len(facts["players"][0].get("places", ()))
    later = ["stack", "equity"] if "after" in facts["players"][0] else []
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [*columns, *(f"after_{key}" for key in later), *(f"place_{number + 1}" for number in range(places))]
    )
    for row in facts["players"]:
        after = [row["after"][key] for key in later]
        writer.writerow([*(row[key] for key in columns), *after, *row.get("places", ())])
    return out.getvalue()


def _players(
    asked: IcmQuestion, standings: Standings, before: tuple[float, ...] | None = None, cash: Floats | None = None
) -> list[dict[str, Any]]:
    """One row of facts for each player; equity is all that a player is worth, bounties and cash included."""
    columns: dict[str, Any] = {"stack": np.array(standings.stacks)}
    columns["share"] = columns["stack"] / columns["stack"].sum()
    if asked.route == "sampled":
        sampled = sample_icm(standings.stacks, standings.payouts, before=before, samples=asked.samples, seed=asked.seed)
        prizes, errors = sampled.equity, sampled.standard_error**2
    else:
        prizes = icm(standings.stacks, standings.payouts, before=before, route=asked.route)
        errors = np.zeros(prizes.size)
    equity = prizes if cash is None else prizes + cash
    if standings.bounties:
        found = knockout_icm(
            standings.stacks, standings.payouts, standings.bounties, progressive=standings.progressive,
            samples=asked.samples, seed=asked.seed,
        )  # fmt: skip
        columns |= {"prizes": prizes, "bounty": np.array(standings.bounties), "bounty_equity": found.bounties}
        if cash is not None:
            columns["bounty_cash"] = cash
        equity = equity + found.bounties
        errors = errors + found.standard_error**2  # prizes and bounties are sampled apart
    columns["equity"] = equity
    if errors.any():
        columns["standard_error"] = np.sqrt(errors)
    if asked.places and before is None:
        columns["places"] = placing_probabilities(standings.stacks, min(asked.places, len(standings.stacks)))
    lists = {key: column.tolist() for key, column in columns.items()}
    return [{"name": name, **{key: lists[key][i] for key in lists}} for i, name in enumerate(standings.names)]


def _later(asked: IcmQuestion, hands: HandsToCome) -> list[float]:
    """Equities after hands to come."""
    from equilibrist.compute.machine import cores
    from equilibrist.interfaces.cli.progress import Meter
    from equilibrist.solvers.tables.future_values import future_values

    now = asked.standings
    if now.bounties:
        raise NotApplicableError("--fgs does not know bounties; leave one of the two out.")
    with Meter(f"{len(now.stacks)} players") as meter:
        found = future_values(
            now.stacks, now.payouts, blinds=hands.blinds, ante=hands.ante, depth=hands.depth, threads=cores(),
            report=lambda text, share: meter.show(share, text),
        )  # fmt: skip
    return [float(equity) for equity in found]


def _after(asked: IcmQuestion) -> tuple[Standings, Floats] | None:
    """Standings after all moves, and the bounties that were paid in cash."""
    if not asked.moves:
        return None
    standings, cash = asked.standings, np.zeros(len(asked.standings.stacks))
    for text in asked.moves:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) not in (2, 3):
            raise ParameterError(
                f"--move is FROM,TO or FROM,TO,CHIPS, such as Ann,Bob,1500, but '{text[:60]}' was given."
            )
        try:
            chips = float(parts[2]) if len(parts) == 3 else None
        except ValueError:
            raise ParameterError(f"'{parts[2][:60]}' of --move is no number of chips.") from None
        standings, won = standings.moved(standings.player(parts[0]), standings.player(parts[1]), chips)
        cash += won
    return standings, cash


def _bubble(asked: IcmQuestion) -> dict[str, Any] | None:
    """Bubble factors between the seats that were asked for, or between all where they are few."""
    standings = asked.standings
    chosen = [standings.player(name) for name in asked.seats] or [
        i for i, chips in enumerate(standings.stacks) if chips > 0.0
    ]
    if len(asked.seats) == 1:
        raise ParameterError("Bubble factors are between two players or more; name another one by --seats.")
    if len(chosen) < 2 or (not asked.seats and len(chosen) > SHOWN_SEATS):
        if asked.at_risk is not None:
            raise NotApplicableError("--at-risk is for bubble factors; name two players or more by --seats.")
        return None
    with_bounties = bool(standings.bounties) and np.count_nonzero(standings.stacks) <= MOST_BY_SETS
    if with_bounties:
        found = knockout_bubble_factors(
            standings.stacks, standings.payouts, standings.bounties, progressive=standings.progressive,
            seats=chosen, at_risk=asked.at_risk,
        )  # fmt: skip
    else:
        found = bubble_factors(standings.stacks, standings.payouts, seats=chosen, at_risk=asked.at_risk)
    return {
        "with_bounties": with_bounties,
        "seats": [standings.names[i] for i in found.seats],
        "at_risk": found.at_risk.tolist(),
        "factor": found.factor.tolist(),
        "risk_premium": found.risk_premium.tolist(),
    }


def _route(asked: IcmQuestion) -> str:
    if asked.route != "auto":
        return asked.route
    return "recursion" if np.count_nonzero(asked.standings.stacks) <= FEW else "quadrature"


def _samples(asked: IcmQuestion) -> bool:
    many = int(np.count_nonzero(asked.standings.stacks)) > MOST_BY_SETS
    return asked.route == "sampled" or (many and bool(asked.standings.bounties))
