"""Off-tree bets answered on all flops at once against the same in the public tree of eight cards, from one blueprint."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from equilibrist.core.arrays import Floats
from equilibrist.core.errors import NotApplicableError
from equilibrist.core.policy import TabularPolicy
from equilibrist.experiments.brown.subgames.bl26 import known_blueprint
from equilibrist.experiments.brown.subgames.nested_everywhere import INEXPENSIVE, size_missing
from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.public_tree.public_layout import lay_out
from equilibrist.forms.public_tree.public_tree import public_tree
from equilibrist.games.poker.abstracted_holdem import nested_nolimit_flop_holdem
from equilibrist.games.poker.game import Poker
from equilibrist.search.engines import boards
from equilibrist.search.off_tree.finer_flops import FinerFlops, SeatStrategy
from equilibrist.search.off_tree.flop_answers import answer_flops, opponent_gets, translate_flops
from equilibrist.search.off_tree.known_seat import KnownSeat
from equilibrist.search.off_tree.nested_search import hands_before
from equilibrist.search.off_tree.off_tree import OffTree, answer_everywhere, translate_everywhere
from equilibrist.search.reach import gifts
from equilibrist.search.techniques import find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.cfr.schedules import PLUS
from equilibrist.solvers.postflop.gpu import device_boards
from equilibrist.solvers.responses.public_response import infostate_values, reach_of
from reference.emulated_device import COMPILER, use_emulation

SHARES = (0.4, 0.6)


def silent(doing: str, share: float | None) -> None:
    """Nobody listens."""


def nested(bets: int) -> Poker:
    whole = nested_nolimit_flop_holdem(ranks=4, suits=2)
    return Poker(f"nested flop hold'em with {bets} bets", replace(whole.rules, caps=(1, bets)))


class BothWays:
    """The same game on boards and as a tree."""

    def __init__(self, bets: int) -> None:
        game = nested(bets)
        self.flops = FinerFlops(game, size_missing(game, 0.75), PLUS)
        self.tree = OffTree.where(public_tree(game), size_missing(game, 0.75))
        self.policy = known_blueprint(self.tree, 3).policy
        infosets = self.policy.infosets
        self.rows = {key: self.policy.row(number) for number, key in enumerate(infosets.keys)}
        self.seats = [self._seat(player) for player in range(2)]

    def _seat(self, player: int) -> SeatStrategy:
        first, second = self.flops.lines.forests
        label, own = self.flops.deal.deck.label, self.flops.boards[1].player[player]
        names = ["".join(label(int(card)) for card in sorted(hand, reverse=True)) for hand in self.flops.deal.hands]
        before = self._table(first, player, names, "")
        flops = np.zeros((len(own.pair), second.slots[player], own.places), dtype=np.float32)
        for board, cards in enumerate(self.flops.boards[1].cards):
            here = [names[hand] for hand in self.flops.hands[board]]
            dealt = "".join(label(card) for card in sorted(cards))
            flops[board, :, : len(here)] = self._table(second, player, here, dealt)
        return SeatStrategy(before, flops)

    def _table(self, forest: StreetForest, player: int, hands: list[str], dealt: str) -> Floats:
        """[slot, hand]"""
        out = np.zeros((forest.slots[player], len(hands)))
        for node in np.flatnonzero(forest.kind == player).tolist():
            line = forest.line(node).replace("/", f":{dealt}:").strip(":")
            there = slice(int(forest.slot[node]), int(forest.slot[node] + forest.children[node]))
            for column, hand in enumerate(hands):
                row = self.rows.get(f"{hand}:{line}".strip(":"))
                out[there, column] = 0.0 if row is None else row
        return out

    def gets(self, policy: TabularPolicy, searcher: int) -> float:
        """By the tree, chips."""
        layout = lay_out(self.tree.tree)
        reach = reach_of(layout, layout.strategy(policy.probabilities))
        values = infostate_values(layout, reach, 1 - searcher).value
        return float(values[layout.at((0,), 1 - searcher)].sum())


@cache
def both(bets: int) -> BothWays:
    return BothWays(bets)


def same(bets: int, name: str, searcher: int, iterations: int) -> None:
    ways = both(bets)
    known = ways.seats[searcher]
    if name == "translation":
        there = translate_everywhere(ways.tree, ways.policy, searcher, SHARES)
        here = translate_flops(ways.flops, known, searcher, SHARES)
    else:
        there = answer_everywhere(ways.tree, ways.policy, searcher, name, iterations=iterations)
        here = answer_flops(ways.flops, known, searcher, find_technique(name), iterations, silent)
    assert opponent_gets(ways.flops, here, searcher) == pytest.approx(ways.gets(there, searcher), rel=2e-4)


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("name", ["translation", *INEXPENSIVE])
def test_answers_are_those_of_the_public_tree(name: str, searcher: int) -> None:
    same(1, name, searcher, 6)


@pytest.mark.slow
@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("name", ["translation", *INEXPENSIVE])
def test_answers_inside_answers_are_those_of_the_public_tree(name: str, searcher: int) -> None:
    same(3, name, searcher, 6)


@pytest.mark.slow
@pytest.mark.parametrize("searcher", [0, 1])
def test_gifts_are_those_of_the_public_tree(searcher: int) -> None:
    ways, them = both(3), 1 - searcher
    lines, tree = ways.flops.lines, ways.tree.tree
    known = TreeProfile(tree, ways.policy, hidden=ways.tree.hidden(searcher, 0))
    roots = ways.tree.roots(searcher, 1)
    there = gifts(known, hands_before(known, known, roots, them), them)
    told = [
        (tree.states[tree.parent[root]], k)
        for root in roots
        for k in range(len(tree.private[them].keys))[tree.privates(root, them)]
    ]
    by_name = {
        f"{state}|{tree.private[them].keys[k].split(':')[0]}": gift
        for (state, k), gift in zip(told, there, strict=True)
    }
    above = [int(lines.forests[1].parent[root]) for root in lines.roots(1, searcher, 1)]
    here = KnownSeat(ways.flops, ways.seats[searcher], searcher).gifts(above, *lines.hidden(searcher, 0))
    assert there.max() > 100.0
    label, compared = ways.flops.deal.deck.label, 0
    for board, cards in enumerate(ways.flops.boards[1].cards):
        dealt = "".join(label(card) for card in sorted(cards))
        for place, node in enumerate(above):
            state = lines.forests[1].line(node).replace("/", f":{dealt}:").strip(":")
            for column, hand in enumerate(ways.flops.hands[board].tolist()):
                name = "".join(label(int(card)) for card in sorted(ways.flops.deal.hands[hand], reverse=True))
                if f"{state}|{name}" in by_name:
                    assert here[board, place, column] == pytest.approx(by_name[f"{state}|{name}"], rel=1e-4, abs=0.01)
                    compared += 1
    assert compared == here.size


def test_the_whole_deck_has_54_lines_to_answer_on_every_flop() -> None:
    lines = both(1).flops.lines
    assert lines.levels(0) == lines.levels(1) == 2  # one bet before the flop, one on it
    game = nested(3)
    flops = FinerFlops(game, size_missing(game, 0.75), PLUS)
    for searcher in range(2):
        assert [len(flops.lines.roots(1, searcher, level)) for level in (1, 2, 3)] == [35, 17, 2]
        assert [len(flops.lines.roots(0, searcher, level)) for level in (1, 2)] == [1, 0]


@pytest.mark.parametrize(("name", "why"), [("unsafe", "cannot answer"), ("reach-maxmargin-unsplit", "split them")])
def test_some_techniques_cannot_answer(name: str, why: str) -> None:
    with pytest.raises(NotApplicableError, match=why):
        answer_flops(both(1).flops, both(1).seats[0], 0, find_technique(name), 1, silent)


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="kernels are emulated with a C++ compiler")
def test_kernels_of_a_gpu_answer_as_the_cpu_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Learned from a blueprint to a best response, some lines without any decision of the opponent."""
    game, found = nested(1), list[list[float]]()
    for device in ("cpu", "cuda"):
        if device == "cuda":
            emulated = use_emulation(monkeypatch, tmp_path)
            for module in (boards, device_boards):
                monkeypatch.setattr(module, "cupy", lambda: emulated)  # noqa: B023
        flops = FinerFlops(game, size_missing(game, 0.75), PLUS, device=device)
        run = flops.run_below(0, flops.lines.after)
        run.advance(2)
        known = flops.blueprint(run)[1]
        played = [translate_flops(flops, known, 1, SHARES)]
        played += [
            answer_flops(flops, known, 1, find_technique(name), 2, silent) for name in ("resolve", "reach-maxmargin")
        ]
        found.append([opponent_gets(flops, each, 1) for each in played])
    assert found[1] == pytest.approx(found[0], rel=1e-3)  # so short a deck has ties that rounding decides
