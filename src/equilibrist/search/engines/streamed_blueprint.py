"""Trained blueprints of games with one deal of board cards, searched on a board with all hands told apart ([Brown20, §5.1]).

The blueprint plays buckets; its best responses, estimates and gifts are worked out over all boards, one after another, so that every
technique can compare with them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from equilibrist.core.arrays import Floats, Longs
from equilibrist.core.errors import NotApplicableError, ParameterError, UnknownNameError, suggest
from equilibrist.forms.boards.street_betting import IP, StreetForest
from equilibrist.games.poker.game import Poker
from equilibrist.search.engines.streamed import BoardSubgames, Trunk
from equilibrist.search.engines.streamed_buckets import search_in_buckets
from equilibrist.search.requests import GameAnswer, SearchRequest
from equilibrist.search.subgame_solving import DEFAULT_ITERATIONS
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.blueprint.abstract_poker import FittedBuckets
from equilibrist.solvers.blueprint.strategy import PokerBlueprint
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.solve_game import board_solver
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BoardStream, BucketedGame, BucketedProfile
from equilibrist.solvers.postflop.vector_cfr import BoardCFR

SOLVER = "dcfr(gamma=5)"
Progress = Callable[[float], None]


def deals_one_board(blueprint: PokerBlueprint) -> bool:
    """Whether a blueprint is of a game for two with one deal of board cards, in buckets that suits do not tell apart."""
    rules = blueprint.abstract.rules
    return (
        rules.players == 2
        and rules.hole == 2
        and len(rules.board) == 2
        and rules.board[0] == 0
        and isinstance(blueprint.abstract.buckets, FittedBuckets)
    )


def leads_to_board(blueprint: PokerBlueprint, line: str) -> bool:
    """Whether a line ends where the board comes or later; before it there is nothing to stream."""
    tree, deck = blueprint.abstract.tree, blueprint.abstract.rules.deck
    cards = {deck.label(card) for card in range(deck.size)}
    betting = [word for word in line.split(":") if word and word[:2] not in cards]
    return (
        len(betting) < len([word for word in line.split(":") if word]) or tree.round[tree.find(":".join(betting))] > 0
    )


def trunk_of(blueprint: PokerBlueprint, threads: int = 1) -> Trunk:
    """The blueprint with responses to it."""
    return Trunk.of(*_profile(blueprint, threads))


def _profile(blueprint: PokerBlueprint, threads: int) -> tuple[BoardStream, BucketedProfile]:
    """The blueprint's strategies hand by hand before the board and by bucket on it."""
    abstract = blueprint.abstract
    game = BucketedGame.of(Poker(blueprint.game, abstract.rules), abstract.buckets)
    first = np.asarray(abstract.buckets.bucket(0, game.deal.hands.astype(np.int8)))
    by_street = [
        _strategies(blueprint, game.forests[0], first),
        _strategies(blueprint, game.forests[1], np.arange(game.buckets)),
    ]
    return BoardStream(game, threads), BucketedProfile(by_street[0], by_street[1])


def _strategies(blueprint: PokerBlueprint, forest: StreetForest, buckets: Longs) -> tuple[Floats, Floats]:
    """Per player [slot, bucket]."""
    tree = blueprint.abstract.tree
    out = np.zeros((forest.slots[0], len(buckets))), np.zeros((forest.slots[1], len(buckets)))
    for node in np.flatnonzero(forest.kind <= IP).tolist():
        place = tree.find(forest.line(node).replace("/", ":").strip(":"))
        assert tree.actions(place) == forest.labels(node), "both lay out the same betting"
        slot, width = int(forest.slot[node]), int(forest.children[node])
        out[int(forest.kind[node])][slot : slot + width] = blueprint.strategies(place, buckets).T
    return out


@dataclass(frozen=True)
class _Place:
    """A decision on a board: the board up to suits, how its suits were renamed, the line that led to it, and the decision."""

    board: int
    suits: tuple[int, ...]
    root: int
    node: int


