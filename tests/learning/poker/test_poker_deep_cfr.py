"""Deep CFR on poker whose histories fit nowhere: hands, betting, walks, nets and tables, each against something plainer."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra 'deep' (PyTorch) is not installed")

from equilibrist.core.errors import NotApplicableError, TooLargeError  # noqa: E402
from equilibrist.forms.compiled import compiled  # noqa: E402
from equilibrist.learning import LearningOrder, learning_facts, resume_learning, start_learning  # noqa: E402
from equilibrist.learning.networks.card_net import CardNet  # noqa: E402
from equilibrist.learning.poker import poker_deep_cfr  # noqa: E402
from equilibrist.learning.poker.betting import BettingLines  # noqa: E402
from equilibrist.learning.poker.hands import HandCards, deal_random, lossless_plan  # noqa: E402
from equilibrist.learning.poker.tables import Seen, StrategyTables, matched, shares  # noqa: E402
from equilibrist.learning.poker.walks import walk  # noqa: E402
from equilibrist.learning.regression import step_graphs  # noqa: E402
from equilibrist.learning.regression.deep_cfr import DeepCFR  # noqa: E402
from equilibrist.solvers.saved_solutions import load_solution  # noqa: E402
from learning.contract import same  # noqa: E402

GAME = "flop-holdem(ranks=3,suits=3)"
SMALL = DeepCFR("sd-cfr", "nets", traversals=40, steps=8, batch=64, width=16, memory=2000)


@pytest.fixture(scope="module")
def hands():
    return HandCards(lossless_plan(GAME, 2).game())


@pytest.fixture(scope="module")
def betting(hands):
    return BettingLines(hands.game.tree)


def test_the_net_has_the_parameters_of_the_text():
    """[Brown20, §4.1.2] describes layers that have 69 g d + (g + 7) d^2 + (8 + 2 n) d + (d + 1) A parameters."""
    net = CardNet((2, 3), 13, 4, 24, 3, width=64)
    g, n, d, a = 2, 12, 64, 3
    assert (
        sum(p.numel() for p in net.parameters())
        == 69 * g * d + (g + 7) * d * d + (8 + 2 * n) * d + (d + 1) * a
        == 47939
    )


def test_pairs_are_what_the_net_says_of_each():
    net = CardNet((2, 3), 3, 3, 24, 3, width=16)
    torch.nn.init.normal_(net.head.weight)
    cards = torch.tensor([[0, 1, -1, -1, -1], [0, 4, 2, 3, 8]])
    bets = torch.rand(4, 24)
    pairs = net.every_pair(net.see_cards(cards), net.see_bets(bets))
    for b in range(2):
        for m in range(4):
            assert torch.allclose(pairs[m, b], net(cards[b : b + 1], bets[m : m + 1])[0], atol=1e-5)


def test_cards_of_a_group_have_no_order_and_missing_cards_are_nothing():
    net = CardNet((2, 3), 13, 4, 24, 3)
    one, other = torch.tensor([[5, 9, 3, 20, 41]]), torch.tensor([[9, 5, 41, 3, 20]])
    assert torch.allclose(net.see_cards(one), net.see_cards(other), atol=1e-6)
    swapped = torch.tensor([[3, 9, 5, 20, 41]])
    assert not torch.allclose(net.see_cards(one), net.see_cards(swapped), atol=1e-4)
    hole = torch.tensor([[5, 9, -1, -1, -1]])
    with torch.no_grad():
        before = net.see_cards(hole)
        for tables in (net.rank, net.suit, net.card):
            tables[1].weight.normal_()  # what the flop's cards are
        assert torch.equal(net.see_cards(hole), before)
        assert not torch.allclose(net.see_cards(one), net.see_cards(swapped), atol=1e-4)


def test_every_class_has_cards_of_its_own(hands):
    for number in range(2):
        rows = np.ascontiguousarray(hands.cards[hands.first[number] : hands.first[number + 1], : hands.shown(number)])
        assert (hands.game.buckets.bucket(number, rows) == np.arange(hands.sizes[number])).all()
    assert (hands.cards[: hands.sizes[0], 2:] == -1).all()
    assert (hands.cards[hands.sizes[0] :] >= 0).all()


def test_deals_are_fair(hands):
    dealt, wins = hands.deal(deal_random(1), 20_000)
    assert dealt.shape == (20_000, 2, 2)
    assert abs(wins.mean()) < 0.02
    _, counts = np.unique(dealt[:, 0, 0], return_counts=True)
    _, others = np.unique(dealt[:, 1, 0], return_counts=True)
    assert counts / 20_000 == pytest.approx(others / 20_000, abs=0.02)
    assert (hands.before[1][dealt[:, 0, 1] - hands.first[1]] == dealt[:, 0, 0]).all()  # the flop goes with the hand


def test_decisions_are_the_games(betting):
    """Flop hold'em: 8 decisions before the flop, 7 ways to the flop with 10 decisions each ([Brown20, §2.4.4])."""
    assert (betting.round == 0).sum() == 8
    assert (betting.round == 1).sum() == 70
    assert betting.outputs == 3
    assert betting.numbers.shape == (78, 24)
    assert len(np.unique(betting.numbers, axis=0)) == 78  # the net for the average sees both players' decisions
    root = betting.numbers[0]
    assert not root.any()


