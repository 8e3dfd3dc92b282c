"""Requests answered on games that were solved as tables, on their public trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError, suggest
from equilibrist.core.policy import TabularPolicy
from equilibrist.core.solution import Solution
from equilibrist.forms.public_tree.public_tree import PublicTree, public_tree
from equilibrist.games.catalogue import recorded_game
from equilibrist.search.depth_limited.cfr_d import OracleLeaves, SolvedLeaves
from equilibrist.search.depth_limited.depth_limited import draws_below, search_to_edge, self_generated
from equilibrist.search.depth_limited.multi_valued_states import Payoffs, biased_set, exact_payoffs
from equilibrist.search.depth_limited.spot_continuations import Continuations
from equilibrist.search.off_tree.nested_search import NestedSearch, actions_at, answer_inexpensive, child_of, extend
from equilibrist.search.requests.game_answer import GameAnswer
from equilibrist.search.requests.request import SearchRequest
from equilibrist.search.subgame import Subgame
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS, SubgameSolution, search
from equilibrist.search.techniques import find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.iteration_loop import Stop

if TYPE_CHECKING:
    pass

SOLVED_LEAVES = ("cfr-d", "cfr-avg")


def search_tabular(solution: Solution, request: SearchRequest) -> GameAnswer:
    """A decision of a game that was solved as a table, on its public tree."""
    request.refuse_threads()
    request.refuse_menus()
    request.refuse_gpu()
    known = TreeProfile(public_tree(recorded_game(solution.game)), solution.tabular())
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


def _search_at(known: TreeProfile, state: int, acting: int, request: SearchRequest) -> SubgameSolution:
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


def _ends(known: TreeProfile, root: int, request: SearchRequest) -> tuple[int, ...]:
    """Where a depth-limited search of a game stops: before the next public cards."""
    if request.depth != "street":
        raise ParameterError("--leaves says what a depth limit is worth; give --depth street with it.")
    leaves = draws_below(known.tree, root)
    if not leaves:
        raise NotApplicableError("No card comes after this line, so there is no depth to limit; search to the end.")
    return leaves


def _play_out(known: TreeProfile, request: SearchRequest) -> GameAnswer:
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


def _payoffs(known: TreeProfile, root: int, searcher: int, request: SearchRequest) -> Payoffs | None:
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
    known: TreeProfile, root: int, leaves: Sequence[int], searcher: int, below: Continuations
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
