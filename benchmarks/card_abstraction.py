"""Card abstraction: hands a second of every feature, k-means of all flop hands, potential-aware buckets, memory of the turn.

    python benchmarks/card_abstraction.py [--threads 2] [--part presets|features|flop|distances|potential|rate|turn] [--json]

The greedy distance is compared with the exact one by our own augmenting paths and by HiGHS, on the same pairs.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import eye, kron, vstack

from equilibrist.abstraction.cards.build import build_abstraction, build_street, opponent_groups
from equilibrist.abstraction.cards.deals import HOLDEM, HandBatch, Streets, board_count, hands_on
from equilibrist.abstraction.cards.features import Histogram, Strength
from equilibrist.abstraction.cards.methods import Help, NextStreet, Scene
from equilibrist.abstraction.cards.ochs import AgainstGroups
from equilibrist.abstraction.cards.potential_aware import PotentialAware, space_of
from equilibrist.abstraction.cards.recipe import find_preset, make_recipe
from equilibrist.abstraction.clustering._kernels.transport import greedy_costs
from equilibrist.abstraction.clustering.emd import exact_emd, neighbour_order
from equilibrist.abstraction.clustering.kmeans import KMeansSettings, centre_distances, kmeans
from equilibrist.cards.deck import Deck
from equilibrist.cards.evaluator import hand_index
from equilibrist.compute.threads import Team


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def features(threads):
    """Hands a second, one thread, canonical hands of evenly spread boards."""
    group = opponent_groups(HOLDEM, 8)
    found = {}
    for street, boards in ((1, 20), (2, 400), (3, 3000)):
        rounds = HOLDEM.merged(street)
        count = board_count(rounds, HOLDEM.deck)
        numbers = np.arange(0, count, count // boards)
        hands_on(rounds, HOLDEM.deck, numbers[:2])
        listing, batch = timed(lambda rounds=rounds, numbers=numbers: hands_on(rounds, HOLDEM.deck, numbers))
        row = {"listed": len(batch.index) / listing}
        for name, feature in (("strength", Strength()), ("histogram", Histogram()), ("ochs", AgainstGroups(group))):
            feature.rows(HOLDEM, hands_on(rounds, HOLDEM.deck, numbers[:1]))
            row[name] = len(batch.index) / timed(lambda f=feature, b=batch: f.rows(HOLDEM, b))[0]
        found[HOLDEM.names[street]] = {name: round(value) for name, value in row.items()}
    return found


def flop(threads):
    """All flop features and 5,000 buckets by 1-D earth mover's distance."""
    recipe = make_recipe("ehs-equal/kmeans-emd(iterations=25)/ehs-equal/ehs-equal", "5/5000/5/5", sample=2_000_000)
    seconds, table = timed(lambda: build_street(recipe, 1, threads=threads))
    return {"buckets": table.classes, "hands": len(table.fine), "seconds": round(seconds, 1), "limit": 900}


def potential(threads):
    """Algorithms 1 and 2: 200 flop and 500 turn buckets, all flop hands assigned."""
    recipe = make_recipe("isomorphism/potential-aware/kmeans-emd/ehs-equal", "169/200/500/10", sample=200_000)
    seconds, made = timed(lambda: build_abstraction(recipe, threads=threads))
    return {"seconds": round(seconds, 1), "limit": 3600} | distances(made)