def play_out(betting, player, hands, wins, strategies, unit, number=0):
    """Value of one deal to a player from a decision on, and its regrets at own decisions, all lines weighted by the opponent's play."""
    tree = betting.tree

    def value(node, reach, found):
        at = int(betting.place[node])
        if at < 0:
            amount, shown = betting.stake(node, player)
            return amount * (wins if shown else 1) / unit
        mix = strategies[at][betting.outputs_of[at]]
        own = tree.player[node] == player
        below = [value(child, reach if own else reach * mix[a], found) for a, child in enumerate(betting.children(at))]
        mean = float(np.dot(mix, below))
        if own:
            found[at] = (reach, [reach * (each - mean) for each in below])
        return mean

    found = {}
    return value(number, 1.0, found), found


@pytest.mark.parametrize("player", [0, 1])
def test_walks_find_the_regrets_of_plain_recursion(hands, betting, player):
    """One deal, walked many times: means over walks are what recursion over all lines says."""
    random = np.random.default_rng(player)
    mix = random.random((78, 3)) * betting.legal
    mix /= mix.sum(axis=1, keepdims=True)
    dealt, wins = hands.deal(deal_random(3 + player), 1)
    sign = float(wins[0] if player == 0 else -wins[0])
    _, wanted = play_out(betting, player, dealt[0], sign, mix, 1.0)
    count = 40_000
    found = walk(
        betting,
        player,
        torch.from_numpy(np.repeat(dealt, count, axis=0)),
        torch.full((count,), sign),
        torch.from_numpy(mix).float().unsqueeze(1).expand(78, count, 3),
        torch.from_numpy(random.random((78, count))).float(),
        1.0,
    )
    for at, (reach, regret) in wanted.items():
        rows = found.regrets.decision == at
        assert float(rows.sum()) / count == pytest.approx(reach, abs=0.01)
        sums = found.regrets.values[rows].sum(dim=0).numpy() / count
        assert sums[betting.outputs_of[at]] == pytest.approx(regret, abs=0.08)
        illegal = [a for a in range(3) if a not in betting.outputs_of[at]]
        assert not sums[illegal].any()
        street = int(betting.round[at])
        assert (found.regrets.hand[rows] == dealt[0, player, street]).all()
    assert set(found.strategies.decision.tolist()) <= set(np.flatnonzero(betting.player != player).tolist())
    assert found.nodes > count


def test_matching_and_shares():
    legal = torch.tensor([True, False, True])
    assert matched(torch.tensor([-1.0, 9.0, -2.0]), legal).tolist() == [1.0, 0.0, 0.0]
    assert matched(torch.tensor([-1.0, 9.0, -2.0]), legal, True).tolist() == [0.5, 0.0, 0.5]
    assert matched(torch.tensor([1.0, 9.0, 3.0]), legal).tolist() == [0.25, 0.0, 0.75]
    assert matched(torch.zeros(3), legal).tolist() == [0.5, 0.0, 0.5]
    assert shares(torch.tensor([0.0, 50.0, 0.0]), legal).tolist() == [0.5, 0.0, 0.5]


