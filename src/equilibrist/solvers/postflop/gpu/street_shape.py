"""How a street is cut to the device: sizes that kernels are compiled for, threads, shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from equilibrist.forms.boards.street_betting import StreetForest
from equilibrist.forms.boards.street_boards import PlayerBoards
from equilibrist.solvers.postflop.gpu.cuda_device import CONSTANT_WORDS, Properties
from equilibrist.solvers.postflop.gpu.device_tables import TableShape
from equilibrist.solvers.postflop.gpu.hand_tables import WARP, device_places, per_lane, team_for
from equilibrist.solvers.postflop.gpu.tree_program import TreeProgram

ACTIONS = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32)  # a kernel is compiled for the next of them
# threads of a block, by measurement on an H200
LAST_THREADS, UPPER_THREADS = (192, 256, 320, 384, 512, 768), 512
ALONE = 0.8  # how busy threads of a block are that has a multiprocessor to itself: nobody works while they wait for each other
IN_PLACE_HANDS = 12  # of a lane, as many as there are registers for
SUMMED = 54  # cards by which sums are kept, as in board_passes.cu
SHARED_OVERHEAD = 1024  # bytes of shared memory that every block takes besides


@dataclass
class Shape:
    """How the passes of one player are cut to the device."""

    sizes: dict[str, int]  # what kernels are compiled for
    threads: int
    shared: int  # bytes of shared memory going down
    up_shared: int
    value_row: int  # floats of a row of values
    room: int  # floats of rows in global memory for each block, 0: they are in shared memory
    resident: int  # blocks of threads that a multiprocessor has at a time, at most


def cut_to_device(
    players: Sequence[PlayerBoards],
    tables: Sequence[TableShape],
    betting: StreetForest,
    program: TreeProgram,
    me: int,
    last: bool,
    device: Properties,
    flags: Mapping[str, bool],
) -> Shape:
    """What the kernels for one player's passes are compiled for: shared memory decides where rows lie.

    `flags`: predictive, batch, locked, modelled, in_place.
    """
    them = 1 - me
    team = team_for(players[them])
    hand_sums = per_lane(int(players[them].count.max(initial=1)), team)
    entry_sums = per_lane(2 * int(players[them].count.max(initial=1)), team)
    row, value_row = WARP * team * hand_sums + 4, -(-int(players[me].count.max(initial=1)) // 4) * 4
    if flags["in_place"]:
        row = max(row, device_places(players[me]))
        rows, values = program.values * row, 0
    else:
        rows, values = program.rows * row, program.values * value_row

    def shared_with(threads: int) -> int:
        sums = threads // (WARP * team) * (WARP * team * entry_sums + 4 + 2 * SUMMED + 2 * team)
        return 4 * (rows + sums + (values if last else 0))

    def fitting(threads: int, shared: int) -> int:
        """Blocks on a multiprocessor; kernels take 64 registers."""
        if shared > device.shared_per_block:
            return 0
        return min(device.shared_per_multiprocessor // (shared + SHARED_OVERHEAD), 1024 // threads)

    def busy(threads: int) -> float:
        blocks = fitting(threads, shared_with(threads))
        return blocks * threads * (ALONE if blocks == 1 else 1.0)

    threads, whole = UPPER_THREADS, [each for each in LAST_THREADS if each % (WARP * team) == 0]
    if last:  # the smallest, unless few of its blocks find room
        few = fitting(whole[0], shared_with(whole[0])) < 4
        threads = max(whole, key=lambda each: (busy(each), -each)) if few else whole[0]
    far = max(shared_with(threads), 4 * values) > device.shared_per_block
    shared = shared_with(threads) - 4 * (rows + (values if last else 0)) if far else shared_with(threads)
    actions = most_actions(betting)
    sizes = {
        "ACTIONS": actions, "HAND_SUMS": hand_sums, "ENTRY_SUMS": entry_sums, "THREADS": threads, "TEAM": team,
        "BLOCKS": max(1, fitting(threads, shared_with(threads))) if last and actions <= 4 else 1, "LAST": int(last), "FAR": int(far),
        "LONG": int(len(program.packed()[0]) > CONSTANT_WORDS), "WORDS": CONSTANT_WORDS, "THEIR_PLACES": device_places(players[them]),
        "MY_PLACES": device_places(players[me]), "BITS": tables[me].bits, "THEIR_BLOCK": tables[them].block, "MY_BLOCK": tables[me].block,
        "THEIR_TABLE": tables[them].width, "MY_TABLE": tables[me].width,
    }  # fmt: skip
    sizes |= {name.upper(): int(flag) for name, flag in flags.items()}
    resident = max(1, fitting(threads, shared))
    return Shape(sizes, threads, shared, 0 if far else 4 * values, value_row, rows + values if far else 0, resident)


def fits_in_place(players: Sequence[PlayerBoards], me: int) -> bool:
    """Whether lanes can hold what a row pays all my hands until the row is no longer looked at."""
    return device_places(players[me]) <= IN_PLACE_HANDS * WARP * team_for(players[1 - me])


def most_actions(betting: StreetForest) -> int:
    """The actions of a node that kernels are compiled for."""
    return next(n for n in ACTIONS if n >= max(int(betting.children.max(initial=1)), 1))
