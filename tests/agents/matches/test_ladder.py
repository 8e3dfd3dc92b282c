"""Ladders: every pair's match, means against all others, marks for who breaks the rules, and folders that are gone on with."""

import math
import shutil

import pytest

from equilibrist import play_match, solve
from equilibrist.agents.matches.ladder import LadderOrder, ladder_facts, play_ladder
from equilibrist.agents.matches.ladder_folder import open_ladder, open_to_play
from equilibrist.agents.matches.ledger import Ledger
from equilibrist.agents.matches.match import MatchStoppedError, ledger_key, read_match, result_facts
from equilibrist.agents.registry import load_agent
from equilibrist.agents.simple import AlwaysCall
from equilibrist.agents.tabulate import tabulate
from equilibrist.core.errors import FormatError, NotApplicableError, ParameterError, UnknownNameError
from equilibrist.exploit.response_functions.strength import both_sides, cross_table
from equilibrist.forms.compiled import compiled
from equilibrist.games.catalogue import load_game

THREE = ("always-call", "random", "rule-based")
ROUGH = {"hands": 40, "block": 10, "aivat": "off"}


def test_every_pair_is_the_match_that_its_settings_say():
    order = LadderOrder(THREE, "leduc", **ROUGH, seed=2)
    found = play_ladder(order)
    seeds = set()
    for pair, each in zip(order.pairs, found.results, strict=True):
        settings = order.match(*pair)
        assert settings.players == tuple(THREE[player] for player in pair)
        assert settings.duplicate
        assert result_facts(play_match(settings)) == result_facts(each.result)
        seeds.add(settings.seed)
    assert len(seeds) == 3
    assert not seeds & {LadderOrder(THREE, "leduc", seed=3).match(*pair).seed for pair in order.pairs}


def test_means_are_those_of_independent_pairs():
    found = play_ladder(LadderOrder(THREE, "leduc", **ROUGH))
    wins = [found.of(1, other).mbb(1) for other in (0, 2)]
    mean = found.mean(1)
    assert mean.mean == pytest.approx((wins[0].mean + wins[1].mean) / 2)
    assert mean.error == pytest.approx(math.hypot(wins[0].error, wins[1].error) / 2)
    assert mean.opponents == 2
    assert found.of(0, 1).mbb(0).mean == pytest.approx(-wins[0].mean)
    assert [found.mean(player).mean for player in found.ranking()] == sorted(
        (found.mean(player).mean for player in range(3)), reverse=True
    )


def test_a_ladder_of_a_small_game_says_what_is_expected():
    """Luck is corrected by exact values: the means are those of all hands added up, without playing."""
    found = play_ladder(LadderOrder(THREE, "leduc", hands=60))
    rules = load_game("leduc")
    table = cross_table(both_sides(compiled(rules)), {name: tabulate(load_agent(name), rules, name) for name in THREE})
    scale = 1000 / rules.big_blind
    assert [found.mean(player).mean for player in range(3)] == pytest.approx(list(table.means() * scale), abs=1e-6)
    assert found.of(2, 1).mbb(2).mean == pytest.approx(table.payoff[2][1] * scale, abs=1e-6)


class Interrupted:
    """Ctrl-C when so many hands of a pair are played."""

    def __init__(self, number, hands):
        self.number, self.hands = number, hands

    def __call__(self, progress):
        if progress.number == self.number and progress.hands >= self.hands:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("number", "hands", "done"), [(1, 0, 0), (1, 20, 0), (2, 40, 2), (3, 20, 2)])
def test_an_interrupted_ladder_goes_on_to_the_same_results(tmp_path, number, hands, done):
    order = LadderOrder(THREE, "leduc", **ROUGH)
    with open_to_play(tmp_path / "run", order) as ledger:
        left = play_ladder(order, ledger, progress=Interrupted(number, hands))
    assert not left.finished
    assert left.done == done
    assert ladder_facts(open_ladder(tmp_path / "run")) == ladder_facts(left)
    began = []
    with open_to_play(tmp_path / "run", order) as ledger:
        whole = play_ladder(order, ledger, progress=lambda each: began.append(each.number))
    assert ladder_facts(whole) == ladder_facts(play_ladder(order)) == ladder_facts(open_ladder(tmp_path / "run"))
    assert set(began) == set(range(left.done + 1, 4))  # finished pairs are not played again


