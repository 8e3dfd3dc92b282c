"""The form of a game of buckets: infoset trees and a payoff operator that is never written out."""

from __future__ import annotations

from equilibrist.forms.hand_classes.class_pairs import weighted_pairs
from equilibrist.forms.hand_classes.kronecker import KroneckerForm, form_of_pairs
from equilibrist.games.poker.bucket_game import BucketPoker


def bucket_form(game: BucketPoker, threads: int = 1) -> KroneckerForm:
    """Buckets are the classes; how often they meet comes from the deals, which are made at first use."""
    deals = game.deals
    pairs = tuple(weighted_pairs(*matrices) for matrices in deals.matrices)
    return form_of_pairs(game.rules, (deals, deals), pairs, name=game.name, threads=threads)
