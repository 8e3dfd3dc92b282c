"""Players: what sits down at a table, by name or from a file.

Enters: a name with parameters (`always-raise(size=1)`) or the path of a saved solution. Leaves: a `Player`. Start with
`registry.py` (`load_agent`); `simple.py` and `strength_players.py` hold the opponents of the literature, `policy_player.py` plays a
solution, `match.py` lets players meet and keeps the ledger (`ledger.py`).
"""
