"""Tables: hands against a player, and what is known about them afterwards."""

from __future__ import annotations

import math
import random
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import PlainTextResponse

from equilibrist.agents.matches.match import DEFAULT_GAME
from equilibrist.agents.review.hindsight import equity_against, range_after
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.player import Chips, View
from equilibrist.core.writing import plain
from equilibrist.evaluation.play.statistics import Z95, estimate
from equilibrist.games.poker.game import Poker, PokerState
from equilibrist.games.rules import Game
from equilibrist.games.spots.spot_game import SpotGame, SpotState
from equilibrist.games.tables.table_game import TableGame, TableHand
from equilibrist.interfaces.cli.play.play import describe
from equilibrist.interfaces.protocols.hands import hand_from_record
from equilibrist.interfaces.protocols.phh import write_phhs
from equilibrist.interfaces.strategies import solution_rows, strategy_json
from equilibrist.interfaces.web.data.play_sessions import GAMES, Seated, SeenHand, own_chance
from equilibrist.interfaces.web.data.store import SittingRow, new_id, now
from equilibrist.interfaces.web.models.common import JSON_REFUSALS, Identity, Line
from equilibrist.interfaces.web.models.tables import (
    ActionRequest,
    AgentItem,
    Choice,
    DecisionValue,
    HandMove,
    Offer,
    RangeHand,
    Review,
    SeatState,
    TableRequest,
    TableState,
)
from equilibrist.interfaces.web.services import Here, Services

router = APIRouter(tags=["tables"])

MOST_TABLES = 1000
MOST_HANDS = 10_000
POT_SHARES = ((1 / 3, "⅓ pot"), (0.5, "½ pot"), (0.75, "¾ pot"), (1.0, "pot"))
MOST_LISTED = 12  # actions; where there are more, raises are chosen by share of the pot
NEARLY = 0.03  # a raise that misses a share of the pot by more of it does not bear its name


@router.get("/agents")
def list_agents(here: Here) -> list[AgentItem]:
    """Who can be played against; files of the folder `agents` are among them."""
    return [AgentItem(name=name, summary=summary, game=game) for name, summary, game in here.tables.names()]


@router.get("/agents/{agent}/strategy")
def agent_strategy(
    agent: Annotated[str, Path(max_length=100)], here: Here, line: Annotated[Line, Query()] = ""
) -> dict[str, Any]:
    """What a file of the folder `agents` plays at a line, infoset by infoset; of any kind of solution."""
    solution = here.tables.solution(agent)
    told: dict[str, Any] = plain(strategy_json(solution, solution_rows(solution, line=line or None)))
    return told


@router.get("/tables/games")
def table_games() -> dict[str, str]:
    """What can be played."""
    return dict(GAMES)


@router.post("/tables", status_code=201)
def sit_down(asked: TableRequest, here: Here) -> TableState:
    """A new table and its first hand."""
    game = asked.game or here.tables.file_game(asked.agent) or DEFAULT_GAME
    here.tables.check(asked.agent, game)
    seed = asked.seed if asked.seed is not None else secrets.randbelow(2**31)
    row = SittingRow(id=new_id(), created=now(), agent=asked.agent, game=game, seed=seed)
    row = here.tables.deal(row)
    here.store.put_sitting(row)
    here.store.trim_sittings(MOST_TABLES)
    return _state(here, row, len(row.hands) - 1)


@router.get("/tables/{table}")
def look(table: Identity, here: Here) -> TableState:
    """The hand as it stands."""
    row = here.store.sitting(table)
    return _state(here, row, len(row.hands) - 1)


@router.get("/tables/{table}/hands/{hand}")
def look_back(table: Identity, hand: Annotated[int, Path(ge=0, le=MOST_HANDS)], here: Here) -> TableState:
    """An earlier hand."""
    row = here.store.sitting(table)
    if hand >= len(row.hands):
        raise NotApplicableError(f"{len(row.hands)} hands were dealt at this table, so there is no hand {hand + 1}.")
    return _state(here, row, hand)


