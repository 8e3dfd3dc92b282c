"""Kuhn poker, solved and shown: the first player loses a chip every eighteen hands, however well it plays."""

import equilibrist as eq

solution = eq.solve("kuhn", solver="cfr+", until=1e-4)

print(f"value {solution.value[0]:.5f} (exactly -1/18 = {-1 / 18:.5f})")
print(f"exploitability {solution.exploitability:.1e} after {solution.iterations} iterations")
for key in ("J", "Q", "K", "J:b", "Q:b", "K:b"):
    mix = "  ".join(f"{action} {probability:.3f}" for action, probability in solution.policy[key].items())
    print(f"{key:4} {mix}")
