"""Small networks as arrays: fully connected layers with ReLU, a linear head, many rows at a time.

A step of such a net is shorter than the calls that a library needs for it. Inputs are mostly zeros, which the first layer leaves out.
"""

from typing import Any, NamedTuple

from equilibrist.compute.kernel import kernel


class Net(NamedTuple):
    """L hidden layers of W units between F inputs and A outputs."""

    first: Any  # [F, W] float32
    middle: Any  # [L - 1, W, W], from a unit to the units above it
    bias: Any  # [L, W]
    head: Any  # [A, W]
    head_bias: Any  # [A]


class Inputs(NamedTuple):
    """R rows of inputs of which at most K are not zero; shorter rows are filled up with input 0 x 0."""

    place: Any  # [R, K] int32
    value: Any  # [R, K] float32


class Work(NamedTuple):
    """B rows on their way through a net."""

    rows: Any  # [B] int32 of the inputs
    hidden: Any  # [L, B, W] float32
    out: Any  # [B, A] float32
    error: Any  # [B, A] float32, slopes of a loss by outputs
    delta: Any  # [2, W] float32


@kernel
def forward(net, inputs, count, work):
    """`hidden` and `out` of the first `count` rows."""
    layers, width = net.bias.shape
    hidden, rows = work.hidden, work.rows
    for b in range(count):
        row = rows[b]
        for u in range(width):
            hidden[0, b, u] = net.bias[0, u]
        for k in range(inputs.place.shape[1]):
            place, value = inputs.place[row, k], inputs.value[row, k]
            for u in range(width):
                hidden[0, b, u] += value * net.first[place, u]
        for u in range(width):
            hidden[0, b, u] = max(hidden[0, b, u], 0.0)
        for k in range(1, layers):
            for u in range(width):
                hidden[k, b, u] = net.bias[k, u]
            for i in range(width):
                value = hidden[k - 1, b, i]
                for u in range(width):
                    hidden[k, b, u] += value * net.middle[k - 1, i, u]
            for u in range(width):
                hidden[k, b, u] = max(hidden[k, b, u], 0.0)
    project(net.head, net.head_bias, hidden, count, work.out)


@kernel(fast=True)
def project(head, head_bias, hidden, count, out):
    """The linear head."""
    top = hidden.shape[0] - 1
    for b in range(count):
        for a in range(out.shape[1]):
            value = head_bias[a]
            for u in range(head.shape[1]):
                value += head[a, u] * hidden[top, b, u]
            out[b, a] = value


@kernel(fast=True)
def backward(net, gradient, inputs, count, work):
    """Add the gradients of the first `count` rows to `gradient`, a net of the same shape."""
    layers, width = net.bias.shape
    hidden, error, delta = work.hidden, work.error, work.delta
    for b in range(count):
        row, here = work.rows[b], 0
        for u in range(width):
            delta[0, u] = 0.0
        for a in range(error.shape[1]):
            e = error[b, a]
            if e != 0.0:
                gradient.head_bias[a] += e
                for u in range(width):
                    gradient.head[a, u] += e * hidden[layers - 1, b, u]
                for u in range(width):
                    delta[0, u] += e * net.head[a, u]
        for k in range(layers - 1, -1, -1):
            for u in range(width):
                delta[here, u] = delta[here, u] if hidden[k, b, u] > 0.0 else 0.0
            for u in range(width):
                gradient.bias[k, u] += delta[here, u]
            if k == 0:
                break
            for i in range(width):
                value, back = hidden[k - 1, b, i], delta[here, 0] * 0
                for u in range(width):
                    gradient.middle[k - 1, i, u] += value * delta[here, u]
                for u in range(width):
                    back += net.middle[k - 1, i, u] * delta[here, u]
                delta[1 - here, i] = back
            here = 1 - here
        for k in range(inputs.place.shape[1]):
            place, value = inputs.place[row, k], inputs.value[row, k]
            for u in range(width):
                gradient.first[place, u] += value * delta[here, u]


@kernel
def descend(net, gradient, rate):
    """A step of plain gradient descent; the gradient is zero again after it."""
    descend_rows(net.first, gradient.first, rate)
    for k in range(net.middle.shape[0]):
        descend_rows(net.middle[k], gradient.middle[k], rate)
    descend_rows(net.bias, gradient.bias, rate)
    descend_rows(net.head, gradient.head, rate)
    for a in range(net.head_bias.shape[0]):
        net.head_bias[a] -= rate * gradient.head_bias[a]
        gradient.head_bias[a] = 0.0


@kernel
def descend_rows(values, slopes, rate):
    for i in range(values.shape[0]):
        for u in range(values.shape[1]):
            values[i, u] -= rate * slopes[i, u]
            slopes[i, u] = 0.0
