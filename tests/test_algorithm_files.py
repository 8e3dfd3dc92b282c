"""Algorithms are found by the names of files: each has one that bears its name or the short name that people use."""

from __future__ import annotations

from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "equilibrist"
MOST_MISSING = 3

# name in the literature -> file, and the words one of which its name contains
ALGORITHMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "CFR": ("solvers/cfr/cfr.py", ("cfr",)),
    "CFR+": ("solvers/cfr/cfr_plus.py", ("cfr plus",)),
    "LCFR": ("solvers/cfr/linear_cfr.py", ("linear cfr", "lcfr")),
    "DCFR": ("solvers/cfr/dcfr.py", ("dcfr", "discounted cfr")),
    "PCFR+": ("solvers/cfr/predictive_cfr.py", ("predictive cfr", "pcfr")),
    "Hedge": ("solvers/cfr/_kernels/hedge.py", ("hedge",)),
    "warm start": ("solvers/cfr/warm_start.py", ("warm start",)),
    "MCCFR": ("solvers/mccfr/mccfr.py", ("mccfr",)),
    "Pure CFR": ("solvers/mccfr/pure_cfr.py", ("pure cfr",)),
    "public chance sampling": ("solvers/mccfr/public_chance_sampling.py", ("public chance sampling",)),
    "vector CFR": ("solvers/postflop/vector_cfr.py", ("vector cfr",)),
    "regret-based and best-response pruning": (
        "solvers/pruned_cfr/regret_based_pruning.py",
        ("regret based pruning", "best response pruning"),
    ),
    "dynamic thresholding": ("solvers/pruned_cfr/dynamic_thresholding.py", ("dynamic thresholding",)),
    "fictitious play": ("solvers/fictitious_play/fictitious_play.py", ("fictitious play",)),
    "FLOP": ("solvers/fictitious_play/flop.py", ("flop",)),
    "CFR-BR": ("solvers/fictitious_play/cfr_br.py", ("cfr br",)),
    "sequence-form LP": ("solvers/linear_programs/sequence_lp.py", ("sequence lp", "sequence form")),
    "excessive gap technique": ("solvers/first_order/excessive_gap.py", ("excessive gap", "egt")),
    "smoothing": ("solvers/first_order/smoothing.py", ("smoothing",)),
    "mirror prox": ("solvers/first_order/mirror_prox.py", ("mirror prox",)),
    "regret transfer": ("solvers/bet_sizing/regret_transfer.py", ("regret transfer",)),
    "SAEF": ("solvers/bet_sizing/saef.py", ("saef",)),
    "best response": ("solvers/responses/best_response.py", ("best response",)),
    "Resolve": ("search/resolve.py", ("resolve",)),
    "Maxmargin": ("search/maxmargin.py", ("maxmargin",)),
    "Reach": ("search/reach.py", ("reach",)),
    "nested search": ("search/off_tree/nested_search.py", ("nested search",)),
    "multi-valued states": ("search/depth_limited/multi_valued_states.py", ("multi valued states",)),
    "CFR-D": ("search/depth_limited/cfr_d.py", ("cfr d",)),
    "Pluribus' search": ("search/engines/pluribus_search.py", ("pluribus",)),
    "DBBR": ("exploit/responses/dbbr.py", ("dbbr", "deviation based best response")),
    "restricted Nash response": ("exploit/responses/restricted_nash.py", ("restricted nash",)),
    "data-biased response": ("exploit/responses/data_biased.py", ("data biased",)),
    "CFR-f": ("exploit/response_functions/cfr_f.py", ("cfr f",)),
    "UCT and FBR responders": ("exploit/response_functions/uct_fbr.py", ("uct fbr",)),
    "RWYWE and BEFFE": (
        "exploit/repeated_play/safe_exploitation.py",
        ("safe exploitation", "rwywe", "beffe"),
    ),
    "AIVAT": ("evaluation/play/aivat.py", ("aivat",)),
    "local best response": ("evaluation/play/local_best_response.py", ("local best response", "lbr")),
    "earth mover's distance": ("abstraction/clustering/emd.py", ("emd", "earth mover")),
    "OCHS": ("abstraction/cards/ochs.py", ("ochs",)),
    "potential-aware abstraction of cards": ("abstraction/cards/potential_aware.py", ("potential aware",)),
    "potential-aware abstraction of information": (
        "abstraction/information/potential_aware.py",
        ("potential aware",),
    ),
    "GameShrink": ("abstraction/information/gameshrink.py", ("gameshrink",)),
    "action translation": ("abstraction/bets/translation.py", ("translation",)),
    "purification": ("abstraction/bets/purification.py", ("purification",)),
    "self-improver": ("agents/blueprint/self_improver.py", ("self improver",)),
    "suit isomorphism": ("cards/isomorphism.py", ("isomorphism",)),
    "Independent Chip Model": ("games/tournaments/icm.py", ("icm",)),
}


def bears_its_name(file: str, words: tuple[str, ...]) -> bool:
    stem = Path(file).stem.replace("_", " ")
    return any(word in stem for word in words)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_file_exists(algorithm):
    assert (SOURCE / ALGORITHMS[algorithm][0]).is_file()


def test_files_bear_the_names_of_their_algorithms():
    assert len(ALGORITHMS) == 48
    assert len({file for file, _ in ALGORITHMS.values()}) == len(ALGORITHMS), "one file each"
    others = [name for name, (file, words) in ALGORITHMS.items() if not bears_its_name(file, words)]
    assert len(others) <= MOST_MISSING, others
