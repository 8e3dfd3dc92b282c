"""Monte Carlo CFR: unbiased samples, kernels equal to their naive twins, convergence, weights, resuming."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equilibrist.core.errors import EquilibristError, FormatError, NotApplicableError, ParameterError
from equilibrist.core.policy import InfosetIndex, TabularPolicy
from equilibrist.forms.compiled import Compiled, compiled
from equilibrist.solvers.iteration_loop import Stop
from equilibrist.solvers.mccfr import run as mccfr_runs
from equilibrist.solvers.mccfr._kernels.packing import random_state
from equilibrist.solvers.mccfr.mccfr import MCCFR, MCCFRRun
from equilibrist.solvers.mccfr.pure_cfr import PureCFR, PureRun, whole_numbers
from equilibrist.solvers.registry import make_solver
from equilibrist.solvers.responses.best_response import counterfactual_values
from equilibrist.solvers.saved_solutions import load_solution
from reference.naive_mccfr import Draws, Stream, Sums, Walker, average, iterate, outcomes_of, walk

Floats = npt.NDArray[np.float64]
Run = MCCFRRun | PureRun

SMALL_LEDUC = "leduc(ranks=2,cap=1,suits=merged)"  # public chance, uneven, with card removal
SAMPLINGS = ("external", "outcome", "chance", "public-chance", "pure")


def start(game: Compiled, sampling: str, seed: int = 0, traversals: int = 1) -> Run:
    if sampling == "pure":
        return PureRun(game, seed)
    return MCCFRRun(game, MCCFR(sampling, traversals=traversals), seed)


def solver(sampling: str) -> MCCFR | PureCFR:
    return PureCFR() if sampling == "pure" else MCCFR(sampling)


def random_regrets(infosets: InfosetIndex, seed: int) -> Floats:
    """Whole numbers, so that Pure CFR can use them too; some are negative."""
    return np.random.default_rng(seed).integers(-2, 9, infosets.slots).astype(np.float64)


def tables_from(infosets: InfosetIndex, regrets: Floats) -> Sums:
    tables = Sums()
    for i, key in enumerate(infosets.keys):
        row = regrets[infosets.first_slot[i] : infosets.first_slot[i + 1]]
        tables.regret[int(infosets.player[i]), own_text(infosets, key)] = row.tolist()
    return tables


def own_text(infosets: InfosetIndex, key: str) -> str:
    """Keys of games in which two players share texts begin with the player's number."""
    numbered = all(k.startswith(f"{p + 1}|") for k, p in zip(infosets.keys, infosets.player, strict=True))
    return key.split("|", 1)[1] if numbered else key


def as_slots(infosets: InfosetIndex, rows: dict[tuple[int, str], list[float]]) -> Floats:
    out = np.zeros(infosets.slots)
    for i, key in enumerate(infosets.keys):
        row = rows.get((int(infosets.player[i]), own_text(infosets, key)))
        if row is not None:
            out[infosets.first_slot[i] : infosets.first_slot[i + 1]] = row
    return out


def profile(infosets: InfosetIndex, regrets: Floats) -> TabularPolicy:
    positive = np.maximum(regrets, 0.0)
    total = np.repeat(np.add.reduceat(positive, infosets.first_slot[:-1]), np.diff(infosets.first_slot))
    return TabularPolicy(
        infosets, np.where(total > 0, positive / np.maximum(total, 1e-300), infosets.uniform().probabilities)
    )


def exact_regrets(game: Compiled, policy: TabularPolicy, player: int) -> Floats:
    response = counterfactual_values(game, policy, player)
    mine = np.repeat(policy.infosets.player == player, np.diff(policy.infosets.first_slot))
    mean = np.repeat(response.infoset_value, np.diff(policy.infosets.first_slot))
    return np.where(mine, response.slot_value - mean, 0.0)