def test_sums_over_nets_are_reach_times_strategy(hands, betting):
    """Against a walk along every line, hand by hand."""
    tables = StrategyTables(hands, betting, torch.device("cpu"))
    net = CardNet(hands.groups, 3, 3, 24, 3, width=16)
    torch.nn.init.normal_(net.head.weight)
    net.requires_grad_(False)
    cards, numbers = torch.from_numpy(hands.cards), torch.from_numpy(betting.numbers)
    seen = Seen(net, cards, numbers)
    total = torch.zeros(hands.game.slots)
    tables.add_reached(total, [seen][0], 0, 2.0)
    random = np.random.default_rng(0)
    for number in np.flatnonzero(betting.player == 0):
        street, node = int(betting.round[number]), int(betting.decisions[number])
        hand = int(random.integers(hands.sizes[street]))
        reach, below, held, at = 2.0, node, hand, street
        while below > 0:
            above = int(betting.tree.parent[below])
            while at > betting.tree.round[above]:
                held, at = int(hands.before[at][held]), at - 1
            if betting.tree.player[above] == 0:
                place = int(betting.place[above])
                mix = matched(net(cards[hands.first[at] + held][None], numbers[place][None]), tables.legal[place])[0]
                reach *= float(mix[betting.outputs_of[place]][below - int(betting.tree.first_child[above])])
            below = above
        mix = matched(net(cards[hands.first[street] + hand][None], numbers[number][None]), tables.legal[number])[0]
        width = len(betting.outputs_of[number])
        first = tables.first[number] + hand * width
        assert total[first : first + width].tolist() == pytest.approx(
            (reach * mix[betting.outputs_of[number]]).tolist(), abs=1e-5
        )


@pytest.mark.parametrize("kind", [SMALL, replace(SMALL, title="deep-cfr", average="net")], ids=lambda kind: kind.title)
def test_learning_falls_and_goes_on_bit_for_bit(kind):
    game = compiled(GAME)
    learner = kind.start(game, seed=1)
    first, _ = learner.measure()
    for _ in range(3):
        learner.advance()
    now, _ = learner.measure()
    assert now < first
    small, memories = learner.small_state(), learner.memories()
    assert sum(array.nbytes for array in small.values()) < 15e6
    again = kind.start(game, seed=5)
    again.restore(small, memories)
    for each in (learner, again):
        each.advance()
    assert same(learner.small_state(), again.small_state())
    assert learner.average().tolist() == again.average().tolist()
    refilled = kind.start(game, seed=5)
    refilled.restore(small, None)
    refilled.advance()
    assert refilled.iteration == 4
    assert refilled.measure()[0] < first
    with pytest.raises((ValueError, KeyError, RuntimeError)):
        kind.start(compiled("flop-holdem(ranks=4,suits=3)"), seed=5).restore(small, memories)


def test_even_play_is_the_first_answer():
    learner = SMALL.start(compiled(GAME), seed=1)
    found, values = learner.measure()
    assert values is None
    average = np.zeros(learner.abstract.slots, dtype=np.float32)
    assert found == pytest.approx(
        learner._responses.exploitability(average, average), abs=2e-3
    )  # in bytes, as files keep it


def test_the_journey_of_a_blueprint(tmp_path):
    """Learned in a folder, stopped, resumed, saved as a blueprint that others read."""
    order = LearningOrder(GAME, "sd-cfr(traversals=40,steps=8,batch=64,width=16,memory=2000)", 4, seed=3)
    start_learning(tmp_path / "run", order, seconds=0.0)
    made = resume_learning(tmp_path / "run")
    facts = learning_facts(tmp_path / "run")
    assert facts["iterations"] == 4
    loaded = load_solution(tmp_path / "run" / "policy.eqb")
    assert loaded.kind == made.kind == "poker-blueprint"
    assert (loaded.packed == made.packed).all()


def test_what_is_too_large_or_not_on_offer(monkeypatch):
    monkeypatch.setenv("EQUILIBRIST_MEMORY", "1e8")
    with pytest.raises(TooLargeError, match="tables of"):
        SMALL.start(compiled("flop-holdem"), seed=0)
    for other in ("nolimit-holdem", "limit-holdem", "nolimit-flop-holdem"):
        with pytest.raises(NotApplicableError, match="fixed limits and to the flop"):
            SMALL.memory_bytes(compiled(other))
        with pytest.raises(NotApplicableError, match="fixed limits and to the flop"):
            SMALL.start(compiled(other))
    with pytest.raises(NotApplicableError, match="'depth'"):
        replace(SMALL, depth=5).start(compiled(GAME))
    with pytest.raises(NotApplicableError, match="reservoirs"):
        replace(SMALL, window=True).start(compiled(GAME))