@router.get("/tables/{table}/hands/{hand}/decisions/{move}")
def value_decision(
    table: Identity,
    hand: Annotated[int, Path(ge=0, le=MOST_HANDS)],
    move: Annotated[int, Path(ge=0, le=1000)],
    here: Here,
) -> DecisionValue:
    """What each action of an own decision was worth and what the opponent could hold then, once the hand is over; takes some seconds."""
    row = here.store.sitting(table)
    if hand >= len(row.hands):
        raise NotApplicableError(f"{len(row.hands)} hands were dealt at this table, so there is no hand {hand + 1}.")
    seated = here.tables.seated(row.agent, row.game)
    found = here.tables.value(row, hand, move, here.settings.threads)
    told: dict[str, Any] = {"move": move, "opponent_range": _range_list(found.held)}
    exact = seated.review.values(found.own.view.seat, found.own.view.infoset) if seated.review else None
    if exact:
        return _exact_value(told, exact, found.own.action, seated.game)
    if found.value is None:
        return _no_value(told, found.reason)
    value, unit = found.value, float(seated.game.big_blind or 1.0)
    return DecisionValue(
        **told, unit="bb" if seated.game.big_blind else seated.game.unit,
        method=value.method, actions=list(value.actions), ev=list(value.ev), chosen=value.chosen, loss=value.loss,
        loss_bb=value.loss / unit, error=value.error, note=value.note, reason="",
    )  # fmt: skip


def _exact_value(told: dict[str, Any], exact: dict[str, float], action: str, game: Game) -> DecisionValue:
    loss = max(exact.values()) - exact[action]
    return DecisionValue(
        **told, unit="bb" if game.big_blind else game.unit,
        method="exact", actions=[_word(label) for label in exact], ev=list(exact.values()),
        chosen=list(exact).index(action), loss=loss, loss_bb=loss / float(game.big_blind or 1.0), error=0.0, note="", reason="",
    )  # fmt: skip


def _no_value(told: dict[str, Any], reason: str) -> DecisionValue:
    return DecisionValue(
        **told,
        unit="bb",
        method=None,
        actions=[],
        ev=[],
        chosen=None,
        loss=None,
        loss_bb=None,
        error=None,
        note="",
        reason=reason,
    )


def _range_list(weights: dict[str, float] | None) -> list[RangeHand] | None:
    return None if weights is None else [RangeHand(hand=hand, weight=weight) for hand, weight in weights.items()]


@router.post("/tables/{table}/act")
def act(table: Identity, asked: ActionRequest, here: Here) -> TableState:
    """Take an action: x, c, f, b300, r900, 50%, a."""
    row = here.store.sitting(table)
    if asked.hand != len(row.hands) - 1 or asked.move != len(row.hands[-1]):
        raise NotApplicableError("The table has moved on since this page was drawn; look again.")
    row = here.tables.act(row, asked.action)
    here.store.put_sitting(row)
    return _state(here, row, len(row.hands) - 1)


@router.post("/tables/{table}/deal")
def deal(table: Identity, here: Here) -> TableState:
    """The next hand."""
    row = here.store.sitting(table)
    if len(row.hands) >= MOST_HANDS:
        raise NotApplicableError(f"A table ends after {MOST_HANDS:,} hands; sit down at a new one.")
    row = here.tables.deal(row)
    here.store.put_sitting(row)
    return _state(here, row, len(row.hands) - 1)


@router.get("/tables/{table}/history", response_class=PlainTextResponse, responses=JSON_REFUSALS)
def history(table: Identity, here: Here) -> str:
    """The last hundred hands that are over, as PHH."""
    row = here.store.sitting(table)
    game = here.tables.seated(row.agent, row.game).game
    if not isinstance(game, Poker) or game.rules.deck.merged:
        raise NotApplicableError(f"Hand histories are for poker with suits; '{row.game}' is another game.")
    hands = []
    for number in range(max(0, len(row.results) - 100), len(row.results)):
        seen = here.tables.look(row, number)
        if seen.record is not None and isinstance(seen.record.state, PokerState):
            names = _names(row.agent, seen.person.seat, game)
            hands.append(hand_from_record(game, seen.record.state.hole, seen.record.line, names))
    return write_phhs(hands)


