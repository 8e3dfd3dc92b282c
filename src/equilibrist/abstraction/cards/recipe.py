"""Recipe: everything that decides what an abstraction looks like, and the hash of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from equilibrist.abstraction.cards.deals import HOLDEM, Streets, indexer_of
from equilibrist.abstraction.cards.method_names import method_text, parse_method
from equilibrist.abstraction.cards.methods import Isomorphism, Method
from equilibrist.cards.deck import Deck
from equilibrist.core.errors import FormatError, ParameterError, UnknownNameError, suggest
from equilibrist.core.names import is_whole

VERSION = 1  # raised whenever the same recipe would give other buckets
MOST_BUCKETS = 1 << 16  # a fitted bucket is a number of two bytes
SAMPLE = 500_000
RECALL = ("imperfect", "perfect")


@dataclass(frozen=True)
class Recipe:
    """One method and one number of buckets per street."""

    streets: Streets
    methods: tuple[Method, ...]
    sizes: tuple[int, ...]
    seed: int = 0
    recall: str = "imperfect"  # or perfect: a bucket tells all buckets before it ([Lu16, §3.3.2])
    public: int = 0  # clusters of public flops that are never forgotten ([Ganzfried15, §6.1]); 0: none
    sample: int = SAMPLE  # hands that clusters are fitted to, at most; all hands are assigned
    runouts: int = 0  # completions looked at per board; 0: all of them

    def __post_init__(self) -> None:
        if not len(self.methods) == len(self.sizes) == self.streets.count:
            raise ParameterError(
                f"There are {self.streets.count} streets, but {len(self.methods)} methods and {len(self.sizes)} sizes "
                f"were given; give one for each of {', '.join(self.streets.names)}."
            )
        if self.recall not in RECALL:
            raise ParameterError(f"Recall is 'perfect' or 'imperfect', but '{self.recall}' was given.")
        for name, value, least in (("seed", self.seed, 0), ("sample", self.sample, 1), ("runouts", self.runouts, 0)):
            if value < least:
                raise ParameterError(f"{name} must be at least {least}, but {value} was given.")
        if self.public:
            self._check_public()
        for street, (method, size) in enumerate(zip(self.methods, self.sizes, strict=True)):
            self._check_street(street, method, size)

    def dealt(self, street: int) -> tuple[int, ...]:
        """Of the street's table: without loss of memory all streets are told apart, otherwise the board is one set."""
        lossless = self.methods[street].lossless and self.recall == "perfect"
        return self.streets.ordered(street) if lossless else self.streets.merged(street)

    def by_score(self, street: int) -> bool:
        """Whether classes of a street follow from how many hands a hand beats, so that no table of all hands is needed."""
        last, clustered = (
            street == self.streets.count - 1,
            self.public and street == 1,
        )  # flops are clustered by a table of their hands
        return last and not clustered and self.methods[street].by_score

    def condition(self, street: int) -> str:
        """What a bucket of this street remembers besides the hand as it is: nothing, the public flop or the last bucket."""
        if street == 0 or self.methods[street].lossless:
            return "nothing"
        if self.public:
            return "public"
        return "bucket" if self.recall == "perfect" else "nothing"

    def conditions(self, street: int) -> int:
        """How many cases that makes."""
        return {"nothing": 1, "public": self.public, "bucket": self.sizes[street - 1]}[self.condition(street)]

    def inner_size(self, street: int) -> int:
        """Buckets in each case."""
        return self.sizes[street] // self.conditions(street)

    def fine_size(self, street: int) -> int:
        """Classes that hands are sorted into first; where buckets depend on a condition they are made of finer classes."""
        size = self.sizes[street]
        if self.condition(street) == "nothing":
            return size
        hands = self.streets.hands(street).size
        return min(hands, max(10 * self.inner_size(street), 1000), MOST_BUCKETS)

    @property
    def hash(self) -> str:
        """The same for the same buckets, whoever makes them."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def to_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "deck": {"ranks": self.streets.deck.ranks, "suits": self.streets.deck.suits},
            "rounds": list(self.streets.dealt),  # the word of files since the first version
            "methods": [method_text(method) for method in self.methods],
            "sizes": list(self.sizes),
            "seed": self.seed,
            "recall": self.recall,
            "public": self.public,
            "sample": self.sample,
            "runouts": self.runouts,
        }

    def _check_street(self, street: int, method: Method, size: int) -> None:
        name, hands = self.streets.names[street], self.streets.hands(street).size
        if method.lossless:
            hands = self.streets.hands(street, ordered=self.recall == "perfect").size
            if size != hands:
                raise ParameterError(
                    f"The {name} has {hands:,} hands up to suits, but {size:,} were to be told apart by isomorphism."
                )
            return
        if not 1 <= size <= hands:
            raise ParameterError(
                f"The {name} has {hands:,} different hands, so 1 to {hands:,} buckets, but {size:,} were asked for."
            )
        if size > MOST_BUCKETS:
            raise ParameterError(
                f"A street has at most {MOST_BUCKETS:,} fitted buckets, but {size:,} were asked for on the {name}."
            )
        if method.uses_next and (street == self.streets.count - 1 or street == 0):
            raise ParameterError(
                f"{method.word} looks at the next card, so it is for streets between the first and the last, not the {name}."
            )
        if self.condition(street) != "nothing":
            self._check_condition(street, method, name)

    def _check_condition(self, street: int, method: Method, name: str) -> None:
        cases = self.conditions(street)
        if method.uses_next:
            raise ParameterError(
                f"{method.word} forgets earlier streets by design; use another method, or imperfect recall without public clusters."
            )
        if self.sizes[street] % cases:
            raise ParameterError(
                f"The {name} remembers {cases:,} cases, so its buckets are a multiple of {cases:,}, but {self.sizes[street]:,} was given."
            )
        if cases * self.fine_size(street) > 1 << 28:
            raise ParameterError(
                f"{cases:,} cases are too many for the {name} to remember; use fewer buckets before it."
            )

    def _check_public(self) -> None:
        most = indexer_of(self.streets.dealt[1:2], self.streets.deck).size
        if self.methods[1].lossless:
            raise ParameterError(
                "Public clusters are made of flop buckets, but the flop is not abstracted; give it fewer buckets."
            )
        if self.recall == "perfect":
            raise ParameterError("Public clusters and perfect recall of buckets exclude each other; choose one.")
        if not 1 <= self.public <= most:
            raise ParameterError(
                f"There are {most:,} different flops, so 1 to {most:,} public clusters, but {self.public:,} were asked for."
            )


PLANS = {  # one word for all streets; the first street is not abstracted where its size says so
    "distribution-aware": ("kmeans-emd", "kmeans-emd", "ochs"),
    "potential-aware": ("potential-aware", "kmeans-emd", "ochs"),
}


def make_recipe(method: str, sizes: tuple[int, ...] | str, *, streets: Streets = HOLDEM, **settings: Any) -> Recipe:
    """`method` is one word, or one per street with slashes between them; a street as large as its hands is not abstracted."""
    recall = settings.get("recall", "imperfect")
    counts = parse_sizes(sizes, streets, recall) if isinstance(sizes, str) else tuple(sizes)
    words = _street_words(method, streets)
    made: list[Method] = []
    for street, (word, size) in enumerate(zip(words, counts, strict=False)):
        whole = streets.hands(street, ordered=recall == "perfect").size
        made.append(Isomorphism() if size == whole else parse_method(word))
    return Recipe(streets, tuple(made), counts, **settings)


def _street_words(method: str, streets: Streets) -> list[str]:
    plan = PLANS.get(method.strip())
    if plan is not None:
        later = list(plan)[len(plan) - (streets.count - 1) :]
        return ["kmeans-emd", *later]
    words = [word.strip() for word in method.split("/")]
    if len(words) == 1:
        return words * streets.count
    if len(words) != streets.count:
        raise ParameterError(
            f"'{method}' names {len(words)} methods, but there are {streets.count} streets; name one, or one for each of "
            f"{', '.join(streets.names)}."
        )
    return words


def parse_sizes(text: str, streets: Streets, recall: str = "imperfect") -> tuple[int, ...]:
    """`169/200/200/200`; `all` keeps every hand of a street apart."""
    parts = text.split("/")
    if len(parts) != streets.count:
        raise ParameterError(
            f"Sizes '{text}' are for {len(parts)} streets, but there are {streets.count}; write them from the first to the last, "
            "as in 169/200/200/200."
        )
    sizes = []
    for street, part in enumerate(parts):
        word = part.strip().replace(",", "").replace("_", "")
        if word == "all":
            sizes.append(streets.hands(street, ordered=recall == "perfect").size)
        elif is_whole(word) and int(word) > 0:
            sizes.append(int(word))
        else:
            raise ParameterError(
                f"'{part}' in sizes '{text}' is no number of buckets; write whole numbers above zero, or 'all'."
            )
    return tuple(sizes)


def recipe_from_json(data: Mapping[str, Any]) -> Recipe:
    """The recipe in the header of a file."""
    try:
        if data["version"] != VERSION:
            raise FormatError(
                f"The abstraction was made by version {data['version']} of the methods, this is {VERSION}; make it again."
            )
        deck = Deck(int(data["deck"]["ranks"]), int(data["deck"]["suits"]))
        streets = Streets(deck, tuple(int(cards) for cards in data["rounds"]))
        methods = tuple(parse_method(text) for text in data["methods"])
        sizes = tuple(int(size) for size in data["sizes"])
        rest = {name: data[name] for name in ("seed", "recall", "public", "sample", "runouts")}
        return Recipe(streets, methods, sizes, **rest)
    except (KeyError, TypeError, ValueError, ParameterError, UnknownNameError) as error:
        raise FormatError(f"The file does not say how its abstraction was made ({error}); make it again.") from None


@dataclass(frozen=True)
class Preset:
    """A recipe with a name."""

    word: str
    title: str
    method: str
    sizes: str
    sample: int
    runouts: int = 0
    public: int = 0

    def recipe(self, streets: Streets = HOLDEM, **settings: Any) -> Recipe:
        made = make_recipe(
            self.method, self.sizes, streets=streets, sample=self.sample, runouts=self.runouts, public=self.public
        )
        return replace(made, **settings)


PRESETS = {
    preset.word: preset
    for preset in (
        Preset("tiny", "strength only; some seconds", "ehs-equal", "169/20/20/20", 20_000),
        Preset("small", "strength only, equally many deals in each bucket; some seconds", "ehs-equal", "169/50/50/50", 100_000),
        Preset(
            "boards", "strength on boards of each texture apart; some seconds",
            "ehs-equal/texture-equal/texture-equal/texture-equal", "169/120/200/540", 500_000,
        ),
        Preset("medium", "distributions of equity; minutes", "distribution-aware", "169/200/200/200", 300_000),
        Preset("large", "the published sizes; an hour or two", "distribution-aware", "169/5000/5000/5000", 1_500_000),
    )
}  # fmt: skip


def find_preset(word: str) -> Preset:
    if word not in PRESETS:
        raise UnknownNameError(
            f"There is no preset '{word}'.{suggest(word, PRESETS)} The presets are {', '.join(PRESETS)}; or name --method and --sizes."
        )
    return PRESETS[word]
