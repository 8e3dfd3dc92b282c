"""Steps of a fit of a `CardNet` in five kernels, where PyTorch launches dozens: forward, backward, clipping and Adam.

Weights, gradients and moments lie one behind the other, so that each is one array to a kernel. Products have factors of ten bits, as
TF32, and are added up in single precision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from equilibrist.learning.networks.card_net import CardNet
from equilibrist.learning.poker.held import Held

WIDTHS = (16, 32, 64)  # more would need more shared memory than there is
MOST_PLACES, MOST_LINES, MOST_BETS, MOST_OUTPUTS = 127, 128, 64, 16
BETAS, EPSILON = (0.9, 0.999), 1e-8  # of Adam, as PyTorch's
LIFT = 16.0  # of errors: half precision loses those below 1e-7 and knows none above 65,504
SUM_ROWS, SUM_COLS = 64, 64  # of parts, added up at once
KINDS = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
SOME = 64  # places or lines of one product
ADAM_BLOCK, NORM_BLOCK, FEW_LINES = 1024, 16384, 16


class Tiling(NamedTuple):
    """How a device is filled."""

    samples: int = 128  # of a program
    warps: int = 8
    factors: str = "fp16"  # of products over samples: 'fp16', 'bf16' or 'fp32'
    product: str = "tf32"  # of single precision: 'tf32' or 'ieee'
    stashed: bool = False  # inputs of layers wait in memory, instead of registers
    registers: int | None = None  # of a thread, at most


def fusible(net: nn.Module, held: Held) -> bool:
    """Whether kernels are written for a net and its game."""
    if not isinstance(net, CardNet):
        return False
    width, outputs = net.head.weight.shape[1], net.head.weight.shape[0]
    sizes = (held.shown.shape[1] <= MOST_PLACES, len(held.numbers) <= MOST_LINES, held.numbers.shape[1] <= MOST_BETS)
    dense = all(each.is_contiguous() for each in held)
    return width in WIDTHS and all(sizes) and outputs <= MOST_OUTPUTS and dense


class FusedFit:
    """Adam on one net of its own; `step` only launches kernels, and is the same to the last bit whenever it is done."""

    def __init__(
        self, net: CardNet, held: Held, batch: int, shares: bool, clip: float, tiling: Tiling | None = None
    ) -> None:
        self.net, self.held, self.batch, self.shares, self.clip = net, held, batch, shares, clip
        self.tiling = tiling or Tiling()
        self.weights = _behind_each_other(net)
        device, self.width = self.weights.device, net.head.weight.shape[1]
        self.lines, self.places, self.outputs = len(held.numbers), held.shown.shape[1], net.head.weight.shape[0]
        goes = self._places_of_sums()
        self.parts = torch.zeros((-(-batch // self.tiling.samples), -(-len(goes) // 64) * 64), device=device)
        stash = len(self.parts) * 5 * self.tiling.samples * self.width if self.tiling.stashed else 16
        self.stash = torch.zeros(stash, device=device, dtype=KINDS[self.tiling.factors])
        self.goes = torch.tensor(goes, dtype=torch.int32, device=device)
        self.size, self.loss_at = self.weights.numel(), max(goes)
        self.grad = torch.zeros(self.loss_at + 1, device=device)
        self.moments = torch.zeros((2, self.size + -self.size % 4), device=device)
        self.decay = torch.ones(2, dtype=torch.float64, device=device)
        self.placed = torch.zeros((self.places + 1, self.width), device=device)
        self.by_line = torch.zeros((self.lines, self.width), device=device)

    def reset(self) -> None:
        """Adam remembers nothing."""
        self.moments.zero_()
        self.decay.fill_(1.0)

    def step(self, chosen: Tensor, rates: Tensor, losses: Tensor, k: int) -> None:
        """Step `k` of those whose samples [step, batch], rates [step] and losses [step] are given."""
        for kernel, programs, given, fixed in self.launches(chosen, rates, losses, k):
            kernel[(programs,)](*given, **fixed)

    def gradients(self) -> list[Tensor]:
        """Of the last step, by parameter, before they were clipped."""
        parts = self.grad[: self.size].split([each.numel() for each in self.net.parameters()])
        return [part.view(each.shape) for part, each in zip(parts, self.net.parameters(), strict=True)]

    def launches(
        self, chosen: Tensor, rates: Tensor, losses: Tensor, k: int
    ) -> list[tuple[Any, int, tuple[Any, ...], dict[str, Any]]]:
        """Kernel, programs, arguments and settings, in order."""
        import triton

        from equilibrist.learning.poker import fused_kernels as kernels

        held, tiling, net = self.held, self.tiling, self.net
        card, bet, joint = (
            self._at(layers[0].weight) for layers in (net.card_layers, net.bet_layers, net.joint_layers)
        )
        groups, ranks, suits = len(net.groups), net.rank[0].weight.shape[0], net.suit[0].weight.shape[0]
        deck, all_lines = _power(ranks * suits), _power(self.lines)
        shape = {"GROUPS": groups, "RANKS": ranks, "SUITS": suits, "DECK": deck, "BETS": held.numbers.shape[1]}
        shape |= {"CARD": card, "BET": bet, "JOINT": joint, "WIDTH": self.width, "PRODUCT": tiling.product}
        betas = {"BETA1": BETAS[0], "BETA2": BETAS[1]}
        rows, stride = self.parts.shape
        samples = {
            "CARD1": self._at(net.card_layers[1].weight),
            "JOINT": joint,
            "HEAD": self._at(net.head.weight),
            "PLACES": self.places,
            "OUTPUTS": self.outputs,
            "WIDTH": self.width,
            "ALL_PLACES": _padded(self.places + 1, SOME),
            "LINES": _padded(self.lines, SOME),
            "SOME": SOME,
            "LIFT": LIFT,
            "SHARES": self.shares,
            "KIND": getattr(
                triton.language, {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}[tiling.factors]
            ),
            "PRODUCT": tiling.product,
            "STASHED": tiling.stashed,
            "TILE": tiling.samples,
        }
        columns = (held.hand, held.decision, held.weight, held.values, held.mean, held.shown, held.legal)
        return [
            (
                kernels.tables_kernel,
                groups + -(-self.lines // FEW_LINES),
                (self.weights, held.numbers, self.placed, self.by_line, self.decay, self.lines),
                shape | betas | {"LINES": FEW_LINES},
            ),
            (
                kernels.samples_kernel,
                rows,
                (
                    self.weights,
                    self.placed,
                    self.by_line,
                    chosen,
                    *columns,
                    self.parts,
                    self.stash,
                    k,
                    self.batch,
                    stride,
                    self.lines,
                ),
                samples | {"num_warps": tiling.warps, "maxnreg": tiling.registers},
            ),
            (
                kernels.sums_kernel,
                -(-len(self.goes) // SUM_COLS),
                (self.parts, self.goes, self.grad, len(self.goes), stride, 1.0 / (LIFT * self.batch)),
                {"COUNT": rows, "ROWS": SUM_ROWS, "COLS": SUM_COLS},
            ),
            (
                kernels.tables_back_kernel,
                groups + 1,
                (self.weights, held.numbers, self.grad, self.lines),
                shape | {"LINES": all_lines, "FACES": _power(max(ranks, suits)), "TABLES": self.size, "num_warps": 8},
            ),
            (
                kernels.adam_kernel,
                -(-self.size // ADAM_BLOCK),
                (self.weights, self.grad, *self.moments, self.decay, rates, losses, k, self.clip),
                betas
                | {
                    "SIZE": self.size,
                    "EPSILON": EPSILON,
                    "LOSS": self.loss_at,
                    "BLOCK": ADAM_BLOCK,
                    "AT_ONCE": NORM_BLOCK,
                    "num_warps": 16,
                },
            ),
        ]

    def _at(self, weight: Tensor) -> int:
        """Where a parameter begins."""
        return int(weight.storage_offset())

    def _places_of_sums(self) -> list[int]:
        """Where the sums of programs go, in the order in which programs write them: behind the weights come tables and loss."""
        net, width = self.net, self.width
        square, size = width * width, self.weights.numel()
        card1, joint, joint1 = (
            self._at(layer.weight) for layer in (net.card_layers[1], net.joint_layers[0], net.joint_layers[1])
        )
        head, bias = self._at(net.head.weight), self._at(net.head.bias)
        placed = self.places * width
        rows = (torch.arange(width)[:, None] * 2 * width + torch.arange(width)).flatten().tolist()
        return [
            *range(card1, card1 + 2 * (square + width)),
            *(joint + each for each in rows),
            *range(joint1, joint1 + 2 * (square + width)),
            *range(head, head + self.outputs * width),
            *range(size, size + placed),
            *range(card1 - width, card1),  # the bias of the first layer of cards
            *range(size + placed + width, size + placed + width + self.lines * width),
            *range(bias, bias + self.outputs),
            size + placed + width + self.lines * width,
        ]


def _behind_each_other(net: nn.Module) -> Tensor:
    """All weights of a net, of which its parameters become views."""
    parameters = list(net.parameters())
    flat = torch.cat([each.detach().flatten() for each in parameters])
    begin = 0
    for each in parameters:
        each.data = flat[begin : begin + each.numel()].view(each.shape)
        begin += each.numel()
    return flat


def _padded(count: int, part: int) -> int:
    return -(-count // part) * part


def _power(count: int) -> int:
    """A product's side: a power of two, 16 at least."""
    return max(16, 1 << (count - 1).bit_length())
