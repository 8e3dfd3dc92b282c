"""CardAbstraction: which bucket every hand of every street belongs to, as tables that files map into memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equilibrist.abstraction.cards.deals import HOLE, Streets, indexer_of
from equilibrist.abstraction.cards.final_scores import hand_scores
from equilibrist.abstraction.cards.methods import Clusters
from equilibrist.abstraction.cards.recipe import Recipe, recipe_from_json
from equilibrist.abstraction.cards.textures import board_textures
from equilibrist.cards.deck import Deck
from equilibrist.core.artifact import Artifact, open_artifact, save_artifact
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError

KIND = "card-abstraction"
CHECKED_AT_ONCE = 1 << 24  # tables up to so many entries are checked when they are opened, larger ones by `check`

Buckets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StreetTable:
    """Hands of a street to classes, and classes to buckets where these depend on what came before."""

    dealt: tuple[int, ...]  # how hands are numbered
    classes: int
    fine: NDArray[np.uint16] | None  # [hands]; None: every hand is its own class
    inner: NDArray[np.uint16] | None = None  # [cases, classes]; bucket within the case; None: classes are buckets
    inner_size: int = 0  # buckets per case
    clusters: Clusters | None = None  # of the classes
    by_score: NDArray[np.uint16] | None = (
        None  # [texture * scores + score]; instead of `fine` where complete hands go by what they beat
    )
    textures: int = 1  # of boards that are told apart

    def class_of(self, cards: NDArray[np.integer], deck: Deck) -> Buckets:
        if self.by_score is not None:
            place = hand_scores(cards, deck)
            if self.textures > 1:
                place = place + len(self.by_score) // self.textures * board_textures(cards[:, HOLE:], deck)
            return self.by_score[place].astype(np.int64)
        index = indexer_of(self.dealt, deck).index(cards)
        return index if self.fine is None else self.fine[index].astype(np.int64)


@dataclass(frozen=True, eq=False)
class CardAbstraction:
    """Buckets of all streets; `hash` names what they are, whoever made them."""

    recipe: Recipe
    tables: tuple[StreetTable, ...]
    public: NDArray[np.uint16] | None = None  # [canonical flops]; clusters of public flops
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def streets(self) -> Streets:
        return self.recipe.streets

    @property
    def sizes(self) -> tuple[int, ...]:
        """Declared numbers of buckets; some may be empty."""
        return self.recipe.sizes

    @property
    def recall(self) -> str:
        return self.recipe.recall

    @property
    def hash(self) -> str:
        return self.recipe.hash

    def bucket(self, street: int, cards: ArrayLike) -> Buckets:
        """Buckets of hands `cards` [N, 2 + board]: hole cards, then the board in the order dealt; any order within a street."""
        rows = np.asarray(cards)
        table = self.tables[self.streets.check(street)]
        found = table.class_of(rows, self.streets.deck)
        if table.inner is None:
            return found
        case = self.case(street, rows)
        inner: Buckets = table.inner[case, found].astype(np.int64)
        return case * table.inner_size + inner

    def case(self, street: int, cards: NDArray[np.integer]) -> Buckets:
        """What the bucket of a hand remembers: its public cluster, or its bucket one street before."""
        if self.recipe.condition(street) == "public":
            return self.public_cluster(cards[:, 2 : 2 + self.streets.dealt[1]])
        before = 2 + self.streets.board_cards(street - 1)
        return self.bucket(street - 1, cards[:, :before])

    def public_cluster(self, flops: ArrayLike) -> Buckets:
        """Clusters of flops [N, 3]."""
        if self.public is None:
            raise NotApplicableError("This abstraction has no clusters of public flops; make one with --public.")
        index = indexer_of(self.streets.dealt[1:2], self.streets.deck).index(flops)
        clusters: Buckets = self.public[index].astype(np.int64)
        return clusters

    def require(
        self, hash: str | None = None, *, streets: Streets | None = None, deck: Deck | None = None
    ) -> CardAbstraction:
        """This abstraction, or a refusal if it is not the one that something was made with."""
        if deck is not None and deck != self.streets.deck:
            raise NotApplicableError(
                f"The abstraction is for {self.streets.deck}, but {deck} is played with; make one for that deck."
            )
        if streets is not None and streets != self.streets:
            raise NotApplicableError(
                f"The abstraction is for {self.streets}, but the game has {streets}; make one for that game."
            )
        if hash is not None and hash != self.hash:
            raise NotApplicableError(
                f"The abstraction {hash} is needed, but this one is {self.hash}; use the file that the strategy was made with."
            )
        return self

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the tables themselves: equal for equal buckets."""
        digest = hashlib.sha256()
        for name, array in sorted(self._arrays().items()):
            if not name.startswith("centers"):
                digest.update(f"{name}{array.dtype}{array.shape}".encode())
                digest.update(np.ascontiguousarray(array).view(np.uint8).data)
        return digest.hexdigest()[:32]

    def save(self, path: str | os.PathLike[str]) -> None:
        header = {
            "recipe": self.recipe.to_json(),
            "hash": self.hash,
            "fingerprint": self.fingerprint,
            "classes": [table.classes for table in self.tables],
            "provenance": dict(self.provenance),
        }
        save_artifact(path, Artifact(KIND, header, self._arrays()))

    def check(self) -> CardAbstraction:
        """Read all of the tables and refuse what does not fit together."""
        for street, table in enumerate(self.tables):
            for name, array, most in (
                ("fine", table.fine, table.classes),
                ("scores", table.by_score, table.classes),
                ("inner", table.inner, table.inner_size),
            ):
                if array is not None and array.size and int(array.max()) >= most:
                    raise FormatError(
                        f"The table '{name}' of the {self.streets.names[street]} is damaged: {int(array.max())} of {most}."
                    )
        stated = self.provenance.get("fingerprint")
        if stated is not None and stated != self.fingerprint:
            raise FormatError(
                "The tables of this abstraction are damaged: they are not those that were saved; make it again."
            )
        return self

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {}
        for street, table in enumerate(self.tables):
            for name, array in (("fine", table.fine), ("scores", table.by_score), ("inner", table.inner)):
                if array is not None:
                    arrays[f"{name}.{street}"] = array
            if table.clusters is not None:
                arrays[f"centers.{street}"] = table.clusters.centres
                arrays[f"cuts.{street}"] = table.clusters.cuts
        if self.public is not None:
            arrays["public"] = self.public
        return arrays


