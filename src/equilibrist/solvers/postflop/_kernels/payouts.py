"""Terminal values of one board added to the own sequences that end there."""

from equilibrist.compute.kernel import kernel


@kernel
def pay_out(target, scale, width, amounts, value, out):
    """out[target] += what terminals pay: target [place, terminal] own sequences (-1: nobody), scale [place], value [place, terminal]."""
    for h in range(target.shape[0]):
        for t in range(target.shape[1]):
            if target[h, t] >= 0:
                out[target[h, t]] += scale[h] * value[h * width + t] * amounts[t]
