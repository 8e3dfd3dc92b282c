"""Three players' jam/fold hands: the table of deals and showdowns contracted with strategies, as products of matrices.

With K the big blind's strategy, T_o K sums over its hands for all pairs of the others' hands at once ([row, hand, hand]); button and
small blind follow by products with vectors. The big blind's weights are T_o summed over products of the others' strategies. Showdowns of
two are those of three summed over the folded hand, so that its cards are missing from the deck as they should.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equilibrist.cards.allins.joint import JointShowdowns
from equilibrist.cards.allins.triples import OUTCOMES
from equilibrist.core.arrays import Array, Floats
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.solvers.stochastic_games.jam_fold_stages import JamFoldStages

FEW_HANDS = 40  # up to which double precision costs nothing
ROWS_AT_ONCE, ROWS_ON_DEVICE = 64, 1024  # states whose [hand, hand] matrices lie in memory together
FFF, FJF, JFF, FJJ, JFJ, JJF, JJJ = 0, 1, 2, 3, 6, 9, 12  # first event of each line

# outcomes in which the first of two seats wins, ties, loses against the second
AHEAD = {
    (x, y): [np.flatnonzero(np.sign(OUTCOMES[:, y] - OUTCOMES[:, x]) == sign) for sign in (1, 0, -1)]
    for x, y in ((0, 1), (0, 2), (1, 2))
}


class ThreeWayStages(JamFoldStages):
    """Three players by classes or groups of classes; on a GPU where `arrays` is CuPy."""

    def __init__(self, rules: JamFold, joint: JointShowdowns, arrays: Any = np) -> None:
        self.joint, self.arrays = joint, arrays
        self._prior = joint.prior
        size, table = joint.hands, arrays.asarray(joint.weight)
        self._table = [table[o].reshape(size * size, size) for o in range(len(OUTCOMES))]
        self._against_last = {
            pair: [sum(table[o] for o in group).reshape(size * size, size) for group in AHEAD[pair]]
            for pair in ((0, 2), (1, 2))
        }
        self._scale = 1.0 / float(
            table.sum(dtype=np.float64)
        )  # the table is in single precision: all deals are one to its digits
        self._pair = [sum(table[o].sum(axis=2, dtype=np.float64) for o in group) for group in AHEAD[0, 1]]  # [a, b]
        super().__init__(rules, size)

    @property
    def prior(self) -> Floats:
        return self._prior

    def weights(self, jams: Floats, *, exact: bool) -> Array:
        kind = np.float64 if exact or self.hands <= FEW_HANDS else np.float32
        out = np.empty((len(jams), 3, len(self.rules.events), self.hands), kind)
        at_once = ROWS_AT_ONCE if self.arrays is np else ROWS_ON_DEVICE
        for start in range(0, len(jams), at_once):
            self.watch(start, len(jams))
            part = slice(start, start + at_once)
            found = self._contracted(self.arrays.asarray(jams[part], kind), kind)
            found *= kind(self._scale)
            out[part] = found if self.arrays is np else self.arrays.asnumpy(found)
        return out

    def _contracted(self, jams: Any, kind: Any) -> Any:
        rows, size, xp = len(jams), self.hands, self.arrays
        b, s_jam, s_fold, k_jf, k_fj, k_jj = (jams[:, slot] for slot in range(6))
        pair = [one.astype(kind) for one in self._pair]
        total = pair[0] + pair[1] + pair[2]
        out = xp.empty((rows, 3, len(self.rules.events), size), kind)

        def line(first: int, tables: list[Any], x: Any, y: Any, z: Any) -> None:
            """Showdowns with the big blind: of x and y, and what its hands z come to."""
            both = (x[:, :, None] * y[:, None, :]).reshape(rows, -1)
            for number, given in enumerate(tables):
                table = given.astype(kind, copy=False)
                by_pair = (z @ table.T).reshape(rows, size, size)
                out[:, 0, first + number] = (by_pair @ y[:, :, None])[:, :, 0]
                out[:, 1, first + number] = (x[:, None, :] @ by_pair)[:, 0]
                out[:, 2, first + number] = both @ table

        line(JJJ, self._table, b, s_jam, k_jj)
        line(JFJ, self._against_last[0, 2], b, 1.0 - s_jam, k_jf)
        line(FJJ, self._against_last[1, 2], 1.0 - b, s_fold, k_fj)
        for number, group in enumerate(AHEAD[0, 1]):
            called = out[:, :, (JJJ + group).tolist()].sum(axis=2)
            out[:, 0, JJF + number] = s_jam @ pair[number].T - called[:, 0]
            out[:, 1, JJF + number] = b @ pair[number] - called[:, 1]
            out[:, 2, JJF + number] = called[:, 2]
        for fold, jam, x, y in ((JFF, JFJ, b, 1.0 - s_jam), (FJF, FJJ, 1.0 - b, s_fold)):
            called = out[:, :, jam : jam + 3].sum(axis=2)
            out[:, 0, fold] = y @ total.T - called[:, 0]
            out[:, 1, fold] = x @ total - called[:, 1]
            out[:, 2, fold] = called[:, 2]
        out[:, 0, FFF] = (1.0 - s_fold) @ total.T
        out[:, 1, FFF] = (1.0 - b) @ total
        out[:, 2, FFF] = (1.0 - b) @ total - out[:, 2, FJF]  # the pair of button and big blind is as likely as any
        return out
