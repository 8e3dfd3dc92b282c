"""One column of [Brown20, Tables 5.1 to 5.3]: a game, its buckets, a blueprint, and all boards of the last street searched again.

A column is worked out in stages that are kept in a folder: buckets, the blueprint, then the boards in pieces, on a GPU technique by
technique. What is there already is not done again, so an interrupted column goes on where it stopped. What the opponent can get adds up
over boards, so neither machine ever holds more than one piece.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.card_abstraction import CardAbstraction, load_card_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.recipe import make_recipe
from equilibrist.cards.deck import Deck
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.workers import ThreadWorkers
from equilibrist.core.arrays import Floats, Longs
from equilibrist.games.poker.abstracted_holdem import (
    BIG_BLIND,
    STACK,
    large_nolimit_flop_holdem,
    nolimit_turn_holdem,
    small_nolimit_flop_holdem,
)
from equilibrist.games.poker.game import Poker
from equilibrist.search.engines.streamed.board_subgames import BoardSubgames
from equilibrist.search.engines.streamed.boards_at_once import BoardsAtOnce, boards_on_gpu
from equilibrist.search.engines.streamed.trunk import Trunk
from equilibrist.search.subgame_solving import cfr_settings
from equilibrist.search.techniques import Technique, find_technique
from equilibrist.solvers.blueprint.abstract_poker import FittedBuckets
from equilibrist.solvers.cfr.cfr import CFR
from equilibrist.solvers.cfr.schedules import Schedule
from equilibrist.solvers.postflop.gpu.device_boards import most_boards
from equilibrist.solvers.postflop.gpu.devices import wants_gpu
from equilibrist.solvers.postflop.streamed_buckets.bucketed_cfr import BucketedCFR
from equilibrist.solvers.postflop.streamed_buckets.bucketed_game import BucketedGame

MBB = 1000.0 / BIG_BLIND  # chips to thousandths of a big blind
GAMES = {"small": small_nolimit_flop_holdem, "large": large_nolimit_flop_holdem, "turn": nolimit_turn_holdem}
BOARDS = {"small": "flops", "large": "flops", "turn": "turn boards"}  # of the last street
SOLVER = "dcfr"  # stacks are deep: after equally many iterations CFR+ is three times as far from equilibrium
VERSION = 3  # raised whenever the same setting would give other numbers
NAMES = (
    "unsafe",
    "resolve",
    "maxmargin",
    "reach-resolve",
    "reach-maxmargin",
    "reach-maxmargin-unsplit",
    "estimate-resolve",
    "estimate-maxmargin",
    "estimate-distributional",
    "reach-estimate-distributional",
    "reach-estimate-distributional-unsplit",
)
SCALES = (10.0, 100.0, 1e3, 1e4, 1e5)  # of gifts; 0 is Maxmargin, 1 Reach-Maxmargin

Report = Callable[[str, float | None], None]
Found = tuple[Floats, float]  # [searcher, root, hand] what opponents can get on some boards, and the smallest margin


@dataclass(frozen=True)
class ColumnSetting:
    """What one column is worked out with."""

    buckets: int
    ranks: int = 13
    suits: int = 4
    game: str = "small"
    stack: float = STACK
    blueprint: int = 1000  # iterations of DCFR
    search: int = 800
    scaled: bool = False  # gifts scaled up as well
    step: int = 8  # boards in a piece
    names: tuple[str, ...] = NAMES  # techniques

    def poker(self) -> Poker:
        return GAMES[self.game](self.stack, self.ranks, self.suits)

    @property
    def key(self) -> str:
        """Of the work: what is kept under another key is not this column's."""
        kept = ("buckets", "ranks", "suits", "game", "stack", "blueprint", "search")
        text = f"{VERSION} {[getattr(self, name) for name in kept]}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def techniques(self) -> tuple[Technique, ...]:
        found = tuple(find_technique(name) for name in self.names)
        if not self.scaled:
            return found
        reach = find_technique("reach-maxmargin")
        return found + tuple(replace(reach, name=f"gifts times {scale:g}", gift_scale=scale) for scale in SCALES)


