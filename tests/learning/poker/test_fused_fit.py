"""Fused steps are the steps of `sampled_loss`: the same losses, gradients and weights."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.learning.poker.fused_fit import WIDTHS, FusedFit, Tiling, fusible  # noqa: E402
from learning.poker.fused_oracle import CASES, beside_autograd, random_net, random_samples  # noqa: E402

CPU = torch.device("cpu")
SHARED = 227 << 10  # bytes of a program
TYPES = {
    torch.int16: "*i16",
    torch.int32: "*i32",
    torch.int64: "*i64",
    torch.uint8: "*u8",
    torch.float16: "*fp16",
    torch.float32: "*fp32",
    torch.float64: "*fp64",
}
ROUGH = {"fp16": 0.02, "bf16": 0.15}
needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed.")


@pytest.fixture(scope="module")
def interpreted():
    """What Triton's interpreter finds: it must be asked for before Triton is loaded."""
    script = Path(__file__).parent / "fused_oracle.py"
    environment = os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@needs_triton
@pytest.mark.parametrize("case", range(len(CASES)), ids=[str(case) for case in CASES])
def test_kernels_find_the_gradients_of_autograd(interpreted, case):
    found, factors = interpreted["cases"][case], CASES[case][-1].factors
    if factors == "fp32":
        assert found["loss"] < 1e-5
        assert found["gradient"] < 1e-5
        assert found["weights"] < 1e-3
    else:
        assert found["first"] < ROUGH[factors] / 2
        assert found["gradient"] < ROUGH[factors]


@needs_triton
def test_graphs_take_fused_steps(interpreted):
    """Also a second fit begins as if there had been no first."""
    found = interpreted["fits"]
    assert found["fused"] == 1.0
    assert found["loss 1"] == pytest.approx(0.0, abs=1e-4)
    assert found["loss 2"] == pytest.approx(0.0, abs=1e-4)


@needs_triton
def test_gradients_that_half_precision_cannot_hold_change_nothing(interpreted):
    assert interpreted["overflown"] == 0.0


def test_other_nets_keep_their_steps():
    held = random_samples(CPU, 3, 21, (2, 3)).held()
    assert fusible(random_net((2, 3), 3, 64), held)
    assert not fusible(random_net((2, 3), 3, 48), held)
    assert not fusible(random_net((2, 3), 3, 64), held._replace(numbers=torch.zeros(200, 24)))
    assert not fusible(torch.nn.Linear(4, 3), held)


@pytest.mark.slow
@needs_triton
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("shares", [False, True])
def test_kernels_compile_for_a_device_that_is_not_here(width, shares):
    """For compute capability 9.0, with what a program may have of shared memory there."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    samples = random_samples(CPU, 3, 78, (2, 3))
    fused = FusedFit(random_net((2, 3), 3, width), samples.held(), 4000, shares, 1.0)
    steps = torch.zeros(10, 4000, dtype=torch.int64), torch.zeros(10, dtype=torch.float64), torch.zeros(10)
    for kernel, _, given, fixed in fused.launches(*steps, 3):
        names = kernel.arg_names
        options = {key: fixed[key] for key in ("num_warps", "maxnreg") if fixed.get(key)}
        signature = dict.fromkeys(names, "constexpr") | {
            name: TYPES[each.dtype] if isinstance(each, torch.Tensor) else "i32" if isinstance(each, int) else "fp32"
            for name, each in zip(names, given, strict=False)
        }
        aligned = {(k,): [["tt.divisibility", 16]] for k, each in enumerate(given) if isinstance(each, torch.Tensor)}
        fixed_at = {(names.index(key),): each for key, each in fixed.items() if key in names}
        made = triton.compile(
            ASTSource(kernel, signature, fixed_at, aligned), target=GPUTarget("cuda", 90, 32), options=options
        )
        assert made.metadata.shared <= SHARED


@pytest.mark.gpu
@needs_triton
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("shares", [False, True])
@pytest.mark.parametrize(
    "tiling", [Tiling(), Tiling(factors="bf16"), Tiling(stashed=True, registers=128), Tiling(64, 4)], ids=str
)
def test_a_device_finds_the_gradients_of_autograd(width, shares, tiling):
    found = beside_autograd(torch.device("cuda"), width, 1000, 3, 78, (2, 3), shares, tiling)
    assert (
        found["first"] < ROUGH[tiling.factors] / 2
    )  # later losses tell of Adam, which makes much of small differences
    assert found["gradient"] < ROUGH[tiling.factors]
