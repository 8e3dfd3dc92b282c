"""Blueprints: strategies for games too large to solve exactly, trained by Monte Carlo CFR on a betting tree and buckets.

`Training` says how, `BlueprintRun` trains, `folder.py` keeps a run on disk so that it survives being killed, `PokerBlueprint`
is what is played from. Start reading in `run.py`.
"""