def own_reach(game: Compiled, policy: TabularPolicy) -> Floats:
    """[I] own probability of coming to each infoset."""
    plan = np.empty(policy.infosets.slots)
    reach = np.empty(len(policy.infosets))
    for i, above in enumerate(game.forest.parent_slot):
        reach[i] = 1.0 if above < 0 else plan[above]
        row = slice(policy.infosets.first_slot[i], policy.infosets.first_slot[i + 1])
        plan[row] = reach[i] * policy.probabilities[row]
    return reach


def chance_reach(game: Compiled, even_others: bool = False) -> Floats:
    """[I] chance probability of each infoset, summed over its histories; times what the others do if they play evenly."""
    tree = game.tree
    reach = np.ones(tree.histories)
    out = np.zeros(len(tree.infosets))
    for n in range(tree.histories):
        if tree.parent[n] >= 0:
            reach[n] = reach[tree.parent[n]] * tree.chance_probability[n]
        if tree.player[n] >= 0:
            out[tree.infoset[n]] += reach[n] * (others_evenly(game, n) if even_others else 1.0)
    return out


def others_evenly(game: Compiled, n: int) -> float:
    """Probability of the others' actions before a history if all of them are equally likely."""
    tree, mine, out = game.tree, game.tree.player[n], 1.0
    while (n := int(tree.parent[n])) >= 0:
        if tree.player[n] >= 0 and tree.player[n] != mine:
            out /= tree.children[n]
    return out


# ---------------------------------------------------------------------------------- samples are unbiased


