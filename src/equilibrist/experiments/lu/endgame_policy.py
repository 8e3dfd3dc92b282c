"""EndgamePolicy: a translated base strategy whose last round is solved again, with the chips really on the table ([Lu16, §4.2]).

Before the last round the base plays, and bets that it does not know are translated. When the last cards come, every abstract history
that the real one may stand for gives both ranges, and its endgame is solved from the real pot with a menu of its own; what is played is
the mean over these histories. Bets inside the endgame that its menu lacks are translated again, not solved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from equilibrist.abstraction.bets.translated_policy import Hypothesis, TranslatedPolicy, dealt
from equilibrist.abstraction.bets.translation import Translation
from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import Policy
from equilibrist.experiments.lu.endgame_menus import LU_MENU
from equilibrist.games.poker.bet_sizes import BetMenu
from equilibrist.games.poker.betting import BettingNode
from equilibrist.games.poker.game import Poker
from equilibrist.games.rules import CHANCE
from equilibrist.search.endgame_programs.endgame_betting import EndgameBetting, grow_betting
from equilibrist.search.endgame_programs.endgame_solving import EXACT, EndgameMethod, EndgameSolution, solve_endgame
from equilibrist.search.endgame_programs.joint_hands import JointHands, joint_hands
from equilibrist.solvers.responses.translated_response import deal_tables

MARK = "endgame "  # lines of solved endgames begin with it


class EndgamePolicy(TranslatedPolicy):
    """One seat's behaviour in a real poker game with one deal of public cards before the last round."""

    def __init__(
        self,
        real: Poker,
        abstract: Poker,
        policy: Policy,
        mapping: Translation,
        seat: int,
        *,
        menu: BetMenu = LU_MENU,
        method: EndgameMethod = EXACT,
        opponent: Policy | None = None,
        **how: Any,
    ) -> None:
        super().__init__(real, abstract, policy, mapping, **how)
        if len(real.rules.board) != 2:
            raise NotApplicableError(
                f"Endgame policies are for games of two betting rounds, but '{real.name}' has {len(real.rules.board)}; solve single "
                "endgames with solve_endgame."
            )
        self.seat, self.menu, self.method = seat, menu, method
        self.opponent = policy if opponent is None else opponent  # whose ranges are believed
        self.endgames: list[EndgameSolution] = []
        self._deals, self._sign, _ = deal_tables(self, 0)
        self._bettings: dict[tuple[float, ...], EndgameBetting | None] = {}
        self._solved: dict[tuple[str, str, str], int] = {}

    def deal(self, node: BettingNode, hypotheses: tuple[Hypothesis, ...], cards: str) -> tuple[Hypothesis, ...]:
        """Every hypothesis continues in its own solved endgame."""
        betting = self._betting(node)
        if betting is None:
            return dealt(hypotheses, cards)
        out = []
        for one in hypotheses:
            key = node.line, one.line, cards
            if key not in self._solved:
                hands = self._hands(one, cards)
                self._solved[key] = len(self.endgames)
                self.endgames.append(solve_endgame(betting, hands, self.method, player=self.seat))
            number = self._solved[key]
            out.append(Hypothesis(betting.start, f"{MARK}{number}", one.weight))
        return tuple(out)

    def strategy(self, line: str, node: BettingNode) -> Floats:
        """[hand, action] of the base, or inside a solved endgame of that."""
        if not line.startswith(MARK):
            return super().strategy(line, node)
        name, _, below = line.partition(":")
        return self.endgames[int(name.removeprefix(MARK))].at(below, self.seat)

    def _betting(self, node: BettingNode) -> EndgameBetting | None:
        """Betting of the last round from the real chips; None where nobody can bet any more."""
        if node.paid not in self._bettings:
            if node.after_deal.player < 0:
                self._bettings[node.paid] = None
            else:
                self._bettings[node.paid] = _grown(node, self.menu)
        return self._bettings[node.paid]

    def _hands(self, hypothesis: Hypothesis, cards: str) -> JointHands:
        ranges = [np.asarray(hypothesis.weight), self._reach(hypothesis.line, 1 - self.seat)]
        if self.seat == 1:
            ranges.reverse()
        deals = self._deals[(cards,)]
        ranges = [given if given.any() else np.ones_like(given) for given in ranges]
        return joint_hands(ranges, deals, self._sign[(cards,)])

    def _reach(self, line: str, player: int) -> Floats:
        """[hand] product of the opponent's probabilities along an abstract line without board cards."""
        out, node, before = np.ones(len(self.hands)), self.abstract.first, ""
        for word in line.split(":") if line else []:
            if node.player == CHANCE:
                break
            if node.player == player:
                rows = [self.opponent[f"{hand}:{before}" if before else hand][word] for hand in self.hands]
                out *= np.array(rows)
            before = f"{before}:{word}" if before else word
            node = node.play(word)
        return out


def _grown(node: BettingNode, menu: BetMenu) -> EndgameBetting:
    """The last round after a deal, with another menu."""
    rules = replace(node.rules, menus=(*node.rules.menus[:-1], menu), menus_at={})
    return grow_betting(replace(node, rules=rules).after_deal)
