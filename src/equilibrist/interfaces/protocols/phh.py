"""PHH, the poker hand history format: TOML with actions such as `p1 cbr 300`; one hand a file, or numbered tables in `.phhs`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.core.reading import HAND_BYTES, MOST_BYTES, parse_toml, read_text
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.betting import chip_text
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL
from equilibrist.interfaces.protocols.hands import PlayedHand, card_text, raise_label, read_cards

_TABLE = re.compile(r"^\[[A-Za-z0-9_-]+\][ \t]*(?:#.*)?$", re.MULTILINE)
_VARIANT = re.compile(r"^\s*variant\s*=", re.MULTILINE)
UNLIMITED = 10**9  # stack written for games without stacks


def write_phh(hand: PlayedHand, /, **fields: Any) -> str:
    """One hand as text; `fields` adds others of the format (author, event, hand, …)."""
    rules = hand.game.rules
    if rules.hole != 2 or rules.deck.size != 52 or rules.board != (0, 3, 1, 1):
        raise NotApplicableError(
            f"PHH knows no game such as '{hand.game.name}'; limit and no-limit hold'em can be written."
        )
    limit = not rules.menus[0].open_step and rules.menus[0].tokens[0].endswith("c")
    stacks = [rules.stack_of(p) if math.isfinite(rules.stack) else UNLIMITED for p in range(rules.players)]
    lines = [
        f'variant = "{"FT" if limit else "NT"}"',
        "ante_trimming_status = true",
        f"antes = {_numbers([rules.ante] * rules.players)}",
        f"blinds_or_straddles = {_numbers(_blinds(rules))}",
    ]
    if limit:
        lines += [f"small_bet = {rules.menus[0].tokens[0][:-1]}", f"big_bet = {rules.menus[-1].tokens[0][:-1]}"]
    else:
        lines.append(f"min_bet = {chip_text(rules.minimum_bet or max(rules.blinds))}")
    lines += [f"starting_stacks = {_numbers(stacks)}", f"actions = {_texts(_actions(hand))}"]
    if hand.names:
        lines.append(f"players = {_texts(hand.names)}")
    if hand.over:
        finals = [stack + net for stack, net in zip(stacks, hand.returns(), strict=True)] if _known(hand) else None
        if finals:
            lines.append(f"finishing_stacks = {_numbers(finals)}")
    lines += [f"{key} = {_value(value)}" for key, value in fields.items()]
    return "\n".join(lines) + "\n"


def write_phhs(hands: Iterable[PlayedHand]) -> str:
    """Many hands in one text, each a table with its number."""
    return "\n".join(f"[{number}]\n{write_phh(hand)}" for number, hand in enumerate(hands, start=1))


def read_phh(text: str) -> PlayedHand:
    """One hand; refuses what the rules do not allow."""
    return _hand(_parsed(text))


def read_phhs(text: str) -> Iterator[PlayedHand]:
    """All hands of a text with one or many."""
    seen: set[str] = set()
    for piece in _pieces(text):
        data = _parsed(piece)
        if "variant" in data:
            yield _hand(data)
            continue
        for number, table in data.items():
            if not isinstance(table, dict) or number in seen:
                raise FormatError(
                    f"Expected hands in numbered tables, but '{number}' is something else or comes twice."
                )
            seen.add(number)
            yield _hand(table)


def _pieces(text: str) -> Iterator[str]:
    """Table by table, so that a file of many hands is never parsed at once; one hand, or strings of several lines, keep it whole."""
    first = _TABLE.search(text)
    if '"""' in text or "'''" in text or first is None or _VARIANT.search(text, 0, first.start()):
        yield text
        return
    cuts = chain((found.start() for found in _TABLE.finditer(text) if found.start()), [len(text)])
    start = 0
    for end in cuts:
        if text[start:end].strip():
            yield text[start:end]
        start = end


def read_phh_file(path: str | Path) -> list[PlayedHand]:
    """All hands of a .phh or .phhs file."""
    return list(read_phhs(read_text(path, "The file of hands", "expected PHH, which is TOML", most=HAND_BYTES)))


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > MOST_BYTES:
        raise FormatError(
            f"A hand of {len(text):,} characters was given; expected PHH tables of at most {MOST_BYTES:,}."
        )
    return parse_toml(text, "This PHH text", 'expected lines such as variant = "NT"')


def _hand(data: dict[str, Any]) -> PlayedHand:
    try:
        game = _game(data)
        return _actions_in(game, [str(action) for action in data["actions"]], data)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise FormatError(f"This PHH hand is incomplete or malformed ({error!r}).") from None


