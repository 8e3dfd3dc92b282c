"""Terminal values of one board added to the own sequences that end there."""

from equilibrist.compute.kernel import kernel


@kernel
def pay_out(target, scale, value, out):
    """out[target] += what terminals pay: target [place, lane] own sequences (-1: nobody), scale [place], value [place, lane]."""
    width = target.shape[1]
    for h in range(target.shape[0]):
        for t in range(width):
            if target[h, t] >= 0:
                out[target[h, t]] += scale[h] * value[h * width + t]
