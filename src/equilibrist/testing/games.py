"""`check_game`: walks a game and says where its rules break a promise that trees and solvers rely on."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from equilibrist.core.errors import ParameterError
from equilibrist.core.names import parse_name
from equilibrist.games.catalogue import GAMES, load_game
from equilibrist.games.playthrough import playthrough
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

TOLERANCE = 1e-9
MOST_LISTED = 1_500  # wider chance nodes (hold'em deals) are looked at in so many places only


def check_game(game: Game, *, histories: int = 20_000, seed: int = 0) -> int:
    """Raise AssertionError at the first broken promise; returns how many histories were looked at.

    Games of at most `histories` histories are walked completely, others by random descents until that many are seen.
    """
    assert game.name, "A game needs a name."
    assert game.players >= 1, f"'{game.name}' declares {game.players} players."
    _check_name(game, seed)
    if not _fits(game, histories):
        return _descend(game, histories, seed)
    counted, stated = _walk_everything(game, histories), game.histories()
    assert stated is None or stated == counted, f"'{game.name}' says it has {stated:,} histories, but has {counted:,}."
    return counted


def _check_name(game: Game, seed: int) -> None:
    """`load_game(game.name)` gives this game again, if the catalogue knows the name."""
    try:
        known = parse_name(game.name).base in GAMES.names()
    except ParameterError:
        known = False
    if not known:
        return
    again = load_game(game.name)
    assert again.name == game.name, f"'{game.name}' is read back as '{again.name}'."
    same = type(again) is type(game) and all(
        playthrough(again, s) == playthrough(game, s) for s in range(seed, seed + 5)
    )
    assert same, f"'{game.name}' is read back as a different game."


def _fits(game: Game, most: int) -> bool:
    """Whether the game has at most so many histories."""
    count, stack = 1, [game.start()]
    while stack:
        state = stack.pop()
        width = 0 if state.player == TERMINAL else len(_offered(state))
        count += width
        if count > most:
            return False
        stack.extend(state.child(i) for i in range(width))
    return True


def _walk_everything(game: Game, most: int) -> int:
    checker, seen = _Checker(game), 0
    stack = [checker.root()]
    while stack:
        place = stack.pop()
        checker.look(place)
        seen += 1
        assert seen <= most, f"In '{game.name}' the number of histories changes from one walk to the next."
        stack += [checker.step(place, i) for i in range(place.facts.width)][::-1]
        checker.look_again(place)
    return seen


def _descend(game: Game, histories: int, seed: int) -> int:
    checker, seen, rng = _Checker(game), 0, random.Random(seed)
    while seen < histories:
        place, seen = checker.root(), seen + 1
        checker.look(place)
        few = rng.choice((2, 4, 16, 0))  # narrow descents meet the same infoset again; 0: no limit
        while place.facts.width and seen < histories:
            below = checker.step(place, _choose(place, few, rng))
            checker.look_again(place)
            checker.look(below)
            place, seen = below, seen + 1
    return seen


def _choose(place: _Place, few: int, rng: random.Random) -> int:
    if place.facts.player == CHANCE and not few:
        return place.state.sample_chance(rng)
    return rng.randrange(min(place.facts.width, few or place.facts.width))


class _Facts(NamedTuple):
    """All that can be seen of a state; two equal histories have equal facts."""

    player: int
    width: int  # number of children
    options: tuple[Any, ...]  # actions, labelled chance outcomes, or the returns
    public: str
    infosets: tuple[str, ...]


@dataclass(frozen=True)
class _Place:
    """A history, its facts when it was made, and what came before."""

    state: State
    facts: _Facts
    path: str
    before: _Facts | None
    actor_step: tuple[int, str] | None  # who acted to get here, and the label
    own: tuple[int, ...]  # per player, the number of its sequence of own (infoset, action)


class _Checker:
    """Remembers what each public state and infoset meant when it was first met."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.observations = getattr(game, "observations", True)  # False: the game does not say what is public
        self.looked: set[str] = set()
        self.publics: dict[str, tuple[int, str | None]] = {}  # actor and public state before
        self.infosets: dict[tuple[int, str], dict[str, Any]] = {}
        self.sequences: dict[tuple[int, str, str], int] = {}

    def root(self) -> _Place:
        state = self.game.start()
        return _Place(state, self.facts(state), "start", None, None, (0,) * self.game.players)

    def facts(self, state: State) -> _Facts:
        player, width = state.player, 0
        if player == TERMINAL:
            options = tuple(state.returns())
        else:
            offered = _offered(state)
            width = len(offered)
            options = tuple(offered[i] for i in range(0, width, width // MOST_LISTED + 1))
        infosets = tuple(state.infoset(p) for p in range(self.game.players))
        return _Facts(player, width, options, state.public(), infosets)

    def step(self, place: _Place, index: int) -> _Place:
        """The history below, made twice to see that making it changes nothing."""
        actor, offered = place.facts.player, _offered(place.state)[index]
        label = offered[0] if actor == CHANCE else offered
        state = place.state.child(index)
        facts, path = self.facts(state), f"{place.path} > {label}"
        if path not in self.looked and self.facts(place.state.child(index)) != facts:
            self.fail(path, "child() called twice gives two different states")
        own = place.own
        if actor != CHANCE:
            key = (own[actor], place.facts.infosets[actor], label)
            number = self.sequences.setdefault(key, len(self.sequences) + 1)
            own = (*own[:actor], number, *own[actor + 1 :])
        return _Place(state, facts, path, place.facts, (actor, label), own)

    def look_again(self, place: _Place) -> None:
        if self.facts(place.state) != place.facts:
            self.fail(place.path, "child() changes the state it is called on")

    def look(self, place: _Place) -> None:
        """All checks of one history; in random descents only the first time it is met."""
        if place.path in self.looked:
            return
        self.looked.add(place.path)
        if self.facts(place.state) != place.facts:
            self.fail(place.path, "the state was changed by making other states")
        player = place.facts.player
        if player not in (CHANCE, TERMINAL) and not 0 <= player < self.game.players:
            self.fail(place.path, f"the acting player is {player!r}, but there are {self.game.players} players")
        if player == TERMINAL:
            self._look_at_returns(place)
        else:
            self._look_at_options(place)
        if self.observations:
            self._look_at_public(place)
        for p in range(self.game.players):
            self._look_at_infoset(place, p)

    def _look_at_returns(self, place: _Place) -> None:
        returns = place.facts.options
        if len(returns) != self.game.players:
            self.fail(place.path, f"there are {len(returns)} returns for {self.game.players} players")
        if not all(math.isfinite(amount) for amount in returns):
            self.fail(place.path, f"the returns {returns} are not finite numbers")
        scale = max(1.0, *(abs(amount) for amount in returns))
        if self.game.zero_sum and abs(sum(returns)) > TOLERANCE * scale:
            self.fail(place.path, f"the returns {returns} do not sum to zero though the game is declared zero-sum")

    def _look_at_options(self, place: _Place) -> None:
        options, chance = place.facts.options, place.facts.player == CHANCE
        labels = [option[0] if chance else option for option in options]
        if not labels:
            self.fail(place.path, "play goes on, but there is no action or outcome")
        if len(set(labels)) != len(labels):
            twice = next(label for i, label in enumerate(labels) if label in labels[:i])
            self.fail(place.path, f"the label '{twice}' appears twice")
        if not chance:
            return
        for label, probability in options:
            if not 0.0 < probability <= 1.0 + TOLERANCE:
                self.fail(place.path, f"the chance outcome '{label}' has probability {probability}")
        total = math.fsum(probability for _, probability in options)
        if len(options) == place.facts.width and abs(total - 1.0) > TOLERANCE:
            self.fail(place.path, f"the chance probabilities sum to {total} instead of 1")

    def _look_at_public(self, place: _Place) -> None:
        facts = place.facts
        before = None if place.before is None else place.before.public
        actor, came_from = self.publics.setdefault(facts.public, (facts.player, before))
        if actor != facts.player:
            names = f"{_actor(actor)} in one history and {_actor(facts.player)} in another"
            self.fail(place.path, f"the public state '{facts.public}' belongs to {names}")
        if came_from != before or before == facts.public:
            problem = f"the public state '{facts.public}' follows both '{came_from}' and '{before}'"
            self.fail(place.path, problem + "; what is public must grow with every step")

    def _look_at_infoset(self, place: _Place, p: int) -> None:
        """What a player's text must determine, compared with the first history that had this text."""
        facts, text = place.facts, place.facts.infosets[p]
        meaning: dict[str, Any] = {}
        if self.observations:
            meaning["public state"] = facts.public
            meaning["actor"] = _actor(facts.player)
        if facts.player == p:
            meaning["actor"] = _actor(p)
            meaning["actions"] = facts.options
        if self.game.perfect_recall and (self.observations or facts.player == p):
            meaning["player's own earlier infosets and actions (perfect recall is declared)"] = place.own[p]
            if self.observations and place.before is not None:
                meaning["player's infoset one step earlier (perfect recall is declared)"] = place.before.infosets[p]
        first = self.infosets.setdefault((p, text), meaning)
        for what in dict.fromkeys([*meaning, *first]):
            if first.get(what) != meaning.get(what):
                problem = f"the infoset '{text}' of player {p + 1} does not determine the {what}"
                if what in ("actor", "actions", "public state"):
                    problem += f": {meaning.get(what)!r} here, {first.get(what)!r} in another history"
                self.fail(place.path, problem)

    def fail(self, path: str, problem: str) -> NoReturn:
        raise AssertionError(f"In '{self.game.name}' {problem} (history: {path}).")


def _offered(state: State) -> Sequence[Any]:
    """Actions, or chance outcomes with their probabilities."""
    return state.chance() if state.player == CHANCE else state.actions()


def _actor(player: int) -> str:
    return {CHANCE: "chance", TERMINAL: "nobody"}.get(player, f"player {player + 1}")
