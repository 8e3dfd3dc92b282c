"""Rivers of a trained 20-bb bot as it plays them and solved again, and what solving wins from a coarser bot ([Ganzfried15, §10.5])."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from equilibrist.agents.blueprint.blueprint_player import BlueprintPlayer
from equilibrist.agents.blueprint.searching_player import SearchingPlayer, SearchSettings
from equilibrist.cards.range_text import STANDARD
from equilibrist.core.player import StrategicPlayer
from equilibrist.evaluation.play.referee import view_of
from equilibrist.evaluation.play.statistics import Estimate
from equilibrist.experiments.findings import Check, Findings, Request, at_least, at_most
from equilibrist.experiments.ganzfried.endgame_statistics import endgame_difference, per_hand_effect
from equilibrist.experiments.registry import Experiment
from equilibrist.experiments.river_values import RiverDuel
from equilibrist.experiments.trained import River, rivers, trained
from equilibrist.games.catalogue import load_game
from equilibrist.games.poker.bet_menus import menu_of
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import TERMINAL, State
from equilibrist.search.endgame_programs.endgame_betting import grow_betting, last_round
from equilibrist.search.endgame_programs.endgame_solving import GANZFRIED, solve_endgame
from equilibrist.search.endgame_programs.joint_hands import river_hands
from equilibrist.solvers.blueprint.plan import BlueprintPlan
from equilibrist.solvers.blueprint.strategy import PokerBlueprint

GAME = "nolimit-holdem(stack=2000)"
BETS = "100%, a"
MENU = {"menu": {"bet": BETS, "raise": BETS}}
BASE, COARSE = BlueprintPlan(GAME, MENU, "small"), BlueprintPlan(GAME, MENU, "tiny")
SEARCH = SearchSettings(street="river", iterations=300, seconds=600.0, bet=BETS, raises=BETS)
RIVERS, PROGRAMS, MET = 200, {False: 6, True: 200}, {False: 400, True: 2000}
RATIO, SHARE = 0.35, 0.01  # what is asked for; ours
PUBLISHED = {"Table 10.1, river solving, mbb/h": {"Hyperborean.iro": "+87 +- 50", "Slumbot": "+29 +- 25"}}
Maker = Callable[[], StrategicPlayer]


def seated(makers: tuple[Maker, Maker], game: Poker, river: River) -> tuple[StrategicPlayer, StrategicPlayer]:
    """Two players at a river, each with chance of its own."""
    players = makers[0](), makers[1]()
    for seat, player in enumerate(players):
        player.reset(seat, game, random.Random(f"{river.hand}/{seat}"))
    return players


def gap(maker: Maker, game: Poker, river: River) -> float:
    """How exploitable a strategy is on a river, as a share of the pot there: exact best responses of all hands."""
    duel = RiverDuel(river.state, seated((maker, maker), game, river), river.ranges)
    return duel.exploitability() / river.state.node.pot


def program_gap(river: River) -> float:
    """The same for the thesis' own method, a linear program on buckets of equity."""
    node = river.state.node
    behind = node.behind(0), node.behind(1)
    betting = grow_betting(last_round(node.pot, behind, menu_of(BETS), minimum_bet=100.0))
    hands, _ = river_hands("".join(map(STANDARD.label, river.state.board)), *river.ranges)
    return solve_endgame(betting, hands, GANZFRIED).exploitability / node.pot


def exploitabilities(blueprint: PokerBlueprint, request: Request) -> tuple[list[Check], dict[str, dict[str, float]]]:
    """Rivers as the bot plays them, solved on all hands, and the first of them by linear programs."""
    game, programs = poker_game(), PROGRAMS[request.full]
    found: dict[str, list[float]] = {"bot": [], "all hands": [], "linear programs on buckets": []}
    for number, river in enumerate(islice(rivers(blueprint, game, seed=1), RIVERS)):
        request.report("rivers as played and solved", number / RIVERS)
        found["bot"].append(gap(lambda: BlueprintPlayer(blueprint), game, river))
        found["all hands"].append(gap(lambda: SearchingPlayer(blueprint, None, SEARCH), game, river))
        if number < programs:
            found["linear programs on buckets"].append(program_gap(river))
    bot, solved, program = (float(np.mean(each)) for each in found.values())
    return [
        at_most("exploitability of solved rivers over that of the bot's", RATIO, solved / bot),
        at_most("exploitability of solved rivers, share of the pot", SHARE, solved),
        at_most("linear programs on buckets, over the bot's", RATIO, program / float(np.mean(found["bot"][:programs]))),
    ], {name: {"mean": float(np.mean(each)), "worst": max(each), "rivers": len(each)} for name, each in found.items()}


