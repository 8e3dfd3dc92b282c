"""Plug-ins: games, solvers, players and experiments that another distribution adds by entry points."""

import sys

import pytest

from equilibrist.agents.registry import AGENTS, list_agents, load_agent
from equilibrist.core.errors import FormatError, UnknownNameError
from equilibrist.experiments.registry import EXPERIMENTS, experiment_cards, list_experiments, reproduce
from equilibrist.games.catalogue import GAMES, list_games, load_game, recorded_game
from equilibrist.solvers.registry import SOLVERS, list_solvers, make_solver
from equilibrist.solvers.solve import solve
from user_game import TEXT

POINTS = """
[equilibrist.games]
hide-and-seek = theirs:HideAndSeek
kuhn = theirs:HideAndSeek
gone = nowhere:Game
number = theirs:NUMBER
needy = theirs:needs_more

[equilibrist.solvers]
slow-cfr = theirs:slow_cfr

[equilibrist.agents]
first = theirs:First

[equilibrist.experiments]
theirs/sum = theirs:SUM
theirs/none = theirs:NUMBER
"""

MORE = '''
from equilibrist import CFR
from equilibrist.agents.simple import SimplePlayer
from equilibrist.experiments.findings import Findings, equal
from equilibrist.experiments.registry import Experiment

NUMBER = 3


def needs_more(amount: int):
    """A game with a parameter that has no default."""
    return HideAndSeek(amount)


def slow_cfr(rate: float = 1.0):
    """CFR under another name."""
    return CFR(name="slow-cfr")


class First(SimplePlayer):
    """Takes the first action."""

    def probabilities(self, view):
        return {view.actions[0]: 1.0}


def run(request):
    return Findings(setting="two numbers", checks=[equal("the sum", 3, 1 + 2)])


SUM = Experiment("theirs/sum", "One and two", "nobody", 1, 1, run, text="a sum", quick={"text": ["reference"]})
'''


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A distribution on the path that declares the entry points."""
    (tmp_path / "theirs.py").write_text(TEXT + MORE)
    info = tmp_path / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    catalogues = (GAMES, SOLVERS, AGENTS, EXPERIMENTS)
    for catalogue in catalogues:
        catalogue.__dict__.pop("plugins", None)
    yield tmp_path
    sys.modules.pop("theirs", None)
    for catalogue in catalogues:
        catalogue.__dict__.pop("plugins", None)


def test_names_are_listed_without_importing_anything(installed):
    assert {"hide-and-seek", "gone"} <= set(list_games())
    assert "slow-cfr" in list_solvers()
    assert "first" in list_agents()
    assert "theirs/sum" in list_experiments()
    assert "theirs" not in sys.modules


def test_a_game_is_loaded_solved_saved_and_found_again(installed, tmp_path):
    game = load_game("hide-and-seek(hands=3)")
    assert game.name == "hide-and-seek(hands=3)"
    assert load_game("hide-and-seek(hands=2)").name == "hide-and-seek"
    solution = solve(game, iterations=200)
    assert solution.value[0] == pytest.approx(1 / 3, abs=0.02)
    assert recorded_game(solution.game).start().actions() == ("hand0", "hand1", "hand2")
    entry = GAMES.entries()["hide-and-seek"]
    assert (entry.summary, dict(entry.parameters)) == ("A coin in one of some hands.", {"hands": 2})


def test_a_built_in_name_stays_what_it_is(installed, caplog):
    assert load_game("kuhn").start().player == -1
    assert GAMES.plugins.keys() == {"hide-and-seek", "gone", "number", "needy"}
    assert "The game 'kuhn' of a plug-in (theirs:HideAndSeek) is left out" in caplog.text


def test_a_plugin_that_cannot_be_loaded_is_told_apart_from_a_wrong_name(installed, caplog):
    with pytest.raises(UnknownNameError, match="comes from the plug-in 'nowhere:Game', which cannot be loaded"):
        load_game("gone")
    with pytest.raises(FormatError, match="it must name a Game class"):
        load_game("number")
    assert "gone" not in GAMES.entries()  # listings go on without it, and say so
    assert "which cannot be loaded" in caplog.text


def test_a_solver_and_a_player(installed):
    assert make_solver("slow-cfr").name == "slow-cfr"
    assert solve("kuhn", "slow-cfr(rate=2)", iterations=10).solver == "slow-cfr"
    assert SOLVERS.entries()["slow-cfr"].summary == "CFR under another name."
    assert type(load_agent("first")).__name__ == "First"


def test_an_experiment(installed):
    assert reproduce("theirs/sum").status == "stand-in reproduced"  # nothing printed is compared
    assert experiment_cards()[-1].title == "One and two"
    with pytest.raises(FormatError, match="must name an Experiment"):
        EXPERIMENTS.find("theirs/none")


def test_commands_list_them(installed, capsys):
    from equilibrist.interfaces.cli.catalogues import games, solvers

    games(as_json=True)
    listed = capsys.readouterr().out
    assert '"hide-and-seek"' in listed
    assert '"needy"' in listed
    solvers(as_json=True)
    assert '"slow-cfr"' in capsys.readouterr().out
