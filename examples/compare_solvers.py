"""The same game and the same number of iterations for several solvers: who is closest to equilibrium?"""

import equilibrist as eq

SOLVERS = ("cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "pdcfr+")
ITERATIONS = 500


def main() -> None:
    leduc = eq.compiled("leduc")  # built once, shared by all
    print(f"leduc after {ITERATIONS} iterations")
    print(f"{'solver':10} {'exploitability':>15} {'value':>10} {'seconds':>8}")
    for name in SOLVERS:
        solution = eq.solve(leduc, solver=name, iterations=ITERATIONS)
        print(f"{name:10} {solution.exploitability:15.6f} {solution.value[0]:10.6f} {solution.seconds:8.2f}")


if __name__ == "__main__":
    main()
