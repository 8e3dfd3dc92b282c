"""Any explicit OpenSpiel game as a `Game`: `load_openspiel("goofspiel(num_cards=4)")`."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equilibrist.core.errors import (
    MissingExtraError,
    NotApplicableError,
    ParameterError,
    UnknownNameError,
    suggest,
)
from equilibrist.core.names import split_top_level
from equilibrist.games.formats.efg.reader import distinct_labels
from equilibrist.games.rules import CHANCE, TERMINAL, Game, State

_TERMINAL = -4  # OpenSpiel's number
_WALK = 10_000  # histories looked at when a game is loaded
_BREAK = re.compile(r"[\n\r\t]")
_NEGATIVE = re.compile(r"-[0-9]+\Z")
_SOURCE_LINE = re.compile(r"\S+\.(?:cc|h):[0-9]+ ")  # where in OpenSpiel a check failed
_TYPES = {
    "kInt": "a whole number",
    "kDouble": "a decimal such as 2.0",
    "kBool": "True or False",
    "kString": "a word",
}


def load_openspiel(text: str) -> OpenSpielGame:
    """The OpenSpiel game with this name and parameters; simultaneous moves become turns that nobody sees."""
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        raise MissingExtraError("open_spiel", "openspiel", f"The game 'openspiel:{text}'") from None
    base, parameters = _split(text)
    if base.startswith("python_"):  # games that OpenSpiel writes in Python register themselves when imported
        importlib.import_module("open_spiel.python.games")
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if base not in kinds:
        raise UnknownNameError(
            f"OpenSpiel has no game '{base}'.{suggest(base, kinds)} pyspiel.registered_names() lists them."
        )
    _check_parameters(base, parameters, kinds[base].parameter_specification)
    inside = ",".join(f"{key}={value}" for key, value in parameters.items())
    name = f"{base}({inside})" if inside else base
    with _quiet():
        try:
            return _make(pyspiel, name)
        except (RuntimeError, ValueError, LookupError, TypeError, MemoryError) as error:
            raise ParameterError(f"OpenSpiel cannot make '{name}': {_explain(error)}.") from None


def _make(pyspiel: Any, name: str) -> OpenSpielGame:
    game = pyspiel.load_game(name)
    _check_explicit(pyspiel, game, name)
    game.new_initial_state()  # some parameters are only checked here
    turn_based = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    rules = pyspiel.convert_to_turn_based(game) if turn_based else game
    forgets = _forgets(rules)
    observer = None if forgets else _public_observer(pyspiel, game)
    return OpenSpielGame(f"openspiel:{name}", rules, observer, turn_based, forgets)


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Name and parameters, without the blanks that OpenSpiel would take for part of a key."""
    base, bracket, rest = text.strip().partition("(")
    if bracket and not rest.endswith(")"):
        raise ParameterError(f"Cannot read {text!r}: expected a name such as 'goofspiel(num_cards=4)'.")
    parameters: dict[str, str] = {}
    for part in split_top_level(rest[:-1], text):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or key in parameters:
            raise ParameterError(
                f"Cannot read the parameter {part.strip()!r} in {text!r}: expected key=value, once per key."
            )
        parameters[key] = value
    return base.strip(), parameters


def _check_parameters(base: str, parameters: Mapping[str, str], defaults: Mapping[str, Any]) -> None:
    """Refuse what OpenSpiel lets pass: a negative count makes some games overwrite memory."""
    for key, value in parameters.items():
        if key not in defaults:
            raise ParameterError(
                f"OpenSpiel's '{base}' has no parameter '{key}' (it has: {', '.join(defaults) or 'none'})."
                f"{suggest(key, defaults)}"
            )
        default = defaults[key]
        if type(default) is int and default >= 0 and _NEGATIVE.match(value):
            raise ParameterError(
                f"The parameter '{key}' of OpenSpiel's '{base}' is a count such as {default}, not {value}."
            )


def _check_explicit(pyspiel: Any, game: Any, name: str) -> None:
    """Refuse games whose tree OpenSpiel cannot list, or that do not say what a player remembers."""
    kind = game.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise NotApplicableError(f"'{name}' is a mean-field game, which has no game tree.")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise NotApplicableError(
            f"OpenSpiel samples the chance moves of '{name}' without listing them, so it has no game tree."
        )
    if not kind.provides_information_state_string:
        raise NotApplicableError(
            f"OpenSpiel's '{name}' gives observations but no information states, so what a player remembers "
            "is unknown; choose a game that provides information_state_string."
        )


def _public_observer(pyspiel: Any, game: Any) -> Any:
    """What everybody has seen so far, for games that tell; None for the others."""
    observation = importlib.import_module("open_spiel.python.observation")
    kind = pyspiel.IIGObservationType(public_info=True, perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE)
    try:
        observer = observation.make_observation(game, kind)
        if observer is not None and isinstance(observer.string_from(game.new_initial_state(), 0), str):
            return observer
    except (RuntimeError, ValueError, TypeError, AttributeError, NotImplementedError):
        pass  # games differ in how they say that they have no such observer
    return None


def _forgets(rules: Any) -> bool:
    """Whether some information state can be reached by different own moves, as far as a short walk shows."""
    sequences: dict[tuple[int, str, int], int] = {}  # (sequence before, information state, move) -> sequence
    expected: dict[tuple[int, str], int] = {}
    stack = [(rules.new_initial_state(), (0,) * rules.num_players())]
    seen = 0
    while stack and (seen := seen + 1) <= _WALK:
        state, own = stack.pop()
        acting = state.current_player()
        text = state.information_state_string(acting) if acting >= 0 else ""
        if acting >= 0 and expected.setdefault((acting, text), own[acting]) != own[acting]:
            return True
        for move in state.legal_actions():
            below = own
            if acting >= 0:
                number = sequences.setdefault((own[acting], text, move), len(sequences) + 1)
                below = (*own[:acting], number, *own[acting + 1 :])
            stack.append((state.child(move), below))
    return False


