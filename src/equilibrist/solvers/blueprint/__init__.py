"""Blueprints: strategies for games too large to solve exactly, trained by Monte Carlo CFR on a betting tree and buckets.

`Training` says how, `BlueprintRun` trains, `training_folder.py` keeps a run on disk so that it survives being killed, `PokerBlueprint`
is what is played from. Start reading in `run.py`.
"""

from equilibrist.solvers.blueprint.run import BlueprintRun
from equilibrist.solvers.blueprint.strategy import PokerBlueprint, load_blueprint
from equilibrist.solvers.blueprint.training import PruneRule, Training

__all__ = ["BlueprintRun", "PokerBlueprint", "PruneRule", "Training", "load_blueprint"]
