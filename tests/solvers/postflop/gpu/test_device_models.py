"""Players bound by models on a GPU: what is laid out there, followed plainly, against the CPU; on a device both (`-m gpu`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import equilibrist as eq
from equilibrist.core.opponent import Binding
from equilibrist.exploit.responses import restricted_spots
from equilibrist.exploit.responses.restricted_spots import RestrictedSpot
from equilibrist.games.catalogue import recorded_game
from equilibrist.games.spots.spot import Spot
from equilibrist.solvers.cfr.schedules import discount_factors
from equilibrist.solvers.postflop._kernels.layout import Weights
from equilibrist.solvers.postflop.gpu.device_passes import WINDOW
from equilibrist.solvers.postflop.gpu.street_plan import bytes_of, root_arrays
from equilibrist.solvers.postflop.restricted_nash import BoardModel, ModelledBoards, restricted_nash
from equilibrist.solvers.postflop.solve_game import start_boards
from equilibrist.solvers.postflop.solve_spot import start_spot
from equilibrist.solvers.registry import make_solver
from reference.host_device import use_host
from reference.plain_program import LEARN, RESPOND, VALUE, PlainRun, check_tables, host_tables

TURN = Spot(
    board="8h8c4s4d",  # suits that can be exchanged
    pot=100,
    stack=300,
    range={"oop": "AA,QQ,KQs,JTs,98s,A5s,T7o", "ip": "KK,QQ,AJs,T9s,76s:0.5,K9o"},
    bets={"bet": "50%, a", "raise": "2.5x, a"},
)
RIVER = TURN.changed(board="8h8c4s4dTs")
FLOP = TURN.changed(board="8h8c4s", range={"oop": "AA,KQs", "ip": "KK,AJs"}, bets={"bet": "a"})  # called all-ins


def model_of(spot: Spot, player: int) -> BoardModel:
    other = start_spot(spot, "cfr")
    other.advance(4)
    return BoardModel.of_run(other, player)


def plain_of(cpu: ModelledBoards, there: Any) -> PlainRun:
    """Plain programs with the groups and the rows of models that lie on the device."""
    plain = PlainRun(cpu, groups=[plan.groups for plan in there.passes.plans])
    for street, laid in zip(plain.streets, there.passes.streets, strict=True):
        street.model[there.responder] = np.array(laid.own[there.responder]["model"], dtype=float)
        assert np.array_equal(laid.own[there.responder]["model_rows"], laid.plan.program[there.responder].first_rows)
        plain.share = float(laid.own[there.responder]["model_share"][0])
    return plain


@pytest.mark.parametrize("player", [0, 1])
def test_hands_that_follow_a_model_are_met_as_on_the_cpu(player: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(TURN, player)
    cpu = restricted_nash(TURN, model, 0.4, "dcfr(gamma=3)")
    use_host(monkeypatch)
    plain = plain_of(cpu, restricted_nash(TURN, model, 0.4, "dcfr(gamma=3)", device="cuda"))
    weights = discount_factors(cpu.schedule, 0)[0]
    for me in range(2):
        cpu._pass(LEARN, me, Weights(*weights.astype(np.float32)))
        plain.values(LEARN, me, weights.tolist())
        for street, mine in zip(cpu.streets, plain.streets, strict=True):
            for p in range(2):
                check_tables(mine.tables[p], host_tables(street, p), 2e-5)
    for me in range(2):
        for mode, respond in ((VALUE, False), (RESPOND, True)):
            wanted = cpu.values(me, respond=respond)
            found = plain.values(mode, me)[0, : len(wanted)]
            assert found == pytest.approx(wanted, abs=2e-5 * np.abs(wanted).max())


def test_called_all_ins_are_played_out_where_a_model_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(FLOP, 0)
    use_host(monkeypatch)
    there: Any = restricted_nash(FLOP, model, 0.4, "dcfr", device="cuda")
    free: Any = start_spot(FLOP, "dcfr", device="cuda")
    assert free.passes.plans[-1].called
    assert not there.passes.plans[-1].called


def test_shares_are_set_for_a_pass_and_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(TURN, 1)
    host = use_host(monkeypatch)
    there: Any = restricted_nash(TURN, model, 0.25, "dcfr", device="cuda")
    plans = there.passes.plans
    ranges = sum(
        2 * -(-4 * int(own.count[0]) // 512) * 512 for own in plans[0].street.boards.player
    )  # copied, then free
    assert host.taken == sum(plan.bytes for plan in plans) + bytes_of(root_arrays(plans[0], WINDOW)) + ranges
    seen = list[tuple[float, float]]()

    def launch(mode: str, me: int) -> None:
        root = there.passes.root[1]
        seen.append((float(there.passes.streets[-1].own[0]["model_share"][0]), float(root.sum())))

    monkeypatch.setattr(there.passes, "launch", launch)
    whole = float(there._whole.sum())
    there.payoff()  # all hands follow the model
    there._against(there._parts[0])  # none does
    there.values(0)
    assert [share for share, _ in seen] == pytest.approx([1.0, 0.0, 0.25])
    assert [free for _, free in seen] == pytest.approx([0.0, whole, 0.75 * whole], rel=1e-6)


def test_models_by_infoset_lock_every_decision_before_tables_are_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = eq.solve("leduc", "cfr", iterations=3).tabular()
    solver = replace(make_solver("dcfr"), bindings=(Binding(policy, 1, 0.5, "per_infoset"),))
    use_host(monkeypatch)
    there: Any = start_boards(recorded_game("leduc"), solver, device="cuda")
    for street in there.passes.streets:
        assert street.plan.locked
        assert (np.array(street.own[1]["lock"]) >= 0).any()
        assert not (np.array(street.own[0]["lock"]) >= 0).any()


@pytest.mark.gpu
@pytest.mark.parametrize("solver", ["dcfr(gamma=3)", "pcfr+"])
@pytest.mark.parametrize(("spot", "player"), [(TURN, 0), (TURN, 1), (FLOP, 0)], ids=["oop", "ip", "flop"])
def test_models_on_a_device(spot: Spot, player: int, solver: str) -> None:
    model = model_of(spot, player)
    cpu, gpu = (restricted_nash(spot, model, 0.4, solver, device=device) for device in ("cpu", "cuda"))
    # on a flop of a few hands rounding decides from the second iteration on: plain programs in double precision differ by 1e-3
    for _ in range(1 if spot is FLOP else 3):
        for run in (cpu, gpu):
            run.advance(1)
        for me in range(2):
            for respond in (False, True):
                wanted = cpu.values(me, respond=respond)
                assert gpu.values(me, respond=respond) == pytest.approx(wanted, abs=1e-5 * np.abs(wanted).max())
        assert gpu.payoff() == pytest.approx(cpu.payoff(), abs=1e-5 * spot.pot)
        assert gpu.exploitability() == pytest.approx(cpu.exploitability(), rel=1e-4, abs=1e-5 * spot.pot)
        gpu.restore(cpu.state())
    for run in (cpu, gpu):
        run.advance(400)
        assert run.exploitability() < 0.002 * spot.pot
    assert gpu.payoff() == pytest.approx(cpu.payoff(), abs=0.01 * spot.pot)


@pytest.mark.parametrize("p", [0.0, 0.5])
def test_responses_are_sought_where_they_are_asked_for(p: float, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def told(real: Any) -> Any:
        def start(*args: Any, device: str = "cpu", **how: Any) -> Any:
            asked.append(device)
            return real(*args, **how)

        return start

    dial = RestrictedSpot(RIVER, model_of(RIVER, 1), device="cuda")
    for name in ("start_spot", "restricted_nash"):
        monkeypatch.setattr(restricted_spots, name, told(getattr(restricted_spots, name)))
    dial.respond(p, iterations=3)
    assert asked == ["cuda", "cpu"]  # sought there, measured here


@pytest.mark.gpu
def test_responses_on_a_device_are_worth_those_of_the_cpu() -> None:
    model = model_of(TURN, 1)
    for p in (0.0, 0.5, 1.0):
        cpu, gpu = (RestrictedSpot(TURN, model, device=d).respond(p, until="0.2%") for d in ("cpu", "cuda"))
        assert gpu.payoff == pytest.approx(cpu.payoff, abs=0.01 * TURN.pot)
        assert gpu.guarantee == pytest.approx(cpu.guarantee, abs=0.03 * TURN.pot)


@pytest.mark.gpu
@pytest.mark.parametrize("mode", ["per_hand", "per_infoset"])
def test_games_with_models_on_a_device(mode: Any) -> None:
    policy = eq.solve("leduc", "cfr", iterations=3).tabular()
    solver = replace(make_solver("dcfr"), bindings=(Binding(policy, 1, 0.5, mode),))
    cpu, gpu = (eq.solve("leduc", solver, iterations=300, on="boards", device=device) for device in ("cpu", "cuda"))
    assert gpu.value == pytest.approx(cpu.value, abs=gpu.exploitability + cpu.exploitability + 1e-4)