def _state(here: Services, row: SittingRow, number: int) -> TableState:
    seated = here.tables.seated(row.agent, row.game)
    seen = here.tables.look(row, number)
    facts = _shown(seated.game, row.agent, seen)
    over = seen.record is not None
    with seated.lock:  # asking a player for its strategy needs it at this table
        after = _afterwards(seated, seen, own_chance(row, _next_seat(seen, seated.game), number)) if over else {}
    return TableState(
        id=row.id,
        agent=row.agent,
        game=row.game,
        hand=number,
        seat=seen.person.seat,
        moves=_moves(seen),
        move=len(row.hands[number]),
        over=over,
        choice=None if over or seen.person.view is None else _choice(seen.person.view),
        opponent_range=after.get("range"),
        reviews=after.get("reviews"),
        **facts,
        **_results(row, seated.game),
    )


def _next_seat(seen: SeenHand, game: Game) -> int:
    return (seen.person.seat + 1) % game.players


def _results(row: SittingRow, game: Game) -> dict[str, Any]:
    unit = float(game.big_blind or 1.0)
    found = estimate(row.results).scaled(1000.0 / unit) if row.results else None
    wide = found is not None and found.samples > 1
    return {
        "played": len(row.results),
        "total": sum(row.results),
        "mean_mbb": found.mean if found else None,
        "interval_mbb": Z95 * found.error if found is not None and wide else None,
        "unit": unit,
        "payoffs": game.unit,
    }


def _shown(game: Game, agent: str, seen: SeenHand) -> dict[str, Any]:
    """Cards and chips as the person sees them."""
    person = seen.person
    hole = next((event.label for event in person.events if event.kind == "deal"), "")
    dealt = "".join(event.label for event in person.events if event.kind == "reveal")
    board = game.spot.board_text + dealt if isinstance(game, SpotGame) else dealt if _has_board(game) else ""
    shown = {event.player: event.label for event in person.events if event.kind == "shown"}
    pot, behind, folded = 0.0, [0.0] * game.players, [False] * game.players
    if seen.record is not None and isinstance(seen.record.state, PokerState):
        node = seen.record.state.node
        pot, behind, folded = node.pot, [node.behind(seat) for seat in range(game.players)], list(node.folded)
    elif chips := _chips(seen):
        pot, behind, folded = chips.pot, list(chips.behind), list(chips.folded)
    seats = [
        SeatState(
            name=name,
            behind=left if math.isfinite(left) else None,  # limit games have no stacks
            folded=out,
            shown=shown.get(seat),
        )
        for seat, (name, left, out) in enumerate(zip(_names(agent, person.seat, game), behind, folded, strict=True))
    ]
    result = None if seen.record is None else float(seen.record.returns[person.seat])
    return {"hole": hole, "board": board, "pot": pot, "seats": seats, "result": result}


def _has_board(game: Game) -> bool:
    return isinstance(game, Poker | TableGame)


def _chips(seen: SeenHand) -> Chips | None:
    """The table as it stood last; None in games without chips."""
    if seen.record is not None and isinstance(seen.record.state, SpotState | TableHand):
        return seen.record.state.chips(seen.person.seat, public=True)
    return seen.person.view.chips if seen.person.view is not None else None


def _names(agent: str, own: int, game: Game) -> list[str]:
    """By seat, as the game calls it; else the person is `you`, and several opponents are numbered from the next seat on."""
    if game.seat_names:
        return list(game.seat_names)
    count = game.players
    others = [agent] if count == 2 else [f"{agent} {number}" for number in range(1, count)]
    around = ["you", *others]
    return [around[(seat - own) % count] for seat in range(count)]


