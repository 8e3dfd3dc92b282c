from equilibrist.core.leaf_values import LeafValues as LeafValues
from equilibrist.search.beliefs import Beliefs as Beliefs
from equilibrist.search.depth_limited.cfr_d import OracleLeaves as OracleLeaves
from equilibrist.search.depth_limited.cfr_d import SolvedLeaves as SolvedLeaves
from equilibrist.search.depth_limited.depth_limited import draws_below as draws_below
from equilibrist.search.depth_limited.depth_limited import search_to_edge as search_to_edge
from equilibrist.search.depth_limited.depth_limited import self_generated as self_generated
from equilibrist.search.depth_limited.multi_valued_states import biased_set as biased_set
from equilibrist.search.depth_limited.spot_continuations import Continuations as Continuations
from equilibrist.search.depth_limited.spot_continuations import SolvedPolicy as SolvedPolicy
from equilibrist.search.endgame_programs.endgame_betting import grow_betting as grow_betting
from equilibrist.search.endgame_programs.endgame_betting import last_round as last_round
from equilibrist.search.endgame_programs.endgame_solving import GANZFRIED as GANZFRIED  # [Ganzfried15, ch. 10]
from equilibrist.search.endgame_programs.endgame_solving import LU as LU  # [Lu16, ch. 4]
from equilibrist.search.endgame_programs.endgame_solving import EndgameMethod as EndgameMethod
from equilibrist.search.endgame_programs.endgame_solving import solve_endgame as solve_endgame
from equilibrist.search.endgame_programs.joint_hands import river_hands as river_hands
from equilibrist.search.endgame_programs.turn_program import expectation_buckets as expectation_buckets
from equilibrist.search.endgame_programs.turn_program import threshold_buckets as threshold_buckets
from equilibrist.search.endgame_programs.turn_program import turn_program as turn_program
from equilibrist.search.engines.games import search_game as search_game
from equilibrist.search.engines.nested_boards import NestedBoards as NestedBoards
from equilibrist.search.engines.spot_rest import spot_after as spot_after
from equilibrist.search.engines.spots import search_from as search_from
from equilibrist.search.engines.spots import search_spot as search_spot
from equilibrist.search.engines.streamed.nested import NestedStream as NestedStream
from equilibrist.search.off_tree.nested_search import NestedSearch as NestedSearch
from equilibrist.search.off_tree.nested_search import answer_expensive as answer_expensive
from equilibrist.search.off_tree.nested_search import answer_inexpensive as answer_inexpensive
from equilibrist.search.off_tree.off_tree import OffTree as OffTree
from equilibrist.search.off_tree.off_tree import answer_everywhere as answer_everywhere
from equilibrist.search.subgame import after_chance as after_chance
from equilibrist.search.subgame_solving import SubgameSolution as SubgameSolution
from equilibrist.search.subgame_solving import search_everywhere as search_everywhere
from equilibrist.search.techniques import TECHNIQUES as TECHNIQUES  # name -> `Technique`
from equilibrist.search.techniques import Technique as Technique
from equilibrist.search.techniques import find_technique as find_technique
