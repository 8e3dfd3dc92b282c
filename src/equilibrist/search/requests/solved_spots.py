"""Requests answered on spots: from their own ranges, or at a decision of a solved one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.search.engines.spot_task import SpotSearch
from equilibrist.search.engines.spots import search_from, search_spot
from equilibrist.search.requests.request import SearchRequest

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution


def search_spot_file(spot: Spot, request: SearchRequest) -> SpotSearch:
    """A spot from its own ranges."""
    request.refuse_leaves()
    if request.line or request.bet is not None or request.nested:
        raise NotApplicableError(
            "--line, --bet and --nested lead through a solved spot; in a spot file write them as 'line'."
        )
    menus = request.menus()
    spot = spot if menus is None else spot.changed(bets=menus)
    acting = PLAYERS[spot.opening.player]
    return search_spot(spot, request.searcher or acting, request.technique or "unsafe", **request.spot_goals())


def search_solved_spot(solution: SpotSolution, request: SearchRequest) -> SpotSearch:
    """A decision of a solved spot."""
    request.refuse_leaves()
    if request.nested:
        return _play_out_spot(solution, request)
    place = solution.at(request.line)
    actor = place.player if request.bet is None else {"oop": "ip", "ip": "oop"}.get(place.player or "")
    return search_from(
        place,
        request.searcher or actor or "oop",
        request.technique or "resolve",
        bet=request.bet,
        bets=request.menus(),
        **request.spot_goals(),
    )


def deals_at(solution: SpotSolution, request: SearchRequest) -> bool:
    """Whether a request ends where a card comes, so that every card is searched."""
    return not request.nested and request.bet is None and solution.at(request.line).is_deal


def search_next_cards(
    solution: SpotSolution, request: SearchRequest, progress: Callable[[int, int], None] | None = None
) -> dict[str, SpotSearch]:
    """All cards that may come where a line of a solved spot ends, once for those that differ by suits only."""
    from equilibrist.search.engines.spot_batches import search_cards

    request.refuse_leaves()
    if request.seconds is not None or request.depth != "end":
        raise NotApplicableError(
            f"After '{request.line}' every card is searched, to --until or for --iterations; leave out --seconds and --depth, or add a "
            "card to the line."
        )
    goals = request.spot_goals()
    return search_cards(
        solution.at(request.line),
        request.searcher or PLAYERS[0],
        request.technique or "resolve",
        bets=request.menus(),
        progress=progress,
        **{name: goals[name] for name in ("until", "iterations", "threads", "device")},
    )


def _play_out_spot(solution: SpotSolution, request: SearchRequest) -> SpotSearch:
    """A line played out by nested search: each bet that is not known is answered from the answer before."""
    request.check_nested()
    if request.searcher not in PLAYERS:
        raise ParameterError("--nested plays a line out for one player; name it with --searcher oop or ip.")
    how: dict[str, Any] = {"bets": request.menus(), **request.spot_goals()}
    technique, here, found = request.technique or "resolve", list[str](), None
    for word in filter(None, request.line.split(":")):
        place = solution.at(":".join(here))
        acts = not place.is_deal and not place.is_over and place.player != request.searcher
        if acts and word not in place.labels and word[:1] in "br":
            found, here = search_from(place, request.searcher, technique, bet=word, **how), []
            solution = found.solution
        else:
            here.append(word)
    if found is None or here:  # what was found last is searched again where the line ends
        found = search_from(solution.at(":".join(here)), request.searcher, technique, **how)
    return found
