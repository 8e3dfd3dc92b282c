"""What one player did in hand histories: files and folders of PHH hands, hand lines or texts of sites, and its decisions in them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from equilibrist.core.errors import EquilibristError, FormatError, ParameterError, suggest
from equilibrist.exploit.models.profiles import ObservedDecision
from equilibrist.exploit.models.statistics import kind_of
from equilibrist.games.rules import CHANCE
from equilibrist.interfaces.protocols.hand_lines import read_hand_lines
from equilibrist.interfaces.protocols.hands import PlayedHand
from equilibrist.interfaces.protocols.hands_read import HandsRead, LeftOut
from equilibrist.interfaces.protocols.phh import read_phh_file
from equilibrist.interfaces.protocols.site_history import read_history_file

PHH, LINES, SITES = (".phh", ".phhs"), (".jsonl",), (".txt",)
FILES = (*PHH, *LINES, *SITES)


def is_history(text: str) -> bool:
    """Whether a name is that of hands: a file of them, or a folder."""
    return Path(text).suffix in FILES or os.path.isdir(text)


def read_histories(path: str | Path) -> HandsRead:
    """All hands of a file, or of all files of a folder in the order of their names; what cannot be read is left out and named."""
    where = Path(path)
    if os.path.isdir(where):
        return _read_folder(where)
    try:
        hands = _read(where)
    except FormatError as error:
        raise FormatError(f"In '{path}': {error}" if str(path) not in str(error) else str(error)) from None
    if not hands:
        raise FormatError(f"'{path}' holds no hands.")
    return hands


def _read_folder(folder: Path) -> HandsRead:
    files = sorted(each for each in folder.rglob("*") if each.suffix in FILES and each.is_file())
    if not files:
        raise FormatError(
            f"The folder '{folder}' holds no hands; expected files ending in {', '.join((*PHH, *LINES))}."
        )
    found = HandsRead()
    for each in files:
        try:
            found.add(read_histories(each))
        except EquilibristError as error:
            found.left_out.append(LeftOut(f"'{each.name}'", str(error)))
    if not found:
        raise FormatError(f"No hand in the folder '{folder}' can be read. {found.sentence()}")
    return found


def _read(path: Path) -> HandsRead:
    if path.suffix in PHH:
        return read_phh_file(path)
    if path.suffix in LINES:
        return read_hand_lines(path)
    return read_history_file(path)


def decisions_of(hands: Sequence[PlayedHand], name: str | None, seat: int | None = None) -> list[ObservedDecision]:
    """All decisions of a player, by name or, where the hands have no names, by seat."""
    out = []
    for hand in hands:
        own = _seat(hand, name, seat)
        node = hand.game.first
        for label in hand.actions:
            while node.player == CHANCE:
                node = node.after_deal
            if node.player == own:
                facing = "f" in node.labels
                out.append(ObservedDecision(node.round, facing, kind_of(label), node.line, label))
            node = node.play(label)
    if not out:
        who = f"'{name}'" if name is not None else f"player {(seat or 0) + 1}"
        raise ParameterError(f"No decision of {who} is in these {len(hands):,} hands.{_players(hands, name)}")
    return out


def opening_bets(hands: Sequence[PlayedHand], name: str | None, street: int | None = None) -> list[float]:
    """Bets of a player, or of everybody, where nobody had bet, on one street or all of them, as shares of the pot."""
    out = []
    for hand in hands:
        own, node = _seat(hand, name, None), hand.game.first
        for label in hand.actions:
            while node.player == CHANCE:
                node = node.after_deal
            after = node.play(label)
            opens = kind_of(label) == "raise" and "f" not in node.labels
            if opens and street in (None, node.round) and (name is None or node.player == own):
                out.append((sum(after.paid) - sum(node.paid)) / node.pot)
            node = after
    if not out:
        who = "of anybody" if name is None else f"of '{name}'"
        raise ParameterError(f"No opening bet {who} is in these {len(hands):,} hands.{_players(hands, name)}")
    return out


def _seat(hand: PlayedHand, name: str | None, seat: int | None) -> int:
    if name is None:
        return -1 if seat is None else seat
    return hand.names.index(name) if name in hand.names else -1


def _players(hands: Sequence[PlayedHand], name: str | None) -> str:
    names = sorted({each for hand in hands for each in hand.names})
    if not names:
        return " The hands name no players."
    return f" Players are {', '.join(names[:8])}{' …' if len(names) > 8 else ''}.{suggest(name or '', tuple(names))}"
