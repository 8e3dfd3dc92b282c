"""SearchRequest: one search as people ask for it, on whatever was solved: a spot, a game on boards, a game as a table.

`search_spot_file`, `search_solved_spot`, `search_solved_boards` and `search_tabular` carry it out; the last two give a `GameAnswer`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError, suggest
from equilibrist.core.numbers import finite_number, whole_number
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import EXACT, Solution, SolveRecord, TabularSolution
from equilibrist.forms.compiled import Compiled
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.catalogue import load_game, recorded_game
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.street_menus import PLAYERS
from equilibrist.search.blueprint import Blueprint
from equilibrist.search.depth_limited.cfr_d import OracleLeaves, SolvedLeaves
from equilibrist.search.depth_limited.depth_limited import draws_below, search_to_edge, self_generated
from equilibrist.search.depth_limited.multi_valued_states import Payoffs, biased_set, exact_payoffs
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.engines.games import GameSearch, search_game
from equilibrist.search.engines.nested_boards import NestedBoards
from equilibrist.search.engines.spots import DEPTHS, SpotSearch, search_from, search_spot
from equilibrist.search.off_tree.nested_search import NestedSearch, actions_at, answer_inexpensive, child_of, extend
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS, SubgameSolution, search
from equilibrist.search.techniques import find_technique
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.responses.best_response import evaluate_policy, translate
from equilibrist.version import __version__

if TYPE_CHECKING:
    from equilibrist.solvers.postflop.solutions.game_solution import BoardSolution
    from equilibrist.solvers.postflop.solutions.spot_solution import SpotSolution


SOLVED_LEAVES = ("cfr-d", "cfr-avg")
NEXT_TO_NOTHING = 1e-3  # chips or points: how far a game is searched if no goal is given


@dataclass(frozen=True)
class SearchRequest:
    """Where to search, for whom, how, and how long."""

    line: str = ""
    searcher: str | None = None  # oop or ip; of a game 1 or 2; the player who acts, if absent
    technique: str | None = None
    bet: str | None = None  # what the opponent has done at the line instead of anything solved
    bets: str | None = None  # sizes from here on
    raises: str | None = None
    until: str | None = None
    iterations: int | None = None
    seconds: float | None = None
    threads: int = 1
    depth: str = "end"
    continuations: Continuations | None = None
    leaves: str | None = (
        None  # of a game as a table: values at the depth limit by solving what lies below, cfr-d or cfr-avg
    )
    nested: bool = False  # the line may contain bets that the solution does not know

    def __post_init__(self) -> None:
        if self.iterations is not None:
            whole_number("iterations", self.iterations, least=1)
        if self.seconds is not None:
            finite_number("seconds", self.seconds)
        whole_number("threads", self.threads, least=1)

    @property
    def open_ended(self) -> bool:
        return self.until is None and self.iterations is None and self.seconds is None

    def menus(self) -> dict[str, str] | None:
        """Sizes of a spot from here on; none: those of the solution."""
        if self.bets is None and self.raises is None:
            return None
        return {"bet": self.bets or "", "raise": self.raises or ""}

    def spot_goals(self) -> dict[str, Any]:
        """How `search_spot` and `search_from` are told when to stop and how deep to look."""
        usual = "0.1%" if self.depth == "end" else "1%"
        return {
            "until": usual if self.open_ended else self.until,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "threads": self.threads,
            "depth": self.depth,
            "continuations": self.continuations,
        }

    def seat(self) -> int | None:
        """The searcher in a game, counted from 0."""
        if self.searcher is None:
            return None
        if self.searcher not in ("1", "2"):
            raise ParameterError(f"The searcher in a game is player 1 or 2, but '{self.searcher}' was given.")
        return int(self.searcher) - 1

    def game_stop(self) -> Stop:
        """Games have no pot to take a share of."""
        if self.until is not None:
            try:
                return Stop(float(self.until), self.iterations, self.seconds)
            except ValueError:
                raise ParameterError(
                    f"A search of a game stops at a number of chips or points, but '{self.until}' was given; shares of the pot are "
                    "for spots."
                ) from None
        return Stop(NEXT_TO_NOTHING if self.open_ended else None, self.iterations, self.seconds)

    def below(self) -> Continuations | None:
        """What happens below the searched street of a game; None where the search goes to the end."""
        if self.depth not in DEPTHS:
            raise ParameterError(f"A search goes to the {' or the '.join(DEPTHS)}, but depth={self.depth!r} was given.")
        if self.depth == "end":
            if self.continuations is not None:
                raise ParameterError("Continuations are for depth-limited search; give --depth street with them.")
            return None
        return self.continuations or Continuations()

    def refuse_leaves(self) -> None:
        """What only games solved as tables have."""
        if self.leaves is not None:
            raise NotApplicableError("--leaves is for games solved as tables; leave it out here.")

    def refuse_threads(self) -> None:
        """Tables are searched in one thread."""
        if self.threads != 1:
            raise NotApplicableError(
                f"Games solved as tables are searched in one thread, but --threads {self.threads} was given; leave it out."
            )

    def iterations_alone(self, what: str) -> int | None:
        """For searches that stop after some iterations and by nothing else."""
        if self.until is not None or self.seconds is not None:
            raise NotApplicableError(f"{what} is searched for a number of iterations; give --iterations.")
        return self.iterations

    def check_nested(self) -> None:
        """A line that is played out has all bets in it."""
        if self.bet is not None or self.depth != "end" or self.leaves is not None:
            raise NotApplicableError(
                "--nested takes all bets from --line and searches to the end; leave out --bet and --depth."
            )

    def nested_seat(self) -> int:
        """The player for whom a line of a game is played out."""
        self.check_nested()
        seat = self.seat()
        if seat is None:
            raise ParameterError("--nested plays a line out for one player; name it with --searcher 1 or 2.")
        return seat

    def refuse_menus(self) -> None:
        """Games keep their own sizes."""
        if self.menus() is not None:
            raise NotApplicableError(
                "--bets and --raises are for spots; a game keeps its own sizes, and one more is added with --bet."
            )


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


@dataclass(frozen=True)
class GameAnswer:
    """A searched decision of a game."""

    game: str
    line: str  # where the search begins
    searcher: int
    technique: str
    iterations: int
    seconds: float
    exploitability: float  # chips or points, of the gadget game
    margin: float
    tolerance: float  # by how much the opponent's best response in the whole game can have risen, at most
    player: int  # who acts at the line
    actions: tuple[str, ...]
    frequencies: tuple[float, ...]
    hands: Mapping[str, tuple[float, ...]] = field(repr=False)  # probabilities of the actions
    below: Mapping[str, Any] | None = None  # what was assumed where the search stopped
    policy: TabularPolicy | None = field(
        default=None, repr=False
    )  # of the whole game, where it is a table of its own actions

    def to_json(self) -> dict[str, Any]:
        """What `search --json` prints; players count from 1."""
        told = {name: getattr(self, name) for name in ("game", "line", "technique", "iterations", "seconds")}
        return {
            "kind": "search",
            **told,
            "searcher": self.searcher + 1,
            "exploitability": {"chips": self.exploitability},
            **{name: _number(getattr(self, name)) for name in ("margin", "tolerance")},
            **({"below": dict(self.below)} if self.below is not None else {}),
            "player": self.player + 1,
            "actions": list(self.actions),
            "frequencies": list(self.frequencies),
            "strategy": {hand: dict(zip(self.actions, row, strict=True)) for hand, row in self.hands.items()},
        }


def _number(value: float) -> float | None:
    return value if value == value else None


def search_solved_boards(solution: BoardSolution, request: SearchRequest) -> GameAnswer:
    """A decision of a game that was solved on boards."""
    request.refuse_leaves()
    request.refuse_menus()
    if request.nested:
        return _play_out_boards(solution, request)
    below = request.below()
    found = search_game(
        solution.policy,
        request.line,
        request.technique or "resolve",
        searcher=request.seat(),
        bet=request.bet,
        stop=request.game_stop(),
        threads=request.threads,
        continuations=below,
    )
    return _of_boards(solution.game, found, below)


def _play_out_boards(solution: BoardSolution, request: SearchRequest) -> GameAnswer:
    """A line played out by nested search: each bet that is not known is answered from the answer before."""
    hand = NestedBoards(
        solution.policy,
        request.nested_seat(),
        request.technique or "resolve",
        stop=request.game_stop(),
        threads=request.threads,
    )
    hand.follow(request.line)
    return nested_answer(hand, solution.game)


def nested_answer(hand: NestedBoards, game: str) -> GameAnswer:
    """The decision where a line that was played out ends."""
    player = hand.policy.player(hand.place)
    if player < 0:
        raise NotApplicableError(
            f"Nobody acts after '{hand.line}' in '{game}'; {hand.policy.what_follows(hand.place)}."
        )
    if not hand.searches:
        hand.solve_here()
    found, policy, place = hand.searches[-1], hand.policy, hand.place
    return GameAnswer(
        game=game,
        line=hand.line,
        searcher=hand.searcher,
        technique=found.technique.name,
        iterations=found.run.iteration,
        seconds=sum(each.seconds for each in hand.searches),
        exploitability=found.exploitability,
        margin=found.margin,
        tolerance=found.tolerance,
        player=player,
        actions=policy.actions(place),
        frequencies=tuple(policy.frequencies(place, player).tolist()),
        hands={
            hand: tuple(row.tolist())
            for hand, row in zip(policy.labels(place, player), policy.table(place, player), strict=True)
        },
    )


def _of_boards(game: str, answer: GameSearch, below: Continuations | None) -> GameAnswer:
    found = answer.found
    return GameAnswer(
        game=game,
        line=answer.line,
        searcher=found.searcher,
        technique=found.technique.name,
        iterations=found.run.iteration,
        seconds=found.seconds,
        exploitability=found.exploitability,
        margin=found.margin,
        tolerance=found.tolerance,
        player=answer.player,
        actions=answer.actions,
        frequencies=tuple(answer.frequencies().tolist()),
        hands={hand: tuple(row.tolist()) for hand, row in answer.by_label().items()},
        below=None if below is None else below.told(),
    )


def search_tabular(solution: Solution, request: SearchRequest) -> GameAnswer:
    """A decision of a game that was solved as a table, on its public tree."""
    request.refuse_threads()
    request.refuse_menus()
    known = Blueprint(public_tree(recorded_game(solution.game)), solution.tabular())
    if request.nested:
        return _play_out(known, request)
    state = public_state(known.tree, request.line)
    if known.tree.player[state] < 0:
        raise NotApplicableError(
            f"Nobody acts after '{request.line}' in '{solution.game}'; give a line to a player's decision."
        )
    acting = int(known.tree.player[state])
    if request.bet is None:
        return _of_table(_search_at(known, state, acting, request), state, request.continuations, leaves=request.leaves)
    if request.seat() == acting:
        raise ParameterError(
            f"Player {acting + 1} itself acts after '{request.line}', so '{request.bet}' is no answer to search for."
        )
    extended = extend(known, known.tree.states[state], request.bet)
    here = extended.tree.number(known.tree.states[state])
    (new,) = set(actions_at(extended.tree, here)) - set(actions_at(known.tree, state))
    root = child_of(extended.tree, here, new)
    payoffs = _payoffs(extended, root, 1 - acting, request)
    answer = answer_inexpensive(
        known, extended, root, request.technique or "resolve", continuations=payoffs, stop=request.game_stop()
    )
    return _of_table(answer.solution, root, request.continuations, off_tree=True)


def public_state(tree: PublicTree, line: str) -> int:
    """The public state of a line; suits may be left out, and are where the game merges them."""
    by_name = {name: number for number, name in enumerate(tree.states)}
    if not line:
        acting = [s for s in range(len(tree.states)) if tree.player[s] >= 0]
        return acting[0]
    for simplify in (str, without_suits):
        found = [number for name, number in by_name.items() if simplify(name) == simplify(line)]
        if found:
            return found[0]
    raise UnknownNameError(f"There is no public state '{line}' in '{tree.game.name}'.{suggest(line, tree.states)}")


def without_suits(line: str) -> str:
    """`b:c:Kc` is `b:c:K`."""
    return ":".join(part[0] if _is_card(part) else part for part in line.split(":"))


def _is_card(part: str) -> bool:
    return len(part) == 2 and part[0] in "23456789TJQKA" and part[1] in "cdhs"


def _search_at(known: Blueprint, state: int, acting: int, request: SearchRequest) -> SubgameSolution:
    seat = request.seat()
    searcher = acting if seat is None else seat
    technique, stop = request.technique or "resolve", request.game_stop()
    if request.leaves is not None:
        ends = _ends(known, state, request)
        if request.leaves not in SOLVED_LEAVES:
            raise ParameterError(
                f"Leaves are solved by {' or '.join(SOLVED_LEAVES)}, but '{request.leaves}' was given."
            )
        above = Subgame.of(known, [state], ends)
        oracle = OracleLeaves(SolvedLeaves(known.tree, ends), "cfr-d" if request.leaves == "cfr-d" else "cfr-avg")
        return search(above, searcher, technique, blueprint=known, leaves=oracle, stop=stop)
    below = request.below()
    if below is None:
        return search(Subgame.of(known, [state]), searcher, technique, blueprint=known, stop=stop)
    ends = _ends(known, state, request)
    chosen = _continuations(known, state, ends, searcher, below)
    own = chosen if below.balanced else None
    return search_to_edge(known, state, ends, searcher, chosen, own, technique=technique, stop=stop)


def _ends(known: Blueprint, root: int, request: SearchRequest) -> tuple[int, ...]:
    """Where a depth-limited search of a game stops: before the next public cards."""
    if request.depth != "street":
        raise ParameterError("--leaves says what a depth limit is worth; give --depth street with it.")
    leaves = draws_below(known.tree, root)
    if not leaves:
        raise NotApplicableError("No card comes after this line, so there is no depth to limit; search to the end.")
    return leaves


def _play_out(known: Blueprint, request: SearchRequest) -> GameAnswer:
    """A line played out by nested search: what the solution does not know is answered as it comes ([Brown20, §5.1.7])."""
    hand = NestedSearch(
        known,
        request.nested_seat(),
        request.technique or "resolve",
        stop=Stop(iterations=DEFAULT_ITERATIONS) if request.open_ended else request.game_stop(),
    )
    hand.follow(request.line)
    player, here = int(hand.blueprint.tree.player[hand.state]), hand.state
    if player < 0:
        raise NotApplicableError(f"Nobody acts after '{request.line}' in '{known.tree.game.name}'; play to a decision.")
    if not hand.solutions:
        hand.solve_here()
    infostates = hand.blueprint.at([here], player)
    weights = hand.blueprint.reach[infostates] * hand.blueprint.mass[player][infostates]
    return _of_table(hand.solutions[-1], here, off_tree=True, weights=weights)


def _payoffs(known: Blueprint, root: int, searcher: int, request: SearchRequest) -> Payoffs | None:
    """What the ends of the betting round are worth, for each pair of continuations; None where the search goes to the end."""
    below = request.below()
    if below is None:
        return None
    leaves = _ends(known, root, request)
    chosen = _continuations(known, root, leaves, searcher, below)
    sides: list[Sequence[TabularPolicy]] = [chosen, chosen]
    if not below.balanced:
        sides[searcher] = [known.policy]
    return exact_payoffs(known.tree, leaves, sides[0], sides[1])


def _continuations(
    known: Blueprint, root: int, leaves: Sequence[int], searcher: int, below: Continuations
) -> list[TabularPolicy]:
    """Policies for play below the edge: the blueprint and its biased versions, or some that find each other."""
    if below.generated:
        return self_generated(known, root, leaves, searcher, below.generated)
    return biased_set(known.policy, below.factor, below.policies)


def _of_table(
    found: SubgameSolution,
    state: int,
    below: Continuations | None = None,
    *,
    off_tree: bool = False,
    leaves: str | None = None,
    weights: Floats | None = None,
) -> GameAnswer:
    """`weights` of the hands at the state, where that is not the root of the search."""
    tree = found.subgame.tree
    player = int(tree.player[state])
    public = tree.states[state]
    span = tree.privates(state, player)
    rows = tree.private[player].row[span]
    shown = found.profile if player != found.searcher else found.policy
    hands = {_hand(tree.infosets.keys[row], public): tuple(shown.row(int(row)).tolist()) for row in rows.tolist()}
    if weights is None:
        weights = found.subgame.ranges[player] * found.subgame.mass(player)
    table = np.array([shown.row(int(row)) for row in rows.tolist()])
    mean = np.average(table, axis=0, weights=weights if weights.sum() > 0 else None)
    return GameAnswer(
        game=tree.game.name,
        line=public,
        searcher=found.searcher,
        technique=find_technique(found.technique).name,
        iterations=found.iterations,
        seconds=found.seconds,
        exploitability=found.exploitability,
        margin=found.margin,
        tolerance=found.tolerance,
        player=player,
        actions=actions_at(tree, state),
        frequencies=tuple(mean.tolist()),
        hands=hands,
        below=None if not found.subgame.leaves else {"leaves": leaves} if leaves else (below or Continuations()).told(),
        policy=None if off_tree else found.policy,
    )


def _hand(key: str, public: str) -> str:
    return key.removesuffix(public).removesuffix(":") if public else key


def save_answer(answer: GameAnswer, path: str | os.PathLike[str]) -> None:
    """The whole game's policy with the searcher's part replaced, measured and saved as a solution."""
    if answer.policy is None:
        raise NotApplicableError(
            "--out writes searched spots, and games solved as tables and searched without --bet; leave --out out."
        )
    game = Compiled(load_game(answer.game))
    policy = translate(answer.policy, game.infosets)
    record = SolveRecord(
        solver=f"search({answer.technique})",
        iterations=answer.iterations,
        seconds=answer.seconds,
        settings={"technique": answer.technique, "searcher": answer.searcher + 1, "line": answer.line},
        provenance={"version": __version__, "exploitability": EXACT},
    )
    TabularSolution(answer.game, record, policy, evaluate_policy(game, policy)).save(path)
