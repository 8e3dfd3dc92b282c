"""Leduc for players who cannot tell all cards apart: the abstractions of [Davis15, §2.5] and [Ganzfried15, chapter 12]."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.sequence_form.merged_infosets import CARD, MergedForm, merge_infosets
from equilibrist.forms.sequence_form.sequence_form import SequenceForm


def merge_cards(
    form: SequenceForm,
    player: int | None,
    private: Callable[[str], Hashable],
    board: Callable[[str, str], Hashable],
) -> MergedForm:
    """Merge infosets of games with one private and one public card by what a player makes of them; `None` merges for both.

    `private(rank)` and `board(private rank, board rank)` name the classes; betting stays as it is.
    """
    classes: list[Hashable] = []
    for i, index in enumerate(form.infoset):
        key = form.infosets.keys[int(index)]
        owner = int(i >= form.first_infoset[1])
        if player is not None and owner != player:
            classes.append(key)
            continue
        own, *rest = key.split("|")[-1].split(":")
        cards = [(n, match.group(1)) for n, token in enumerate(rest) if (match := CARD.match(token))]
        start = CARD.match(own)
        if start is None or len(cards) > 1:
            raise NotApplicableError(f"'{key}' of '{form.name}' does not show one private and at most one public card.")
        seen = [private(start.group(1))] + [board(start.group(1), rank) for _, rank in cards]
        line = [token for n, token in enumerate(rest) if n not in {n for n, _ in cards}]
        after = cards[0][0] if cards else -1
        classes.append((owner, tuple(seen), tuple(line), after))
    return merge_infosets(form, classes)


def leduc_merge(form: SequenceForm, name: str, player: int | None = None) -> MergedForm:
    """`JQ.K/nil+pair`: ranks told apart in private and on the board (`nil`: none), and whether a pair is seen."""
    match = re.fullmatch(r"([JQKnil.]+)/([JQKnil.]+)(\+pair)?", name)
    if match is None:
        raise ParameterError(f"A Leduc merge is written like 'JQ.K/nil+pair', but '{name}' was given.")
    private, board = _groups(match.group(1)), _groups(match.group(2))
    pair = match.group(3) is not None
    return merge_cards(
        form, player, lambda rank: private.get(rank, -1), lambda own, rank: (board.get(rank, -1), pair and own == rank)
    )


def _groups(text: str) -> Mapping[str, int]:
    """Group of each rank; `nil` puts all into one."""
    return {} if text == "nil" else {rank: n for n, group in enumerate(text.split(".")) for rank in group}