def played(players: tuple[StrategicPlayer, StrategicPlayer], river: River, seat: int) -> float:
    """Chips of one seat when the river is played once, with the cards that both hold."""
    state: State = river.state
    while state.player != TERMINAL:
        label = players[state.player].act(view_of(state, state.player))
        state = state.child(state.actions().index(label))
    return state.returns()[seat]


def restricted_match(
    blueprint: PokerBlueprint, coarse: PokerBlueprint, count: int, request: Request
) -> tuple[list[Check], dict[str, object]]:
    """Both versions of the bot meet the coarser one; deals count on which both reach a river ([Ganzfried15, §10.6])."""
    game, rows, last = poker_game(), list[list[float]](), 0
    for number, river in enumerate(islice(rivers(blueprint, game, seed=2, other=coarse), count)):
        request.report("rivers against a coarser bot", number / count)
        rows.append(list(_both(blueprint, coarse, game, river)))
        last = river.hand
    expected, drawn = np.array(rows)[:, :2].T, np.array(rows)[:, 2:].T
    reached, blind = [True] * count, float(game.big_blind or 1.0)  # both versions are the same bot before the river
    gain = endgame_difference(expected[0], expected[1], reached, reached).scaled(1000.0 / blind)
    once = endgame_difference(drawn[0], drawn[1], reached, reached).scaled(1000.0 / blind)
    return [
        at_least("gain over the bot on rivers, mbb: lower end of the 95 % interval", 0.0, gain.interval[0]),
    ], {
        "gain, mbb a river": facts(gain),
        "gain, mbb a hand": facts(per_hand_effect(gain, count, last)),
        "the same from single draws of cards and actions, mbb a river": facts(once),
        "share of hands with a river": count / last,
    }


def _both(blueprint: PokerBlueprint, coarse: PokerBlueprint, game: Poker, river: River) -> Iterator[float]:
    """Expected chips of the bot without and with solving, then chips of single draws."""
    seat = river.held.index(0)
    versions: list[Maker] = [lambda: BlueprintPlayer(blueprint), lambda: SearchingPlayer(blueprint, None, SEARCH)]
    tables = []
    for version in versions:
        makers: list[Maker] = [version, lambda: BlueprintPlayer(coarse)]
        tables.append(seated((makers[river.held[0]], makers[river.held[1]]), game, river))
    for players in tables:
        yield RiverDuel(river.state, players, river.ranges).values()[seat]
    for players in tables:
        yield played(players, river, seat)


def facts(result: Estimate) -> dict[str, object]:
    return {"mean": result.mean, "interval": list(result.interval), "rivers": result.samples}


def poker_game() -> Poker:
    game = load_game(GAME)
    assert isinstance(game, Poker)
    return game


def run(request: Request) -> Findings:
    deals, met = 20_000_000 if request.full else 600_000, MET[request.full]
    blueprint, coarse = (trained(plan, deals, request) for plan in (BASE, COARSE))
    checks, gaps = exploitabilities(blueprint, request)
    more, gained = restricted_match(blueprint, coarse, met, request)
    return Findings(
        setting=f"20 bb, fold, call, pot and all-in; bot with 169/50/50/50 buckets, opponent with 169/20/20/20, {deals:,} deals each; "
        f"{RIVERS} rivers of self-play ({PROGRAMS[request.full]} of them by linear program), {met} against the opponent; "
        f"{SEARCH.iterations} iterations a river",
        checks=[*checks, *more],
        published=PUBLISHED,
        measured={"exploitability, pots": gaps, "endgames against the coarser bot": gained},
        remarks=(
            "Every river of the match is worth its expectation over both players' hands and actions, from the ranges that they really "
            "have there; single draws say the same with far more noise.",
            "The solving bot takes the opponent for one that played its own blueprint before the river, which is not quite true.",
            "The text trains for one to two hours; fewer deals leave a bot with more to gain.",
        ),
    )


EXPERIMENT = Experiment(
    id="ganzfried/river-solving",
    title="Rivers of a trained bot: as played, by linear programs, on all hands; and a match",
    source="[Ganzfried15, §10.5 and §10.6]",
    seconds_quick=60,
    seconds_full=3600,
    run=run,
    text="no-limit hold'em of 200 big blinds against competition bots",
    quick={"20 big blinds against a coarser bot": ("pattern",)},
)
