"""Strength beyond exploitability: losses to responders, against known values and against each other."""

import json
from functools import cache

import pytest
from typer.testing import CliRunner

from equilibrist.core.errors import NotApplicableError, ParameterError
from equilibrist.evaluation.reports.strength_report import default_responders, read_responders, strength_report
from equilibrist.exploit.models.model_files import named_model
from equilibrist.exploit.response_functions.strength import both_sides, cross_table, domination_value, solved_policy
from equilibrist.forms.compiled import compiled
from equilibrist.interfaces.cli.app import app
from equilibrist.solvers.solve import solve

GAME = compiled("leduc")


@cache
def sides():
    return both_sides(GAME)


def losses(policy, names, **more):
    found = strength_report(GAME, policy, read_responders(names, GAME, sides()), **more)
    return {loss.responder.name: loss for loss in found.losses}


def named(name):
    return named_model(GAME.infosets, name)


# recomputed: exploitability of simple players in Leduc, chips
@pytest.mark.parametrize(("name", "chips"), [("fold", 1.0), ("call", 1.4667), ("raise", 2.3667), ("uniform", 2.3736)])
def test_a_best_response_takes_what_is_known(name, chips):
    found = losses(named(name), "best")
    assert found["best"].chips == pytest.approx(chips, abs=1e-4)


def test_cautious_responders_lie_between_an_equilibrium_and_a_best_response():
    found = losses(named("call"), "equilibria rnr-0 rnr-0.3 rnr-0.5 rnr-1 best")
    # recomputed, model always-call: .55 of trust and more
    assert found["rnr-0.3"].chips == pytest.approx(1.271, abs=2e-3)
    assert found["rnr-0.5"].chips == pytest.approx(1.350, abs=2e-3)
    assert found["rnr-1"].chips == pytest.approx(found["best"].chips, abs=1e-9)
    assert found["rnr-0"].chips <= found["equilibria"].chips + 1e-6
    gaps = [domination_value(seat, seat.my_plan(named("call"))) for seat in sides()]
    assert found["equilibria"].chips == pytest.approx(sum(gaps) / 2, abs=1e-9)


def test_seeing_less_takes_less_and_samples_take_more():
    found = losses(named("uniform"), "blind ranks uct-10 uct-3000 fbr-10 fbr-3000 best", runs=6)
    assert found["blind"].chips < found["ranks"].chips <= found["best"].chips + 1e-9
    for kind in ("uct", "fbr"):
        assert found[f"{kind}-10"].chips < found[f"{kind}-3000"].chips <= found["best"].chips + 1e-9
        assert found[f"{kind}-10"].interval > 0.0


def test_a_finite_set_is_the_worst_entry_of_a_cross_table():
    table = cross_table(sides(), {name: named(name) for name in ("uniform", "call", "raise")})
    first = losses(named("uniform"), "set:call", runs=2)["set:call"].chips
    assert first == pytest.approx(-table.payoff[0, 1], abs=1e-9)
    both = losses(named("uniform"), "set:call+raise")["set:call+raise"].chips
    assert both >= max(-table.payoff[0, 1], -table.payoff[0, 2]) - 1e-9  # each seat's responder chooses on its own


def test_an_equilibrium_loses_to_nobody():
    report = strength_report(GAME, solved_policy(GAME), default_responders(GAME, sides()), runs=2)
    assert report.exploitability == pytest.approx(0.0, abs=1e-6)
    assert max(loss.chips for loss in report.losses) <= 1e-6
    assert [loss.responder.strength for loss in report.curve("uct")] == [100, 1000, 10000]


def test_other_games_have_fewer_responders():
    game = compiled("rps")
    names = {each.name for each in default_responders(game, both_sides(game))}
    assert {"best", "equilibria", "rnr-0.5"} <= names
    assert not names & {"blind", "ranks", "set"}
    with pytest.raises(NotApplicableError, match="private card"):
        read_responders("blind", game, both_sides(game))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bets", "is no responder"),
        ("uct", "is no responder"),
        ("uct-0", "from 1 to"),
        ("uct-1.5", "whole number"),
        ("fbr-many", "a number must follow"),
        ("rnr-2", "from 0 to 1"),
        ("set:call+sing", "is no model"),
    ],
)
def test_unknown_responders_are_refused(name, said):
    with pytest.raises(ParameterError, match=said):
        read_responders(name, GAME, sides())
    refused = CliRunner().invoke(app, ["evaluate", "kuhn", "--responses", name])
    assert refused.exit_code == 2
    assert len(refused.stderr.strip().splitlines()) == 1


def test_on_the_command_line(tmp_path):
    saved, picture = tmp_path / "kuhn.eqb", tmp_path / "curve.png"
    solve("kuhn", "cfr", iterations=50).save(saved)
    result = CliRunner().invoke(
        app, ["evaluate", str(saved), "--responses", "best uct-10 fbr-10 blind", "--png", str(picture), "--json"]
    )
    facts = json.loads(result.stdout)
    assert facts["responses"][0]["loss"] == pytest.approx(facts["exploitability"])
    assert picture.read_bytes()[:4] == b"\x89PNG"
    shown = CliRunner().invoke(app, ["evaluate", "always-call", "--game", "kuhn", "--responses", "best"])
    assert "best response" in shown.stdout
    for arguments, said in (
        (["evaluate", "always-call", "--responses", "best"], "add --game"),
        (["evaluate", str(saved), "--game", "leduc", "--responses", "best"], "is a solution of 'kuhn'"),
        (["evaluate", str(tmp_path / "none.eqb"), "--responses", "best"], "none.eqb"),
    ):
        refused = CliRunner().invoke(app, arguments)
        assert refused.exit_code == 2
        assert said in refused.stderr
