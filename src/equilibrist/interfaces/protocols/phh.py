"""PHH, the poker hand history format: TOML with actions such as `p1 cbr 300`; one hand a file, or numbered tables in `.phhs`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from equilibrist.cards.deck import Deck
from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.core.reading import HAND_BYTES, MOST_BYTES, parse_toml, read_text
from equilibrist.core.units import UNITS, chip_text, digits_of, number_text, smallest_unit
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE, TERMINAL, Game
from equilibrist.interfaces.protocols.hands import PlayedHand, card_text, raise_label, read_cards
from equilibrist.interfaces.protocols.hands_read import HandsRead, read_each

_TABLE = re.compile(r"^\[[A-Za-z0-9_-]+\][ \t]*(?:#.*)?$", re.MULTILINE)
_VARIANT = re.compile(r"^\s*variant\s*=", re.MULTILINE)
UNLIMITED = 10**9  # stack written for games without stacks, and what an unknown one (inf) is read as
CENT = 0.01


def phh_capable(game: Game) -> Poker:
    """The game, if its hands can be written."""
    if isinstance(game, Poker):
        rules = game.rules
        if rules.hole == 2 and rules.deck.size == 52 and rules.board == (0, 3, 1, 1):
            return game
    raise NotApplicableError(f"PHH knows no game such as '{game.name}'; limit and no-limit hold'em can be written.")


def write_phh(hand: PlayedHand, /, **fields: Any) -> str:
    """One hand as text; `fields` adds others of the format (author, event, hand, …)."""
    rules = phh_capable(hand.game).rules
    limit = not rules.menus[0].open_step and rules.menus[0].tokens[0].endswith("c")
    actions, stacks = _actions(hand), _stacks(rules)
    antes = _turned(rules.dead) if rules.dead else [rules.ante] * rules.players
    lines = [
        f'variant = "{"FT" if limit else "NT"}"',
        f"ante_trimming_status = {'false' if rules.dead else 'true'}",
        f"antes = {_numbers(antes)}",
        f"blinds_or_straddles = {_numbers(_blinds(rules))}",
    ]
    if limit:
        lines += [f"small_bet = {rules.menus[0].tokens[0][:-1]}", f"big_bet = {rules.menus[-1].tokens[0][:-1]}"]
    else:
        lines.append(f"min_bet = {chip_text(rules.minimum_bet or max(rules.blinds))}")
    lines += [f"starting_stacks = {_numbers(stacks)}", f"actions = {_texts(actions)}"]
    if hand.names:
        lines.append(f"players = {_texts(hand.names)}")
    if hand.over and _known(hand) and all(map(math.isfinite, stacks)):
        finals = [stack + net for stack, net in zip(stacks, hand.returns(), strict=True)]
        lines.append(f"finishing_stacks = {_numbers(finals)}")
    lines += [f"{key} = {_value(value)}" for key, value in fields.items()]
    bets = [float(menu.tokens[0][:-1]) for menu in rules.menus] if limit else [rules.minimum_bet]
    needed = _least_chip([*stacks, *antes, *rules.blinds, *bets], actions, fields, otherwise=-1.0)
    if needed != rules.chip:  # ties are shared out in chips, which amounts alone do not tell
        lines.append(f"_chip = {number_text(rules.chip)}")
    return "\n".join(lines) + "\n"


def write_phhs(hands: Iterable[PlayedHand]) -> str:
    """Many hands in one text, each a table with its number."""
    return "\n".join(f"[{number}]\n{write_phh(hand)}" for number, hand in enumerate(hands, start=1))


def read_phh(text: str) -> PlayedHand:
    """One hand; refuses what the rules do not allow."""
    return _hand(_parsed(text))


def read_phhs(text: str) -> Iterator[PlayedHand]:
    """All hands of a text with one or many; refuses the first that cannot be read."""
    return (read() for _, read in _readers(text))


def read_phh_file(path: str | Path) -> HandsRead:
    """All hands of a .phh or .phhs file; those that cannot be read are left out, with the reason."""
    text = read_text(path, "The file of hands", "expected PHH, which is TOML", most=HAND_BYTES)
    return read_each(path, _readers(text))


def _readers(text: str) -> Iterator[tuple[str, Callable[[], PlayedHand]]]:
    """What names each hand, and what reads it; nothing is parsed before its turn."""
    seen: set[str] = set()
    for place, piece in enumerate(_pieces(text), start=1):
        try:
            data = _parsed(piece)
        except FormatError as error:
            yield f"hand {place}", partial(_refuse, error)
            continue
        for number, table in [(str(place), data)] if "variant" in data else data.items():
            twice = number in seen
            seen.add(number)
            yield f"hand {number}", partial(_numbered, number, table, twice)


def _refuse(error: FormatError) -> PlayedHand:
    raise error


def _numbered(number: str, table: Any, twice: bool) -> PlayedHand:
    if not isinstance(table, dict) or twice:
        raise FormatError(f"Expected hands in numbered tables, but '{number}' is something else or comes twice.")
    return _hand(table)


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
    stacks = tuple(min(float(stack), float(UNLIMITED)) for stack in data["starting_stacks"])  # unknown ones are inf
    count = len(stacks)
    antes, dead = _antes(data, stacks)
    blinds = _turned([*(float(blind) for blind in data["blinds_or_straddles"]), *[0.0] * count][:count])
    big = max(range(count), key=lambda p: (blinds[p], p))  # a negative one is posted out of turn: a bet like any other
    fixed, chip = variant == "FT", _chip(data)
    bets = [data["small_bet"]] * 2 + [data["big_bet"]] * 2 if fixed else []
    without = fixed and min(stacks) >= UNLIMITED
    rules = PokerRules(
        Deck(),
        board=(0, 3, 1, 1),
        menus=tuple(Menu((f"{chip_text(bet)}c",)) for bet in bets) if fixed else (Menu((_any_bet(chip),)),) * 4,
        caps=(data.get("_cap", 4),) * 4 if fixed else (math.inf,) * 4,
        players=count,
        hole=2,
        ante=antes,
        blinds=tuple(map(abs, blinds)),
        first=((big + 1) % count, 0, 0, 0),
        stack=math.inf if without else max(stacks),
        stacks=() if without else _beside(stacks, dead),
        chip=chip,
        dead=dead,
        minimum_bet=0 if fixed else float(data.get("min_bet", blinds[big])),
        raise_at_least_last=True,
    )
    return Poker(f"phh-{variant}", rules)


def _antes(data: dict[str, Any], stacks: Sequence[float]) -> tuple[float, tuple[float, ...]]:
    """What everybody posts, or what each player puts into the pot beside the bets: a big-blind ante."""
    posted = _turned([*(float(ante) for ante in data["antes"]), *[0.0] * len(stacks)][: len(stacks)])
    same = len(set(posted)) == 1
    if same and (data.get("ante_trimming_status", True) or min(stacks) > posted[0]):
        return posted[0], ()
    if data.get("ante_trimming_status", True):
        raise NotApplicableError("Hands in which only some players post an ante that others must match cannot be read.")
    return 0.0, tuple(min(ante, stack) for ante, stack in zip(posted, stacks, strict=True))


def _chip(data: dict[str, Any]) -> float:
    """The smallest chip: as `_chip` says, else what the amounts need, and cents where there is a currency."""
    if "_chip" in data:
        return float(data["_chip"])
    amounts = [float(x) for key in ("starting_stacks", "antes", "blinds_or_straddles") for x in data[key]]
    amounts += [float(data[key]) for key in ("min_bet", "small_bet", "big_bet") if key in data]
    return _least_chip(amounts, [str(action) for action in data["actions"]], data)


def _least_chip(
    amounts: Iterable[float], actions: Iterable[str], fields: Mapping[str, Any], otherwise: float | None = None
) -> float:
    words = [action.split("#")[0].split() for action in actions]
    unit = smallest_unit([*amounts, *(float(word[2]) for word in words if word[1:2] == ["cbr"])], otherwise)
    return min(unit, CENT) if "currency" in fields or "currency_symbol" in fields else unit


def _any_bet(chip: float) -> str:
    return f"*{number_text(chip or 1.0)}"


def _turned(values: Iterable[float]) -> list[float]:
    """The format lists forced bets small before big; of two players the second posts the small one."""
    listed = list(values)
    return listed[::-1] if len(listed) == 2 else listed


def _actions_in(game: Poker, actions: list[str], data: dict[str, Any]) -> PlayedHand:
    node, labels = game.first, []
    hole: list[tuple[int, ...]] = [()] * game.players
    board: list[int] = []
    for action in actions:
        words = action.split("#")[0].split()
        if words[0] == "d" and words[1] == "dh":
            seat = _seat(words[2], game)
            hole[seat] = () if "?" in words[3] else tuple(sorted(read_cards(words[3])))
        elif words[0] == "d":
            board += read_cards(words[2])
        elif words[1] == "sm":
            seat = _seat(words[0], game)
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


def _seat(text: str, game: Poker) -> int:
    """0 for `p1`."""
    seat = next((p for p in range(game.players) if text == f"p{p + 1}"), None)
    if seat is None:
        raise FormatError(f"There is no player '{text[:80]}'; expected p1 to p{game.players}.")
    return seat


def _label(node: Any, words: list[str], action: str) -> str:
    if node.player == TERMINAL or words[0] != f"p{node.player + 1}":
        raise FormatError(f"It is not the turn of {words[0]} at '{action}'.")
    if words[1] == "f":
        if "f" not in node.labels:
            raise NotApplicableError(f"The fold '{action}' answers no bet, which the rules here do not know.")
        return "f"
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
    """As listed; those posted out of turn, behind the seat that acts last, are negative."""
    posted = [*rules.blinds, *[0.0] * (rules.players - len(rules.blinds))]
    big = (rules.first_to_act(0) - 1) % rules.players
    return _turned([-blind if blind and p > big else blind for p, blind in enumerate(posted)])


def _stacks(rules: PokerRules) -> list[float]:
    """At the start, dead money included; unknown ones of no-limit hands are infinite."""
    if not math.isfinite(rules.stack):
        return [float(UNLIMITED)] * rules.players
    dead = rules.dead or (0.0,) * rules.players
    known = [rules.stack_of(p) + dead[p] for p in range(rules.players)]
    return [stack if stack < UNLIMITED else math.inf for stack in known]


def _beside(stacks: Sequence[float], dead: Sequence[float]) -> tuple[float, ...]:
    """Stacks without the dead money."""
    left = [stack - posted for stack, posted in zip(stacks, dead, strict=True)] if dead else stacks
    return tuple(round(stack, digits_of(UNITS[-1])) for stack in left)


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
