"""Independent verification: values and best responses by code that shares nothing with the solvers."""