def test_an_interval_ends_each_pair(tmp_path):
    order = LadderOrder(
        ("always-fold", "random", "always-call"), "kuhn", 4000, block=50, until_interval=90.0, aivat="off"
    )
    with open_to_play(tmp_path / "run", order) as ledger:
        found = play_ladder(order, ledger)
    assert found.finished
    assert all(each.result.hands < 4000 for each in found.results)
    assert all(1.96 * each.mbb(each.pair[0]).error <= 90.0 for each in found.results)
    assert ladder_facts(open_ladder(tmp_path / "run")) == ladder_facts(found)


class Broken(AlwaysCall):
    def act(self, view, deadline=None):
        return "nonsense"


class Crashing(AlwaysCall):
    def observe(self, event):
        raise ZeroDivisionError("a bug")


def players(text):
    return {"broken": Broken, "crashing": Crashing}.get(text, AlwaysCall)()


def test_who_breaks_rules_or_crashes_is_marked_and_the_ladder_goes_on():
    order = LadderOrder(("good", "broken", "crashing", "other"), "leduc", hands=40, block=10, aivat="off", patience=3)
    ledger = Ledger(":memory:")
    found = play_ladder(order, ledger, makers=players)
    assert found.finished
    stopped = {each.pair: each.stopped for each in found.results if each.stopped}
    assert set(stopped) == {(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)}
    assert "'broken' broke the rules" in stopped[0, 1]
    assert "ZeroDivisionError: a bug" in stopped[2, 3]
    assert found.mean(1) is None
    assert found.mean(0).opponents == 1
    assert found.ranking()[-2:] == [1, 2]
    began = []  # a match that was stopped for faults is in the ledger and stays stopped
    again = play_ladder(order, ledger, makers=players, progress=lambda each: began.append(each.pair))
    assert {each.pair: each.stopped for each in again.results if each.stopped} == stopped
    assert ("good", "broken") not in began
    with pytest.raises(MatchStoppedError, match="broke the rules"):
        play_match(order.match(0, 1), ledger=ledger, makers=players)
    with pytest.raises(MatchStoppedError, match="broke the rules"):
        read_match(order.match(0, 1), ledger)


class Dying(AlwaysCall):
    """Its code fails in the second block."""

    alive = 0

    def observe(self, event):
        Dying.alive -= 1
        if Dying.alive < 0:
            raise ZeroDivisionError("a bug")


def test_a_stopped_match_is_marked_in_the_folder_until_it_is_played_again(tmp_path):
    order = LadderOrder(("good", "dying", "other"), "leduc", hands=40, block=10, aivat="off", until_interval=1)

    def play(alive, progress=None):
        Dying.alive = alive
        makers = {"dying": Dying}
        with open_to_play(tmp_path / "run", order) as ledger:
            return play_ladder(order, ledger, makers=lambda name: makers.get(name, AlwaysCall)(), progress=progress)

    found = play(300)
    assert [bool(each.stopped) for each in found.results] == [True, False, True]
    with Ledger(tmp_path / "run" / "ledger.db") as ledger:
        assert ledger.blocks(ledger.find(ledger_key(order.match(0, 1), records=False)))  # hands that count for nobody
    assert ladder_facts(open_ladder(tmp_path / "run")) == ladder_facts(found)
    left = play(0, Interrupted(1, 0))  # before it is played again
    assert ladder_facts(left) == ladder_facts(found) == ladder_facts(open_ladder(tmp_path / "run"))
    whole = play(10**9)
    assert not any(each.stopped for each in whole.results)
    assert ladder_facts(open_ladder(tmp_path / "run")) == ladder_facts(whole)


