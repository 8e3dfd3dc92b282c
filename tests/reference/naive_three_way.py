"""Payoffs of three hands by listing all triples: the slow twin of solvers/three_way/_kernels/meetings.py."""

from reference.naive_pots import naive_settlement


def naive_payoffs(paid, folded, strengths, pot, rate=0.0, cap=float("inf")):
    """Chips that each of three players has more at the end than when the spot began; the pot is nobody's at first.

    Amounts are whole, and the pot is a third from each. The house takes its share of what is not given back, from every pot alike.
    """
    third = pot // 3
    assert 3 * third == pot
    net = naive_settlement([amount + third for amount in paid], folded, strengths, whole=False)
    net = [float(each + third) for each in net]
    most = sorted(paid)[-2]  # of the largest payment what nobody has matched goes back
    back = [max(0, amount - most) for amount in paid]
    won = [gain + amount - uncalled for gain, amount, uncalled in zip(net, paid, back, strict=True)]
    total = pot + sum(paid) - sum(back)
    kept = 1.0 - min(rate * total, cap) / total
    return [kept * share - amount + uncalled for share, amount, uncalled in zip(won, paid, back, strict=True)]


def naive_values(hands, weights, strengths, payoff):
    """[player][hand] sum over all triples without a shared card of the opponents' weights times `payoff(strengths)[player]`."""
    values = [[0.0] * len(each) for each in hands]
    for i, x in enumerate(hands[0]):
        for j, y in enumerate(hands[1]):
            if set(x) & set(y):
                continue
            for k, z in enumerate(hands[2]):
                if set(z) & (set(x) | set(y)):
                    continue
                told = payoff([strengths[0][i], strengths[1][j], strengths[2][k]])
                values[0][i] += weights[1][j] * weights[2][k] * told[0]
                values[1][j] += weights[0][i] * weights[2][k] * told[1]
                values[2][k] += weights[0][i] * weights[1][j] * told[2]
    return values
