"""Three players at one table: CFR has no guarantee there, so what it finds is measured, not assumed."""

import equilibrist as eq


def main() -> None:
    solution = eq.solve("kuhn(players=3)", solver="cfr+", until=1e-3)
    print(f"after {solution.iterations} iterations nobody can gain more than {solution.nash_conv:.4f} chips in all")
    for player, value in enumerate(solution.value, start=1):
        best = eq.best_response("kuhn(players=3)", solution.policy, player - 1).value
        print(f"player {player}: value {value:+.4f}, best response {best:+.4f}")


if __name__ == "__main__":
    main()
