"""All-ins before the flop: who wins when all cards come, by classes of hands.

`classes.py` names the 169 classes; `pairs.py` holds two hands, exactly; `triples.py` three hands, sampled; `joint.py` puts the hands and
showdowns of three players together.
"""