@dataclass(frozen=True)
class Column:
    """Exploitability in mbb per hand by technique, and what the blueprint believes of itself."""

    setting: ColumnSetting
    trunk: float
    inside: float  # exploitability of the blueprint inside its abstraction, chosen greedily
    searched: dict[str, float]
    margins: dict[str, float]  # smallest of all boards, chips


class ColumnWork:
    """The stages of one column."""

    def __init__(
        self, setting: ColumnSetting, folder: Path | None, threads: int, report: Report, device: str = "cpu"
    ) -> None:
        self.setting, self.folder, self.threads, self.report = setting, folder, threads, report
        self.device = device
        self.kept = Checkpoints(None if folder is None else folder / setting.key, setting.key)
        self.schedule: Schedule = cfr_settings(SOLVER).schedule

    def column(self) -> Column:
        done, names = self.kept.load("column") or {}, [technique.name for technique in self.setting.techniques]
        left = [technique for technique in self.setting.techniques if f"searched {technique.name}" not in done]
        if left:
            done |= self._work(left)
            self.kept.save("column", done)
            for piece in done["pieces"]:
                self.kept.drop(_piece_name(*piece))
        return Column(
            self.setting,
            float(done["trunk"][0]),
            float(done["trunk"][1]),
            {name: float(done[f"searched {name}"][0]) for name in names},
            {name: float(done[f"margin {name}"][0]) for name in names},
        )

    def _work(self, techniques: Sequence[Technique]) -> dict[str, npt.NDArray[Any]]:
        trunk = self.trunk()
        game = trunk.abstract
        at_once = wants_gpu(self.device, None, streets=len(game.forests))
        most = most_boards(game.last, game.last_boards) if at_once else self.setting.step
        pieces = even_pieces(game.borders, most) if at_once else pieces_of(game.borders, most)
        boards, below, margins = len(game.last_boards.cards), dict[str, Any](), dict[str, float]()
        for piece, found in zip(pieces, self._searched(trunk, pieces, techniques, at_once), strict=True):
            for name, (values, margin) in found.items():
                below[name] = below.get(name, 0.0) + values
                margins[name] = float(np.fmin(margins.get(name, np.inf), margin))
            self.report(f"{self._label}: boards", piece.stop / boards)
        out = {
            f"searched {name}": MBB * np.array([trunk.whole_value(1, each[0]) + trunk.whole_value(0, each[1])]) / 2.0
            for name, each in below.items()  # by searcher
        }
        inside = sum(each.average for each in trunk.believed) / 2.0
        return out | {
            **{f"margin {name}": np.array([margin]) for name, margin in margins.items()},
            "trunk": MBB * np.array([trunk.exploitability, inside]),
            "pieces": np.array([(piece.start, piece.stop) for piece in pieces]),
        }

    @property
    def _label(self) -> str:
        return f"{self.setting.buckets} buckets"

    def buckets(self) -> CardAbstraction:
        """k-means of equities against eight groups of opponents' hands on the last street; before it all hands are told apart."""
        dealt = tuple(cards for cards in self.setting.poker().rules.board if cards)
        streets = Streets(Deck(self.setting.ranks, self.setting.suits), (2, *dealt))
        whole = [streets.hands(street).size for street in range(len(dealt))]
        recipe = make_recipe("ochs(iterations=20)", (*whole, self.setting.buckets), streets=streets, sample=200_000)
        path = None if self.folder is None else self.folder / f"cards-{recipe.hash}.eqb"
        if path is not None and path.is_file():
            return load_card_abstraction(path, hash=recipe.hash)
        self.report(f"{self._label}: grouping hands", None)
        made = build_abstraction(recipe, threads=self.threads)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.save(path)
        return made

    def trunk(self) -> Trunk:
        """The blueprint, found in the abstraction."""
        abstract = BucketedGame.of(self.setting.poker(), FittedBuckets(self.buckets()))
        run = BucketedCFR(abstract, CFR(schedule=self.schedule), threads=self.threads, device=self.device)
        found = self.kept.load("blueprint")
        if found is not None:
            run.restore(found)
        while run.iteration < self.setting.blueprint:
            run.advance(min(10, self.setting.blueprint - run.iteration))
            self.report(f"{self._label}: blueprint", run.iteration / self.setting.blueprint)
            self.kept.save_now_and_then("blueprint", run.state)
        self.kept.save("blueprint", run.state())
        self.report(f"{self._label}: responses to the blueprint", None)
        return Trunk.of(run.stream, run.profile())

    def _searched(
        self, trunk: Trunk, pieces: Sequence[range], techniques: Sequence[Technique], at_once: bool
    ) -> Iterable[dict[str, Found]]:
        assert trunk.gifts, "worked out once, before threads ask for them"

        def work(piece: range) -> dict[str, Found]:
            found = self._begun(piece)
            left = [technique for technique in techniques if technique.name not in found]
            if left and at_once:
                boards = BoardsAtOnce(trunk, piece, boards_on_gpu(trunk, piece, self.schedule))
                for technique in left:
                    self.report(
                        f"{self._label}, {BOARDS[self.setting.game]} {piece.start + 1} to {piece.stop}: {technique.name}",
                        None,
                    )
                    found[technique.name] = search_at_once(boards, technique, self.setting.search)
                    self._keep(piece, found)
            elif left:
                found |= search_boards(trunk, piece, self.schedule, left, self.setting.search)
                self._keep(piece, found)
            return {technique.name: found[technique.name] for technique in techniques}

        return map(work, pieces) if at_once else ThreadWorkers(self.threads).map(work, pieces)

    def _begun(self, piece: range) -> dict[str, Found]:
        """What is known of a piece, by technique."""
        found = self.kept.load(_piece_name(piece.start, piece.stop)) or {}
        names = [name.removeprefix("values ") for name in found if name.startswith("values ")]
        return {name: (found[f"values {name}"], float(found[f"margin {name}"][0])) for name in names}

    def _keep(self, piece: range, found: dict[str, Found]) -> None:
        arrays = {f"values {name}": values for name, (values, _) in found.items()}
        arrays |= {f"margin {name}": np.array([margin]) for name, (_, margin) in found.items()}
        self.kept.save(_piece_name(piece.start, piece.stop), arrays)


