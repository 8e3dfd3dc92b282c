"""Building an abstraction: streets from the last to the first, then what buckets remember; every stage can go on where it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equilibrist.abstraction.cards.card_abstraction import CardAbstraction, StreetTable
from equilibrist.abstraction.cards.conditions import remember
from equilibrist.abstraction.cards.deals import Streets, board_count, hands_on, indexer_of
from equilibrist.abstraction.cards.features import Feature, Histogram, Strength, batches, boards_at_once, feature_table
from equilibrist.abstraction.cards.final_scores import BoardSums, SummedStrength, board_sums
from equilibrist.abstraction.cards.method_names import method_text
from equilibrist.abstraction.cards.methods import Clusters, Help, Method, NextStreet, Scene
from equilibrist.abstraction.cards.public_boards import cluster_flops
from equilibrist.abstraction.cards.recipe import Recipe
from equilibrist.abstraction.cards.textures import BoardStrength
from equilibrist.abstraction.clustering.kmeans import KMeansCheckpoint, KMeansSettings, State, kmeans
from equilibrist.cards.evaluator import pairs
from equilibrist.compute.checkpoints import Checkpoints
from equilibrist.compute.threads import Team
from equilibrist.compute.workers import ThreadWorkers, Workers
from equilibrist.core.errors import TooLargeError
from equilibrist.version import __version__

GROUP_SEED = 1 << 20  # seeds of stages differ, so that one may change without the others
MOST_EXACT_NEXT = 8192  # hands of a street that is not abstracted and yet compared hand by hand
THIN = 8  # where few hands are wanted, so many times their share of boards are looked at

Report = Callable[[str, float | None], None]
Rows = NDArray[Any]
Piece = tuple[int, int]  # canonical boards from, up to


def build_abstraction(
    recipe: Recipe,
    *,
    workers: Workers | None = None,
    threads: int = 1,
    checkpoints: Path | None = None,
    checkpoint_seconds: float = 30.0,
    report: Report = lambda text, share: None,
) -> CardAbstraction:
    """Make the buckets of a recipe. Work kept in the folder `checkpoints` is taken up again, with the same result."""
    begun = time.perf_counter()
    kept = Checkpoints(checkpoints, recipe.hash, seconds=checkpoint_seconds)
    builder = _Builder(recipe, workers or ThreadWorkers(threads), Team(threads), kept, report)
    tables: list[StreetTable] = []
    following: NextStreet | None = None
    for street in reversed(range(recipe.streets.count)):
        wanted = street > 0 and recipe.methods[street - 1].uses_next
        table, following = builder.street(street, following, wanted)
        tables.insert(0, table)
    public = builder.public(tables[1]) if recipe.public else None
    made = CardAbstraction(recipe, tuple(tables), public)
    for street in range(1, recipe.streets.count):
        if recipe.condition(street) != "nothing":
            made = builder.remember(made, street)
    provenance = {"package": __version__, "seconds": round(time.perf_counter() - begun, 3), "threads": threads}
    return CardAbstraction(recipe, made.tables, public, provenance)


def build_street(
    recipe: Recipe, street: int, *, threads: int = 1, report: Report = lambda text, share: None
) -> StreetTable:
    """The table of one street alone, without what its buckets remember; for methods that do not look at the next street."""
    kept = Checkpoints(None, recipe.hash)
    return _Builder(recipe, ThreadWorkers(threads), Team(threads), kept, report).street(street, None, False)[0]


def opponent_groups(streets: Streets, groups: int, seed: int = 0) -> NDArray[np.int8]:
    """[pair]: hole cards in groups of like equity histograms, the weakest first ([Ganzfried15, chapter 5])."""
    rows = feature_table(streets, 0, Histogram()).astype(np.float64)
    points = np.ascontiguousarray(np.cumsum(rows, axis=1)[:, :-1], dtype=np.float32)
    weight = streets.hands(0).multiplicity(np.arange(len(points))).astype(np.float64)
    found = kmeans(points, weight, groups, "emd", seed=seed + GROUP_SEED, settings=KMeansSettings(restarts=10))
    rank = np.argsort(np.argsort(-found.centres.sum(axis=1), kind="stable"))
    classes = indexer_of((2,), streets.deck).index(pairs(streets.deck))
    return rank[found.label][classes].astype(np.int8)


@dataclass(frozen=True, eq=False)
class SampleHands:
    """Rows and weights of the hands of some boards that a hash of their number picks: a piece of work."""

    streets: Streets
    dealt: tuple[int, ...]
    feature: Feature
    seed: int
    boards: float  # share of the boards looked at
    hands: float  # share of their hands

    def __call__(self, piece: Piece) -> tuple[Rows, NDArray[np.float64]]:
        boards = np.arange(*piece)
        boards = boards[_uniform(boards, self.seed + 1) < self.boards]
        batch = hands_on(self.dealt, self.streets.deck, boards)
        batch = batch.only(_uniform(batch.index, self.seed) < self.hands)
        return self.feature.rows(self.streets, batch), batch.weight.astype(np.float64)


@dataclass(frozen=True, eq=False)
class AssignHands:
    """Numbers and classes of all hands of some boards: a piece of work."""

    method: Method
    scene: Scene
    dealt: tuple[int, ...]
    feature: Feature
    clusters: Clusters

    def __call__(self, piece: Piece) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        streets = self.scene.streets
        batch = hands_on(self.dealt, streets.deck, np.arange(*piece))
        rows = self.feature.rows(streets, batch)
        return batch.index, self.method.assign(rows, self.clusters, self.scene).astype(np.uint16)


def _uniform(numbers: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    """A fixed number in [0, 1) for every whole number (the splitmix64 finaliser)."""
    z = numbers.astype(np.uint64) + np.uint64((seed + 1) * 0x9E3779B97F4A7C15 % (1 << 64))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


@dataclass(frozen=True, eq=False)
class _Builder:
    recipe: Recipe
    workers: Workers
    team: Team
    kept: Checkpoints
    report: Report
    _groups: dict[int, NDArray[np.int8]] = field(default_factory=dict)
    _sums: dict[int, BoardSums] = field(default_factory=dict)  # by cards of the board; the last ones made

    def street(self, street: int, following: NextStreet | None, wanted: bool) -> tuple[StreetTable, NextStreet | None]:
        """The table of a street and, where it is wanted, what the street before needs to know of it."""
        recipe, dealt = self.recipe, self.recipe.dealt(street)
        method = recipe.methods[street]
        scene = Scene(recipe.streets, street, recipe.runouts, recipe.seed, following, self._opponents)
        if method.lossless:
            table = StreetTable(dealt, indexer_of(dealt, recipe.streets.deck).size, None)
            if wanted:
                table = self._compared_whole(table, street)
        else:
            table = self._fitted(street, method, scene, dealt)
        if not wanted:
            return table, None
        assert table.clusters is not None
        numbers = table.fine if table.fine is not None else np.arange(table.classes)
        if table.by_score is not None:  # the street before looks hands up by the million: here a table pays
            numbers = self._assigned(street, method, scene, dealt, table.clusters)
        return table, NextStreet(dealt, numbers, method.distances(table.clusters, scene))

    def _fitted(self, street: int, method: Method, scene: Scene, dealt: tuple[int, ...]) -> StreetTable:
        """Classes fitted to some hands; all hands are assigned, or all scores where these decide."""
        clusters = self._clusters(street, method, scene, dealt)
        if not self.recipe.by_score(street):
            fine = self._assigned(street, method, scene, dealt, clusters)
            return StreetTable(dealt, clusters.size, fine, clusters=clusters)
        scores = np.arange(self.recipe.streets.full_score + 1)
        rows = method.feature(scene).of_scores(self.recipe.streets, scores)
        assert rows is not None
        label = method.assign(rows, clusters, scene).astype(np.uint16)
        return StreetTable(dealt, clusters.size, None, clusters=clusters, by_score=label, textures=method.textures)

    def _feature(self, street: int, method: Method, scene: Scene) -> Feature:
        """The method's feature; strengths with all runouts come from sums for all boards, where threads can share these."""
        feature = method.feature(scene)
        inner = feature.strength if isinstance(feature, BoardStrength) else feature
        cards, final = self.recipe.streets.board_cards(street), self.recipe.streets.final_board
        if not isinstance(inner, Strength) or inner.sample or not cards or cards == final:
            return feature
        if not isinstance(self.workers, ThreadWorkers):
            return feature
        name = self.recipe.streets.names[street]
        above = self._sums.pop(cards + 1, None)
        if cards not in self._sums:
            self._sums[cards] = board_sums(
                self.recipe.streets, cards, above, workers=self.workers,
                report=lambda share: self._say(f"{name}: strengths on all boards", share),
            )  # fmt: skip
        summed = SummedStrength(self._sums[cards])
        return summed if feature is inner else BoardStrength(summed)

    def public(self, flop: StreetTable) -> NDArray[np.uint16]:
        """Clusters of public flops, by the buckets that holdings fall into."""
        assert flop.fine is not None
        fine, recipe = flop.fine, self.recipe
        self._say("public flops", None)
        made = self.kept.keep(
            "public",
            lambda: {"label": cluster_flops(recipe.streets, fine, flop.classes, recipe.public, seed=recipe.seed).label},
        )
        return made["label"].astype(np.uint16)

    def remember(self, made: CardAbstraction, street: int) -> CardAbstraction:
        """The abstraction with a street's classes grouped anew in each case that its buckets remember."""
        recipe = self.recipe
        self._say(f"{recipe.streets.names[street]}: what buckets remember", None)
        scene = Scene(recipe.streets, street, recipe.runouts, recipe.seed, None, None)
        inner = self.kept.keep(f"inner-{street}", lambda: {"inner": remember(made, street, scene)})["inner"]
        old = made.tables[street]
        table = replace(old, inner=inner, inner_size=recipe.inner_size(street))
        tables = (*made.tables[:street], table, *made.tables[street + 1 :])
        return CardAbstraction(recipe, tables, made.public)

    def _clusters(self, street: int, method: Method, scene: Scene, dealt: tuple[int, ...]) -> Clusters:
        name, size = self.recipe.streets.names[street], self.recipe.fine_size(street)

        def make() -> dict[str, NDArray[Any]]:
            rows, weight = self._sampled(street, self._feature(street, method, scene), dealt)
            self._say(f"{name}: {size:,} buckets by {method_text(method)} from {len(rows):,} hands", None)
            help = Help(self.recipe.seed + street, self.team, self._progress(f"fit-{street}", name))
            found = method.fit(rows, weight, size, scene, help)
            return {"centers": found.centres, "cuts": found.cuts}

        made = self.kept.keep(f"clusters-{street}", make)
        self.kept.drop(f"fit-{street}")
        return Clusters(made["centers"], made["cuts"])

    def _sampled(self, street: int, feature: Feature, dealt: tuple[int, ...]) -> tuple[Rows, NDArray[np.float64]]:
        """Rows and weights of at most about `sample` hands."""
        streets, name = self.recipe.streets, self.recipe.streets.names[street]
        share = min(1.0, self.recipe.sample / indexer_of(dealt, streets.deck).size)
        boards = min(1.0, THIN * share) if board_count(dealt, streets.deck) >= 100 * THIN else 1.0
        work = SampleHands(streets, dealt, feature, 2 * self.recipe.seed + 1000 * street, boards, share / boards)
        rows, weights = [], []
        for found, weight in self._map(work, list(self._pieces(dealt)), f"{name}: features"):
            rows.append(found)
            weights.append(weight)
        return np.concatenate(rows), np.concatenate(weights)

    def _assigned(
        self, street: int, method: Method, scene: Scene, dealt: tuple[int, ...], clusters: Clusters
    ) -> NDArray[np.uint16]:
        """[hands]: the class of every hand."""
        size = indexer_of(dealt, self.recipe.streets.deck).size
        pieces, name = list(self._pieces(dealt)), f"table-{street}"
        state = self.kept.load(name) or {"table": np.zeros(size, np.uint16), "done": np.array(0)}
        table, done = state["table"], int(state["done"])
        if done < len(pieces):
            work = AssignHands(method, scene, dealt, self._feature(street, method, scene), clusters)
            text = f"{self.recipe.streets.names[street]}: assigning hands"
            for index, label in self._map(work, pieces, text, done):
                table[index] = label
                done += 1
                self.kept.save_now_and_then(name, lambda done=done: {"table": table, "done": np.array(done)})  # type: ignore[misc]
            self.kept.save(name, {"table": table, "done": np.array(done)})
        return table

    def _compared_whole(self, table: StreetTable, street: int) -> StreetTable:
        """A street without abstraction whose hands are compared one by one, for the street before."""
        name = self.recipe.streets.names[street]
        if table.classes > MOST_EXACT_NEXT:
            raise TooLargeError(
                f"The {name} has {table.classes:,} hands, too many to compare each with each; give it at most {MOST_EXACT_NEXT:,} buckets."
            )
        rows = feature_table(
            self.recipe.streets, street, Histogram(), ordered=table.dealt != self.recipe.streets.merged(street)
        )
        return StreetTable(table.dealt, table.classes, None, clusters=Clusters(rows))

    def _pieces(self, dealt: tuple[int, ...]) -> Iterator[Piece]:
        return batches(self.recipe.streets, dealt, boards_at_once(self.recipe.streets, dealt))

    def _map(self, work: Callable[[Piece], Any], pieces: list[Piece], text: str, done: int = 0) -> Iterator[Any]:
        for number, result in enumerate(self.workers.map(work, pieces[done:]), start=done + 1):
            self._say(text, number / len(pieces))
            yield result

    def _progress(self, checkpoint: str, name: str) -> KMeansCheckpoint:
        def save(state: State) -> None:
            self.kept.save_now_and_then(checkpoint, lambda: state)

        return KMeansCheckpoint(
            lambda: self.kept.load(checkpoint), save, lambda text: self._say(f"{name}: {text}", None)
        )

    def _opponents(self, groups: int) -> NDArray[np.int8]:
        if groups not in self._groups:
            self._say("groups of opponents' hole cards", None)
            self._groups[groups] = opponent_groups(self.recipe.streets, groups, self.recipe.seed)
        return self._groups[groups]

    def _say(self, text: str, share: float | None) -> None:
        self.report(text, share)