class OpenSpielGame(Game):
    """Rules played by OpenSpiel."""

    def __init__(self, name: str, rules: Any, observer: Any, turn_based: bool, forgets: bool) -> None:
        kind = rules.get_type()
        self.name = name
        self.rules = rules
        self.observer = observer
        self.observations = observer is not None  # else `public()` says nothing and there is no public tree
        self.players = int(rules.num_players())
        self.zero_sum = kind.utility == type(kind).Utility.ZERO_SUM
        # OpenSpiel marks variants that shall forget by this ending. Other games mean to recall everything,
        # but some (goofspiel with open bids) leave past moves out of their texts; we remember for them.
        self.perfect_recall = not (forgets and name.partition("(")[0].endswith("_ir"))
        self.remembers = forgets and self.perfect_recall
        self.turn_based = turn_based
        self.speaking: set[int] = set()  # of CHANCE and TERMINAL, where information states are known to exist

    def start(self) -> OpenSpielState:
        return OpenSpielState(self, self.rules.new_initial_state(), None, ("",) * self.players)


class OpenSpielState(State):
    """One history, held by OpenSpiel."""

    __slots__ = ("_above", "_game", "_legal", "_memory", "_state", "player")

    def __init__(self, game: OpenSpielGame, state: Any, above: OpenSpielState | None, memory: tuple[str, ...]) -> None:
        self._game = game
        self._state = state
        self._above = above
        self._memory = memory  # [player] stands for its own infosets and moves so far, where texts forget them
        self._legal: Sequence[int] | None = None
        acting = int(state.current_player())
        if acting < CHANCE:  # chance is -1 in OpenSpiel as it is here
            if acting != _TERMINAL:
                raise NotApplicableError(f"In '{game.name}' several players move at once; no tree can be made.")
            acting = TERMINAL
        self.player = acting

    def actions(self) -> Sequence[str]:
        return self._labels(self._moves())

    def chance(self) -> Sequence[tuple[str, float]]:
        outcomes = self._state.chance_outcomes()
        self._legal = [move for move, _ in outcomes]
        labels = self._labels(self._legal)
        return [(label, probability) for label, (_, probability) in zip(labels, outcomes, strict=True)]

    def child(self, index: int) -> OpenSpielState:
        move, memory = self._moves()[index], self._memory
        if self._game.remembers and self.player >= 0:
            seen = f"{self.infoset(self.player)} > {move}"
            mark = hashlib.blake2b(seen.encode(), digest_size=6).hexdigest()
            memory = (*memory[: self.player], mark, *memory[self.player + 1 :])
        return OpenSpielState(self._game, self._state.child(move), self, memory)

    def infoset(self, player: int) -> str:
        text = self._information(player)
        if self._memory[player]:
            text = f"{text} | memory {self._memory[player]}"
        if self.player == player:
            return text
        return f"{text} | {self.public() or 'waiting'}"  # who waits still sees that play goes on

    def public(self) -> str:
        """The number of moves so far and what OpenSpiel's public observer has seen."""
        if self._game.observer is None:
            return ""
        state = self._state.simultaneous_game_state() if self._game.turn_based else self._state
        return f"{self._state.move_number()} {_one_line(self._game.observer.string_from(state, 0))}".rstrip()

    def returns(self) -> tuple[float, ...]:
        return tuple(self._state.returns())

    def _moves(self) -> Sequence[int]:
        if self._legal is None:
            if self.player == CHANCE:
                self._legal = [move for move, _ in self._state.chance_outcomes()]
            else:
                self._legal = self._state.legal_actions()
        return self._legal

    def _labels(self, moves: Sequence[int]) -> Sequence[str]:
        say, player = self._state.action_to_string, self.player
        labels = [say(player, move) for move in moves]
        if len(set(labels)) == len(labels) and all(labels) and not _BREAK.search("".join(labels)):
            return labels
        return distinct_labels(labels)

    def _information(self, player: int) -> str:
        """OpenSpiel's information state; where a game has none, as nobody decides, the last one stands."""
        if self.player >= 0 or self.player in self._game.speaking:
            return _one_line(self._state.information_state_string(player))
        try:
            with _quiet():
                text = _one_line(self._state.information_state_string(player))
        except RuntimeError:
            return self._above._information(player) if self._above is not None else ""
        self._game.speaking.add(self.player)
        return text


def _one_line(text: str) -> str:
    """A text that can serve as a key; line ends stay visible, so that different texts stay different."""
    if not _BREAK.search(text):
        return text
    return text.rstrip("\n").replace("\r", "").replace("\t", " ").replace("\n", " / ")


def _explain(error: BaseException) -> str:
    """OpenSpiel's reason in one line, without its source files and type names."""
    reason = _SOURCE_LINE.sub("", "; ".join(str(error).split("\n"))) or type(error).__name__
    for word, meaning in _TYPES.items():
        reason = re.sub(rf"\b{word}\b", meaning, reason)
    return reason.rstrip(".")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep stderr clean: OpenSpiel prints every refusal there before raising it."""
    sys.stderr.flush()
    try:
        saved = os.dup(2)
    except OSError:  # no stderr at all
        yield
        return
    silence = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(silence, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(silence)
