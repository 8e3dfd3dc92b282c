"""What is proven of public belief states and of searches at them, in numbers ([Brown20, Theorems 23 to 28])."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equilibrist.core.arrays import Floats
from equilibrist.core.policy import TabularPolicy
from equilibrist.forms.compiled import compiled
from equilibrist.learning.rebel.asking import EdgeValues
from equilibrist.learning.rebel.belief_game import BeliefGame, belief_game
from equilibrist.learning.rebel.exact_leaves import expected_values
from equilibrist.learning.rebel.playing import Playing
from equilibrist.learning.rebel.self_play import SelfPlay
from equilibrist.learning.rebel.solving import SubgameSolver, leaf_reach, normalised
from equilibrist.learning.rebel.templates import Template, Templates
from equilibrist.solvers.responses.best_response import evaluate_policy
from learning.rebel.oracles import EvenPlay

NONE = np.zeros((1, 0), dtype=np.int32)
KUHN, DICE, TWO_FACES = "kuhn", "liars-dice(faces=3)", "liars-dice(faces=2)"
LEVELS = {KUHN: 1, TWO_FACES: 2}  # moves of a search, so that there are three levels of them


class Store:
    """The most recent value of each public belief state that was searched, and 0 of all others ([Brown20, Theorem 25])."""

    def __init__(self) -> None:
        self.values: dict[tuple[int, bytes], Floats] = {}
        self.missed = 0

    @staticmethod
    def key(future: int, beliefs: Floats) -> tuple[int, bytes]:
        return future, (np.round(beliefs, 9) + 0.0).tobytes()

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        held = normalised(template.leaf_prior, reach[:, template.leaves]) * template.leaf_prior
        mass = reach[:, template.leaves].max(axis=(2, 3))
        for b, leaf in np.ndindex(out.shape[:2]):
            turned = bool(template.leaf_swapped[leaf])
            found = self.values.get(self.key(int(template.leaf_future[leaf]), held[b, leaf, :: -1 if turned else 1]))
            self.missed += found is None and mass[b, leaf] > 0.0
            out[b, leaf] = 0.0 if found is None else found[1 - player if turned else player]

    def learn(self, play: SelfPlay, hands: int, random: np.random.Generator) -> float:
        """One round of self-play; how far the values that were known have moved."""
        moved = 0.0
        for examples in play.play(hands, random):
            for beliefs, values in zip(examples.beliefs, examples.values, strict=True):
                place = self.key(examples.future, beliefs)
                moved = max(moved, float(np.abs(values - self.values.get(place, np.inf)).max()))
                self.values[place] = values
        return moved


class Recursion:
    """Values of leaves by the same search at each of them, and so on to the end of the game."""

    def __init__(self, templates: Templates, iterations: int) -> None:
        self.templates, self.solver = templates, solver_with(self, iterations)
        self.known: dict[tuple[int, bytes], Floats] = {}

    def ask(self, template: Template, player: int, reach: Floats, out: Floats) -> None:
        held = normalised(template.leaf_prior, reach[:, template.leaves])
        for b, leaf in np.ndindex(out.shape[:2]):
            turned, future = bool(template.leaf_swapped[leaf]), int(template.leaf_future[leaf])
            out[b, leaf] = self.root(future, held[b, leaf, :: -1 if turned else 1])[1 - player if turned else player]

    def root(self, future: int, reach: Floats) -> Floats:
        place = Store.key(future, reach)
        if place not in self.known:
            below = self.templates.of(future)
            self.known[place] = self.solver.solve(below, np.ascontiguousarray(reach)[None], NONE).root[0]
        return self.known[place]


def solver_with(values: EdgeValues, iterations: int) -> SubgameSolver:
    """Both players at once: the beliefs that are asked about are then those that play can lead to."""
    return SubgameSolver(values, iterations, "simultaneous", weights="plain")


def taught(name: str, iterations: int, hands: int = 4000) -> tuple[Templates, Store]:
    """Self-play until nothing new is found and nothing moves."""
    templates, store = Templates(belief_game(compiled(name)), LEVELS[name]), Store()
    play, random = SelfPlay(templates, solver_with(store, iterations), 0.25), np.random.default_rng(iterations)
    quiet = 0
    for _ in range(60):
        store.missed = 0
        moved = store.learn(play, hands, random)
        quiet = quiet + 1 if moved == 0.0 and not store.missed else 0
        if quiet == 3:
            return templates, store
    raise AssertionError("values still move")


@pytest.mark.parametrize("name", [KUHN, TWO_FACES])
def test_self_play_fills_a_store_with_what_recursion_finds(name: str) -> None:
    """[Brown20, Theorem 25], its proof: after a finite time values are those of searches in searches."""
    templates, store = taught(name, 4)
    first, recursion = templates.of(int(templates.game.future[0])), Recursion(templates, 4)
    begin = np.ones((1, *first.prior.shape))
    found, plain = solver_with(store, 4).solve(first, begin, NONE), recursion.solver.solve(first, begin, NONE)
    np.testing.assert_allclose(found.root, plain.root, atol=1e-9)
    np.testing.assert_allclose(found.average, plain.average, atol=1e-9)
    assert len({future for future, _ in store.values}) >= 2  # levels below the root


def errors(name: str, iterations: int) -> tuple[float, float]:
    """Largest error of the value of a belief that play meets, and how exploitable random iterates are, in shares of the largest payoff."""
    templates = Templates(belief_game(compiled(name)), LEVELS[name])
    game, recursion = templates.game, Recursion(templates, iterations)
    policy = Playing(templates, recursion.solver).play_throughs(200, np.random.default_rng(0))
    whole, off = Templates(game, 99), 0.0
    for (future, key), values in recursion.known.items():
        template = whole.of(future)
        reach = np.frombuffer(key).reshape(1, *template.prior.shape)
        exact = SubgameSolver(EvenPlay(game), 1000).solve(template, reach, NONE)
        belief = exact.start[0, 0] * (template.shape.chance[0] @ exact.start[0, 1])
        off = max(off, abs(float(belief @ (values[0] - exact.root[0, 0]) / belief.sum())))
    return off, evaluate_policy(game.game, policy).exploitability / game.unit


@pytest.mark.parametrize("name", [KUHN, TWO_FACES])
def test_errors_of_values_and_of_play_fall_with_the_root_of_iterations(name: str) -> None:
    """[Brown20, Theorems 25 and 26]: at least like one over the square root of T, in three levels of searches."""
    found = {t: errors(name, t) for t in (4, 16, 36)}
    for each in range(2):
        constant = found[4][each] * math.sqrt(4)
        assert found[4][each] > 0.05
        assert found[16][each] * math.sqrt(16) <= constant
        assert found[36][each] * math.sqrt(36) <= constant
    assert found[36][1] < 0.025


def value_of(game: BeliefGame, template: Template, belief: Floats, other: Floats) -> tuple[float, Floats]:
    """Player 1's value of a belief in its hands, and of the hands, by a search to the end; `other` is the opponent's reach."""
    reach = np.stack([belief / (template.shape.chance[0] @ other), other])
    found = SubgameSolver(EvenPlay(game), 20_000).solve(template, reach[None], NONE).root[0, 0]
    return float(belief @ found / belief.sum()), found


@pytest.mark.parametrize(("name", "number"), [(KUHN, 0), (TWO_FACES, 0), (DICE, -1), (DICE, -3)])
def test_values_of_hands_are_the_value_and_its_supergradient(name: str, number: int) -> None:
    """[Brown20, Theorem 23]: v(s) = V + g(s), g a supergradient of V extended to beliefs that do not sum to one."""
    game, random, step = belief_game(compiled(name)), np.random.default_rng(4), 0.01
    future, hands = Templates(game, 2).asked[number] if number else int(game.future[0]), len(game.hands)
    template, smooth = Templates(game, 99).of(future), 0
    for _ in range(4):
        belief, other = random.dirichlet(np.ones(hands), size=2) * 0.9 + 0.1 / hands
        value, values = value_of(game, template, belief, other)
        for s in range(hands):
            right, left = (
                (value_of(game, template, belief + h * np.eye(hands)[s], other)[0] - value) / h for h in (step, -step)
            )
            assert right - 0.02 <= values[s] - value <= left + 0.02
            smooth += left - right < 0.02
    assert smooth >= hands  # where no two planes meet there is one supergradient, and both sides are it


def kuhn_equilibrium(alpha: float) -> dict[str, list[float]]:
    """Chances to check or fold, and to bet or call; player 1's equilibria are a family."""
    first = {"J": alpha, "Q": 0.0, "K": 3 * alpha, "J:x:b": 0.0, "Q:x:b": alpha + 1 / 3, "K:x:b": 1.0}
    second = {"J:x": 1 / 3, "Q:x": 0.0, "K:x": 1.0, "J:b": 0.0, "Q:b": 1 / 3, "K:b": 1.0}
    return {key: [1.0 - share, share] for key, share in (first | second).items()}


