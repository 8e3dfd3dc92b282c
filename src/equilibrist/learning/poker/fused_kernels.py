"""One step of a fit of a `CardNet` in five Triton kernels.

`net` is all weights of a net, one behind the other in the order of its parameters; `grad` is laid out alike, and behind it come the
gradients of what cards and lines of betting add, and the loss. Programs write sums of their own (`parts`), which are then added up in
order, so that a step is the same whenever it is done. Errors are LIFTed, so that half precision does not lose small ones.
"""

# Annotations must be objects here, not text: Triton reads them.

import triton
import triton.language as tl


@triton.jit
def _matrix(at, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    return tl.load(at + tl.arange(0, ROWS)[:, None] * stride + tl.arange(0, COLS)[None, :])


@triton.jit
def _rows(at, count, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """[ROWS, WIDTH], of which the first `count` are there."""
    row = tl.arange(0, ROWS)[:, None]
    return tl.load(at + row * WIDTH + tl.arange(0, WIDTH)[None, :], mask=row < count, other=0.0)


@triton.jit
def _keep(at, stride, matrix, ROWS: tl.constexpr, COLS: tl.constexpr):
    tl.store(at + tl.arange(0, ROWS)[:, None] * stride + tl.arange(0, COLS)[None, :], matrix)


@triton.jit
def _keep_rows(at, count, matrix, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.arange(0, ROWS)[:, None]
    tl.store(at + row * WIDTH + tl.arange(0, WIDTH)[None, :], matrix, mask=row < count)


@triton.jit
def _above(x, layer, WIDTH: tl.constexpr, KIND: tl.constexpr, PRODUCT: tl.constexpr):
    """ReLU(Wx + b + x); a layer is its matrix and then its bias."""
    weight = _matrix(layer, WIDTH, WIDTH, WIDTH).to(KIND)
    bias = tl.load(layer + WIDTH * WIDTH + tl.arange(0, WIDTH))
    return tl.maximum(tl.dot(x.to(KIND), tl.trans(weight), input_precision=PRODUCT) + bias[None, :] + x, 0.0)


@triton.jit
def _below(delta, x, layer, out, WIDTH: tl.constexpr, KIND: tl.constexpr, PRODUCT: tl.constexpr):
    """Errors of a layer's input `x`, itself a ReLU, from those of its sums; its own gradients go to `out`."""
    rounded = delta.to(KIND)
    _keep(out, WIDTH, tl.dot(tl.trans(rounded), x.to(KIND), input_precision=PRODUCT), WIDTH, WIDTH)
    tl.store(out + WIDTH * WIDTH + tl.arange(0, WIDTH), tl.sum(delta, axis=0))
    weight = _matrix(layer, WIDTH, WIDTH, WIDTH).to(KIND)
    return tl.where(x > 0.0, tl.dot(rounded, weight, input_precision=PRODUCT) + delta, 0.0)


@triton.jit
def _embedded(
    net, group, GROUPS: tl.constexpr, RANKS: tl.constexpr, SUITS: tl.constexpr, DECK: tl.constexpr, WIDTH: tl.constexpr
):
    """[DECK, WIDTH] embeddings of the cards of a group."""
    card, col = tl.arange(0, DECK)[:, None], tl.arange(0, WIDTH)[None, :]
    there = card < RANKS * SUITS
    rank = tl.load(net + (group * RANKS + card // SUITS) * WIDTH + col, mask=there, other=0.0)
    suits = net + GROUPS * RANKS * WIDTH
    suit = tl.load(suits + (group * SUITS + card % SUITS) * WIDTH + col, mask=there, other=0.0)
    cards = suits + GROUPS * SUITS * WIDTH
    return rank + suit + tl.load(cards + (group * RANKS * SUITS + card) * WIDTH + col, mask=there, other=0.0)


@triton.jit
def _bets(numbers, first, lines, BETS: tl.constexpr, ROWS: tl.constexpr):
    """[ROWS, 32 or more] of numbers of lines from `first` on."""
    row, col = first + tl.arange(0, ROWS)[:, None], tl.arange(0, triton.next_power_of_2(max(BETS, 16)))[None, :]
    return tl.load(numbers + row * BETS + col, mask=(row < lines) & (col < BETS), other=0.0)


@triton.jit
def _first_bets(bets, layer, BETS: tl.constexpr, WIDTH: tl.constexpr, PRODUCT: tl.constexpr):
    """[ROWS, WIDTH] behind the first layer of betting."""
    row, col = tl.arange(0, WIDTH)[:, None], tl.arange(0, bets.shape[1])[None, :]
    weight = tl.load(layer + row * BETS + col, mask=col < BETS, other=0.0)
    bias = tl.load(layer + WIDTH * BETS + tl.arange(0, WIDTH))
    return tl.maximum(tl.dot(bets, tl.trans(weight), input_precision=PRODUCT) + bias[None, :], 0.0)


@triton.jit
def tables_kernel(
    net,
    numbers,  # [line, bets]
    placed,  # [place + 1, WIDTH] what each card adds; the last: the bias
    by_line,  # [line, WIDTH]
    decay,  # [2] powers of Adam's decays
    lines,
    CARD: tl.constexpr,  # where the layers of cards begin
    BET: tl.constexpr,
    JOINT: tl.constexpr,
    GROUPS: tl.constexpr,
    RANKS: tl.constexpr,
    SUITS: tl.constexpr,
    DECK: tl.constexpr,
    BETS: tl.constexpr,
    WIDTH: tl.constexpr,
    PRODUCT: tl.constexpr,
    BETA1: tl.constexpr,
    BETA2: tl.constexpr,
    LINES: tl.constexpr,  # of a program
):
    """What cards and lines add to the first sums: one program for each group of cards, then one for some lines each."""
    who = tl.program_id(0)
    cols = tl.arange(0, WIDTH)
    if who < GROUPS:
        cards = _embedded(net, who, GROUPS, RANKS, SUITS, DECK, WIDTH)
        weight = _matrix(net + CARD + who * WIDTH, GROUPS * WIDTH, WIDTH, WIDTH)
        added = tl.dot(cards, tl.trans(weight), input_precision=PRODUCT)
        _keep_rows(placed + who * RANKS * SUITS * WIDTH, RANKS * SUITS, added, DECK, WIDTH)
        if who == 0:
            bias = tl.load(net + CARD + GROUPS * WIDTH * WIDTH + cols)
            tl.store(placed + GROUPS * RANKS * SUITS * WIDTH + cols, bias)
            tl.store(decay, tl.load(decay) * BETA1)
            tl.store(decay + 1, tl.load(decay + 1) * BETA2)
    else:
        first = (who - GROUPS) * LINES
        seen = _first_bets(_bets(numbers, first, lines, BETS, LINES), net + BET, BETS, WIDTH, PRODUCT)
        seen = _above(seen, net + BET + WIDTH * (BETS + 1), WIDTH, tl.float32, PRODUCT)
        joint = _matrix(net + JOINT + WIDTH, 2 * WIDTH, WIDTH, WIDTH)
        shift = tl.load(net + JOINT + 2 * WIDTH * WIDTH + cols)
        by_bets = tl.dot(seen, tl.trans(joint), input_precision=PRODUCT) + shift[None, :]
        _keep_rows(by_line + first * WIDTH, lines - first, by_bets, LINES, WIDTH)


@triton.jit(do_not_specialize=["k"])
def samples_kernel(
    net,
    placed,
    by_line,
    chosen,  # [step, batch] numbers of samples
    hand,
    decision,
    weight,
    values,
    mean,
    shown,  # [hand, PLACES]
    legal,  # [line, OUTPUTS]
    parts,  # [program, stride]
    stash,  # [program, layer, TILE, WIDTH] inputs of layers, where registers are few
    k,
    batch,
    stride,
    lines,
    CARD1: tl.constexpr,  # where the second layer of cards begins
    JOINT: tl.constexpr,
    HEAD: tl.constexpr,
    PLACES: tl.constexpr,
    OUTPUTS: tl.constexpr,
    WIDTH: tl.constexpr,
    ALL_PLACES: tl.constexpr,  # PLACES + 1, or more
    LINES: tl.constexpr,
    SOME: tl.constexpr,  # places or lines of one product: more would need registers
    LIFT: tl.constexpr,
    SHARES: tl.constexpr,
    KIND: tl.constexpr,  # of factors
    PRODUCT: tl.constexpr,
    STASHED: tl.constexpr,
    TILE: tl.constexpr,
):
    """Loss and gradients of a tile of samples."""
    row, cols, outs = tl.arange(0, TILE), tl.arange(0, WIDTH), tl.arange(0, 16)
    number = tl.program_id(0) * TILE + row
    there = number < batch
    sample = tl.load(chosen + k * batch + number, mask=there, other=0)
    share = tl.load(weight + sample, mask=there, other=0.0) / tl.load(mean)  # nobody counts for nothing
    line = tl.load(decision + sample).to(tl.int32)
    cards = shown + tl.load(hand + sample).to(tl.int64) * PLACES

    # Forward. What is kept of a layer is rounded; what is passed on beside it is not.
    SQUARE: tl.constexpr = WIDTH * WIDTH
    LAYER: tl.constexpr = SQUARE + WIDTH
    SEEN: tl.constexpr = TILE * WIDTH
    stash += tl.program_id(0) * (5 * SEEN)
    x = tl.zeros((TILE, WIDTH), tl.float32)
    for begin in tl.static_range(0, ALL_PLACES, SOME):
        table = _rows(placed + begin * WIDTH, PLACES + 1 - begin, SOME, WIDTH).to(KIND)
        x = tl.dot(_there(cards, begin, PLACES, SOME, KIND), table, x, input_precision=PRODUCT)
    x = tl.maximum(x, 0.0)
    x0 = x.to(KIND)
    if STASHED:
        _keep(stash + 0 * SEEN, WIDTH, x0, TILE, WIDTH)
    x = _above(x, net + CARD1, WIDTH, KIND, PRODUCT)
    x1 = x.to(KIND)
    if STASHED:
        _keep(stash + 1 * SEEN, WIDTH, x1, TILE, WIDTH)
    x = _above(x, net + CARD1 + LAYER, WIDTH, KIND, PRODUCT)
    x2 = x.to(KIND)
    if STASHED:
        _keep(stash + 2 * SEEN, WIDTH, x2, TILE, WIDTH)
    first = _matrix(net + JOINT, 2 * WIDTH, WIDTH, WIDTH).to(KIND)
    x = tl.dot(x2, tl.trans(first), input_precision=PRODUCT)
    x = tl.maximum(x + tl.load(by_line + line[:, None] * WIDTH + cols[None, :]), 0.0)
    y0 = x.to(KIND)
    if STASHED:
        _keep(stash + 3 * SEEN, WIDTH, y0, TILE, WIDTH)
    JOINT1: tl.constexpr = JOINT + 2 * SQUARE + WIDTH
    x = _above(x, net + JOINT1, WIDTH, KIND, PRODUCT)
    y1 = x.to(KIND)
    if STASHED:
        _keep(stash + 4 * SEEN, WIDTH, y1, TILE, WIDTH)
    x = _above(x, net + JOINT1 + LAYER, WIDTH, KIND, PRODUCT)
    middle = tl.sum(x, axis=1) / WIDTH
    x -= middle[:, None]
    scale = 1.0 / tl.sqrt(tl.sum(x * x, axis=1) / WIDTH + 1e-5)
    x *= scale[:, None]
    zero = (0.0 - middle) * scale
    normal = x.to(KIND)
    head = _rows(net + HEAD, OUTPUTS, 16, WIDTH).to(KIND)
    bias = tl.load(net + HEAD + OUTPUTS * WIDTH + outs, mask=outs < OUTPUTS, other=0.0)
    out = tl.dot(normal, tl.trans(head), input_precision=PRODUCT) + bias[None, :]

    own = outs[None, :] < OUTPUTS
    may = tl.load(legal + line[:, None] * OUTPUTS + outs[None, :], mask=own, other=0.0)
    wanted = tl.load(values + sample[:, None] * OUTPUTS + outs[None, :], mask=own, other=0.0)
    if SHARES:
        out = tl.where(may > 0.0, out, float("-inf"))
        out = tl.exp(out - tl.max(out, axis=1)[:, None])
        out = out / tl.sum(out, axis=1)[:, None]
    missed = share[:, None] * may * (out - wanted) * LIFT
    loss = tl.sum(tl.sum(missed * (out - wanted), axis=1), axis=0)
    missed = 2.0 * missed
    if SHARES:
        missed = out * (missed - tl.sum(missed * out, axis=1)[:, None])

    # Backward.
    if STASHED:
        tl.debug_barrier()  # threads read what others have written
    card1 = parts + tl.program_id(0).to(tl.int64) * stride
    joint = card1 + 2 * LAYER
    joint1 = joint + SQUARE
    top = joint1 + 2 * LAYER
    tables = top + OUTPUTS * WIDTH
    ends = tables + (PLACES + 1 + lines) * WIDTH
    rounded = missed.to(KIND)
    _keep_rows(top, OUTPUTS, tl.dot(tl.trans(rounded), normal, input_precision=PRODUCT), 16, WIDTH)
    tl.store(ends + outs, tl.sum(missed, axis=0), mask=outs < OUTPUTS)
    tl.store(ends + OUTPUTS, loss)
    d = tl.dot(rounded, head, input_precision=PRODUCT)
    d = d - (tl.sum(d, axis=1) / WIDTH)[:, None] - x * (tl.sum(d * x, axis=1) / WIDTH)[:, None]
    d = tl.where(x > zero[:, None], d * scale[:, None], 0.0)
    if STASHED:
        y1 = _matrix(stash + 4 * SEEN, WIDTH, TILE, WIDTH)
    d = _below(d, y1, net + JOINT1 + LAYER, joint1 + LAYER, WIDTH, KIND, PRODUCT)
    if STASHED:
        y0 = _matrix(stash + 3 * SEEN, WIDTH, TILE, WIDTH)
    d = _below(d, y0, net + JOINT1, joint1, WIDTH, KIND, PRODUCT)
    if STASHED:
        x2 = _matrix(stash + 2 * SEEN, WIDTH, TILE, WIDTH)
    rounded = d.to(KIND)
    _keep(joint, WIDTH, tl.dot(tl.trans(rounded), x2, input_precision=PRODUCT), WIDTH, WIDTH)
    sample = tl.load(chosen + k * batch + number, mask=there, other=0)  # again: what waits needs registers
    line = tl.load(decision + sample).to(tl.int32)
    for begin in tl.static_range(0, LINES, SOME):
        here = tl.trans((line[:, None] == begin + tl.arange(0, SOME)[None, :]).to(KIND))
        added = tl.dot(here, rounded, input_precision=PRODUCT)
        _keep_rows(tables + (PLACES + 1 + begin) * WIDTH, lines - begin, added, SOME, WIDTH)
    first = _matrix(net + JOINT, 2 * WIDTH, WIDTH, WIDTH).to(KIND)
    d = tl.where(x2 > 0.0, tl.dot(rounded, first, input_precision=PRODUCT), 0.0)
    if STASHED:
        x1 = _matrix(stash + 1 * SEEN, WIDTH, TILE, WIDTH)
    d = _below(d, x1, net + CARD1 + LAYER, card1 + LAYER, WIDTH, KIND, PRODUCT)
    if STASHED:
        x0 = _matrix(stash + 0 * SEEN, WIDTH, TILE, WIDTH)
    d = _below(d, x0, net + CARD1, card1, WIDTH, KIND, PRODUCT)
    cards = shown + tl.load(hand + sample).to(tl.int64) * PLACES
    rounded = d.to(KIND)
    for begin in tl.static_range(0, ALL_PLACES, SOME):
        dealt = tl.trans(_there(cards, begin, PLACES, SOME, KIND))
        added = tl.dot(dealt, rounded, input_precision=PRODUCT)
        _keep_rows(tables + begin * WIDTH, PLACES + 1 - begin, added, SOME, WIDTH)


@triton.jit
def _there(cards, begin: tl.constexpr, PLACES: tl.constexpr, SOME: tl.constexpr, KIND: tl.constexpr):
    """[TILE, SOME] cards as zeros and ones, and a one for the bias."""
    place = begin + tl.arange(0, SOME)[None, :]
    seen = tl.load(cards[:, None] + place, mask=place < PLACES, other=0)
    return tl.where(place == PLACES, 1, seen).to(KIND)


@triton.jit
def sums_kernel(parts, goes, grad, columns, stride, scale, COUNT: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Sums of parts to their places."""
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    inside = col < columns
    total = tl.zeros((ROWS, COLS), tl.float32)
    for begin in range(0, COUNT, ROWS):
        row = begin + tl.arange(0, ROWS)
        total += tl.load(
            parts + row[:, None] * stride + col[None, :], mask=(row[:, None] < COUNT) & inside[None, :], other=0.0
        )
    place = tl.load(goes + col, mask=inside, other=0)
    tl.store(grad + place, tl.sum(total, axis=0) * scale, mask=inside)


@triton.jit
def tables_back_kernel(
    net,
    numbers,
    grad,
    lines,
    CARD: tl.constexpr,
    BET: tl.constexpr,
    JOINT: tl.constexpr,
    TABLES: tl.constexpr,  # where gradients of what cards add begin, then those of lines
    GROUPS: tl.constexpr,
    RANKS: tl.constexpr,
    SUITS: tl.constexpr,
    DECK: tl.constexpr,
    BETS: tl.constexpr,
    WIDTH: tl.constexpr,
    PRODUCT: tl.constexpr,
    LINES: tl.constexpr,
    FACES: tl.constexpr,  # RANKS or SUITS, or more
):
    """Gradients of embeddings and of the layers that only they and lines of betting go through."""
    who = tl.program_id(0)
    cols = tl.arange(0, WIDTH)
    if who < GROUPS:
        size: tl.constexpr = RANKS * SUITS
        at = CARD + who * WIDTH
        delta = _rows(grad + TABLES + who * size * WIDTH, size, DECK, WIDTH)
        cards = _embedded(net, who, GROUPS, RANKS, SUITS, DECK, WIDTH)
        own = tl.dot(tl.trans(delta), cards, input_precision=PRODUCT)
        _keep(grad + at, GROUPS * WIDTH, own, WIDTH, WIDTH)
        weight = _matrix(net + at, GROUPS * WIDTH, WIDTH, WIDTH)
        delta = tl.dot(delta, weight, input_precision=PRODUCT)
        _keep_rows(grad + (GROUPS * (RANKS + SUITS) + who * size) * WIDTH, size, delta, DECK, WIDTH)
        card, face = tl.arange(0, DECK)[None, :], tl.arange(0, FACES)[:, None]
        ranks = tl.dot((card // SUITS == face).to(tl.float32), delta, input_precision=PRODUCT)
        _keep_rows(grad + who * RANKS * WIDTH, RANKS, ranks, FACES, WIDTH)
        suits = tl.dot((card % SUITS == face).to(tl.float32), delta, input_precision=PRODUCT)
        _keep_rows(grad + (GROUPS * RANKS + who * SUITS) * WIDTH, SUITS, suits, FACES, WIDTH)
    else:
        bet1: tl.constexpr = BET + WIDTH * (BETS + 1)
        bets = _bets(numbers, 0, lines, BETS, LINES)
        seen0 = _first_bets(bets, net + BET, BETS, WIDTH, PRODUCT)
        seen1 = _above(seen0, net + bet1, WIDTH, tl.float32, PRODUCT)
        d = _rows(grad + TABLES + (GROUPS * RANKS * SUITS + 1) * WIDTH, lines, LINES, WIDTH)
        found = tl.dot(tl.trans(d), seen1, input_precision=PRODUCT)
        _keep(grad + JOINT + WIDTH, 2 * WIDTH, found, WIDTH, WIDTH)
        tl.store(grad + JOINT + 2 * WIDTH * WIDTH + cols, tl.sum(d, axis=0))
        joint = _matrix(net + JOINT + WIDTH, 2 * WIDTH, WIDTH, WIDTH)
        d = tl.where(seen1 > 0.0, tl.dot(d, joint, input_precision=PRODUCT), 0.0)
        d = _below(d, seen0, net + bet1, grad + bet1, WIDTH, tl.float32, PRODUCT)
        found = tl.dot(tl.trans(d), bets, input_precision=PRODUCT)
        col = tl.arange(0, bets.shape[1])[None, :]
        tl.store(grad + BET + cols[:, None] * BETS + col, found, mask=col < BETS)
        tl.store(grad + BET + WIDTH * BETS + cols, tl.sum(d, axis=0))


@triton.jit(do_not_specialize=["k"])
def adam_kernel(
    net,
    grad,
    first,  # [weights] moments
    second,
    decay,
    rates,
    losses,
    k,
    clip,
    SIZE: tl.constexpr,
    LOSS: tl.constexpr,
    BETA1: tl.constexpr,
    BETA2: tl.constexpr,
    EPSILON: tl.constexpr,
    BLOCK: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """Adam on a gradient whose norm is clipped; each program finds the norm for itself."""
    squares = tl.zeros((AT_ONCE,), tl.float32)
    for begin in range(0, SIZE, AT_ONCE):
        at = begin + tl.arange(0, AT_ONCE)
        part = tl.load(grad + at, mask=at < SIZE, other=0.0)
        squares += part * part
    norm = tl.sqrt(tl.sum(squares, axis=0))
    known = norm < 1e30  # not where half precision has overflown: such a step changes nothing
    factor = tl.minimum(clip / (norm + 1e-6), 1.0)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = at < SIZE
    g = tl.where(known, tl.load(grad + at, mask=there, other=0.0) * factor, 0.0)
    m = tl.load(first + at, mask=there, other=0.0) * BETA1 + g * (1.0 - BETA1)
    v = tl.load(second + at, mask=there, other=0.0) * BETA2 + g * g * (1.0 - BETA2)
    rate = (tl.load(rates + k) / (1.0 - tl.load(decay))).to(tl.float32)
    spread = (1.0 - tl.load(decay + 1)).to(tl.float32)
    tl.store(first + at, m, mask=there)
    tl.store(second + at, v, mask=there)
    w = tl.load(net + at, mask=there, other=0.0)
    tl.store(net + at, w - rate * m / (tl.sqrt(v) / tl.sqrt(spread) + EPSILON), mask=there)
    if tl.program_id(0) == 0:
        tl.store(losses + k, tl.load(grad + LOSS))
