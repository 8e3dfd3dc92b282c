"""The ACPC's texts, version 2.0.0: game definitions (`.game`) and match states, read and printed exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equilibrist.cards.deck import RANKS, SUITS, Deck
from equilibrist.core.errors import FormatError, NotApplicableError
from equilibrist.core.units import chip_text
from equilibrist.games.poker.bet_sizes import Menu
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker
from equilibrist.games.poker.rules import PokerRules
from equilibrist.games.rules import CHANCE
from equilibrist.interfaces.protocols.hands import PlayedHand, raise_label

VERSION = "VERSION:2.0.0"
MOST_ROUNDS = 10
_STATE = re.compile(r"MATCHSTATE:(\d{1,18}):(\d{1,18}):([frc/0-9]*):([2-9TJQKAcdhs|/]*)\Z")
_ACTION = re.compile(r"f|c|r\d*")


# -- game definitions ----------------------------------------------------------------------------------------------


def read_game(text: str, name: str = "acpc") -> Poker:
    """A `.game` file."""
    fields, kind = _fields(text)
    try:
        rounds, players = _count(fields, "numrounds", 1, MOST_ROUNDS), _count(fields, "numplayers", 2, 10)
        deck = Deck(int(fields["numranks"][0]), int(fields["numsuits"][0]))
        first = tuple(int(seat) - 1 for seat in _every(fields.get("firstplayer", ["1"]), rounds))
        limit = kind == "limit"
        sizes = [_whole(x) for x in _every(fields["raisesize"], rounds)] if limit else []
        stacks = tuple(_whole(x) for x in _every(fields["stack"], players)) if "stack" in fields else ()
        board, total = tuple(int(x) for x in fields["numboardcards"]), 0
        blinds = tuple(_whole(x) for x in _every(fields["blind"], players))
        caps = _every(fields.get("maxraises", ["inf"]), rounds)
        rules = PokerRules(
            deck,
            board=board,
            menus=tuple(Menu((f"{chip_text(x)}c",)) for x in sizes) if limit else (Menu(("*1",)),) * rounds,
            caps=tuple(float(x) for x in caps),
            players=players,
            hole=int(fields["numholecards"][0]),
            blinds=blinds,
            first=first,
            stack=max(stacks) if stacks else math.inf,
            stacks=() if len(set(stacks)) <= 1 else stacks,
            minimum_bet=0.0 if limit else max(max(blinds), 1.0),
            raise_at_least_last=True,
        )
    except (KeyError, ValueError, IndexError, OverflowError) as error:
        raise FormatError(f"This game definition is incomplete or malformed ({error!r}).") from None
    if len(board) != rounds or total:
        raise FormatError(f"This game definition has {rounds} rounds, but {len(board)} numbers of board cards.")
    return Poker(name, rules)


def write_game(game: Poker) -> str:
    """A game as a `.game` file; amounts count its smallest chip, so that they are whole numbers."""
    rules = game.rules
    if rules.ante:
        raise NotApplicableError("Game definitions of the ACPC know blinds only; this game has antes.")
    limit = rules.menus[0].open_step is None
    if limit and not all(rules.fixed_size(r) for r in range(len(rules.board))):
        raise NotApplicableError(f"The bet menus of '{game.name}' cannot be written; use sizes=any or a limit game.")
    blinds = [*rules.blinds, *[0.0] * (rules.players - len(rules.blinds))]
    lines = [
        "GAMEDEF",
        "limit" if limit else "nolimit",
        f"numPlayers = {rules.players}",
        f"numRounds = {len(rules.board)}",
    ]
    if math.isfinite(rules.stack):
        lines.append("stack = " + " ".join(_wire(rules.stack_of(p), rules) for p in range(rules.players)))
    lines.append("blind = " + " ".join(_wire(blind, rules) for blind in blinds))
    if limit:
        lines.append("raiseSize = " + " ".join(_wire(float(menu.tokens[0][:-1]), rules) for menu in rules.menus))
    lines.append("firstPlayer = " + " ".join(str(rules.first_to_act(r) + 1) for r in range(len(rules.board))))
    if limit:
        lines.append("maxRaises = " + " ".join(str(int(cap)) for cap in rules.caps))
    lines += [
        f"numSuits = {rules.deck.suits}",
        f"numRanks = {rules.deck.ranks}",
        f"numHoleCards = {rules.hole}",
        "numBoardCards = " + " ".join(map(str, rules.board)),
        "END GAMEDEF",
    ]
    return "\n".join(lines) + "\n"


def _whole(text: str) -> float:
    amount = float(text)
    if amount != int(amount):
        raise FormatError(
            f"Amounts of a game definition are whole numbers, but '{text}' was given; count in smaller units."
        )
    return amount


def wire_unit(rules: PokerRules) -> float:
    """What 1 stands for in the protocol, which knows whole numbers only: a chip, or the smallest one where it is a fraction."""
    return rules.unit if 0.0 < rules.unit < 1.0 else 1.0


def _wire(amount: float, rules: PokerRules) -> str:
    """An amount as the protocol writes it."""
    counted = round(amount / wire_unit(rules), 6)
    if counted != int(counted):
        raise NotApplicableError(
            f"The ACPC protocol counts in whole numbers, but {chip_text(amount)} is no multiple of {chip_text(wire_unit(rules))}; "
            "give the game a smaller chip."
        )
    return str(int(counted))


def _fields(text: str) -> tuple[dict[str, list[str]], str]:
    fields: dict[str, list[str]] = {}
    kind, inside = "", False
    for raw in text.splitlines():
        line = raw.split("#")[0].strip()
        if line.upper() == "GAMEDEF":
            inside = True
        elif line.upper() == "END GAMEDEF":
            inside = False
        elif inside and line.lower() in ("limit", "nolimit"):
            kind = line.lower()
        elif inside and "=" in line:
            key, _, value = line.partition("=")
            fields[key.strip().lower()] = value.split()
    if not kind:
        raise FormatError("This is no game definition: expected GAMEDEF, then limit or nolimit, then key = values.")
    return fields, kind


def _count(fields: dict[str, list[str]], key: str, low: int, high: int) -> int:
    """A number that lists are made of, bounded before they are."""
    count = int(fields[key][0])
    if not low <= count <= high:
        raise FormatError(f"This game definition has {key} = {count}, but {low} to {high} are read.")
    return count


def _every(values: Sequence[str], count: int) -> list[str]:
    """One entry for each round or player; the last one stands for those not given."""
    return [*values, *[values[-1]] * count][:count]


# -- match states --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatchState:
    """What the dealer says: whose seat it speaks to, the number of the hand, and the hand as that seat sees it."""

    position: int
    number: int
    hand: PlayedHand

    def __str__(self) -> str:
        return f"MATCHSTATE:{self.position}:{self.number}:{betting_text(self.hand)}:{cards_text(self.hand)}"


def read_state(text: str, game: Poker) -> MatchState:
    """A match state; anything that is not exactly one is refused."""
    found = _STATE.match(text.strip())
    if found is None:
        raise FormatError(f"Cannot read the match state {text.strip()[:200]!r}.")
    position, number, betting, cards = found.groups()
    if int(position) >= game.players:
        raise FormatError(f"The match state speaks of seat {position}, but '{game.name}' has {game.players} players.")
    hole, board = _read_cards(cards, game)
    return MatchState(int(position), int(number), PlayedHand(game, hole, board, read_betting(betting, game)))


def read_betting(text: str, game: Poker) -> tuple[str, ...]:
    """Labels of a betting string such as `cr300c/c`; slashes must stand where rounds end."""
    node, labels, place = game.first, [], 0
    while place < len(text):
        if text[place] == "/":
            if node.player != CHANCE:
                raise FormatError(f"The round of '{text}' is not over where a slash stands (character {place + 1}).")
            node, place = node.after_deal, place + 1
            continue
        found = _ACTION.match(text, place)
        if found is None or node.player < 0:
            raise FormatError(f"Cannot read the betting '{text}' at character {place + 1}.")
        label = read_action(found.group(), node)
        labels.append(label)
        node, place = node.play(label), found.end()
    return tuple(labels)


def read_action(text: str, node: BettingNode) -> str:
    """The label of `f`, `c`, `r` or `r300` (all chips of the hand, counted in `wire_unit`)."""
    if not _ACTION.fullmatch(text):
        raise FormatError(f"'{text}' is no action; expected f, c, r or r with chips.")
    if text == "f":
        if "f" not in node.labels:
            raise FormatError(f"A fold after '{node.line}' answers no bet; check with c.")
        return "f"
    if text == "c":
        return "c" if "c" in node.labels else "x"
    if text == "r":
        return raise_label(node, 0.0)
    return raise_label(node, float(text[1:]) * wire_unit(node.rules) - max(node.at_start))


def action_text(label: str, node: BettingNode) -> str:
    """An action as the protocol writes it."""
    if label in ("c", "x"):
        return "c"
    if label == "f":
        return "f"
    if node.rules.fixed_size(node.round):
        return "r"
    return f"r{_wire(node.play(label).paid[node.player], node.rules)}"


def betting_text(hand: PlayedHand) -> str:
    """The betting string; a slash for every deal that has come."""
    node, out, place = hand.game.first, [], 0
    for label in (*hand.actions, ""):
        while node.player == CHANCE:
            count = hand.game.rules.board[node.round + 1]
            if place + count > len(hand.board):
                break
            out.append("/")
            place, node = place + count, node.after_deal
        if label:
            out.append(action_text(label, node))
            node = node.play(label)
    return "".join(out)


def cards_text(hand: PlayedHand) -> str:
    """`TdAs|/2c8c3h/9c`: private cards by seat, then boards."""
    deck = hand.game.rules.deck
    text = "|".join("".join(_card(card, deck) for card in cards) for cards in hand.hole)
    place = 0
    for count in hand.game.rules.board[1:]:
        if place + count > len(hand.board) or not count:
            break
        text += "/" + "".join(_card(card, deck) for card in hand.board[place : place + count])
        place += count
    return text


def _card(card: int, deck: Deck) -> str:
    """The protocol numbers small decks from the lowest rank."""
    return RANKS[deck.rank(card)] + SUITS[deck.suit(card)]


def _read_cards(text: str, game: Poker) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    private, *boards = text.split("/")
    seats = private.split("|")
    if len(seats) != game.players:
        raise FormatError(f"The cards '{text}' are for {len(seats)} seats, but '{game.name}' has {game.players}.")
    hole = tuple(_cards(seat, game) for seat in seats)
    board = tuple(card for part in boards for card in _cards(part, game))
    dealt = [*(card for cards in hole for card in cards), *board]
    if len(set(dealt)) < len(dealt) or any(len(cards) not in (0, game.rules.hole) for cards in hole):
        raise FormatError(f"The cards '{text}' hold a card twice or a hand of a wrong size.")
    if any(len(_cards(part, game)) != count for part, count in zip(boards, game.rules.board[1:], strict=False)):
        raise FormatError(f"The boards of '{text}' do not have the sizes of '{game.name}'.")
    return hole, board


def _cards(text: str, game: Poker) -> tuple[int, ...]:
    deck, out = game.rules.deck, []
    for place in range(0, len(text), 2):
        pair = text[place : place + 2]
        rank, suit = RANKS.find(pair[0]), SUITS.find(pair[1:])
        if len(pair) < 2 or not 0 <= rank < deck.ranks or not 0 <= suit < deck.suits:
            raise FormatError(f"'{pair}' is no card of this deck.")
        out.append(rank * deck.suits + suit)
    return tuple(out)


def score_line(totals: Sequence[float], names: Sequence[str]) -> str:
    """What a dealer prints at the end of a match."""
    return "SCORE:" + "|".join(map(chip_text, totals)) + ":" + "|".join(names)


def speaks_our_version(line: str) -> bool:
    """Whether a greeting names version 2 of the protocol."""
    return re.match(r"VERSION:2\.\d+\.\d+\s*\Z", line) is not None


def acpc_capable(game: Any) -> Poker:
    """The game as poker, or a refusal."""
    if not isinstance(game, Poker) or game.rules.deck.merged or game.rules.ante:
        raise NotApplicableError("The ACPC protocol is for poker games with suits and blinds, without antes.")
    return game
