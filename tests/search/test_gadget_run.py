"""One run of all gadgets: kernels against array expressions, one call against many, and ties that rounding must not break."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special

import equilibrist as eq
from equilibrist import Spot, compiled
from equilibrist.experiments.brown.subgames.gadget_game import GadgetGame
from equilibrist.search.engines.boards import BoardEngine, OneBoardEngine
from equilibrist.search.engines.public_tree import LayoutEngine
from equilibrist.search.gadget_run import FusedEngine, GadgetRun
from equilibrist.search.gadgets import Distributional, EntryWeights, GadgetInputs, Unsafe
from equilibrist.search.maxmargin import Maxmargin
from equilibrist.search.resolve import Resolve
from equilibrist.search.subgame import Subgame, after_chance
from equilibrist.search.subgame_solving import cfr_settings
from equilibrist.search.techniques import find_technique
from equilibrist.search.tree_profile import TreeProfile
from equilibrist.solvers.postflop.solve_spot import start_spot

GADGETS = {
    "unsafe": Unsafe(),
    "resolve": Resolve(),
    "maxmargin": Maxmargin(),
    "cdf": Distributional("cdf"),
    "hedge": Distributional("hedge"),
}
TINY = Spot(
    board="Td9d6hQc2s",
    pot=20,
    stack=40,
    range={"oop": "AsAc,KsKc:0.7,8s7s,5s4s", "ip": "AhAd,TsTc:0.5,Js8c,7c5c"},
    bets={"bet": "100%", "raise": "a"},
)
ARRAYS = SimpleNamespace(  # any other array module: NumPy's names and `special`
    special=special,
    **{
        name: getattr(np, name)
        for name in "asarray where abs maximum minimum bincount ones_like repeat sqrt exp clip".split()  # noqa: SIM905
    },
)


def random_inputs(seed, hands=42, groups=3, even=False):
    rng = np.random.default_rng(seed)
    mass = np.where(rng.random(hands) < 0.1, 0.0, rng.random(hands))
    group = np.sort(rng.integers(0, groups, hands)).astype(np.int32)
    if even:
        group = np.repeat(np.arange(groups, dtype=np.int32), hands // groups)
    return GadgetInputs(mass, group, rng.random(hands), rng.normal(size=hands), rng.random(hands))


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("name", GADGETS)
@pytest.mark.parametrize("seed", range(3))
def test_kernels_and_array_expressions_are_twins(name, seed, even):
    inputs, rng = random_inputs(seed, even=even), np.random.default_rng(seed)
    assert inputs.even == even
    kernel, arrays = GADGETS[name].begin(inputs), GADGETS[name].begin(inputs, xp=ARRAYS)
    assert isinstance(kernel, EntryWeights)
    for t in range(1, 30):
        values = rng.normal(size=len(inputs.mass)) * inputs.mass
        values[::7] = (inputs.alternative * inputs.mass)[::7]  # ties
        kernel.update(values, t)
        arrays.update(values, t)
        assert arrays.weights == pytest.approx(kernel.weights, rel=1e-12, abs=1e-15)
        assert arrays.stayed == pytest.approx(kernel.stayed, rel=1e-12, abs=1e-15)


def spot_run(engine_class, gadget, searcher, seed=5):
    run = start_spot(TINY, "dcfr(gamma=5)", isomorphism=False)
    engine, rng = engine_class(run), np.random.default_rng(seed)
    hands = len(engine.range_of(1 - searcher))
    inputs = GadgetInputs(
        mass=engine.values(1 - searcher) * 0.0 + 1.0 + rng.random(hands),
        group=np.zeros(hands, dtype=np.int32),
        reach=engine.range_of(1 - searcher),
        alternative=rng.normal(0.0, 5.0, hands),
        deviation=np.full(hands, 2.0),
    )
    return GadgetRun(engine, searcher, gadget, inputs, engine.range_of(searcher))


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("name", GADGETS)
def test_one_call_is_the_same_as_many(name, searcher):
    fused, steps = (spot_run(kind, GADGETS[name], searcher) for kind in (OneBoardEngine, BoardEngine))
    assert isinstance(fused.engine, FusedEngine)
    assert not isinstance(steps.engine, FusedEngine)
    for run in (fused, steps):
        run.advance(25)
        run.advance(5)
    assert fused.iteration == steps.iteration == 30
    assert fused.counted == pytest.approx(steps.counted)
    for what in ("entered", "stayed"):
        assert getattr(fused, what) == pytest.approx(getattr(steps, what), rel=1e-5, abs=1e-9)  # single precision
    assert fused.answer() == pytest.approx(steps.answer(), rel=1e-5, abs=1e-5)
    assert fused.evaluate().exploitability == pytest.approx(steps.evaluate().exploitability, rel=1e-4, abs=1e-5)


LEDUC = compiled("leduc(suits=merged)")


class NoLeaves:
    """Values at no leaves: the engine then runs pass by pass."""

    def refresh(self, engine):
        pass


@pytest.mark.parametrize("searcher", [0, 1])
@pytest.mark.parametrize("name", GADGETS)
def test_one_call_is_the_same_as_many_on_public_trees(name, searcher):
    blueprint = TreeProfile(LEDUC.public_tree, eq.solve(LEDUC, "cfr+", iterations=5).policy)
    subgame = Subgame.of(blueprint, after_chance(LEDUC.public_tree)[:3])
    sharp = find_technique("resolve").inputs(subgame, 1 - searcher, blueprint)
    inputs = replace(sharp, deviation=np.full(len(sharp.mass), 0.3))
    fused, steps = (
        GadgetRun(
            LayoutEngine.of(cfr_settings("dcfr"), subgame, leaves=leaves),
            searcher,
            GADGETS[name],
            inputs,
            subgame.ranges[searcher],
        )
        for leaves in (None, NoLeaves())
    )
    for run in (fused, steps):
        run.advance(20)
        run.advance(3)
        run.step()
        run.advance(1)
    assert fused.iteration == steps.iteration == 25
    assert fused.counted == pytest.approx(steps.counted)
    for what in ("entered", "stayed"):
        assert getattr(fused, what) == pytest.approx(getattr(steps, what), rel=1e-12, abs=1e-12)
    for what in ("strategy", "regret", "average_sum"):
        assert getattr(fused.engine, what) == pytest.approx(getattr(steps.engine, what), rel=1e-12, abs=1e-12)
    assert fused.evaluate().exploitability == pytest.approx(steps.evaluate().exploitability, rel=1e-9)


@pytest.mark.parametrize("name", ["unsafe", "resolve", "maxmargin", "reach-maxmargin"])
@pytest.mark.parametrize("searcher", [0, 1])
def test_the_gap_closes_around_the_value_of_the_written_out_game(name, searcher):
    """What the opponent can get, less twice the gap, is what the searcher concedes: the value lies between."""
    blueprint = TreeProfile(LEDUC.public_tree, eq.solve(LEDUC, "cfr+", iterations=5).policy)
    root = after_chance(LEDUC.public_tree)[2]
    subgame, technique = Subgame.of(blueprint, [root]), find_technique(name)
    inputs = technique.inputs(subgame, 1 - searcher, blueprint)
    engine = LayoutEngine.of(cfr_settings("cfr+"), subgame)
    run = GadgetRun(engine, searcher, technique.gadget, inputs, subgame.ranges[searcher])
    gaps = []
    for _ in range(3):
        run.advance(150)
        gaps.append(run.evaluate().exploitability)
    assert all(gap >= -1e-9 for gap in gaps)
    assert gaps[-1] < 2e-3
    kind = "resolve" if "resolve" in name else "unsafe" if name == "unsafe" else "maxmargin"
    exact = eq.solve(GadgetGame(subgame, searcher, kind, inputs), "lp").value[1 - searcher]
    answer, mass = run.answer(), inputs.mass
    held = mass > 0
    if kind == "maxmargin":
        most = (answer[held] / mass[held] - inputs.alternative[held]).max()
    elif kind == "resolve":
        most = np.maximum(answer, inputs.alternative * mass).sum() / mass.sum()
    else:
        most = inputs.reach @ answer / (inputs.reach @ mass)
    assert most - 2.0 * gaps[-1] - 1e-9 <= exact <= most + 1e-9


@pytest.mark.parametrize("name", ["cdf", "hedge"])
def test_the_gap_of_uncertain_alternatives_closes_too(name):
    blueprint = TreeProfile(LEDUC.public_tree, eq.solve(LEDUC, "cfr+", iterations=5).policy)
    subgame = Subgame.of(blueprint, after_chance(LEDUC.public_tree))
    sharp = find_technique("resolve").inputs(subgame, 1, blueprint)
    inputs = GadgetInputs(sharp.mass, sharp.group, sharp.reach, sharp.alternative, np.full(len(sharp.mass), 0.3))
    run = GadgetRun(LayoutEngine.of(cfr_settings("cfr+"), subgame), 0, GADGETS[name], inputs, subgame.ranges[0])
    gaps = []
    for _ in range(4):
        run.advance(200)
        gaps.append(run.evaluate().exploitability)
    assert all(gap >= -1e-9 for gap in gaps)
    assert gaps[-1] < 1e-3
    assert gaps[-1] < gaps[0]


def resolved(noise, precision=None, seed=0):
    """Leduc searched by Resolve below a uniform blueprint, payoffs disturbed by their last digits."""
    game = compiled("leduc")
    blueprint = TreeProfile(game.public_tree, game.infosets.uniform())
    subgame = Subgame.of(blueprint, after_chance(game.public_tree))
    inputs = find_technique("resolve").inputs(subgame, 1, blueprint)
    exact = subgame.layout.payoff
    disturbed = exact * (1.0 + noise * np.random.default_rng(seed).standard_normal(exact.shape))
    engine = LayoutEngine.of(cfr_settings("cfr+"), subgame, layout=replace(subgame.layout, payoff=disturbed))
    if precision is not None:
        engine.precision = precision
    run = GadgetRun(engine, 0, Resolve(), inputs, subgame.ranges[0])
    run.advance(200)
    return run.answer() / np.where(inputs.mass > 0, inputs.mass, 1.0), run


def test_rounding_does_not_decide_who_enters():
    """Below a uniform blueprint each hand gets outside exactly what a best response gets inside: nobody gains by entering."""
    plain, run = resolved(0.0)
    assert not run.entry.weights.any()  # so the searcher learns nothing and plays on as it began
    assert run.engine.average_strategy() == pytest.approx(
        run.engine.layout.strategy(run.engine.layout.tree.infosets.uniform().probabilities)
    )
    for seed in range(3):
        assert resolved(1e-15, seed=seed)[0] == pytest.approx(plain, abs=1e-9)


def test_without_the_rule_it_would():
    plain, _ = resolved(0.0, precision=0.0)
    moved = max(np.abs(resolved(1e-15, precision=0.0, seed=seed)[0] - plain).max() for seed in range(3))
    assert moved > 0.1