def search_streamed(blueprint: PokerBlueprint, request: SearchRequest) -> GameAnswer:
    """Search the board of a line such as `r300:c:7h6d2c:x` for one player, from the beginning of its betting.

    A line up to the board, `r300:c`, is searched before the cards come: all boards at once, inside the buckets.
    """
    request.refuse_table_options()
    request.refuse_menus()
    if request.bet is not None or request.depth != "end":
        raise NotApplicableError(
            "--bet and --depth are for other solutions; a blueprint's board is searched to the end."
        )
    if request.until is not None or request.seconds is not None:
        raise NotApplicableError("A blueprint's board is searched for a number of iterations; give --iterations.")
    technique, begin = find_technique(request.technique or "resolve"), time.perf_counter()
    stream, profile = _profile(blueprint, request.threads)
    trunk = Trunk.of(stream, profile)
    root = _root_before(trunk, request.line)
    if root is not None:
        return _search_before(blueprint, stream, trunk, root, technique, request)
    forest, place = trunk.abstract.forests[1], _place(trunk, request.line)
    actor, seat = int(forest.kind[place.node]), request.seat()
    searcher = actor if seat is None else seat
    subgames = BoardSubgames(trunk, place.board, _schedule())
    many = request.iterations or DEFAULT_ITERATIONS
    if not subgames.comes(technique, searcher, place.root):
        raise NotApplicableError(f"The blueprint never gets to '{request.line}'; search a line that it plays.")
    run, inner = subgames.solve(technique, searcher, many)
    found = subgames.found(technique, searcher, run)
    strategy = _rows(inner, place.node, len(subgames.hands))
    weights = _reach(inner, forest, place, actor, subgames)
    return GameAnswer(
        game=blueprint.game,
        line=request.line,
        searcher=searcher,
        technique=technique.name,
        iterations=many,
        seconds=time.perf_counter() - begin,
        exploitability=run.evaluate().exploitability * subgames.chance,
        margin=found.margins[place.root],
        tolerance=found.tolerances[place.root] if technique.safe else float("nan"),
        player=actor,
        actions=forest.labels(place.node),
        frequencies=tuple(np.average(strategy, axis=0, weights=weights if weights.any() else None).tolist()),
        hands={
            _label(trunk, hand, place.suits): tuple(row)
            for hand, row in zip(subgames.hands.tolist(), strategy.tolist(), strict=True)
        },
    )


def _root_before(trunk: Trunk, line: str) -> int | None:
    """The line as one that leads to the board, if it does."""
    roots = _lines(trunk.abstract.forests[1])
    return roots.index(line) if line in roots else None


def _lines(forest: StreetForest) -> list[str]:
    return [":".join(each.strip("/").split("/")) for each in forest.before]


def _search_before(
    blueprint: PokerBlueprint,
    stream: BoardStream,
    trunk: Trunk,
    root: int,
    technique: Technique,
    request: SearchRequest,
) -> GameAnswer:
    """The first decision on the boards, bucket by bucket."""
    begin, forest = time.perf_counter(), trunk.abstract.forests[1]
    player, seat = int(forest.kind[root]), request.seat()
    searcher, many = player if seat is None else seat, request.iterations or DEFAULT_ITERATIONS
    found = search_in_buckets(trunk, stream, searcher, technique, _schedule(), many)
    slots = slice(int(forest.slot[root]), int(forest.slot[root] + forest.children[root]))
    strategy = found.engine.rows()[player][slots].T
    met, pairs = found.engine.average[player][slots].sum(axis=0), trunk.abstract.first.pairs
    known = technique.gadget.needs_values
    return GameAnswer(
        game=blueprint.game,
        line=request.line,
        searcher=searcher,
        technique=technique.name,
        iterations=many,
        seconds=time.perf_counter() - begin,
        exploitability=found.gap / pairs,
        margin=float(found.margins[root]) if known else float("nan"),
        tolerance=float(found.tolerances[root]) / pairs if known and technique.safe else float("nan"),
        player=player,
        actions=forest.labels(root),
        frequencies=tuple(np.average(strategy, axis=0, weights=met if met.any() else None).tolist()),
        hands={f"bucket {number + 1}": tuple(row) for number, row in enumerate(strategy.tolist())},
    )


def _schedule() -> Schedule:
    return board_solver(SOLVER).schedule


