"""Matrix games without regrets: each iteration is a warm start from the averages ([Brown20, §3.2.5])."""

from equilibrist.compute.kernel import kernel

HALVINGS = 60  # of the interval that holds the common value


@kernel
def excess(values, level, out):
    """Positive parts above a level, and the sum of their squares."""
    total = 0.0
    for a in range(values.shape[0]):
        out[a] = max(values[a] - level, 0.0)
        total += out[a] * out[a]
    return total


@kernel
def common_value(gains, losses, more, less):
    """The value at which both players' averages stand for equally many iterations; `more`, `less` receive excesses.

    `gains` are the row player's action values against the column average, `losses` the column player's own against the row's.
    """
    low, high = -losses.max(), gains.max()
    rows, columns = gains.shape[0], losses.shape[0]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if columns * excess(gains, middle, more) > rows * excess(losses, -middle, less):
            low = middle
        else:
            high = middle
    value = 0.5 * (low + high)
    excess(gains, value, more)
    excess(losses, -value, less)
    return value


@kernel
def take(excesses, average, latest):
    """Play in proportion to the excesses; the average itself where there are none."""
    total = excesses.sum()
    for a in range(average.shape[0]):
        latest[a] = excesses[a] / total if total > 0.0 else average[a]


@kernel
def run_regret_free(payoffs, first_t, iterations, row, column, latest_row, latest_column, gains, losses, more, less):
    """Averages `row` and `column` move on by as many iterations; the first one plays what they hold."""
    rows, columns = payoffs.shape
    for t in range(first_t, first_t + iterations):
        if t > 1:
            for b in range(columns):
                losses[b] = 0.0
            for a in range(rows):
                total = 0.0
                for b in range(columns):
                    total += payoffs[a, b] * column[b]
                    losses[b] -= row[a] * payoffs[a, b]
                gains[a] = total
            common_value(gains, losses, more, less)
            take(more, row, latest_row)
            take(less, column, latest_column)
        for a in range(rows):
            row[a] += (latest_row[a] - row[a]) / t
        for b in range(columns):
            column[b] += (latest_column[b] - column[b]) / t
