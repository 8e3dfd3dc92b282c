# isort: off
from equilibrist.version import __version__ as __version__  # of the package

# games
from equilibrist.games.rules import Game as Game
from equilibrist.games.rules import State as State
from equilibrist.games.rules import CHANCE as CHANCE  # `player` of a state where chance moves
from equilibrist.games.rules import TERMINAL as TERMINAL  # `player` of a state where the game is over
from equilibrist.games.spots.spot import Spot as Spot
from equilibrist.games.tables.table import Table as Table
from equilibrist.games.catalogue import load_game as load_game
from equilibrist.games.catalogue import list_games as list_games
from equilibrist.testing.games import check_game as check_game
from equilibrist.forms.compiled import Compiled as Compiled
from equilibrist.forms.compiled import compiled as compiled

# solvers
from equilibrist.solvers.solve import solve as solve
from equilibrist.solvers.postflop.batches.solve_batch import solve_batch as solve_batch
from equilibrist.solvers.registry import list_solvers as list_solvers
from equilibrist.solvers.registry import make_solver as make_solver
from equilibrist.solvers.cfr.cfr import CFR as CFR
from equilibrist.solvers.cfr.schedules import DCFR as DCFR
from equilibrist.solvers.cfr.schedules import LINEAR as LINEAR  # schedule of linear CFR
from equilibrist.solvers.cfr.schedules import PLUS as PLUS  # schedule of CFR+
from equilibrist.solvers.cfr.schedules import VANILLA as VANILLA  # schedule of CFR
from equilibrist.solvers.mccfr.mccfr import MCCFR as MCCFR
from equilibrist.solvers.fictitious_play.fictitious_play import FictitiousPlay as FictitiousPlay
from equilibrist.solvers.linear_programs.sequence_lp import SequenceFormLP as SequenceFormLP

# results
from equilibrist.core.solution import Solution as Solution
from equilibrist.core.solution import Evaluation as Evaluation
from equilibrist.core.policy import Policy as Policy
from equilibrist.core.policy import TabularPolicy as TabularPolicy
from equilibrist.solvers.saved_solutions import load_solution as load_solution
from equilibrist.solvers.responses.best_response import evaluate_policy as evaluate_policy
from equilibrist.solvers.responses.best_response import exploitability as exploitability
from equilibrist.solvers.responses.best_response import nash_conv as nash_conv
from equilibrist.evaluation.verification.verify import verify as verify
from equilibrist.evaluation.flop_reports.run import report as report
from equilibrist.core.errors import EquilibristError as EquilibristError

# search and exploitation
from equilibrist.search.subgame_solving import search as search
from equilibrist.search.tree_profile import TreeProfile as TreeProfile
from equilibrist.search.subgame import Subgame as Subgame
from equilibrist.solvers.responses.best_response import best_response as best_response
from equilibrist.core.opponent import Binding as Binding

# play
from equilibrist.core.player import Player as Player
from equilibrist.agents.registry import load_agent as load_agent
from equilibrist.agents.registry import list_agents as list_agents
from equilibrist.solvers.blueprint.strategy import load_blueprint as load_blueprint
from equilibrist.agents.matches.match import play_match as play_match
from equilibrist.agents.matches.match import MatchSettings as MatchSettings
from equilibrist.experiments.registry import reproduce as reproduce
from equilibrist.experiments.registry import list_experiments as list_experiments

# cards
from equilibrist.cards.ranges import Range as Range
from equilibrist.cards.ranges import parse_range as parse_range
from equilibrist.cards.equity import equity as equity