def _moves(seen: SeenHand) -> list[HandMove]:
    out = []
    for event in seen.person.events:
        if event.kind == "action":
            out.append(HandMove(seat=event.player, label=event.label, text=describe(event.label)))
        elif event.kind == "reveal":
            out.append(HandMove(seat=None, label=event.label, text=f"board {event.label}"))
    return out


def _choice(view: View) -> Choice:
    plain = [label for label in ("f", "x", "c", "b", "r", "a") if label in view.actions]
    chips = view.chips
    bounds = chips.raise_bounds if chips is not None and "b" not in plain and "r" not in plain else None
    sizes = _raises(view, chips) if chips is not None and bounds is not None else {}
    others = [] if chips is not None else [label for label in view.actions if label not in plain]
    return Choice(
        offers=[Offer(label=label, text=_word(label)) for label in (*plain, *others)],
        to_call=chips.to_call if chips else 0.0,
        needed_equity=chips.pot_odds if chips else 0.0,
        raise_least=bounds[0] if bounds else None,
        raise_most=bounds[1] if bounds else None,
        pot_raises=[Offer(label=label, text=name) for label, name in sizes.items()],
    )


def _raises(view: View, chips: Chips) -> dict[str, str]:
    """Raises by label, smallest first, each with a name that is true of it, be it lifted to the smallest legal one."""
    least, most = chips.raise_bounds or (0.0, 0.0)
    if len(view.actions) <= MOST_LISTED:
        found = [label for label in view.actions if label[0] in "br"]
    else:
        found = [
            view.nearest_raise(least),
            *(view.raise_by(share) for share, _ in POT_SHARES),
            view.nearest_raise(most),
        ]
    totals = {label: float(label[1:]) for label in found if label[0] in "br" and label[1:]}
    named = {}
    for label, total in sorted(totals.items(), key=lambda each: each[1]):
        share = (total - chips.round_base) / (chips.pot + chips.to_call)
        near = (name for wanted, name in POT_SHARES if abs(share - wanted) <= NEARLY * wanted)
        usual = "min" if total <= least else f"{100.0 * share:.0f} % pot"
        named[label] = "all-in" if total >= most else next(near, usual)
    return named


def _word(label: str) -> str:
    return {"f": "fold", "x": "check", "c": "call", "b": "bet", "r": "raise", "a": "all-in"}.get(label, label)


def _afterwards(seated: Seated, seen: SeenHand, chance: random.Random) -> dict[str, Any]:
    """The opponent's range at the end, and every own decision looked at again."""
    game, player, person = seated.game, seated.player, seen.person
    alone = game.players == 2
    player.reset(_next_seat(seen, game), game, chance)
    deck = game.rules.deck if isinstance(game, Poker) else None
    hole, board = _cards_of(seen)
    decided = [decision for _, decision in seen.opponent.decided]
    weights = range_after(game, player, decided, [*hole, *board]) if alone else None
    reviews = []
    for place, own in enumerate(person.decided):
        before = [decision for made, decision in seen.opponent.decided if made <= place]
        chips = own.view.chips
        exact = seated.review.values(person.seat, own.view.infoset) if seated.review else None
        here = chips.board if chips else ()
        reviews.append(
            Review(
                move=place,
                action=describe(own.action),
                board="".join(map(deck.label, here)) if deck else "",
                pot=chips.pot if chips else 0.0,
                equity=equity_against(game, player, before, hole, here) if alone else None,
                actions=[_word(label) for label in exact] if exact else [],
                ev=list(exact.values()) if exact else None,
                ev_loss=max(exact.values()) - exact[own.action] if exact else None,
            )
        )
    return {"range": _range_list(weights), "reviews": reviews}


def _cards_of(seen: SeenHand) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if seen.record is None or not isinstance(seen.record.state, PokerState) or not seen.record.state.hole:
        return (), ()
    return seen.record.state.hole[seen.person.seat], seen.record.state.board
