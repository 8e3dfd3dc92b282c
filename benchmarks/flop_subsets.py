"""Weighted subsets of flops: chooses those that the package stores, or measures how well their averages match all 22,100 (docs/reports.md).

A flop is described by numbers whose averages matter: for each of 169 classes of hands its equity against several ranges (times how often
both can be held), and its texture. Flops are chosen one by one, each the one that pulls the weighted averages of the chosen ones most
towards those of all flops, weights are found anew each time, and in the end flops are exchanged as long as that helps. Everything is
deterministic. `--write` makes the stored file anew; without it the stored subsets are measured.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from equilibrist.cards.equity import equity
from equilibrist.cards.range_text import STANDARD, hands_of
from equilibrist.cards.ranges import Range, parse_cards, parse_range
from equilibrist.games.spots import flops as home
from equilibrist.games.spots.flops import FLOPS, SUBSETS, all_flops, flop_subset

Floats = npt.NDArray[np.float64]

# opponents whose equities describe a flop; the last two are only measured
RANGES = {
    "random": "random",
    "wide": "22+,A2s+,K2s+,Q5s+,J7s+,T7s+,97s+,86s+,75s+,65s,54s,A2o+,K8o+,Q9o+,J9o+,T9o",
    "tight": "66+,A9s+,A5s,KTs+,QTs+,JTs,T9s,AJo+,KQo",
    "capped": "22-JJ,A2s-ATs,K5s-KJs,Q8s+,J8s+,T7s+,96s+,85s+,75s+,64s+,53s+,A8o-AJo,KTo+,QTo+,JTo",
    "polar": "QQ+,AKs,AKo,A5s-A2s,KQs,76s,65s",
    "suited": "A2s+,K9s+,Q9s+,J8s+,T8s+,97s+,87s,76s,65s,54s",
}
FITTED = ("random", "wide", "tight", "capped")
COMPONENTS = 200  # of the equities; they hold 99.9 % of what differs
TEXTURE = 1.5  # how much texture counts beside the first component of equity
EVENNESS = 0.1  # how much uneven weights count
HEAVY = 100.0  # how much it counts that weights sum to one
ROUNDS, TRIED = 3, 3  # of exchanges; flops tried in each place
_HANDS = hands_of(STANDARD)
CLASSES = 169


def hand_classes() -> npt.NDArray[np.int64]:
    """[1326] number of each hand's class."""
    cells = _HANDS.cell
    return np.asarray(np.unique(cells, return_inverse=True)[1].ravel())


