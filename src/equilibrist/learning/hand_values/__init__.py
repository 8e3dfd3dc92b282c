"""Values of hands at the start of a street, learned from exact solutions: what a search of the street before needs at its edge.

Enters: random public belief states (`belief_states.py`) with exact values (`labels.py`). Leaves: a network (`value_net.py`), trained in a
folder (`value_folder.py`), and values at the leaves of a search. Start with `value_net.py`.
"""
