"""Where to compute: the names of devices, and which is taken when nobody says."""

from __future__ import annotations

from equilibrist.core.errors import NotApplicableError, UnknownNameError, suggest

DEVICES = ("cpu", "cuda", "auto")


def check_device(device: str) -> None:
    """Refuse a name that is none."""
    if device not in DEVICES:
        raise UnknownNameError(
            f"There is no device '{device}'; expected {', '.join(DEVICES)}.{suggest(device, DEVICES)}"
        )


def wants_gpu(device: str, obstacle: str | None, *, streets: int) -> bool:
    """Whether a run goes to the GPU; `obstacle` says why it cannot. "cuda" is refused where there is none.

    "auto" leaves a single street on the CPU, which is faster there.
    """
    check_device(device)
    if device == "cpu" or (device == "auto" and (obstacle is not None or streets == 1)):
        return False
    refuse_obstacle(obstacle)
    from equilibrist.solvers.postflop.gpu.cuda_device import cupy

    try:
        cupy()
    except NotApplicableError:
        if device == "auto":
            return False
        raise
    return True


def refuse_obstacle(obstacle: str | None) -> None:
    if obstacle is not None:
        raise NotApplicableError(f"This cannot run on a GPU: {obstacle}; leave 'device' out.")


ON_BOARDS = "Spots and poker games solved on boards run on a GPU, but this is solved on the CPU; leave 'device' out."


def refuse_gpu(device: str, why: str = ON_BOARDS) -> None:
    """For what knows the CPU alone."""
    check_device(device)
    if device == "cuda":
        raise NotApplicableError(why)
