"""HandsRead: the hands of a file or folder, and those that were left out with the reason; one bad hand costs itself only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from equilibrist.core.errors import EquilibristError, FormatError
from equilibrist.interfaces.protocols.hands import PlayedHand

_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|p?\d[\d.,]*")  # what differs between two reasons of one kind
MOST_BAD = (
    1_000  # hands in a row from the beginning of a file that cannot be read, after which the rest is not looked at
)
_SHOWN = 3  # kinds of reasons that a sentence names


@dataclass(frozen=True)
class LeftOut:
    """A hand, or a whole file, that cannot be read."""

    where: str
    reason: str


class HandsRead(list[PlayedHand]):
    """Hands in their order."""

    def __init__(self, hands: Iterable[PlayedHand] = (), left_out: Iterable[LeftOut] = ()) -> None:
        super().__init__(hands)
        self.left_out = list(left_out)

    def add(self, other: HandsRead) -> None:
        """The hands of another file after these."""
        self.extend(other)
        self.left_out += other.left_out

    def sentence(self) -> str:
        """How many were left out and why, the commonest reasons first; empty where none was."""
        if not self.left_out:
            return ""
        kinds: dict[str, list[LeftOut]] = {}
        for one in self.left_out:
            kinds.setdefault(_PARTICULAR.sub("…", one.reason), []).append(one)
        common = sorted(kinds.values(), key=len, reverse=True)
        shown = [f"{len(kind):,} such as {kind[0].where}: {kind[0].reason.rstrip('.')}" for kind in common[:_SHOWN]]
        rest = sum(map(len, common[_SHOWN:]))
        shown += [f"{rest:,} for other reasons"] if rest else []
        count = len(self.left_out)
        return f"Left out {count:,} of {len(self) + count:,} hands ({'; '.join(shown)})."


def read_each(path: object, hands: Iterable[tuple[str, Callable[[], PlayedHand]]]) -> HandsRead:
    """Every hand that can be read; refuses a file of which none can."""
    found = HandsRead()
    for where, read in hands:
        try:
            found.append(read())
        except EquilibristError as error:
            found.left_out.append(LeftOut(where, str(error)))
            if len(found.left_out) == MOST_BAD and not found:
                break  # this is no file of hands
    if not found and len(found.left_out) == 1:
        raise FormatError(f"In '{path}': {found.left_out[0].reason}")
    if not found and found.left_out:
        raise FormatError(f"No hand of '{path}' can be read. {found.sentence()}")
    return found
