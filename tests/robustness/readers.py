"""Every reader of the package in one table: seeds that it takes, and what reads them. A later reader joins with one line."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equilibrist.abstraction.bets.bml import betting_model, read_bml, write_bml
from equilibrist.abstraction.bets.purification import RULES
from equilibrist.abstraction.bets.translation import TRANSLATIONS
from equilibrist.abstraction.cards.build import build_abstraction
from equilibrist.abstraction.cards.card_abstraction import load_card_abstraction
from equilibrist.abstraction.cards.deals import Streets
from equilibrist.abstraction.cards.method_names import CARD_METHODS, parse_method
from equilibrist.abstraction.cards.recipe import make_recipe, parse_sizes
from equilibrist.abstraction.information.methods import parse_sizes as parse_class_sizes
from equilibrist.agents.matches.ladder import LadderOrder
from equilibrist.agents.matches.ladder_folder import ORDER as LADDER
from equilibrist.agents.matches.ladder_folder import open_ladder, open_to_play
from equilibrist.agents.matches.ledger import Ledger
from equilibrist.agents.registry import AGENTS, load_agent
from equilibrist.cards.deck import Deck
from equilibrist.cards.range_text import parse_cards
from equilibrist.cards.ranges import load_range, parse_range
from equilibrist.core.writing import plain
from equilibrist.evaluation.flop_reports.folder import FLOPS, ORDER
from equilibrist.evaluation.flop_reports.order import ReportOrder
from equilibrist.evaluation.flop_reports.run import open_report
from equilibrist.evaluation.play.referee import view_of
from equilibrist.evaluation.reports.class_strength import read_class_responders
from equilibrist.evaluation.reports.strength_report import read_responders
from equilibrist.exploit.models.model_files import parse_row, read_model
from equilibrist.exploit.models.profiles import read_profile
from equilibrist.exploit.response_functions.strength import both_sides
from equilibrist.forms.betting_tree.betting_tree import betting_tree
from equilibrist.forms.compiled import compiled
from equilibrist.games.catalogue import GAMES, load_game, recorded_game
from equilibrist.games.formats.efg.reader import load_efg
from equilibrist.games.poker.bet_menus import read_plan
from equilibrist.games.poker.bet_sizes import parse_menu
from equilibrist.games.poker.bucket_game import BucketPoker
from equilibrist.games.poker.game import Poker
from equilibrist.games.spots.imports import load_foreign_spot
from equilibrist.games.spots.locks import load_locks
from equilibrist.games.spots.opening import read_line
from equilibrist.games.spots.spot import Spot
from equilibrist.games.spots.spot_game import spot_game_name
from equilibrist.games.spots.spot_lists import read_spots
from equilibrist.games.spots.three_way_spot import ThreeWaySpot, load_spot
from equilibrist.games.tables.table import Table
from equilibrist.games.tables.table_names import named_table, table_name
from equilibrist.games.tournaments.jam_fold import JamFold
from equilibrist.games.tournaments.standings import make_standings, parse_amounts, read_standings
from equilibrist.interfaces.cli.play.play import parse_action
from equilibrist.interfaces.histories import read_histories
from equilibrist.interfaces.protocols.acpc import read_game, read_state, write_game
from equilibrist.interfaces.protocols.hand_lines import read_hand_lines
from equilibrist.interfaces.protocols.hands import read_cards
from equilibrist.interfaces.protocols.phh import read_phh_file
from equilibrist.solvers.blueprint.folder import PLAN, read_order
from equilibrist.solvers.registry import SOLVERS, make_solver
from equilibrist.solvers.saved_solutions import load_solution
from equilibrist.solvers.solve import exploitability_target
from equilibrist.solvers.stochastic_games.tournaments import TournamentSolution, load_tournament
from equilibrist.solvers.three_way.solve_three_way import solve_three_way

ROOT = Path(__file__).parents[2]
SAVED = ROOT / "tests" / "data" / "previous"
FOLDER = Path(tempfile.gettempdir())


@dataclass(frozen=True)
class Reader:
    """`read` takes a text, or with `suffix` the path of a file of that name."""

    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[Any], object]
    suffix: str = ""
    quick: int = 120  # inputs of the quick part; less where reading takes long


def texts(*words: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [word.encode() for word in words]


def files(*patterns: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def _names(catalogue: Any, *more: str) -> Callable[[], Sequence[bytes]]:
    """Every name with every parameter at its default, and some written by hand."""

    def seeds() -> Sequence[bytes]:
        from equilibrist.core.names import Name

        entries = catalogue.entries().values()
        alone = [str(Name(entry.name, {key: value})) for entry in entries for key, value in entry.parameters.items()]
        return [text.encode() for text in (*(entry.name for entry in entries), *alone, *more)]

    return seeds


def _spot(path: Path) -> None:
    spot = load_spot(path)
    assert type(spot).from_text(spot.to_toml()) == spot


def _table(path: Path) -> None:
    table = Table.from_toml(path)
    assert Table.from_text(table.to_toml()).table() == table.table()


def _table_names() -> Sequence[bytes]:
    return [table_name(Table.from_toml(path)).encode() for path in sorted(ROOT.glob("examples/tables/*.toml"))]


def _spot_names() -> Sequence[bytes]:
    """Of spots of two players: those of three are no games that can be played."""
    spots = [load_spot(path) for path in sorted(ROOT.glob("examples/spots/*.toml"))]
    return [spot_game_name(spot).encode() for spot in spots if isinstance(spot, Spot)]


def _three_way() -> Sequence[bytes]:
    spot = ThreeWaySpot(
        board="Ks9d6h4c2s", pot=60, stack=60, range={"sb": "AA", "bb": "QQ", "btn": "JTs"}, bets={"bet": "a"}
    )
    with tempfile.TemporaryDirectory() as folder:
        solve_three_way(spot, iterations=2).save(Path(folder) / "x.eqb")
        return [(Path(folder) / "x.eqb").read_bytes()]


def _game(text: str) -> None:
    """As a file or a request names it: the game and its first moves; how large it is command lines ask."""
    game = recorded_game(text)
    state = game.start()
    if not isinstance(game, BucketPoker):  # whose deals are counted at first use
        len(state.chance() if state.player < 0 else state.actions())


def _statistics(path: Path) -> None:
    from equilibrist.exploit.models.model_files import read_model_file

    read_profile(read_model_file(path), "the file")


@functools.cache
def _kuhn() -> Any:
    return compiled("kuhn").infosets


@functools.cache
def _holdem() -> Poker:
    game = load_game("nolimit-holdem")
    assert isinstance(game, Poker)
    return game


def _ledgers() -> Sequence[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        with Ledger(path) as ledger:
            match = ledger.match({"players": ["always-call", "random"], "hands": 10})
            ledger.add_block(match, 0, {"results": [1.0, -1.0]})
            ledger.set_result(match, {"mbb": 1.5})
        return [path.read_bytes()]


def _ledger(path: Path) -> None:
    with Ledger(path) as ledger:
        for match in ledger.matches():
            ledger.blocks(match["id"])


def _abstractions() -> Sequence[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        build_abstraction(make_recipe("ehs-percentile", "all/4/4/4", streets=Streets(Deck(3, 3)))).save(
            f"{folder}/cards.eqb"
        )
        return [(Path(folder) / "cards.eqb").read_bytes()]


def _responders(text: str) -> None:
    read_responders(text, *_seats())


@functools.cache
def _seats() -> Any:
    game = compiled("kuhn")
    return game, both_sides(game)


def _typed(text: str) -> None:
    """What somebody types at the table, before and after the flop."""
    state = _holdem().start()
    state = state.child(0)
    parse_action(text, view_of(state, state.player))


def _bml() -> Sequence[bytes]:
    game = load_game("leduc")
    assert isinstance(game, Poker)
    return [write_bml(betting_model(betting_tree(game.rules), "leduc")).encode()]


def _learning_orders() -> list[bytes]:
    order = {
        "version": 1,
        "kind": "learning",
        "game": "leduc",
        "method": "sd-cfr(steps=20)",
        "iterations": 3,
        "seed": 1,
    }
    return [json.dumps(order).encode()]


def _learning_order(path: Path) -> Any:
    from equilibrist.learning.trainings.order import PLAN, read_learning_order

    folder = path.parent / "learning-folder"
    folder.mkdir(exist_ok=True)
    (folder / PLAN).write_bytes(path.read_bytes())
    return read_learning_order(folder)


def _orders() -> Sequence[bytes]:
    from equilibrist.solvers.blueprint.folder import TrainingOrder
    from equilibrist.solvers.blueprint.presets import PRESETS, find_plan
    from equilibrist.solvers.blueprint.training import Training

    out = []
    for name in list(PRESETS)[:3]:
        with tempfile.TemporaryDirectory() as folder:
            TrainingOrder(find_plan(name).plan, Training(), 1000).save(Path(folder))
            out.append((Path(folder) / PLAN).read_bytes())
    return out


def _order(path: Path) -> None:
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    (folder / PLAN).write_bytes(path.read_bytes())
    read_order(folder)


def _report_folders() -> Sequence[bytes]:
    order = ReportOrder.from_toml(ROOT / "tests/data/report.toml").checked()[0]
    return [json.dumps({"format": 1, "hash": order.hash, "order": plain(order.to_json())}).encode()]


def _ladders() -> Sequence[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ladder"
        with open_to_play(path, LadderOrder(("random", "always-call", "always-fold"), "leduc", until_interval=50.0)):
            return [(path / LADDER).read_bytes()]


def _ladder(path: Path) -> object:
    folder = path.parent / "ladder"
    folder.mkdir(exist_ok=True)
    (folder / LADDER).write_bytes(path.read_bytes())
    return open_ladder(folder)


def _report_lines() -> Sequence[bytes]:
    place = {"player": "oop", "reach": 1.0, "frequencies": [0.5, 0.5], "ev": [50.0, None], "equity": [0.5, 0.5]}
    solved = {"pairs": 9.0, "exploitability": 0.5, "iterations": 9, "seconds": 0.1, "converged": True}
    lines = [{"line": "", **place}, {"line": "x", **place}]
    return [
        b"".join(json.dumps({"flop": flop, "lines": lines} | solved).encode() + b"\n" for flop in ("Td9d6h", "AsKd2c"))
    ]


def _report_folder(path: Path, lines: bytes = b"") -> object:
    folder = path.parent / "report"
    folder.mkdir(exist_ok=True)
    (folder / ORDER).write_bytes(path.read_bytes() if not lines else _report_folders()[0])
    (folder / FLOPS).write_bytes(lines)
    return open_report(folder)


def _report_flops(path: Path) -> object:
    return _report_folder(path, path.read_bytes() or b"{}")


def _acpc() -> Sequence[bytes]:
    games = ("nolimit-holdem", "limit-holdem", "nolimit-holdem(players=3)", "limit-holdem(players=3)")
    return [write_game(load_game(name)).encode() for name in games]  # type: ignore[arg-type]


PHH = """variant = "NT"
ante_trimming_status = true
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ["d dh p1 AcKc", "d dh p2 QsJs", "p2 cbr 300", "p1 cc", "d db Td9d6h", "p1 cc", "p2 cbr 450", "p1 f"]
players = ["A", "B"]
"""
SITE = """PokerStars Hand #1234: Hold'em No Limit ($0.50/$1.00 USD) - 2020/01/01 12:00:00 ET
Table 'X' 6-max Seat #1 is the button
Seat 1: Ann ($100 in chips)
Seat 2: Bob ($80.50 in chips)
Seat 3: Cid ($120 in chips)
Bob: posts small blind $0.50
Cid: posts big blind $1
*** HOLE CARDS ***
Dealt to Ann [Ac Kc]
Ann: raises $2 to $3
Bob: folds
Cid: calls $2
*** FLOP *** [Td 9d 6h]
Cid: checks
Ann: bets $4
Cid: folds
Uncalled bet ($4) returned to Ann
*** SUMMARY ***
"""
STATES = (
    "MATCHSTATE:0:0::TdAs|", "MATCHSTATE:1:30:cr300c/cc/:|JdTc/2c8c3h/9c", "MATCHSTATE:0:7:r300r900c/cr1800f:AcKc|/Td9d6h",
    "MATCHSTATE:0:1:cc/cc/cc/cc:TdAs|2c2d/Jc8c3h/9c/5s",
)  # fmt: skip
STANDINGS = """payouts = [50, 30, 20]
progressive = 0.5
[stacks]
Ann = 5000
Bob = 3000
Cem = 2000.5
[bounties]
Ann = 10
Cem = 5
"""
SUBGAMES = (
    '{"board": "Ks7h2d9c3s", "pot": 100, "stack": 300, "range": {"oop": "QQ+,AKs", "ip": "JJ-88"}, "bets": {"bet": "50%, a"}}',
    '{"name": "b", "until": "1%", "board": "AhTd8d4c4s", "pot": 60, "stack": 9, "range": {"oop": "AA", "ip": "KK"}, "bets": {"bet": "a"}}',
    '{"name": "c", "until": 0.5, "board": "AhTd8d4c4s", "pot": 6, "stack": 9, "range": {"oop": ['
    + ",".join(["0.5"] * 1326)
    + '], "ip": "KK"}, "bets": {"bet": "a"}, "lock": [{"line": "x", "strategy": {"x": 1.0}}]}',
)
LINES = (
    '{"game": "leduc"}\n{"players": ["a", "b"], "hole": [[0], [3]], "line": "b:c:Q:x:x"}\n',
    '{"game": "nolimit-holdem"}\n{"players": ["a", "b"], "hole": [[0, 5], [9, 11]], "line": "r300:f"}\n',
)
MODELS = (
    'game = "kuhn"\ndefault = "call"\n[frequencies."K"]\nb = 0.5\nx = 0.5\n[frequencies."J:b"]\nf = 0.9\nc = 0.1\n',
    '[frequencies]\n"Q" = {x = 1}\n',
)
STATISTICS = "fold = 0.6\nvpip = 0.5\npfr = 0.2\n[flop]\nbet = 0.4\nraise = 0.1\n[river]\nfold = 0.5\n"
LOCKS = (
    '[[lock]]\nline = "b100"\nhands = "AA,KK"\nstrategy = {c = 1.0}\n',
    '[[lock]]\nline = ""\nfrequency = {x = 0.4, b100 = 0.6}\n[[lock]]\nline = "x"\nstrategy = {x = "AA:0.5", b50 = "KK"}\nweight = 0.5\n',
)
TEXAS = """set_pot 50
set_effective_stack 200
set_board Qs,Jh,2h
set_range_ip AA,KK,QQ,JJ,TT:0.5,AKs
set_range_oop QQ:0.5,JJ:0.75,AQs,AJs
set_bet_sizes oop,flop,bet,50
set_bet_sizes ip,flop,raise,60,100
set_allin_threshold 0.67
build_tree
"""


def _tournaments() -> Sequence[bytes]:
    rules = JamFold(900, 300, (300, 600), (3.0, 1.0))
    saved = TournamentSolution(rules, "pi-fp", np.full((2, 2, 169), 0.5), np.full((2, 2), 2.0), 0.1, 3)
    with tempfile.TemporaryDirectory() as folder:
        saved.save(Path(folder) / "t.eqb")
        return [(Path(folder) / "t.eqb").read_bytes()]


READERS: dict[str, Reader] = {
    "tournament": Reader(_tournaments, load_tournament, ".eqb", quick=25),
    "range text": Reader(
        texts("AA,KK:0.5,AKs,A5s-A2s,TT+,72o:0.25,AhKh", "random", "22+,A2+", "AKs:1e-3"), parse_range
    ),
    "range file": Reader(
        texts(" ".join(["0.5"] * 1326), ",".join(["1"] * 1326)), lambda path: load_range(f"@{path}"), ".txt"
    ),
    "spot": Reader(files("examples/spots/*.toml"), _spot, ".toml"),
    "table": Reader(files("examples/tables/*.toml"), _table, ".toml"),
    "table name": Reader(_table_names, named_table),
    "spot name": Reader(_spot_names, _game),
    "spots by line": Reader(texts(*SUBGAMES, "\n".join(SUBGAMES)), lambda path: read_spots([str(path)]), ".jsonl"),
    "standings": Reader(
        texts(STANDINGS, "names = ['Ann', 'Bob']\nstacks = [1, 2]\npayouts = [3]\nbounties = [1, 1]\n"),
        lambda path: make_standings(**{"payouts": [1], "stacks": [1]} | read_standings(path)),
        ".toml",
    ),
    "amounts": Reader(texts("5000,3000,2000", "100x20,5", "1e3 2.5;0"), functools.partial(parse_amounts, "stacks")),
    "foreign spot": Reader(texts(TEXAS), load_foreign_spot, ".txt"),
    "line of a spot": Reader(texts("b100:c", "x:b50:r200", "x:x"), read_line),
    "locks": Reader(texts(*LOCKS), load_locks, ".toml"),
    "efg": Reader(files("tests/data/*.efg"), load_efg, ".efg"),
    "solution": Reader(files("tests/data/previous/tabular.eqb"), load_solution, ".eqb"),
    "spot solution": Reader(
        files("tests/data/previous/river.eqb", "tests/data/previous/turn.eqb"), load_solution, ".eqb", quick=25
    ),
    "three-way solution": Reader(_three_way, load_solution, ".eqb", quick=25),
    "boards": Reader(files("tests/data/previous/boards.eqb"), load_solution, ".eqb", quick=25),
    "buckets": Reader(files("tests/data/previous/buckets.eqb"), load_solution, ".eqb", quick=25),
    "blueprint": Reader(files("tests/data/previous/blueprint.eqb"), load_solution, ".eqb"),
    "phh": Reader(texts(PHH, f"[1]\n{PHH}\n[2]\n{PHH}"), read_phh_file, ".phh"),
    "site history": Reader(texts(SITE, SITE + "\n\n" + SITE), read_histories, ".txt"),
    "hand lines": Reader(texts(*LINES), read_hand_lines, ".jsonl"),
    "acpc game": Reader(_acpc, read_game),
    "acpc state": Reader(texts(*STATES), lambda text: read_state(text, _holdem())),
    "menu file": Reader(files("examples/menus/*.toml"), lambda path: read_plan(path, 2, 4), ".toml"),
    "menu text": Reader(texts("60%, 2.5x, 100c, e, 2e, 3e200%, a", "*", "*50", "33%,75%"), parse_menu),
    "model": Reader(texts(*MODELS), lambda path: read_model(_kuhn(), [str(path)], "kuhn"), ".toml"),
    "model as json": Reader(
        lambda: [json.dumps({"frequencies": {"K": {"b": 0.5, "x": 0.5}}, "game": "kuhn"}).encode()],
        lambda path: read_model(_kuhn(), [str(path)], "kuhn"),
        ".json",
    ),
    "model row": Reader(texts("K:b c=0.9 f=0.1", "J x=1"), parse_row),
    "model words": Reader(
        texts("K:b c=0.9 f=0.1", "call", "uniform"), lambda text: read_model(_kuhn(), [text], "kuhn")
    ),
    "statistics": Reader(texts(STATISTICS), _statistics, ".toml"),
    "game name": Reader(_names(GAMES, "nolimit-leduc(sizes=fcpa)+x:50%", "leduc(ranks=5,suits=merged)"), _game),
    "solver name": Reader(_names(SOLVERS, "dcfr(alpha=1.5,beta=-inf)", "cfr(average=quadratic)"), make_solver),
    "player name": Reader(_names(AGENTS, "nemesis(of=always-call)", "random-river(base=rule-based)"), load_agent),
    "translation": Reader(_names(TRANSLATIONS), TRANSLATIONS.make),
    "purification": Reader(_names(RULES), RULES.make),
    "card method": Reader(_names(CARD_METHODS), parse_method),
    "bucket sizes": Reader(
        texts("169/200/200/200", "all/20/24/28"), lambda text: parse_sizes(text, Streets(Deck(4, 3)))
    ),
    "class sizes": Reader(texts("13-25-125", "0-0-3"), parse_class_sizes),
    "card abstraction": Reader(_abstractions, load_card_abstraction, ".eqb", quick=25),
    "responders": Reader(texts("best uct-100 fbr-1000", "set:call+raise", "rnr-0.5 ranks"), _responders),
    "class responders": Reader(texts("best", "uct-1000 fbr-100"), read_class_responders),
    "typed action": Reader(texts("b300", "50%", "pot", "call", "raise to 400", "all-in"), _typed),
    "cards": Reader(texts("Td9d6h", "As Kd, 2c"), lambda text: (parse_cards(text), read_cards(text))),
    "target": Reader(texts("0.3%", "5mbb", "0.001"), lambda text: exploitability_target(text, _holdem())),
    "betting tree": Reader(_bml, read_bml),
    "training plan": Reader(_orders, _order, ".json"),
    "learning plan": Reader(_learning_orders, _learning_order, ".json"),
    "report": Reader(files("tests/data/report.toml"), lambda path: ReportOrder.from_toml(path).checked(), ".toml"),
    "report folder": Reader(_report_folders, _report_folder, ".json"),
    "flops of a report": Reader(_report_lines, _report_flops, ".jsonl"),
    "ladder folder": Reader(_ladders, _ladder, ".json"),
    "ledger": Reader(_ledgers, _ledger, ".db", quick=25),
}