def acting(template: Template) -> list[tuple[int, slice]]:
    """Nodes where somebody acts, and their slots."""
    shape = template.shape
    return [
        (m, slice(int(shape.first_slot[m]), int(shape.first_slot[m] + shape.width[m])))
        for m in np.flatnonzero(shape.player >= 0).tolist()
    ]


def kuhn_table(game: BeliefGame, template: Template, alpha: float) -> Floats:
    """[1, S, N] an equilibrium as strategies of a search of the whole game."""
    infosets, chances = game.game.infosets, kuhn_equilibrium(alpha)
    sums = game.sums(TabularPolicy(infosets, np.concatenate([chances[key] for key in infosets.keys])))
    out = np.zeros((1, template.slots, len(game.hands)))
    for m, slots in acting(template):
        out[0, slots] = sums[game.first_slot[template.nodes[m]] :][: slots.stop - slots.start]
    return out


def mixture(template: Template, share: float, one: Floats, other: Floats) -> Floats:
    """As likely as `share` the one for the whole game, else the other."""
    out, begin = np.zeros_like(one), np.ones((1, *template.prior.shape))
    for part, strategy in ((share, one), (1.0 - share, other)):
        reach = leaf_reach(template, strategy, begin)
        for m, slots in acting(template):
            out[0, slots] += part * reach[0, m, template.shape.player[m]] * strategy[0, slots]
    for _, slots in acting(template):
        out[0, slots] /= out[0, slots].sum(axis=0)
    return out