def load_card_abstraction(
    path: str | os.PathLike[str], *, hash: str | None = None, streets: Streets | None = None
) -> CardAbstraction:
    """Open a file; its tables stay on disk until they are read. With `hash` or `streets`, only that abstraction."""
    opened = open_artifact(path, KIND)
    try:
        header = opened.header
        recipe = recipe_from_json(header["recipe"])
        classes = [int(count) for count in header["classes"]]
        if header["hash"] != recipe.hash or len(classes) != recipe.streets.count:
            raise FormatError(f"'{path}' is damaged: its hash does not belong to its recipe; make it again.")
        tables = tuple(_read_table(recipe, street, classes[street], opened.arrays) for street in range(len(classes)))
        provenance = dict(header["provenance"]) | {"fingerprint": header["fingerprint"]}
    except (KeyError, TypeError, ValueError, ParameterError) as error:
        raise FormatError(f"'{path}' is damaged or incomplete ({error}); make it again.") from None
    public = opened.arrays.get("public")
    if recipe.public and (
        public is None or public.shape != (indexer_of(recipe.streets.dealt[1:2], recipe.streets.deck).size,)
    ):
        raise FormatError(f"'{path}' is damaged: its public clusters are missing; make it again.")
    made = CardAbstraction(recipe, tables, public if recipe.public else None, provenance)
    if sum(array.size for array in opened.arrays.values()) <= CHECKED_AT_ONCE:
        made.check()
    return made.require(hash, streets=streets)


def _read_table(recipe: Recipe, street: int, classes: int, arrays: Mapping[str, NDArray[Any]]) -> StreetTable:
    dealt = recipe.dealt(street)
    fine, scores, inner = (arrays.get(f"{name}.{street}") for name in ("fine", "scores", "inner"))
    by_score, lossless = recipe.by_score(street), recipe.methods[street].lossless
    _expect(fine, None if lossless or by_score else (indexer_of(dealt, recipe.streets.deck).size,), street)
    textures = recipe.methods[street].textures
    _expect(scores, (textures * (recipe.streets.full_score + 1),) if by_score else None, street)
    conditional = recipe.condition(street) != "nothing"
    _expect(inner, (recipe.conditions(street), classes) if conditional else None, street)
    clusters = None
    if f"centers.{street}" in arrays:
        clusters = Clusters(arrays[f"centers.{street}"], arrays[f"cuts.{street}"])
    size = recipe.inner_size(street) if conditional else 0
    return StreetTable(dealt, classes, fine, inner, size, clusters, scores, textures)


def _expect(array: NDArray[Any] | None, shape: Sequence[int] | None, street: int) -> None:
    found = None if array is None else tuple(array.shape)
    if found != (None if shape is None else tuple(shape)) or (array is not None and array.dtype != np.uint16):
        raise ParameterError(f"the table of street {street} has the shape {found} instead of {shape}")