def class_equities(board: str, text: str, classes: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """[169] pairs of hands that a class makes with a range on a flop, and what it wins of them."""
    cards = parse_cards(board)
    held = parse_range(text).without(cards)
    shares = equity(Range(np.ones(_HANDS.count)), held, cards).hand_equity[0]
    by_card = np.bincount(_HANDS.low, held.weights, 52) + np.bincount(_HANDS.high, held.weights, 52)
    met = held.weights.sum() - by_card[_HANDS.low] - by_card[_HANDS.high] + held.weights
    met[np.isin(_HANDS.low, cards) | np.isin(_HANDS.high, cards) | ~np.isfinite(shares)] = 0.0
    won = np.where(met > 0.0, met * np.nan_to_num(shares), 0.0)
    return np.bincount(classes, met, CLASSES), np.bincount(classes, won, CLASSES)


def all_equities(kept: Path | None) -> tuple[Floats, Floats]:
    """[range, flop, class] pairs and wins of all 1,755 flops; `kept` remembers them between runs."""
    if kept is not None and kept.is_file():
        found = np.load(kept)
        return found["pairs"], found["wins"]
    classes, names = hand_classes(), [name for name, _ in all_flops()]
    both = np.array([[class_equities(name, text, classes) for name in names] for text in RANGES.values()])
    pairs, wins = both[:, :, 0], both[:, :, 1]
    if kept is not None:
        np.savez(kept, pairs=pairs, wins=wins)
    return pairs, wins


def textures() -> Floats:
    """[flop, number] ranks, suits, pairs and gaps."""
    cards = np.array([parse_cards(name) for name, _ in all_flops()])
    ranks, suits = cards // 4, np.array([len(set(row)) for row in (cards % 4).tolist()])
    different = np.array([len(set(row)) for row in ranks.tolist()])
    low = np.where(ranks == 12, -1, ranks)
    span = np.minimum(np.ptp(ranks, axis=1), np.ptp(low, axis=1))
    columns = [suits == n for n in (1, 2, 3)] + [different == n for n in (1, 2, 3)]
    columns += [(suits == s) & (different == d) for s, d in ((2, 2), (3, 2), (1, 3), (2, 3))]
    columns += [ranks.max(axis=1) == rank for rank in range(13)] + [(ranks == rank).sum(axis=1) for rank in range(13)]
    columns += [(different == 3) & (span == gap) for gap in (2, 3, 4)]
    return np.array(columns, dtype=np.float64).T


def descriptions(pairs: Floats, wins: Floats, chance: Floats) -> Floats:
    """[flop, number] what a flop is like; the averages of all flops are zero."""
    parts = []
    for number, name in enumerate(RANGES):
        if name in FITTED:
            usual = chance @ pairs[number]
            scale = np.sqrt(usual * usual.sum())
            parts += [(wins[number] - 0.5 * pairs[number]) / scale, 0.5 * pairs[number] / scale]
    equities = np.concatenate(parts, axis=1)
    equities -= chance @ equities
    _, sizes, axes = np.linalg.svd(np.sqrt(chance)[:, None] * equities, full_matrices=False)
    looks = textures()
    looks -= chance @ looks
    looks /= np.sqrt(chance @ looks**2)
    return np.concatenate(
        [equities @ axes[:COMPONENTS].T / sizes[0], TEXTURE * looks / np.sqrt(looks.shape[1])], axis=1
    )


def weigh(points: Floats, chosen: Sequence[int]) -> tuple[Floats, Floats, float]:
    """Weights above zero whose averages of the points are nearest to zero without being too uneven, the averages, and what is left."""
    number = len(chosen)
    rows = np.concatenate([points[chosen].T, HEAVY * np.ones((1, number)), np.sqrt(EVENNESS) * np.eye(number)])
    wanted = np.zeros(len(rows))
    wanted[points.shape[1]], wanted[points.shape[1] + 1 :] = HEAVY, np.sqrt(EVENNESS) / number
    found, _ = nnls(rows, wanted, maxiter=100_000)
    weights = np.asarray(found / found.sum())
    off = weights @ points[chosen]
    return weights, off, float(off @ off + EVENNESS * ((weights - 1.0 / number) ** 2).sum())


def subset(points: Floats, count: int) -> tuple[list[int], Floats]:
    """Flops chosen one by one, each to pull the averages towards zero, then exchanged as long as that helps; and their weights."""
    chosen = [int((points**2).sum(axis=1).argmin())]
    while len(chosen) < count:
        chosen.append(_pulling(points, weigh(points, chosen)[1], chosen)[0])
    _, _, left = weigh(points, chosen)
    for _ in range(ROUNDS):
        before = list(chosen)
        for place in range(count):
            rest = chosen[:place] + chosen[place + 1 :]
            for other in _pulling(points, weigh(points, rest)[1], chosen)[:TRIED]:
                without = weigh(points, [*rest, other])[2]
                if without < left - 1e-12:
                    chosen, left = [*rest, other], without
                    break
        if chosen == before:
            break
    return chosen, weigh(points, chosen)[0]


def _pulling(points: Floats, off: Floats, chosen: Sequence[int]) -> list[int]:
    """Flops that are not chosen, those first that point away from where the averages are off to."""
    along = points @ off
    along[list(chosen)] = np.inf
    return [int(flop) for flop in np.argsort(along)]


def choose(pairs: Floats, wins: Floats) -> list[str]:
    """The lines of the stored file: size of the subset, flop, weight."""
    names, copies = zip(*all_flops(), strict=True)
    chance = np.array(copies) / FLOPS
    points = descriptions(pairs, wins, chance)
    lines = []
    for count in SUBSETS:
        chosen, found = subset(points, count)
        weights = np.round(FLOPS * found, 3)
        weights[weights.argmax()] += FLOPS - weights.sum()
        assert weights.min() > 0.0, "a flop that stands for none"
        order = np.argsort(chosen)
        lines += [f"{count} {names[chosen[i]]} {weights[i]:.3f}" for i in order]
    return lines


def measure(pairs: Floats, wins: Floats) -> dict[int, dict[str, tuple[float, float]]]:
    """Mean and largest difference from all flops, in per cent of the pot: equities of pairs of ranges, shares of textures."""
    names, copies = zip(*all_flops(), strict=True)
    chance, place = np.array(copies) / FLOPS, {name: number for number, name in enumerate(names)}
    classes = hand_classes()
    own = np.array([np.bincount(classes, parse_range(text).weights, CLASSES) for text in RANGES.values()])
    own /= np.bincount(classes, minlength=CLASSES)  # [range, class] weight
    out = {}
    for count in SUBSETS:
        stored = flop_subset(count)
        rows, weights = [place[name] for name, _ in stored], np.array([weight for _, weight in stored]) / FLOPS
        told: dict[str, list[float]] = {"ranges": [], "classes, fitted": [], "classes, not fitted": []}
        for number, name in enumerate(RANGES):
            against = [("ranges", held) for other, held in enumerate(own) if other != number]
            kind = "classes, fitted" if name in FITTED else "classes, not fitted"
            for told_as, held in (*against, *((kind, held) for held in np.eye(CLASSES))):
                exact = (chance @ wins[number] @ held) / (chance @ pairs[number] @ held)
                close = (weights @ wins[number][rows] @ held) / (weights @ pairs[number][rows] @ held)
                told[told_as].append(100.0 * abs(close - exact))
        looks = textures()
        told["textures"] = (100.0 * np.abs(weights @ looks[rows] - chance @ looks)).tolist()
        out[count] = {name: (float(np.mean(values)), float(np.max(values))) for name, values in told.items()}
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="choose the subsets anew and store them")
    parser.add_argument("--kept", type=Path, help="remember equities in this file")
    parser.add_argument("--json", action="store_true", help="print one object")
    options = parser.parse_args()
    pairs, wins = all_equities(options.kept)
    if options.write:
        Path(home.__file__).with_name("flop_subsets.txt").write_text(
            "\n".join(choose(pairs, wins)) + "\n", encoding="ascii"
        )
    found = measure(pairs, wins)
    if options.json:
        print(json.dumps(found))
        return
    print("per cent, mean and largest difference from all 22,100 flops")
    for count, told in found.items():
        print(
            f"{count:>4} flops  " + "   ".join(f"{name} {mean:.3f}, {most:.3f}" for name, (mean, most) in told.items())
        )


if __name__ == "__main__":
    main()