@pytest.mark.parametrize(
    ("name", "sampling"),
    [
        *(("kuhn", sampling) for sampling in SAMPLINGS),
        (SMALL_LEDUC, "public-chance"),
        ("goofspiel(cards=2,reveal=false,order=random)", "external"),
        ("goofspiel(cards=2,reveal=false,order=random)", "pure"),
    ],
)
def test_sampled_regrets_are_unbiased(name: str, sampling: str) -> None:
    """The mean over everything that can be drawn is the exact counterfactual regret."""
    game = compiled(name)
    regrets = random_regrets(game.infosets, seed=3)
    policy = profile(game.infosets, regrets)
    tables = tables_from(game.infosets, regrets)
    for player in range(game.game.players):

        def one_walk(draws: Draws, player: int = player) -> Sums:
            found = Sums()
            walk(game.game, sampling, tables, draws, player, found)
            return found

        total, mean = 0.0, np.zeros(game.infosets.slots)
        for probability, found in outcomes_of(one_walk):
            total += probability
            mean += probability * as_slots(game.infosets, found.regret)
        assert total == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(mean, exact_regrets(game, policy, player), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "sampling"),
    [
        ("kuhn", "external"),
        ("kuhn", "outcome"),
        ("kuhn", "chance"),
        ("kuhn", "pure"),
        ("kuhn(players=3)", "external"),  # three players: a walk of its own leaves own reach and chance only
        ("kuhn(players=3)", "outcome"),
        ("kuhn(players=3)", "chance"),
        ("kuhn(players=3)", "pure"),
        ("lemonade(stands=3)", "external"),
    ],
)
def test_sampled_averages_are_unbiased(name: str, sampling: str) -> None:
    """The mean addition to a strategy sum is own reach x chance x strategy; Pure CFR among three also has the others play evenly."""
    game = compiled(name)
    regrets = random_regrets(game.infosets, seed=4)
    policy = profile(game.infosets, regrets)
    tables = tables_from(game.infosets, regrets)
    many = game.game.players > 2
    weight = own_reach(game, policy) * chance_reach(game, even_others=many and sampling == "pure")
    expected = np.repeat(weight, np.diff(game.infosets.first_slot)) * policy.probabilities
    mean = np.zeros(game.infosets.slots)
    for player in range(game.game.players):

        def one_walk(draws: Draws, player: int = player) -> Sums:
            found = Sums()
            if many and sampling != "chance":
                average(Walker(tables, found, draws, player, game.game.players), sampling, game.game)
            else:
                walk(game.game, sampling, tables, draws, player, found)
            return found

        for probability, found in outcomes_of(one_walk):
            mean += probability * as_slots(game.infosets, found.average)
    np.testing.assert_allclose(mean, expected, atol=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sampling", ["external", "outcome", "pure"])
@pytest.mark.parametrize("name", ["kuhn(players=3)", "leduc(players=3,ranks=2,cap=1,suits=merged)"])
def test_averages_of_three_players_weigh_by_own_reach(name: str, sampling: str) -> None:
    """Two profiles one after the other, equally long: the average is theirs weighted by own reach, whatever the others do.

    The profiles are held by huge regrets. All averages are within five standard errors; if the reach of a third player weighed, too,
    dozens would not be.
    """
    game = compiled(name)
    infosets, walks, batches = game.infosets, 1000, 20
    widths = np.diff(infosets.first_slot)
    firm = [(random_regrets(infosets, seed) + 3.0).round() * 10**9 for seed in (7, 8)]
    run = start(game, sampling, seed=3)
    sums, exact = np.zeros((batches, infosets.slots)), np.zeros(infosets.slots)
    key = "count" if sampling == "pure" else "average"
    for regrets in firm:
        policy = profile(infosets, regrets)
        exact += np.repeat(own_reach(game, policy), widths) * policy.probabilities
        held = {"regret": regrets} if sampling == "pure" else {"regret": regrets, "strategy": policy.probabilities}
        held = {name: array.astype(run.state()[name].dtype) for name, array in held.items()}
        for b in range(batches):
            run.restore({**run.state(), **held, key: np.zeros_like(run.state()[key])})
            run.advance(walks)
            sums[b] += run.state()[key]
    first = infosets.first_slot[:-1]
    share = exact / np.repeat(np.add.reduceat(exact, first), widths)
    totals = np.repeat(np.add.reduceat(sums, first, axis=1), widths, axis=1)
    off = (sums - share * totals).sum(axis=0) / totals.sum(axis=0)
    error = (sums - (share + off) * totals).std(axis=0, ddof=1) * math.sqrt(batches) / totals.sum(axis=0)
    often = (totals > 0).all(axis=0)  # rare infosets have no error that could be trusted
    assert often.mean() > 0.5
    assert np.median(error[often]) < 0.03  # sharp enough to tell
    assert (np.abs(off) <= 5.0 * error + 1e-6)[often].all()


@pytest.mark.parametrize("sampling", SAMPLINGS[:4])
def test_kernel_samples_have_the_exact_mean(sampling: str) -> None:
    """K walks against a fixed profile, 200 times: within 4 standard errors ([Brown20, Lemma 11])."""
    game = compiled(SMALL_LEDUC)
    regrets = random_regrets(game.infosets, seed=5)
    policy = profile(game.infosets, regrets)
    walks, batches = 50, 200
    run = start(game, sampling, seed=6, traversals=walks)
    assert isinstance(run, MCCFRRun)
    sampled = np.empty((batches, game.infosets.slots))
    own = np.repeat(game.infosets.player, np.diff(game.infosets.first_slot))
    for b in range(batches):
        run.restore({**run.state(), "regret": regrets, "strategy": policy.probabilities})
        run.advance(1)
        sampled[b] = (run.state()["regret"] - regrets) / walks
    exact = exact_regrets(game, policy, 0)  # player 2 walks against what player 1 has learnt: not this profile
    error = sampled.std(axis=0, ddof=1) / math.sqrt(batches)
    off = np.abs(sampled.mean(axis=0) - exact)[own == 0]
    assert (off <= 4.0 * error[own == 0] + 1e-12).all()
    assert np.abs(exact).max() > 0.05  # and there was something to estimate


# ------------------------------------------------------------------------- kernels equal their naive twins


@pytest.mark.parametrize("traversals", [1, 3])
@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize(
    "name",
    [
        "kuhn",
        "kuhn(players=3)",
        SMALL_LEDUC,
        "goofspiel(cards=3,reveal=false)",  # hidden moves: one walk meets an infoset more than once
        "goofspiel(cards=2,order=random)",  # public chance between moves
        "lemonade(stands=4)",  # three players, general-sum, no chance
    ],
)
def test_kernel_equals_naive_twin(name: str, sampling: str, traversals: int) -> None:
    if sampling == "pure" and traversals > 1:
        pytest.skip("Pure CFR has one walk per player")
    game = compiled(name)
    run = start(game, sampling, seed=11, traversals=traversals)
    stream = Stream(random_state(11).tolist())
    regrets = random_regrets(run.infosets, seed=12)
    if sampling != "pure":
        regrets *= math.pi / 3  # whole numbers would meet in ties that rounding breaks
    tables = tables_from(run.infosets, regrets)
    run.restore({**run.state(), "regret": regrets, "strategy": profile(run.infosets, regrets).probabilities})
    iterations = 12
    run.advance(iterations)
    scale = run.payoff_scale if isinstance(run, PureRun) else 1
    iterate(game.game, sampling, tables, stream, iterations, traversals, scale)
    state = run.state()
    average = state["count" if sampling == "pure" else "average"]
    np.testing.assert_allclose(state["regret"], as_slots(run.infosets, tables.regret), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(average, as_slots(run.infosets, tables.average), rtol=1e-9, atol=1e-9)
    assert state["random"].tolist() == stream.words
    assert run.tally[0] == tables.nodes


CHAINED = """EFG 2 R "Chance upon chance, uneven and ragged" { "A" "B" }
c "" 1 "" { "x" 1/3 "y" 2/3 } 0
c "" 2 "" { "u" 1/4 "v" 3/4 } 0
p "" 1 1 "A" { "l" "r" } 0
t "" 1 "" { 1 -1 }
c "" 3 "" { "h" 1/2 "t" 1/2 } 0
p "" 2 1 "B" { "l" "r" } 0
t "" 2 "" { 3 -3 }
t "" 3 "" { -2 2 }
t "" 4 "" { 0 0 }
p "" 1 1 0
t "" 5 "" { -1 1 }
t "" 6 "" { 2 -2 }
p "" 2 1 0
t "" 7 "" { -4 4 }
t "" 8 "" { 1 -1 }
"""


@pytest.mark.parametrize("sampling", ["external", "outcome", "chance", "pure"])
def test_chains_of_chance_are_drawn_at_once(sampling: str, tmp_path: Path) -> None:
    (tmp_path / "chained.efg").write_text(CHAINED)
    game = compiled(str(tmp_path / "chained.efg"))
    run, tables = start(game, sampling, seed=7), Sums()
    stream = Stream(random_state(7).tolist())
    run.advance(300)
    iterate(game.game, sampling, tables, stream, 300)
    np.testing.assert_allclose(run.state()["regret"], as_slots(run.infosets, tables.regret), rtol=1e-9, atol=1e-9)
    assert run.state()["random"].tolist() == stream.words
    assert run.tally[0] == tables.nodes


def test_random_numbers_are_those_of_the_published_generator() -> None:
    """The first outputs of xoshiro256++ from the words 1, 2, 3, 4, as its reference code in C gives them."""
    published = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    stream = Stream([1, 2, 3, 4])
    assert [stream.uniform() for _ in published] == [(word >> 11) / 2.0**53 for word in published]


def test_too_many_touched_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = compiled(SMALL_LEDUC)
    plain = start(game, "chance", seed=2, traversals=5)
    plain.advance(50)
    monkeypatch.setattr(mccfr_runs, "MOST_TOUCHED", 3)
    short = start(game, "chance", seed=2, traversals=5)
    short.advance(50)
    assert_same_state(plain, short)


# ---------------------------------------------------------------------------------------------- convergence


@pytest.mark.parametrize(
    ("name", "sampling", "iterations", "exploitability"),
    [
        ("kuhn", "external", 100_000, 1e-2),
        ("kuhn", "outcome", 1_000_000, 6e-3),
        ("kuhn", "chance", 1_000_000, 1.5e-3),
        ("kuhn", "public-chance", 20_000, 1e-3),
        ("kuhn", "pure", 1_000_000, 1.5e-3),
        ("leduc(suits=merged)", "external", 1_000_000, 2e-2),
        ("leduc(suits=merged)", "outcome", 1_000_000, 1.5e-1),
        ("leduc(suits=merged)", "chance", 500_000, 3e-2),
        ("leduc(suits=merged)", "public-chance", 20_000, 3e-2),
        ("leduc(suits=merged)", "pure", 1_000_000, 3e-2),
    ],
)
@pytest.mark.sampled(4)
def test_converges(name: str, sampling: str, iterations: int, exploitability: float) -> None:
    """Kuhn is worth -1/18 and Leduc -0.0856064 to the first player."""
    solution = solver(sampling).solve(compiled(name), Stop(iterations=iterations), seed=1)
    value = -1 / 18 if name == "kuhn" else -0.0856064
    assert solution.iterations == iterations
    assert solution.exploitability < exploitability
    assert solution.value[0] == pytest.approx(value, abs=2 * exploitability)


def test_external_sampling_solves_kuhn() -> None:
    """Below 1e-3 after 10^6 iterations, in the middle of five seeds."""
    game = compiled("kuhn")
    found = [MCCFR().solve(game, Stop(iterations=1_000_000), seed=seed).exploitability for seed in range(5)]
    assert np.median(found) < 1e-3


def test_stops_at_an_exploitability() -> None:
    solution = MCCFR().solve(compiled("kuhn"), Stop(exploitability=5e-3), seed=1)
    assert solution.converged
    assert solution.exploitability <= 5e-3


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_three_players(sampling: str) -> None:
    game = compiled("kuhn(players=3)")
    short, long = (1000, 30_000) if sampling != "public-chance" else (10, 1000)
    before = solver(sampling).solve(game, Stop(iterations=short), seed=1)
    after = solver(sampling).solve(game, Stop(iterations=long), seed=1)
    assert after.nash_conv < min(0.1, 0.5 * before.nash_conv)
    assert sum(after.value) == pytest.approx(0.0, abs=1e-12)


def test_general_sum_game() -> None:
    """Three lemonade stands on four spots share a circle that is handed out twice: eight in all."""
    solution = MCCFR().solve(compiled("lemonade(stands=4)"), Stop(iterations=20_000), seed=1)
    assert sum(solution.value) == pytest.approx(8.0)
    assert solution.nash_conv < 0.1


def test_pure_cfr_counts_in_whole_numbers() -> None:
    game = compiled("nolimit-kuhn")  # payoffs in tenths
    solution = PureCFR().solve(game, Stop(iterations=2000), seed=1)
    assert solution.extra["payoff_scale"] == 10
    assert solution.state["regret"].dtype == solution.state["count"].dtype == np.int64
    assert solution.state["count"].sum() > 0


def test_pure_cfr_refuses_payoffs_without_common_denominator() -> None:
    with pytest.raises(NotApplicableError, match="whole numbers"):
        whole_numbers(np.array([[math.pi, -math.pi]]), "pi")
    numbers, scale = whole_numbers(np.array([[1.5, -1 / 3], [0.0, 0.25]]), "thirds")
    assert scale == 12
    assert numbers.tolist() == [[18, -4], [0, 3]]


# ---------------------------------------------------------------------------- weights, repetition, resuming


def assert_same_state(first: Run, second: Run) -> None:
    a, b = first.state(), second.state()
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


@pytest.mark.parametrize("weighting", ["linear", "initial"])
def test_weighting_equals_explicit_weights(weighting: str) -> None:
    """Period n counts n times as much: what was found in it is added with that weight ([Brown20, §3.1.5])."""
    game = compiled("kuhn")
    period = 97
    run = MCCFRRun(game, MCCFR(weighting=weighting, period=period), seed=5)
    plain = MCCFRRun(game, MCCFR(), seed=5)  # the strategies come from here, sums are kept outside
    regret, average = np.zeros(game.infosets.slots), np.zeros(game.infosets.slots)
    number = 1
    for _ in range(200):
        run.advance(1)
        state = plain.state()
        plain.restore({**state, "regret": regret, "average": average})
        plain.advance(1)
        regret, average = plain.state()["regret"], plain.state()["average"]
        while plain.tally[0] >= number * period and (weighting == "linear" or number == 1):
            factor = number / (number + 1) if weighting == "linear" else 0.1
            regret, average = regret * factor, average * factor
            number += 1
    assert number > 10 or weighting == "initial"
    np.testing.assert_allclose(run.state()["regret"], regret, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.state()["average"], average, rtol=1e-9)


def test_linear_weights_by_hand() -> None:
    """After N periods the findings of period n carry weight n / N, seen on sums that do not depend on play."""
    game = compiled("rps")  # player 2's walk adds player 1's strategy once, so its sum counts iterations
    nodes = 12  # per iteration: 1 + 3 + 3 in the first player's walk, 1 + 1 + 3 in the second player's
    total = 0.0
    run = MCCFRRun(game, MCCFR(weighting="linear", period=nodes), seed=0)
    for n in range(1, 21):
        run.advance(1)
        total = (total + 1.0) * n / (n + 1)
    assert total == pytest.approx(sum(range(1, 21)) / 21)
    assert run.tally[0] == 20 * nodes
    assert run.state()["average"][:3].sum() == pytest.approx(total)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SAMPLINGS), st.integers(-(2**70), 2**70), st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_same_seed_same_result(sampling: str, seed: int, chunks: list[int]) -> None:
    """Whatever the seed and however the work is cut; and what comes out are probabilities."""
    game = compiled_small_leduc()
    whole, pieces, other = (start(game, sampling, seed=s) for s in (seed, seed, seed + 1))
    for run in (whole, other):
        run.advance(sum(chunks))
    for chunk in chunks:
        pieces.advance(chunk)
    assert_same_state(whole, pieces)
    assert not np.array_equal(whole.random, other.random)
    for policy in (whole.average(), whole.last()):
        assert (policy.probabilities >= 0.0).all()
        np.testing.assert_allclose(np.add.reduceat(policy.probabilities, game.infosets.first_slot[:-1]), 1.0)


@functools.cache
def compiled_small_leduc() -> Compiled:
    return compiled(SMALL_LEDUC)


@pytest.mark.parametrize(
    "name",
    ["es-mccfr", "os-mccfr", "cs-mccfr", "pcs-mccfr", "pure-cfr", "es-mccfr(traversals=3,weighting=linear,period=50)"],
)
def test_resumed_run_equals_uninterrupted_run(name: str, tmp_path: Path) -> None:
    game, chosen = compiled(SMALL_LEDUC), make_solver(name)
    whole = chosen.solve(game, Stop(iterations=40), seed=9)
    half = chosen.solve(game, Stop(iterations=17), seed=9)
    half.save(tmp_path / "half.eqb")
    rest = chosen.solve(game, Stop(iterations=40), seed=1234, resume=load_solution(tmp_path / "half.eqb"))
    assert rest.iterations == whole.iterations == 40
    assert rest.extra == whole.extra
    for part in whole.state:
        np.testing.assert_array_equal(rest.state[part], whole.state[part], err_msg=part)
    np.testing.assert_array_equal(rest.policy.probabilities, whole.policy.probabilities)


def test_foreign_state_is_refused() -> None:
    small = MCCFR().solve(compiled("kuhn"), Stop(iterations=5))
    with pytest.raises(FormatError, match="cannot go on"):
        MCCFR("chance").solve(compiled("kuhn"), Stop(iterations=9), resume=small)
    cut = {**small.state, "regret": small.state["regret"][:-1]}
    with pytest.raises(FormatError, match="does not fit"):
        MCCFR().solve(compiled("kuhn"), Stop(iterations=9), resume=type(small)(**{**vars(small), "state": cut}))


def test_more_traversals_average_the_regrets_of_an_iteration() -> None:
    """K-ES: with many walks the first iteration's regrets come near K times the exact ones at uniform play."""
    game = compiled("kuhn")
    run = MCCFRRun(game, MCCFR(traversals=20_000), seed=1)
    run.advance(1)
    exact = exact_regrets(game, game.infosets.uniform(), 0)
    own = np.repeat(game.infosets.player, np.diff(game.infosets.first_slot)) == 0
    np.testing.assert_allclose(run.state()["regret"][own] / 20_000, exact[own], atol=0.02)


# ------------------------------------------------------------------------------------- names and bad input


def test_names_lead_back_to_the_same_solver() -> None:
    for text in (
        "mccfr",
        "mccfr(sampling=outcome,exploration=0.3)",
        "es-mccfr(traversals=4)",
        "os-mccfr(exploration=0.5)",
        "cs-mccfr",
        "pcs-mccfr(weighting=linear,period=1000)",
        "pure-cfr",
    ):
        chosen = make_solver(text)
        assert chosen.name == text
        assert make_solver(chosen.name) == chosen
    assert make_solver("es-mccfr").solve(compiled("kuhn"), Stop(iterations=3)).extra["nodes_touched"] > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mccfr(sampling=extrenal)", "Did you mean 'external'"),
        ("mccfr(traversals=0)", "is 1 to 100,000"),
        ("mccfr(traversals=1.5)", "whole number"),
        ("mccfr(weighting=quadratic)", "none, linear, initial"),
        ("mccfr(period=100)", "weighting=linear"),
        ("es-mccfr(weighting=linear,period=0)", "number of nodes"),
        ("mccfr(exploration=0.5)", "sampling=outcome"),
        ("os-mccfr(exploration=0)", "above 0"),
        ("es-mccfr(exploration=0.5)", "no parameter 'exploration'"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make_solver(text)


FORGETFUL = """EFG 2 R "Two coins, the first one forgotten" { "A" "B" }
c "" 1 "" { "h" 1/2 "t" 1/2 } 0
p "" 1 1 "A sees heads" { "l" "r" } 0
p "" 2 1 "B" { "l" "r" } 0
p "" 1 3 "A later" { "l" "r" } 0
t "" 1 "" { 2 -2 }
t "" 2 "" { -1 1 }
p "" 1 3 0
t "" 3 "" { 0 0 }
t "" 4 "" { 1 -1 }
p "" 2 1 0
p "" 1 3 0
t "" 5 "" { -1 1 }
t "" 6 "" { 1 -1 }
t "" 7 "" { 0 0 }
p "" 1 2 "A sees tails" { "l" "r" } 0
p "" 2 1 0
t "" 8 "" { 1 -1 }
t "" 9 "" { -2 2 }
t "" 10 "" { 0 0 }
"""


@pytest.mark.parametrize("sampling", ["external", "outcome", "chance", "pure"])
def test_imperfect_recall_is_sampled_but_not_measured(sampling: str, tmp_path: Path) -> None:
    (tmp_path / "forgetful.efg").write_text(FORGETFUL)
    game = compiled(str(tmp_path / "forgetful.efg"))
    solution = solver(sampling).solve(game, Stop(iterations=2000), seed=1)
    assert math.isnan(solution.exploitability)
    profile_value = naive_value(game, solution.policy)
    assert solution.value == pytest.approx((profile_value, -profile_value), abs=1e-12)
    with pytest.raises(EquilibristError, match="perfect recall"):
        solver(sampling).solve(game, Stop(exploitability=0.1))


def naive_value(game: Compiled, policy: TabularPolicy) -> float:
    """Payoff of the first player, node by node."""
    tree = game.tree

    def below(n: int) -> float:
        if tree.terminal[n] >= 0:
            return float(tree.returns[tree.terminal[n], 0])
        children = range(tree.first_child[n], tree.first_child[n] + tree.children[n])
        if tree.player[n] < 0:
            return sum(float(tree.chance_probability[c]) * below(c) for c in children)
        row = policy.row(int(tree.infoset[n]))
        return sum(float(row[a]) * below(c) for a, c in enumerate(children))

    return below(0)
