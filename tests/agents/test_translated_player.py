"""A saved solution at tables with other bets, and made purer."""

import json
import random

import pytest
from typer.testing import CliRunner

from equilibrist import MatchSettings, load_agent, load_game, play_match, solve
from equilibrist.abstraction.bets.purification import find_rule, postprocess
from equilibrist.abstraction.bets.translated_policy import TranslatedPolicy
from equilibrist.abstraction.bets.translation import find_mapping
from equilibrist.agents.tabulate import tabulate
from equilibrist.agents.translated_player import translated_exploitability
from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.forms.compiled import compiled
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.responses.best_response import evaluate_policy

FEW, MANY = "nolimit-leduc(stack=5,sizes=[1,a])", "nolimit-leduc(stack=5,sizes=[0.5,1,2,a])"


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    path = tmp_path_factory.mktemp("few") / "few.eqb"
    solution = solve(FEW, "lp")
    solution.save(path)
    return path, solution


@pytest.mark.parametrize("mapping", ["rand-pshar", "det-arith"])
def test_bets_that_were_not_solved_are_translated(solved, mapping):
    path, solution = solved
    real, model = load_game(MANY), load_game(FEW)
    expected = TranslatedPolicy(real, model, solution.policy, find_mapping(mapping)).tabular(compiled(real).infosets)
    found = tabulate(load_agent(f"{path}(mapping={mapping})"), real)
    assert found.probabilities == pytest.approx(expected.probabilities)
    assert evaluate_policy(real, found).exploitability > 0.01  # the opponent has bets that were not solved


def test_its_own_game_is_played_as_it_was_solved_again(solved):
    path, solution = solved
    player = load_agent(f"{path}(mapping=rand-pshar)")
    player.reset(0, load_game(MANY), random.Random(0))
    assert player.game == MANY
    found = tabulate(player, load_game(FEW))
    assert found.probabilities == pytest.approx(solution.policy.probabilities)


def test_a_solution_is_made_purer_as_it_is_played(solved):
    path, solution = solved
    found = tabulate(load_agent(f"{path}(post=threshold(0.2))"), load_game(FEW))
    expected = postprocess(solution.policy, find_rule("threshold(0.2)"))
    assert found.probabilities == pytest.approx(expected.probabilities)
    both = tabulate(load_agent(f"{path}(post=purify,mapping=rand-pshar)"), load_game(MANY))
    plain = tabulate(load_agent(f"{path}(mapping=rand-pshar)"), load_game(MANY))
    assert abs(both.probabilities - plain.probabilities).max() > 0.1


def test_translated_players_meet_in_matches(solved):
    path, _ = solved
    names = f"{path}(mapping=rand-pshar)", f"{path}(mapping=det-geo,scale=abstract,all_in=call)"
    assert play_match(MatchSettings(names, MANY, 60)).faults == (0, 0)


def test_what_cannot_be_translated_is_refused(solved):
    path, _ = solved
    for text, said in (
        ("speed=2", "no parameter 'speed'"),
        ("mapping=3", "is a word"),
        ("scale=abstract", "add mapping"),
        ("mapping=rand-pshar,scale=big", "scale=big"),
    ):
        with pytest.raises(ParameterError, match=said):
            load_agent(f"{path}({text})")
    for other, said in (("nolimit-leduc(stack=5,ranks=4)", "deck"), ("nolimit-leduc(stack=6,sizes=[1,a])", "stack")):
        with pytest.raises(ParameterError, match=f"differ in their {said}"):
            load_agent(f"{path}(mapping=rand-pshar)").reset(0, load_game(other), random.Random(0))
    with pytest.raises(NotApplicableError, match="between poker games"):
        load_agent(f"{path}(mapping=rand-pshar)").reset(0, load_game("rps"), random.Random(0))
    with pytest.raises(NotApplicableError, match="was made for"):
        load_agent(f"{path}(post=purify)").reset(0, load_game(MANY), random.Random(0))


def test_what_a_translated_solution_loses_is_exact(solved):
    """Two routes: over public states, and written out infoset by infoset."""
    path, _ = solved
    real = load_game(MANY)
    written = evaluate_policy(real, tabulate(load_agent(f"{path}(mapping=rand-pshar)"), real)).exploitability
    player = load_agent(f"{path}(mapping=rand-pshar)")
    assert translated_exploitability(player, real) == pytest.approx(written, abs=1e-9)
    with pytest.raises(NotApplicableError, match="nothing is translated"):
        translated_exploitability(player, load_game(FEW))


def test_evaluate_measures_translated_solutions_and_says_where_it_cannot(solved, tmp_path):
    path, _ = solved
    asked = ("evaluate", f"{path}(mapping=rand-pshar)", "--lbr", "", "--against", "", "--json", "--game")
    found = json.loads(CliRunner().invoke(app, [*asked, "nolimit-leduc(stack=5)"]).stdout)["exploitability"]
    assert found["value"] > 10.0
    assert found["reason"] == "with its bets translated"
    solve("nolimit-leduc(stack=20,sizes=[1,a])", "cfr+", iterations=20).save(tmp_path / "deep.eqb")
    deep = ("evaluate", f"{tmp_path / 'deep.eqb'}(mapping=rand-pshar)", *asked[2:])
    found = json.loads(CliRunner().invoke(app, [*deep, "nolimit-leduc(stack=20)"]).stdout)["exploitability"]
    assert found["value"] is None  # not what the file states of its own game
    assert "too many for an exact response" in found["reason"]