def test_faults_within_patience_are_counted():
    found = play_ladder(LadderOrder(("good", "broken", "other"), "leduc", hands=8, aivat="off"), makers=players)
    rows = {each["player"]: each for each in ladder_facts(found)["players"]}
    assert rows["good"]["faults"] == rows["other"]["faults"] == 0
    assert rows["broken"]["faults"] == sum(sum(each.faults) for each in found.results) > 0


def test_a_folder_is_of_one_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for iterations in (1, 100):
        solve("leduc", iterations=iterations).save(tmp_path / f"{iterations}.eqb")
    shutil.copy("1.eqb", "p.eqb")
    folder, names = tmp_path / "run", ("p.eqb", "random", "always-call")
    with open_to_play(folder, LadderOrder(names, "leduc", until_interval=50)):
        pass
    for other, said in (
        (LadderOrder(names, "leduc", until_interval=50.0), None),
        (
            LadderOrder(names, "leduc", seed=1),
            r"differs in seed \(0 there, 1 given\), until interval \(50.0 there, None given\)",
        ),
        (LadderOrder(names[::-1], "leduc", until_interval=50.0), "differs in players"),
    ):
        if said is None:
            with open_to_play(folder, other):
                pass
            continue
        with pytest.raises(NotApplicableError, match=said), open_to_play(folder, other):
            pass
    shutil.copy("100.eqb", "p.eqb")
    order = LadderOrder(names, "leduc", until_interval=50.0)
    with pytest.raises(NotApplicableError, match=r"differs in the content of 'p.eqb'"), open_to_play(folder, order):
        pass
    text = (folder / "ladder.json").read_text()
    for damaged in (text.replace('"seed": 0', '"seed": 5'), text[:40], text.replace("leduc", "kuhn")):
        (folder / "ladder.json").write_text(damaged)
        with pytest.raises(FormatError, match="damaged"):
            open_ladder(folder)
    with pytest.raises(NotApplicableError, match="holds other files"), open_to_play(tmp_path, order):
        pass
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="no ladder"):
        open_ladder(tmp_path / "empty")


def test_one_process_works_in_a_folder(tmp_path):
    order = LadderOrder(THREE, "leduc")
    held, second = (open_to_play(tmp_path / "run", order) for _ in range(2))
    with held, pytest.raises(NotApplicableError, match="Another process"), second:
        pass


class Unready(AlwaysCall):
    def __init__(self, error):
        self.error = error

    def reset(self, seat, rules, rng):
        raise self.error


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (KeyError("seat"), NotApplicableError, "^'unready' cannot play 'leduc': its code fails with KeyError: 'seat'; mend it"),
        (FormatError("The file is bad."), FormatError, "^The file is bad.$"),
    ],
)  # fmt: skip
def test_a_player_that_cannot_begin_is_named(error, kind, said):
    with pytest.raises(kind, match=said):
        play_ladder(
            LadderOrder(("good", "unready", "other"), "leduc", **ROUGH),
            makers=lambda name: Unready(error) if name == "unready" else AlwaysCall(),
        )


def test_orders_are_checked(tmp_path):
    for names, said in ((THREE[:2], "3 to 50"), (("random", "random", "always-call"), "named twice")):
        with pytest.raises(ParameterError, match=said):
            LadderOrder(names, "leduc")
    for settings in ({"aivat": "perhaps"}, {"hands": 0}, {"seed": -1}, {"until_interval": math.nan}):
        with pytest.raises(ParameterError):
            LadderOrder(THREE, "leduc", **settings)
    with pytest.raises(ParameterError, match="games for two players"):
        play_ladder(LadderOrder(THREE, "kuhn(players=3)"))
    solve("kuhn", iterations=5).save(tmp_path / "k.eqb")
    with pytest.raises(NotApplicableError, match=r"k.eqb' cannot play 'leduc': .* 'kuhn'"):
        play_ladder(LadderOrder((*THREE, str(tmp_path / "k.eqb")), "leduc"))
    with pytest.raises(UnknownNameError, match="no player"):
        play_ladder(LadderOrder((*THREE, "nobody"), "leduc"))
