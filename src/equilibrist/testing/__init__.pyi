from equilibrist.testing.forms import check_form as check_form
from equilibrist.testing.games import check_game as check_game
from equilibrist.testing.players import check_player as check_player
from equilibrist.testing.solvers import check_solver as check_solver