def _place(trunk: Trunk, line: str) -> _Place:
    deck, forest = trunk.abstract.deal.deck, trunk.abstract.forests[1]
    number = {deck.label(card): card for card in range(deck.size)}
    words = [word for word in line.split(":") if word]
    dealt = [place for place, word in enumerate(words) if word[:2] in number]
    if not dealt:
        raise ParameterError(
            f"The line '{line}' has no board; give betting, cards and betting, such as 'r300:c:7h6d2c:x'."
        )
    before, cards, after = words[: dealt[0]], words[dealt[0]], words[dealt[0] + 1 :]
    roots = _lines(forest)
    if ":".join(before) not in roots:
        raise UnknownNameError(f"No board comes after '{':'.join(before)}'.{suggest(':'.join(before), roots)}")
    board = [number.get(cards[k : k + 2], -1) for k in range(0, len(cards), 2)]
    if -1 in board or len(set(board)) != trunk.abstract.deal.streets[0]:
        raise ParameterError(
            f"The board of this game is {trunk.abstract.deal.streets[0]} cards of its deck, but '{cards}' was given."
        )
    node = root = roots.index(":".join(before))
    for word in after:
        if forest.kind[node] > IP or word not in forest.labels(node):
            raise UnknownNameError(f"There is no action '{word}' in '{line}'; check the betting on the board.")
        node = forest.child(node, word)
    if forest.kind[node] > IP:
        raise NotApplicableError(f"Nobody acts after '{line}'; give a line to a player's decision.")
    return _Place(*_up_to_suits(trunk, board), root, node)


def _up_to_suits(trunk: Trunk, board: list[int]) -> tuple[int, tuple[int, ...]]:
    """The board among those that are looked at, and the suit there of each suit here."""
    deck = trunk.abstract.deal.deck
    known = {tuple(sorted(cards)): index for index, cards in enumerate(trunk.abstract.boards[1].cards)}
    for suits in permutations(range(deck.suits)):
        renamed = tuple(sorted(card // deck.suits * deck.suits + suits[card % deck.suits] for card in board))
        if renamed in known:
            return known[renamed], suits
    raise AssertionError("every board is one of the known ones up to suits")


def _label(trunk: Trunk, hand: int, suits: tuple[int, ...]) -> str:
    """A hand's name with the suits that the line was given in."""
    deck, back = trunk.abstract.deal.deck, {there: here for here, there in enumerate(suits)}
    cards = [int(card) for card in trunk.abstract.deal.hands[hand]]
    named = sorted((card // deck.suits * deck.suits + back[card % deck.suits] for card in cards), reverse=True)
    return "".join(map(deck.label, named))


def _rows(run: BoardCFR, node: int, hands: int) -> Floats:
    """[hand, action]"""
    return run.streets[0].strategy(0, node)[:, :hands].T


def _reach(run: BoardCFR, forest: StreetForest, place: _Place, player: int, subgames: BoardSubgames) -> Floats:
    """[hand] with which a player comes to the decision: the blueprint's range, then what was found."""
    out: Floats = subgames.ranges[player].reshape(forest.roots, -1)[place.root].copy()
    node = place.node
    while node != place.root:
        above = int(forest.parent[node])
        if forest.kind[above] == player:
            out *= _rows(run, above, len(out))[:, node - int(forest.first_child[above])]
        node = above
    return out


@dataclass(frozen=True)
class StreamedReport:
    """A blueprint whose boards are all searched again, for both players; chips of a hand."""

    game: str
    technique: Technique
    boards: int
    before: float  # exploitability of the blueprint, exactly
    after: float  # with the searches in its place
    tolerance: float  # what the searches say may have been given away, mean of both players; NaN: nothing is said

    @property
    def safe(self) -> bool:
        return self.after - self.before <= self.tolerance + 1e-4 * max(1.0, abs(self.before))


def search_all_boards(
    blueprint: PokerBlueprint, technique: str | Technique, iterations: int | None = None, *, threads: int = 1,
    progress: Progress = lambda share: None,
) -> StreamedReport:  # fmt: skip
    """Search every board for both players, and what an opponent who responds best gets from the whole strategy."""
    chosen, trunk = find_technique(technique), trunk_of(blueprint, threads)
    schedule, many = _schedule(), iterations or DEFAULT_ITERATIONS
    boards = len(trunk.abstract.boards[1].cards)
    below = np.zeros((2, trunk.abstract.roots, trunk.abstract.first.hands))
    stated = 0.0
    for board in range(boards):
        subgames = BoardSubgames(trunk, board, schedule)
        for searcher in range(2):
            found = subgames.search(chosen, searcher, many)
            below[searcher] += found.values
            stated += float(found.tolerances.sum()) / 2.0
        progress((board + 1) / boards)
    after = (trunk.whole_value(1, below[0]) + trunk.whole_value(0, below[1])) / 2.0
    tolerance = stated if chosen.safe else float("nan")
    return StreamedReport(blueprint.game, chosen, boards, trunk.exploitability, after, tolerance)
