"""A saved solution at another table: bets it does not know are translated, its strategy made purer ([Ganzfried15, chapters 7 and 8])."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from equilibrist.abstraction.bets.purification import ProcessedPolicy, find_rule
from equilibrist.abstraction.bets.translated_policy import ALL_INS, SCALES, TranslatedPolicy
from equilibrist.abstraction.bets.translation import find_mapping
from equilibrist.agents.policy_player import PolicyPlayer
from equilibrist.core.errors import NotApplicableError, ParameterError, suggest
from equilibrist.core.policy import Policy
from equilibrist.core.solution import Evaluation
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.poker.game import Poker
from equilibrist.solvers.responses.translated_response import translated_response

SAME = (
    "players",
    "deck",
    "hole",
    "board",
    "stack",
    "stacks",
    "ante",
    "blinds",
    "first",
)  # of two games between which bets are translated
SETTINGS = ("mapping", "post", "scale", "all_in")


class TranslatedPlayer(PolicyPlayer):
    """Plays its own game as it was solved, and games with other bets by translation; `post` comes first."""

    def __init__(
        self,
        policy: Policy,
        game: str,
        stated: Evaluation | None = None,
        *,
        mapping: str = "",
        post: str = "",
        scale: str = "real",
        all_in: str = "push",
    ) -> None:
        made = ProcessedPolicy(policy, find_rule(post)) if post else policy
        super().__init__(made, game, None if post else stated)
        self.solved, self.own = made, game
        self.mapping = find_mapping(mapping) if mapping else None
        if scale not in SCALES or all_in not in ALL_INS:
            raise ParameterError(
                f"Bets are measured by the {' or '.join(SCALES)} pot and all-ins become {' or '.join(ALL_INS)}, but scale={scale}, "
                f"all_in={all_in} were given."
            )
        self.scale, self.all_in = scale, all_in

    def reset(self, seat: int, rules: Any, rng: random.Random) -> None:
        if rules.name != self.game:
            self._sit_at(rules)
        super().reset(seat, rules, rng)

    def _sit_at(self, rules: Any) -> None:
        """Play another table from now on."""
        if self.mapping is None:
            return  # refused by the player of one game
        if rules.name == self.own:
            self.policy = self.solved
        else:
            model = recorded_game(self.own)
            if not isinstance(model, Poker) or not isinstance(rules, Poker):
                raise NotApplicableError(
                    f"Bets are translated between poker games, but the solution is of '{self.own}' and the table plays '{rules.name}'."
                )
            other = [name for name in SAME if getattr(model.rules, name) != getattr(rules.rules, name)]
            if other:
                raise ParameterError(
                    f"Only bets are translated, but '{self.own}' and '{rules.name}' differ in their {' and '.join(other)}."
                )
            self.policy = TranslatedPolicy(
                rules, model, self.solved, self.mapping, scale=self.scale, all_in=self.all_in
            )
        self.game = rules.name
        self._stated.clear()


def translated_exploitability(player: TranslatedPlayer, game: Poker) -> float:
    """What best responses in the real game win from the player, both seats averaged; they see real bets only ([Ganzfried15, §7.8])."""
    player.reset(0, game, random.Random(0))
    if not isinstance(player.policy, TranslatedPolicy):
        raise NotApplicableError(f"'{game.name}' is the game that was solved, so nothing is translated.")
    return sum(translated_response(player.policy, seat) for seat in range(2)) / 2.0


def translated_player(
    policy: Policy, game: str, stated: Evaluation | None, settings: Mapping[str, Any]
) -> TranslatedPlayer:
    """A player from the settings people type: `small.eqb(mapping=rand-pshar,post=purify)`."""
    for key, value in settings.items():
        if key not in SETTINGS:
            raise ParameterError(
                f"A saved solution has no parameter '{key}' (it has: {', '.join(SETTINGS)}).{suggest(key, SETTINGS)}"
            )
        if not isinstance(value, str):
            raise ParameterError(f"The parameter '{key}' of a saved solution is a word, but {value!r} was given.")
    if "mapping" not in settings and {"scale", "all_in"} & set(settings):
        raise ParameterError("'scale' and 'all_in' say how bets are translated; add mapping=rand-pshar or another one.")
    return TranslatedPlayer(policy, game, stated, **settings)
