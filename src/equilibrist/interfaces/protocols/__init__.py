"""The field's languages: hands as PHH files, the ACPC dealer protocol, Slumbot's action strings, hand histories of sites.

Enters and leaves: text, and `PlayedHand` (`hands.py`), the neutral form of one hand that every format is read into and written
from. Start with `hands.py`; `acpc.py` holds the match states, `acpc_dealer.py` and `acpc_player.py` the two ends of a socket.
"""