def distances(made):
    """The greedy distance against the exact ones on the same pairs of flop hands and bucket means."""
    turn, flop = made.tables[2], made.tables[1]
    means = np.ascontiguousarray(np.cumsum(turn.clusters.centres, axis=1)[:, :-1], np.float32)
    place = Scene(HOLDEM, 1, next=NextStreet(turn.rounds, turn.fine, centre_distances(means, "emd")))
    method = PotentialAware()
    batch = hands_on((2, 3), HOLDEM.deck, np.arange(7, 1755, 90))
    rows = method.feature(place).rows(HOLDEM, batch)
    chosen = np.random.default_rng(0).choice(len(rows), 40, replace=False)
    targets = flop.clusters.centres[::10].astype(np.float64)
    targets /= targets.sum(axis=1, keepdims=True)
    ground = space_of(place).ground
    order = space_of(place).order
    cost = np.empty((len(chosen), len(targets)))
    greedy_costs(rows[chosen[:1]], targets, order, ground, cost[:1])  # compiles
    quick, _ = timed(lambda: greedy_costs(rows[chosen], targets, order, ground, cost))
    points = [np.bincount(rows[i], minlength=len(ground)) / rows.shape[1] for i in chosen]
    slow, exact = timed(lambda: np.array([[exact_emd(p, q, ground) for q in targets] for p in points]))
    program, _ = timed(lambda: [linear_program(points[i], targets[0], ground) for i in range(5)])
    space_of(place).counts[:] = [0, 0]
    pruned, _ = timed(lambda: method.assign(rows, flop.clusters, place))
    asked, worked = space_of(place).counts
    each = quick / cost.size
    return {
        "greedy_microseconds": 1e6 * each,
        "greedy_with_bound_microseconds_per_mean": 1e6 * pruned / asked,
        "means_worked_out_per_hand": worked / len(rows),
        "exact_own_over_greedy": slow / exact.size / each,
        "exact_highs_over_greedy": program / 5 / each,
        "correlation": float(np.corrcoef(cost.ravel(), exact.ravel())[0, 1]),
        "mean_relative_error": float(np.mean(cost / exact - 1.0)),
        "least_difference": float((cost - exact).min()),
    }


def turn_lists(hands, clusters):
    """Flop hands as lists of turn buckets, with distances between these: buckets are fitted to the turn hands that come up."""
    rng = np.random.default_rng(0)
    cards = np.array([rng.permutation(52)[:5] for _ in range(hands)], np.int8)
    boards = np.array([[*row[2:], c] for row in cards.tolist() for c in range(52) if c not in row], np.int8)
    pair = np.repeat(hand_index(cards[:, :2]), 47).astype(np.int16)
    once = np.ones(len(boards), np.int64)
    shares = Histogram().rows(HOLDEM, HandBatch(boards, np.arange(len(boards)), pair, once, once))
    points = np.ascontiguousarray(np.cumsum(shares, axis=1)[:, :-1], np.float32)
    found = kmeans(points, once.astype(float), clusters, "emd", seed=0, settings=KMeansSettings(1, 10))
    return np.sort(found.label.reshape(hands, 47), axis=1).astype(np.uint16), centre_distances(found.centres, "emd")


def pairs_of_hands(threads):
    """Algorithm 2 against exact solvers on the same pairs: 60 flop hands over 500 turn buckets, 6 means of ten hands each."""
    rows, ground = turn_lists(60, 500)
    points = np.array([np.bincount(row, minlength=len(ground)) / rows.shape[1] for row in rows])
    means = points.reshape(6, 10, -1).mean(axis=1)
    order, cost = neighbour_order(ground), np.empty((len(rows), len(means)))
    greedy_costs(rows[:1], means, order, ground, cost[:1])  # compiles
    exact_emd(points[0], means[0], ground)
    quick = min(timed(lambda: greedy_costs(rows, means, order, ground, cost))[0] for _ in range(5)) / cost.size
    some = [(i, k) for i in range(0, 60, 5) for k in range(6)]
    slow, exact = timed(lambda: np.array([exact_emd(points[i], means[k], ground) for i, k in some]))
    program, peer = timed(lambda: np.array([linear_program(points[i], means[k], ground) for i, k in some[:20]]))
    greedy = np.array([cost[i, k] for i, k in some])
    return {
        "greedy_microseconds": 1e6 * quick,
        "exact_own_microseconds": 1e6 * slow / len(some),
        "exact_highs_microseconds": 1e6 * program / 20,
        "exact_own_over_greedy": slow / len(some) / quick,
        "exact_highs_over_greedy": program / 20 / quick,
        "largest_difference_of_exact_ones": float(np.abs(peer - exact[:20]).max()),
        "mean_relative_error": float(np.mean(greedy / exact - 1.0)),
        "least_difference": float((greedy - exact).min()),
    }


