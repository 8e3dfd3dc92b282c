"""The player's end of the ACPC protocol: one of our players sits down at a dealer program."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable
from dataclasses import dataclass

from equilibrist.core.errors import FormatError, ParameterError
from equilibrist.core.player import Event, Player
from equilibrist.core.writing import reason
from equilibrist.evaluation.play.referee import view_of
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import TERMINAL
from equilibrist.interfaces.protocols.acpc import VERSION, MatchState, acpc_capable, action_text, read_state
from equilibrist.interfaces.protocols.hands import card_text
from equilibrist.interfaces.protocols.lines import Lines


@dataclass
class ACPCHand:
    """What a player has seen of the hand that is being played."""

    number: int = -1
    actions: int = 0
    board: int = 0


def join(
    player: Player,
    game: Poker,
    host: str,
    port: int,
    seed: int = 0,
    progress: Callable[[int, float], None] | None = None,
) -> tuple[int, float]:
    """Play until the dealer closes the connection; hands and chips won in hands whose result could be seen."""
    table = acpc_capable(game)
    try:
        connection = socket.create_connection((host, port), timeout=30.0)
    except UnicodeError:
        raise ParameterError(f"'{host}' cannot be the name of a host; give one such as 127.0.0.1.") from None
    except OSError as error:
        raise ParameterError(f"No dealer answers at {host}:{port} ({reason(error)}).") from None
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    lines, sitting, won, hands = Lines(connection), ACPCHand(), 0.0, 0
    try:
        lines.send(VERSION)
        while True:
            try:
                line = lines.receive()
            except ConnectionError:
                return hands, won
            if not line or line[0] in "#;":
                continue
            state = read_state(line, table)
            _follow(player, table, state, sitting, seed)
            node = state.hand.last
            if node.player == TERMINAL:
                hands, won = hands + 1, won + _result(state)
                if progress:
                    progress(hands, won)
            elif node.player == state.position:
                lines.send(f"{line}:{action_text(_choose(player, table, state), node)}")
    finally:
        lines.close()


def _choose(player: Player, game: Poker, state: MatchState) -> str:
    hand, node = state.hand, state.hand.last
    view = view_of(PokerState(game, node, hand.hole, hand.board, hand.public_line()), state.position)
    label = player.act(view)
    return label if label in node.labels else view.fold()


def _follow(player: Player, game: Poker, state: MatchState, sitting: ACPCHand, seed: int) -> None:
    """Tell the player what is new since the last state."""
    hand, public = state.hand, state.hand.public_line()
    if state.number != sitting.number:
        sitting.number, sitting.actions, sitting.board = state.number, 0, 0
        player.reset(state.position, game, random.Random(f"{seed}/{state.number}"))
        own = hand.hole[state.position]
        if not own:
            raise FormatError(f"The dealer did not show our cards in hand {state.number}.")
        player.observe(Event("deal", None, game.hole_label(tuple(sorted(own))), ""))
    actors = [node.player for node in hand.nodes() if node.player >= 0]
    for place in range(sitting.actions, len(hand.actions)):
        player.observe(Event("action", actors[place], hand.actions[place], public))
    if len(hand.board) > sitting.board:
        player.observe(Event("reveal", None, card_text(hand.board[sitting.board :], game.rules.deck), public))
    sitting.actions, sitting.board = len(hand.actions), len(hand.board)


def _result(state: MatchState) -> float:
    """Chips won, as far as the cards shown tell; folds tell always."""
    try:
        return state.hand.returns()[state.position]
    except ParameterError:
        return 0.0
