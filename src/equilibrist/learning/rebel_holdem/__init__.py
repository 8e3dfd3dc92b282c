"""ReBeL for hold'em of two players at one depth of stacks: searches before the flop and on it, solved turns ([Brown20, §5.3]).

Public beliefs of a round become exact or searched values (`self_play.py`), from which two networks learn (`nets.py`): one for the start of
the flop, asked before the flop, and one for the start of the turn, asked on the flop. Begin reading at `rebel_training.py`.
"""