def pieces_of(borders: Longs, step: int) -> list[range]:
    """Boards in pieces of at most so many that begin and end at `borders`, unless there are more between two of these."""
    out, first = list[range](), int(borders[0])
    while first < borders[-1]:
        fit = borders[(borders > first) & (borders <= first + step)]
        last = int(fit[-1] if len(fit) else borders[borders > first][0])
        out.append(range(first, last))
        first = last
    return out


def even_pieces(borders: Longs, most: int) -> list[range]:
    """As few pieces as there can be, all about as large."""
    boards = int(borders[-1])
    number = -(-boards // most)
    return pieces_of(borders, -(-boards // number))


def _piece_name(first: int, end: int) -> str:
    return f"boards-{first}-{end}"


def search_at_once(boards: BoardsAtOnce, technique: Technique, iterations: int) -> Found:
    """As `search_boards` by one technique, all of them in one run."""
    found = [boards.search(technique, searcher, iterations) for searcher in range(2)]
    below = [boards.trunk.carried(1 - p, boards.boards, each.values) for p, each in enumerate(found)]
    return np.array(below), float(np.fmin(found[0].margin, found[1].margin))


def search_boards(
    trunk: Trunk, boards: range, schedule: Schedule, techniques: Sequence[Technique], iterations: int
) -> dict[str, Found]:
    """Sums over some boards, by technique."""
    shape, before = trunk.summed(boards), trunk.boards_before(boards)
    sums = {technique.name: np.zeros((2, *shape)) for technique in techniques}
    margins = {technique.name: np.nan for technique in techniques}
    for board in boards:
        subgames = BoardSubgames(trunk, board, schedule)
        for technique in techniques:
            values = sums[technique.name].reshape(2, shape[0], len(before), shape[-1])
            for searcher in range(2):
                found = subgames.search(technique, searcher, iterations)
                values[searcher, :, subgames.before - before.start] += found.values
                margins[technique.name] = float(np.fmin(margins[technique.name], found.margin))
    return {
        name: (np.array([trunk.carried(1 - p, boards, each) for p, each in enumerate(both)]), margins[name])
        for name, both in sums.items()
    }
