"""Tables before the flop solved by vector CFR over 169 classes of hands, with every seat's exact gain in the model.

Enters: a `Table`. Leaves: a `TableSolution`. Start with `solve_table.py`; `model.py` says what is exact and what is not.
"""