@pytest.mark.parametrize("kind", [SMALL, replace(SMALL, title="deep-cfr", average="net")], ids=lambda kind: kind.title)
def test_captured_work_learns_as_steps_do(kind, monkeypatch):
    """All that is done on a device, on a CPU without capturing: other random numbers, the same method."""
    monkeypatch.setattr(poker_deep_cfr, "captures", lambda device: True)
    monkeypatch.setattr(step_graphs, "captured", step_graphs.one_by_one)
    game, much = compiled(GAME), replace(kind, traversals=150, steps=47, batch=128, memory=4000)
    learner = much.start(game, seed=1)
    assert all(len(memory.columns["hand"]) == 4000 for memory in learner.regrets)
    first, _ = learner.measure()
    while learner.iteration < 6:
        learner.advance()
    assert learner.steps_taken == 2 * 6 * 47
    assert min(len(memory) for memory in learner.regrets) == 4000 < min(memory.offered for memory in learner.regrets)
    now, _ = learner.measure()
    assert now < 0.8 * first
    small, memories = learner.small_state(), learner.memories()
    again = much.start(game, seed=5)
    again.restore(small, memories)
    for each in (learner, again):
        each.advance()
    assert same(learner.small_state(), again.small_state())
    refilled = much.start(game, seed=5)
    refilled.restore(small, None)
    refilled.advance()
    assert refilled.measure()[0] < 0.8 * first


def test_a_device_measures_what_a_file_keeps(monkeypatch):
    learner = SMALL.start(compiled(GAME), seed=1)
    learner.advance()
    learner.sums[: len(learner.sums) // 2] = 0.0  # where nobody came
    by_file, _ = learner.measure()
    assert learner._responses.of_sums(learner.average_sums()) == by_file


def test_averages_come_back_from_kept_nets(monkeypatch):
    """With all nets kept only their rounding is lost; with every second one the average is near."""
    game = compiled(GAME)
    found = {}
    for kept_bytes in (40_000_000, 1):
        monkeypatch.setattr(poker_deep_cfr, "KEPT_BYTES", kept_bytes)
        monkeypatch.setattr(poker_deep_cfr, "KEPT", 4)
        much = replace(SMALL, traversals=150)
        learner, again = much.start(game, seed=1), much.start(game, seed=5)
        for _ in range(8):
            learner.advance()
        again.restore(learner.small_state(), None)
        assert len(again.kept) == (8 if kept_bytes > 1 else 4)
        assert [len(each) for each in again.regrets] == pytest.approx([len(each) for each in learner.regrets], rel=0.2)
        found[kept_bytes] = np.abs(again.average() - learner.average()).mean() / learner.average().mean()
        assert again.measure()[0] == pytest.approx(learner.measure()[0], rel=0.3)
    assert found[40_000_000] < 0.002
    assert found[1] > found[40_000_000]


def test_deep_cfr_keeps_the_average_over_its_nets_too():
    """The nets that were kept come to it again; the net of the average is another strategy."""
    kind = replace(SMALL, title="deep-cfr", average="net")
    learner, again, refilled = (kind.start(compiled(GAME), seed=seed) for seed in (1, 2, 3))
    for _ in range(3):
        learner.advance()
    assert learner.measure()[0] != learner.measure_nets()
    again.restore(learner.small_state(), learner.memories())
    assert again.measure_nets() == learner.measure_nets()
    refilled.restore(learner.small_state(), None)
    assert torch.allclose(refilled.sums, learner.sums, rtol=0.01, atol=0.01)


def test_states_without_averages_over_nets_go_on():
    """As a version kept them that had the net of the average alone: the nets that were kept come to them again."""
    kind = replace(SMALL, title="deep-cfr", average="net")
    learner, again = (kind.start(compiled(GAME), seed=seed) for seed in (1, 2))
    for _ in range(3):
        learner.advance()
    memories = {key: value for key, value in learner.memories().items() if key != "sums"}
    again.restore(learner.small_state(), memories)
    assert torch.allclose(again.sums, learner.sums, rtol=0.01, atol=0.01)
    assert [len(memory) for memory in again.all_memories()] == [len(memory) for memory in learner.all_memories()]
    for mine, theirs in zip(again.advantage, learner.advantage, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(mine.parameters(), theirs.parameters(), strict=True))


def test_averages_are_part_of_what_is_taken():
    game = compiled(GAME)
    slots = SMALL.start(game, seed=1).sums.nbytes
    assert SMALL.memory_bytes(game) >= 3 * SMALL.memory * poker_deep_cfr.SAMPLE_BYTES + slots
