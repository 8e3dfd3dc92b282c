"""Models of the opponent as commands take them: names, rows, files, statistics, hand histories; for games and for spots."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import ParameterError

if TYPE_CHECKING:
    from equilibrist.core.arrays import Floats
    from equilibrist.core.policy import TabularPolicy
    from equilibrist.exploit.models.profiles import BettingProfile, ObservedDecision
    from equilibrist.exploit.responses.dbbr import DeviationModel
    from equilibrist.exploit.responses.trust_frontier import TrustFrontier
    from equilibrist.exploit.seat import Seat
    from equilibrist.forms.compiled import Compiled
    from equilibrist.games.spots.spot import Spot


def game_model(game: Compiled, seat: Seat, texts: Sequence[str], name: str | None) -> TabularPolicy:
    """The opponent of a seat: hands or statistics make the first guess, everything else changes it in the order given."""
    from equilibrist.exploit.models.model_files import read_model
    from equilibrist.interfaces.histories import is_history

    hands = [text for text in texts if is_history(text)]
    profile = _profile([text for text in texts if text not in hands])
    rest = [text for text in texts if text not in hands and not _has_statistics(text)]
    if hands and profile is not None:
        raise ParameterError("Give hands or statistics, not both.")
    if not hands and profile is None:
        return read_model(seat.form.infosets, rest, seat.name, seat.opponent)
    base = _from_hands(game, seat, hands, name) if hands else _from_profile(game, seat, profile)
    return read_model(seat.form.infosets, rest, seat.name, seat.opponent, base=base) if rest else base


def _from_profile(game: Compiled, seat: Seat, profile: BettingProfile | None) -> TabularPolicy:
    from equilibrist.exploit.models.profiles import ProfiledOpponent

    assert profile is not None
    _check_poker(game)
    return ProfiledOpponent(seat, game.tree, _equilibrium(seat), profile).policy()


def _from_hands(game: Compiled, seat: Seat, paths: Sequence[str], name: str | None) -> TabularPolicy:
    """Counts of public actions, and the opponent nearest to equilibrium that explains them."""
    return _counted(game, seat, paths, name).policy()


def observed_trust(game: Compiled, seat: Seat, texts: Sequence[str], name: str | None) -> Floats:
    """[I] trust that grows with the hands: decisions seen at a public history are shared out as likely as its cards are ([JB09])."""
    import numpy as np

    from equilibrist.exploit.models.observations import confidence
    from equilibrist.interfaces.histories import is_history

    hands = [text for text in texts if is_history(text)]
    if not hands:
        raise ParameterError("--per-infoset needs --p, or hands from which trust can grow.")
    model, form = _counted(game, seat, hands, name), seat.form
    counts = np.zeros(form.infosets.slots)
    for history, seen, (buckets, _) in zip(model.histories, model.counts, model.expected, strict=True):
        for i, share in zip(history.infosets, buckets, strict=True):
            first = int(form.slot[int(form.first_sequence[i])])
            counts[first : first + len(seen)] = share * seen
    return confidence(form.infosets, counts)


def _counted(game: Compiled, seat: Seat, paths: Sequence[str], name: str | None) -> DeviationModel:
    from equilibrist.exploit.responses.dbbr import DeviationModel

    _check_poker(game)
    model = DeviationModel(seat, game.tree, _equilibrium(seat))
    number = {(history.line, history.deals): n for n, history in enumerate(model.histories)}
    for one in _decisions(paths, name, seat.opponent, game.game):
        place = number.get((one.line, one.street))
        if place is not None:  # a named player sits in both seats; the model is of one of them
            model.counts[place][model.histories[place].actions.index(one.action)] += 1.0
    if not any(counts.any() for counts in model.counts):
        raise ParameterError(f"No hand shows a decision of player {seat.opponent + 1}; choose another --player.")
    return model


def _decisions(paths: Sequence[str], name: str | None, seat: int | None, game: Any = None) -> list[ObservedDecision]:
    from equilibrist.interfaces.histories import decisions_of, read_histories
    from equilibrist.interfaces.protocols.hands_read import HandsRead

    hands = HandsRead()
    for path in paths:
        hands.add(read_histories(path))
    if hands.left_out:
        print(hands.sentence(), file=sys.stderr)
    for hand in hands:
        if game is not None and hand.game.rules != game.rules:
            raise ParameterError(f"The hands are those of '{hand.game.name}', but '{game.name}' is played.")
    return decisions_of(hands, name, seat)


def _check_poker(game: Compiled) -> None:
    from equilibrist.games.poker.game import Poker

    if not isinstance(game.game, Poker):
        raise ParameterError(f"Hands and statistics are about poker, but '{game.game.name}' is another game.")


def _equilibrium(seat: Seat) -> TabularPolicy:
    return seat.policy(seat.program.maximise().plan.clip(0.0), seat.other.program.maximise().plan.clip(0.0))


def spot_dial(
    spot: Spot,
    texts: Sequence[str],
    name: str | None,
    player: str | None,
    *,
    per_place: bool,
    threads: int,
    device: str,
) -> TrustFrontier:
    """The dial of a spot: its locks, a solution, statistics or hands are the model."""
    from equilibrist.exploit.responses.data_biased_spots import LockedSpot
    from equilibrist.exploit.responses.restricted_spots import RestrictedSpot

    solutions = [text for text in texts if text.endswith(".eqb")]
    if solutions:
        return _of_solution(spot, texts, player or "oop", per_place, device)
    locked = spot if not texts else spot.changed(lock=[*_profile_locks(spot, texts, name, player), *spot.locks])
    if per_place:
        return LockedSpot(locked, player, device=device)
    return RestrictedSpot.of_locks(locked, player, threads=threads, device=device)


def _of_solution(spot: Spot, texts: Sequence[str], player: str, per_place: bool, device: str) -> TrustFrontier:
    from equilibrist.exploit.responses.restricted_spots import RestrictedSpot
    from equilibrist.solvers.postflop.solutions.spot_solution import load_spot_solution

    if len(texts) > 1 or spot.locks:
        raise ParameterError("A solution says everything about the opponent; give it alone, without locks.")
    if per_place:
        raise ParameterError("A solution is followed for whole hands; leave --per-infoset out.")
    return RestrictedSpot.of_solution(spot, load_spot_solution(texts[0]), player, device=device)


def _profile_locks(spot: Spot, texts: Sequence[str], name: str | None, player: str | None) -> list[Any]:
    """Statistics or hands as locks by frequency."""
    from equilibrist.exploit.models.profiles import BettingProfile, profile_locks
    from equilibrist.games.spots.street_menus import PLAYERS
    from equilibrist.interfaces.histories import is_history

    hands = [text for text in texts if is_history(text)]
    profile = _profile([text for text in texts if text not in hands])
    strange = [text for text in texts if text not in hands and not _has_statistics(text)]
    if strange or (hands and profile is not None):
        given = f"not '{strange[0]}'" if strange else "not both"
        raise ParameterError(
            f"The model of a spot is its locks, a solution (.eqb), a file of [statistics], or hands (.phh, .phhs, .txt, a folder); {given}."
        )
    if hands and name is None:
        raise ParameterError("Hands have several players; say with --name whom to model.")
    chosen = profile or BettingProfile.counted(_decisions(hands, name, None))
    return profile_locks(spot, 1 - PLAYERS.index(player or "oop"), chosen)


def _profile(texts: Sequence[str]) -> BettingProfile | None:
    """The statistics among some models."""
    from equilibrist.exploit.models.profiles import read_profile

    found = [text for text in texts if _has_statistics(text)]
    if len(found) > 1:
        raise ParameterError("Give one file of statistics, not several.")
    return read_profile(_content(found[0])["statistics"], f"'{found[0]}'") if found else None


def _has_statistics(text: str) -> bool:
    return Path(text).suffix in (".toml", ".json") and "statistics" in _content(text)


def _content(text: str) -> dict[str, Any]:
    """A file of numbers."""
    from equilibrist.exploit.models.model_files import read_model_file

    found = read_model_file(Path(text))
    return found if isinstance(found, dict) else {}
