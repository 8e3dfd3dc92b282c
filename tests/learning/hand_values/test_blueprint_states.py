"""States to which blueprints play: ranges by their strategies hand by hand, stacks by their betting tree, trainings from them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs PyTorch (extra 'deep')")

from typer.testing import CliRunner  # noqa: E402

from equilibrist.core.errors import NotApplicableError, ParameterError  # noqa: E402
from equilibrist.interfaces.cli.app import app  # noqa: E402
from equilibrist.learning.hand_values import blueprint_states as module  # noqa: E402
from equilibrist.learning.hand_values.belief_states import HANDS, KINDS, LEAST_WEIGHT  # noqa: E402
from equilibrist.learning.hand_values.blueprint_states import BlueprintPlay, blueprint_states  # noqa: E402
from equilibrist.learning.hand_values.labels import drawn_states  # noqa: E402
from equilibrist.learning.hand_values.value_folder import start_values  # noqa: E402
from equilibrist.learning.hand_values.value_order import DEPTHS, ValueOrder, read_value_order  # noqa: E402
from equilibrist.solvers.blueprint.plan import BlueprintPlan  # noqa: E402
from random_blueprint import LEDUC, random_blueprint, whole_deck  # noqa: E402

MENU = {"menu": {"bet": "40%", "raise": "a", "preflop": {"raise": "100%"}}}
SMALL = "values-river(states=16,shard=8,steps=2,batch=4,width=4,wide=8,held_out=4,believed=0.5)"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    plan = BlueprintPlan("nolimit-holdem(stack=1000)", MENU, "ehs-equal(sizes=6/4/3/3, sample=1000)")
    path = tmp_path_factory.mktemp("blueprint") / "hu.eqb"
    random_blueprint(plan).save(path)
    return path


@pytest.mark.parametrize("street", ["turn", "river"])
def test_ranges_are_what_the_strategies_leave_hand_by_hand(street, monkeypatch) -> None:
    blueprint = whole_deck({"menu": MENU["menu"]})
    monkeypatch.setattr(module, "load_blueprint", lambda file: blueprint)
    play, tree, buckets = (
        BlueprintPlay(Path("any"), street, DEPTHS),
        blueprint.abstract.tree,
        blueprint.abstract.buckets,
    )
    number = module.NUMBER[street]
    entered = np.flatnonzero((tree.round == number) & (tree.kind == 0))
    starts = [n for n in entered.tolist() if tree.round[tree.parent[n]] < number]
    random = np.random.default_rng(3)
    seen = set()
    for _ in range(6):
        board, held, depth = play.draw(random)
        found = [n for n in starts if _fits(play, tree, n, depth)]
        hand = int(random.choice(np.flatnonzero(held.min(axis=0) > 0.0)))
        cards = [int(HANDS.low[hand]), int(HANDS.high[hand]), *board.tolist()]
        routes = [_reach(blueprint, tree, buckets, n, cards) for n in found]
        first = [tree.player[n] for n in found]
        assert any(
            held[:, hand] == pytest.approx([route[f], route[1 - f]], abs=1e-6)
            for route, f in zip(routes, first, strict=True)
        )
        seen.add(depth)
    assert len(seen) > 1


def _fits(play: BlueprintPlay, tree, node: int, depth: float) -> bool:
    """By the chips of the betting tree."""
    paid = tree.paid[node]
    return paid[0] == paid[1] and abs((1000.0 - paid[0]) / paid.sum() - depth) < 1e-3


def _reach(blueprint, tree, buckets, node: int, cards: list[int]) -> list[float]:
    """Each player's own probability of a line with two hole cards, all cards of the board after them."""
    out = [1.0, 1.0]
    while (above := int(tree.parent[node])) >= 0:
        seen = (2, 5, 6, 7)[int(tree.round[above])]
        rows = np.array([cards[:seen]], dtype=np.int8)
        bucket = np.asarray(buckets.bucket(int(tree.round[above]), rows))
        chances = blueprint.strategies(above, bucket)[0]
        out[int(tree.player[above])] *= float(chances[node - int(tree.first_child[above])])
        node = above
    return out