def test_mixtures_of_values_are_values_of_mixtures() -> None:
    """[Brown20, Theorem 24] at the beginning of Kuhn poker, where player 1's equilibria are worth different hands to player 2."""
    game, share = belief_game(compiled(KUHN)), 0.3
    template, begin = Templates(game, 99).of(int(game.future[0])), np.ones((1, 2, 3))
    one, other = (kuhn_table(game, template, alpha) for alpha in (0.1, 1 / 3))
    both = mixture(template, share, one, other)
    for player in range(2):
        ends = [expected_values(template, player, each, begin)[0] * game.unit for each in (one, other)]
        middle = expected_values(template, player, both, begin)[0] * game.unit
        np.testing.assert_allclose(middle, share * ends[0] + (1.0 - share) * ends[1], atol=1e-12)
        assert template.prior[player] @ middle == pytest.approx((-1 / 18, 1 / 18)[player], abs=1e-12)
        if player == 1:
            assert np.abs(ends[0] - ends[1]).max() > 0.1  # there was something to mix
    sums = np.zeros((game.slots, 3))
    for m, slots in acting(template):
        sums[game.first_slot[template.nodes[m]] :][: slots.stop - slots.start] = both[0, slots]
    assert evaluate_policy(game.game, game.policy(sums)).exploitability == pytest.approx(0.0, abs=1e-12)
