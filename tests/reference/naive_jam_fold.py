"""Jam or fold heads-up by plain matrices: the linear program, and fictitious play; nothing of the solvers enters."""

import numpy as np
from scipy.optimize import linprog


def jam_fold_matrices(equity, apart, combinations, stack):
    """[jammer, caller] chances of a deal, and what the small blind wins when it is called, in big blinds."""
    deal = combinations[:, None] * apart / 1326.0
    return deal, stack * (2.0 * equity - 1.0)


def by_linear_program(deal, called):
    """Value for the small blind, and its best chance to jam with each class."""
    n = len(deal)
    held = deal.sum(axis=1)
    # variables: jam [n], what each class of the caller leaves of all jams [n]
    cost = np.concatenate([-0.5 * held, -np.ones(n)])
    folds = np.hstack([-deal.T, np.eye(n)])
    calls = np.hstack([-(deal * called).T, np.eye(n)])
    found = linprog(
        cost, A_ub=np.vstack([folds, calls]), b_ub=np.zeros(2 * n), bounds=[(0, 1)] * n + [(None, None)] * n
    )
    assert found.status == 0
    return -found.fun - 0.5, found.x[:n]


def by_fictitious_play(deal, called, rounds):
    """Chances to jam and to call by class, each side answering what the other has done on average."""
    n = len(deal)
    jam, call = np.ones(n), np.ones(n)
    for t in range(1, rounds + 1):
        wins = deal @ (1.0 - call) + (deal * called) @ call
        jam += (np.where(wins > -0.5 * deal.sum(axis=1), 1.0, 0.0) - jam) / (t + 1)
        answer = np.where(-(deal * called).T @ jam > -deal.T @ jam, 1.0, 0.0)
        call += (answer - call) / (t + 1)
    return jam, call
