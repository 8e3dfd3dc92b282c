"""CFR that leaves out what cannot matter: partial, regret-based and best-response pruning, dynamic thresholding."""
