"""What boards look like."""

import numpy as np

from equilibrist.compute.kernel import kernel

KINDS = 3  # of each feature: little, some, much
WINDOW = 5  # ranks of a straight


@kernel
def texture_of(board, suits, ranks):
    """Cards of one suit, equal ranks, ranks that stand close together: 0 to 2 each, as one number."""
    count, held, most, equal = np.zeros(suits, np.int64), np.int64(0), np.int64(0), np.int64(0)
    for card in board:
        rank, suit = card // suits, card % suits
        count[suit] += 1
        most = max(most, count[suit])
        equal += (held >> (rank + 1)) & 1
        held |= np.int64(1) << (rank + 1)
    held |= (held >> ranks) & 1  # an ace is low, too
    close = np.int64(0)
    for low in range(ranks + 2 - WINDOW):
        inside = np.int64(0)
        for place in range(WINDOW):
            inside += (held >> (low + place)) & 1
        close = max(close, inside)
    least = (board.shape[0] + suits - 1) // suits
    return (min(most - least, 2) * KINDS + min(equal, 2)) * KINDS + min(max(close - 2, 0), 2)


@kernel
def textures(boards, suits, ranks, out):
    """Of boards [N, cards]."""
    for i in range(boards.shape[0]):
        out[i] = texture_of(boards[i], suits, ranks)