def _game(data: dict[str, Any]) -> Poker:
    variant = data["variant"]
    if variant not in ("NT", "FT"):
        raise NotApplicableError(f"The variant '{variant}' is not hold'em; NT and FT can be read.")
    stacks = tuple(float(stack) for stack in data["starting_stacks"])
    antes = {float(ante) for ante in data["antes"]}
    if len(antes) > 1:
        raise NotApplicableError("Hands in which only some players post an ante cannot be read.")
    blinds = [float(blind) for blind in data["blinds_or_straddles"]]
    count = len(stacks)
    posted = tuple(reversed(blinds[:2])) if count == 2 else tuple(blinds)
    big = max(blinds)
    first = (1, 0, 0, 0) if count == 2 else ((max(p for p in range(count) if posted[p]) + 1) % count, 0, 0, 0)
    fixed = variant == "FT"
    bets = [data["small_bet"]] * 2 + [data["big_bet"]] * 2 if fixed else []
    without = fixed and min(stacks) >= UNLIMITED
    rules = PokerRules(
        Deck(),
        board=(0, 3, 1, 1),
        menus=tuple(Menu((f"{chip_text(bet)}c",)) for bet in bets) if fixed else (Menu(("*1",)),) * 4,
        caps=(data.get("_cap", 4),) * 4 if fixed else (math.inf,) * 4,
        players=count,
        hole=2,
        ante=antes.pop(),
        blinds=posted,
        first=first,
        stack=math.inf if without else max(stacks),
        stacks=() if without else stacks,
        chip=1,
        minimum_bet=0 if fixed else float(data.get("min_bet", big)),
        raise_at_least_last=True,
    )
    return Poker(f"phh-{variant}", rules)


def _actions_in(game: Poker, actions: list[str], data: dict[str, Any]) -> PlayedHand:
    node, labels = game.first, []
    hole: list[tuple[int, ...]] = [()] * game.players
    board: list[int] = []
    for action in actions:
        words = action.split("#")[0].split()
        if words[0] == "d" and words[1] == "dh":
            seat = int(words[2][1:]) - 1
            hole[seat] = () if "?" in words[3] else tuple(sorted(read_cards(words[3])))
        elif words[0] == "d":
            board += read_cards(words[2])
        elif words[1] == "sm":
            seat = int(words[0][1:]) - 1
            if len(words) > 2 and "?" not in words[2] and words[2] != "-":
                hole[seat] = tuple(sorted(read_cards(words[2])))
        else:
            while node.player == CHANCE:
                node = node.after_deal
            label = _label(node, words, action)
            labels.append(label)
            node = node.play(label)
    names = tuple(str(name) for name in data.get("players", ()))
    rest = {key: value for key, value in data.items() if key not in ("actions", "players")}
    hand = PlayedHand(game, tuple(hole), tuple(board), tuple(labels), names, rest)
    hand.nodes()
    return hand


def _label(node: Any, words: list[str], action: str) -> str:
    if node.player == TERMINAL or words[0] != f"p{node.player + 1}":
        raise FormatError(f"It is not the turn of {words[0]} at '{action}'.")
    if words[1] == "f":
        return "f" if "f" in node.labels else "x"
    if words[1] == "cc":
        return "c" if "c" in node.labels else "x"
    if words[1] == "cbr":
        return raise_label(node, float(words[2]))
    raise FormatError(f"The action '{action}' is none of f, cc, cbr, sm and deals.")


def _actions(hand: PlayedHand) -> list[str]:
    deck = hand.game.rules.deck
    out = [f"d dh p{p + 1} {card_text(cards, deck) or '????'}" for p, cards in enumerate(hand.hole)]
    node, place = hand.game.first, 0
    for label in (*hand.actions, ""):
        while node.player == CHANCE:
            count = hand.game.rules.board[node.round + 1]
            if place + count > len(hand.board):
                break
            out.append(f"d db {card_text(hand.board[place : place + count], deck)}")
            place, node = place + count, node.after_deal
        if label:
            after = node.play(label)
            total = after.paid[node.player] - max(node.at_start)
            word = {"f": "f", "x": "cc", "c": "cc"}.get(label, f"cbr {chip_text(total)}")
            out.append(f"p{node.player + 1} {word}")
            node = after
    if node.player == TERMINAL and sum(node.folded) < len(node.folded) - 1:
        live = [p for p, folded in enumerate(node.folded) if not folded]
        out += [f"p{p + 1} sm {card_text(hand.hole[p], deck) or '????'}" for p in live]
    return out


def _known(hand: PlayedHand) -> bool:
    live = [p for p, folded in enumerate(hand.last.folded) if not folded]
    return len(live) == 1 or all(len(hand.hole[p]) == 2 for p in live)


def _blinds(rules: PokerRules) -> list[float]:
    posted = [*rules.blinds, *[0.0] * (rules.players - len(rules.blinds))]
    return posted[::-1] if rules.players == 2 else posted  # the format lists small before big for two as well


def _numbers(values: Iterable[float]) -> str:
    return "[" + ", ".join(chip_text(value) for value in values) + "]"


def _texts(values: Iterable[str]) -> str:
    return "[" + ", ".join(_value(value) for value in values) + "]"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return chip_text(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