def presets(threads):
    """Seconds from nothing to buckets that are ready, for the presets that are made at first use."""
    build_abstraction(make_recipe("ehs-equal", "5/5/5/5", streets=Streets(Deck(5, 4))))  # compiles
    found = {}
    for word in ("tiny", "small"):
        seconds, _ = timed(lambda word=word: build_abstraction(find_preset(word).recipe(), threads=threads))
        found[word] = round(seconds, 2)
    return found


def linear_program(p, q, ground):
    rows, columns = np.flatnonzero(p), np.flatnonzero(q)
    n, m = len(rows), len(columns)
    limits = vstack([kron(eye(n), np.ones((1, m))), kron(np.ones((1, n)), eye(m))]).tocsr()
    cost = ground[np.ix_(rows, columns)].ravel()
    return linprog(cost, A_eq=limits, b_eq=np.concatenate([p[rows], q[columns]]), method="highs").fun


def rate(threads):
    """Flop hands a second that are put into 5,000 potential-aware buckets over 5,000 turn buckets."""
    recipe = make_recipe("ehs-equal/ehs-equal/kmeans-emd(iterations=8)/ehs-equal", "5/5/5000/5", sample=150_000)
    turn = build_street(recipe, 2, threads=threads)
    means = np.ascontiguousarray(np.cumsum(turn.clusters.centres, axis=1)[:, :-1], np.float32)
    place = Scene(HOLDEM, 1, next=NextStreet(turn.rounds, turn.fine, centre_distances(means, "emd")))
    batch = hands_on((2, 3), HOLDEM.deck, np.arange(0, 1755, 60))
    method = PotentialAware(iterations=2)
    rows = method.feature(place).rows(HOLDEM, batch)
    fitting, clusters = timed(lambda: method.fit(rows, batch.weight.astype(float), 5000, place, Help(0, Team(threads))))
    seconds, _ = timed(lambda: space_of(place).assign(rows, clusters.centres.astype(float), Team(threads)))
    per_second = len(rows) / seconds
    return {
        "hands": len(rows),
        "fit_seconds": fitting,
        "hands_per_second": per_second,
        "all_flop_hands_seconds": 1_286_792 / per_second,
    }


def turn(threads):
    """All turn hands, streets told apart (55,190,538), streamed: seconds and the peak of memory."""
    recipe = make_recipe("ehs-equal", "5/5/200/5", sample=100_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds, hands, begin = HOLDEM.ordered(2), 0, time.perf_counter()
    count = board_count(rounds, HOLDEM.deck)
    for start in range(0, count, 49):
        batch = hands_on(rounds, HOLDEM.deck, np.arange(start, min(start + 49, count)))
        Histogram().rows(HOLDEM, batch)
        hands += len(batch.index)
    streamed = time.perf_counter() - begin
    seconds, _ = timed(lambda: build_street(recipe, 2, threads=threads))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "hands": hands,
        "histogram_seconds": streamed,
        "table_seconds": seconds,
        "peak_megabytes": peak / 1024,
        "before_megabytes": before / 1024,
    }


PARTS = {
    "presets": presets,
    "distances": pairs_of_hands,
    "features": features,
    "flop": flop,
    "potential": potential,
    "rate": rate,
    "turn": turn,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--part", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wanted = PARTS if options.part == "all" else {options.part: PARTS[options.part]}
    results = {"machine": platform.processor() or platform.machine(), "threads": options.threads}
    for name, part in wanted.items():
        results[name] = part(options.threads)
        if not options.json:
            print(name, json.dumps(results[name], indent=2), flush=True)
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
