"""Hand histories as poker sites write them (PokerStars style), read for review."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.core.reading import HAND_BYTES, read_text
from equilibrist.core.units import number_text
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE
from equilibrist.interfaces.protocols.hands import PlayedHand, raise_label, read_cards
from equilibrist.interfaces.protocols.hands_read import HandsRead, read_each

CENT = 0.01  # smallest chip where money is played for
_MONEY = r"[^\d\s]?([\d.,]+)"
_HEAD = re.compile(rf"(?:PokerStars|\w[\w ]*?) (?:Zoom )?Hand #(\d+).*?Hold'em (No Limit|Limit).*?\({_MONEY}/{_MONEY}")
_CURRENCY = re.compile(r"[$€£]")
_BUTTON = re.compile(r"Seat #(\d{1,9}) is the button")
_SEAT = re.compile(rf"Seat (\d{{1,9}}): (.+?) \({_MONEY} in chips\)(.*)")
_ACTION = re.compile(rf"(.+?): (folds|checks|calls|bets|raises)(?: {_MONEY})?(?: to {_MONEY})?")
_POST = re.compile(rf"(.+?): posts (?:the )?(small blind|big blind|ante|small & big blinds) {_MONEY}")
_STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\*.*\[([^\]]+)\]\s*\Z")
_SHOWN = re.compile(r"(?:Dealt to )?(.+?):? (?:shows |mucked |showed )?\[((?:[2-9TJQKA][cdhs] ?)+)\]")


def read_histories(text: str) -> Iterator[PlayedHand]:
    """All hands of a text, each checked by playing it again; refuses the first that cannot be read."""
    return (_read(one) for one in _hands(text))


def read_history_file(path: str | Path) -> HandsRead:
    """All hands of a file; those that cannot be read are left out, with the reason."""
    text = read_text(path, "The file of hands", "expected the text of a site", most=HAND_BYTES, encoding="utf-8-sig")
    return read_each(path, ((f"hand {number}", partial(_read, one)) for number, one in enumerate(_hands(text), 1)))


def _hands(text: str) -> list[str]:
    """The texts of the hands one by one."""
    starts = [found.start() for found in re.finditer(r"(?m)^\S.* Hand #\d+", text)]
    if not starts:
        raise FormatError(
            'There is no hand in this text: expected lines such as "PokerStars Hand #1: Hold\'em No Limit".'
        )
    return [text[begin:end] for begin, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _read(text: str) -> PlayedHand:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    head = _HEAD.search(lines[0])
    if head is None:
        raise NotApplicableError(f"Only hold'em, limit or no-limit, can be read; this hand begins '{lines[0][:80]}'.")
    names, stacks = _seats(lines)
    chip = CENT if _CURRENCY.search(lines[0]) or re.search(r"\d\.\d", text) else 1.0
    game = _game(head.group(2), lines, names, stacks, chip, (_amount(head.group(3)), _amount(head.group(4))))
    hole, board, labels = _walk(game, lines, names)
    hand = PlayedHand(game, hole, board, labels, tuple(names), {"number": head.group(1)})
    hand.nodes()
    return hand


def _seats(lines: list[str]) -> tuple[list[str], list[float]]:
    """Players from the left of the button on; of two the big blind comes first."""
    button = next((int(found.group(1)) for line in lines[:3] if (found := _BUTTON.search(line))), None)
    seated = [found.groups() for line in lines if (found := _SEAT.match(line)) and "sitting out" not in found.group(4)]
    if button is None or len(seated) < 2:
        raise FormatError("The hand names no button or fewer than two seats.")
    seated.sort(key=lambda seat: ((int(seat[0]) - button - 1) % 100, int(seat[0])))
    return [seat[1] for seat in seated], [_amount(seat[2]) for seat in seated]


def _game(
    kind: str, lines: list[str], names: list[str], stacks: list[float], chip: float, stakes: tuple[float, float]
) -> Poker:
    posts = [found.groups() for line in lines if (found := _POST.match(line))]
    antes = {_amount(amount) for _, what, amount in posts if what == "ante"}
    blinds = [0.0] * len(names)
    for name, what, amount in posts:
        if what != "ante" and name in names:
            blinds[names.index(name)] += _amount(amount)
    if len(antes) > 1:
        raise NotApplicableError("Hands in which antes differ cannot be read.")
    fixed = kind == "Limit"
    big = stakes[0] if fixed else stakes[1]  # limit stakes name the two bets
    last = max((p for p, blind in enumerate(blinds) if blind), default=0)
    rules = PokerRules(
        Deck(),
        board=(0, 3, 1, 1),
        menus=tuple(Menu((f"{number_text(bet)}c",)) for bet in (stakes[0],) * 2 + (stakes[1],) * 2)
        if fixed
        else (Menu((f"*{number_text(chip)}",)),) * 4,
        caps=(4.0,) * 4 if fixed else (math.inf,) * 4,
        players=len(names),
        hole=2,
        ante=antes.pop() if antes else 0.0,
        blinds=tuple(blinds),
        first=(1, 0, 0, 0) if len(names) == 2 else ((last + 1) % len(names), 0, 0, 0),
        stack=max(stacks),
        stacks=tuple(stacks),
        chip=chip,
        minimum_bet=0.0 if fixed else big,
        raise_at_least_last=True,
    )
    return Poker("site-history", rules)


def _walk(
    game: Poker, lines: list[str], names: list[str]
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...], tuple[str, ...]]:
    hole: list[tuple[int, ...]] = [()] * len(names)
    board: list[int] = []
    labels: list[str] = []
    node = game.first
    for line in lines:
        if line.startswith("*** SUMMARY"):
            break
        if street := _STREET.match(line):
            board += read_cards(street.group(2).replace(" ", ""))
        elif (action := _ACTION.match(line)) and action.group(1) in names:
            while node.player == CHANCE:
                node = node.after_deal
            if node.player < 0 or names[node.player] != action.group(1):
                raise FormatError(f"It is not the turn of {action.group(1)} at '{line}'.")
            label = _label(node, action.group(2), action.group(3), action.group(4))
            labels.append(label)
            node = node.play(label)
        elif (shown := _SHOWN.match(line)) and shown.group(1) in names:
            hole[names.index(shown.group(1))] = tuple(sorted(read_cards(shown.group(2).replace(" ", ""))))
    return tuple(hole), tuple(board), tuple(labels)


def _label(node: BettingNode, verb: str, amount: str | None, to: str | None) -> str:
    if verb == "folds":
        if "f" not in node.labels:
            raise NotApplicableError(f"The fold after '{node.line}' answers no bet, which the rules here do not know.")
        return "f"
    if verb in ("checks", "calls"):
        return "c" if "c" in node.labels else "x"
    total = to if verb == "raises" else amount
    if total is None:
        raise FormatError(f"A bet without an amount after '{node.line}'.")
    return raise_label(node, _amount(total))


def _amount(text: str) -> float:
    try:
        return float(text.replace(",", "").rstrip("."))
    except (ValueError, OverflowError):
        raise FormatError(f"'{text}' is no amount of money.") from None