def test_states_are_drawn_from_all_blueprints_and_repeat(file: Path, tmp_path: Path) -> None:
    other = Path(shutil.copy(file, tmp_path / "other.eqb"))
    first, again = (blueprint_states("turn", 6, np.random.default_rng(2), DEPTHS, [file, other]) for _ in range(2))
    assert first.hashes() == again.hashes()
    assert (first.kind == KINDS.index("blueprint")).all()
    assert (first.ranges.max(axis=2) == 1.0).all()
    assert ((first.depth >= min(DEPTHS)) & (first.depth <= max(DEPTHS))).all()
    for board, ranges in zip(first.boards, first.ranges, strict=True):
        dead = np.isin(HANDS.low, board) | np.isin(HANDS.high, board)
        assert (ranges[:, dead] == 0.0).all()
        assert (ranges[:, ~dead] >= 0.9 * LEAST_WEIGHT).all()


def test_what_cannot_be_drawn_from_is_refused(file: Path, tmp_path: Path) -> None:
    random_blueprint(LEDUC).save(tmp_path / "leduc.eqb")
    with pytest.raises(NotApplicableError, match="one of 'leduc'"):
        BlueprintPlay(tmp_path / "leduc.eqb", "turn", DEPTHS)
    with pytest.raises(NotApplicableError, match="No line of"):
        BlueprintPlay(file, "turn", (50.0, 60.0))
    with pytest.raises(ParameterError, match="more than 1 together"):
        ValueOrder("river", played=0.8, believed=0.3, blueprints=1)


def test_a_blueprint_that_never_comes_to_the_street_is_refused(file: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "RARE", 2.0)
    monkeypatch.setattr(module, "TRIED", 3)
    with pytest.raises(NotApplicableError, match="never plays to the river with chips behind"):
        start_values(tmp_path / "new", ValueOrder("river"), blueprints=[file])
    assert not (tmp_path / "new").exists()


def test_a_file_that_has_changed_is_read_again(file: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(file, tmp_path / "one.eqb"))
    first = blueprint_states("river", 2, np.random.default_rng(2), DEPTHS, [path])
    plan = BlueprintPlan("nolimit-holdem(stack=1000)", MENU, "ehs-equal(sizes=6/4/3/3, sample=1000)")
    random_blueprint(plan, seed=5).save(path)
    assert blueprint_states("river", 2, np.random.default_rng(2), DEPTHS, [path]).hashes() != first.hashes()


def test_a_training_killed_before_its_plan_begins_again(file: Path, tmp_path: Path) -> None:
    (tmp_path / "blueprint-1.eqb").write_bytes(b"half")
    order = ValueOrder("river", states=8, shard=8, steps=1, batch=4, width=4, wide=8, held_out=2, believed=1.0)
    assert start_values(tmp_path, order, blueprints=[file], threads=1)["finished"]
    with pytest.raises(ParameterError, match="not an empty folder"):
        start_values(tmp_path, order, blueprints=[file])


def test_a_training_keeps_the_blueprints_that_it_draws_from(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    typed = ["learn", "start", str(folder), "--preset", SMALL, "--blueprint", str(file), "--json"]
    found = CliRunner().invoke(app, typed, prog_name="equilibrist")
    assert found.exit_code == 0, found.output
    order = read_value_order(folder)
    assert (order.blueprints, order.believed) == (1, 0.5)
    assert (folder / "blueprint-1.eqb").read_bytes() == file.read_bytes()
    labelling = order.labelling(folder)
    kinds = drawn_states(labelling, 0, 8, order.seed).kind
    assert (kinds == KINDS.index("blueprint")).sum() == 4
    assert "blueprint" in json.loads(found.stdout)["curve"][-1]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--game", "leduc", "--method", "sd-cfr", "--blueprint", "x.eqb"], "--blueprint is for trainings of values"),
        (["--preset", SMALL, "--blueprint", "nowhere.eqb"], "nowhere.eqb"),
    ],
)
def test_blueprints_that_do_not_fit_are_refused_before_anything_is_written(typed, said, tmp_path: Path) -> None:
    found = CliRunner().invoke(app, ["learn", "start", str(tmp_path / "new"), *typed], prog_name="equilibrist")
    assert found.exit_code != 0
    assert said in str(found.exception or "") + found.output
    assert not (tmp_path / "new").exists()
