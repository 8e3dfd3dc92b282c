"""One catalogue for all names: found by importing one module, the same refusals everywhere."""

import subprocess
import sys
from dataclasses import dataclass

import pytest

from equilibrist.abstraction.bets.purification import RULES
from equilibrist.abstraction.bets.translation import TRANSLATIONS
from equilibrist.abstraction.cards.method_names import CARD_METHODS
from equilibrist.abstraction.information.methods import METHODS
from equilibrist.agents.presets import BOTS
from equilibrist.agents.registry import AGENTS, PUBLISHED
from equilibrist.core.catalogue import Catalogue, Entry, Makers, build
from equilibrist.core.errors import EquilibristError, ParameterError, UnknownNameError
from equilibrist.experiments.registry import EXPERIMENTS, experiment_cards, find_experiment
from equilibrist.games.catalogue import GAMES
from equilibrist.solvers.registry import SOLVERS

MAKERS = [GAMES, SOLVERS, AGENTS, METHODS, CARD_METHODS, TRANSLATIONS, RULES]
ALL: list[Catalogue] = [*MAKERS, EXPERIMENTS]
kinds = pytest.mark.parametrize("catalogue", ALL, ids=lambda found: found.kind)
makers = pytest.mark.parametrize("catalogue", MAKERS, ids=lambda found: found.kind)


@kinds
def test_tables_list_exactly_what_the_modules_define(catalogue):
    defined = {name for module in set(catalogue.homes.values()) for name in catalogue._entries(module)}
    assert set(catalogue.homes) == defined
    for name in catalogue.homes:
        assert catalogue.find(name) == catalogue.entries()[name]


@kinds
def test_an_unknown_name_is_refused_with_the_nearest_one(catalogue):
    near = next(iter(catalogue.homes))
    with pytest.raises(UnknownNameError, match=f"There is no {catalogue.kind} '{near}q'. Did you mean '") as caught:
        catalogue.find(near + "q")
    assert str(caught.value).endswith(catalogue.hint)


@makers
def test_an_unknown_parameter_is_refused(catalogue: Makers):
    name, entry = next((name, entry) for name, entry in catalogue.entries().items() if not entry.open)
    with pytest.raises(ParameterError, match=f"The {catalogue.kind} '{name}' has no parameter 'nonsense'"):
        catalogue.make(f"{name}(nonsense=1)")
    assert "nonsense" not in entry.parameters


@makers
def test_names_are_read_in_any_case(catalogue: Makers):
    for name in catalogue.homes:
        assert catalogue.find(name.upper()) is catalogue.find(name)


@makers
def test_parameters_are_those_that_the_maker_takes(catalogue: Makers):
    """Every parameter that is listed can be given; where it needs another one beside it, the refusal says so."""
    for entry in catalogue.entries().values():
        for key, default in entry.parameters.items():
            if default is None or entry.open:
                continue
            try:
                catalogue.build(entry, {key: default})
            except EquilibristError as error:
                assert "cannot be made" not in str(error)


def test_the_published_bots_are_listed():
    assert list(BOTS) == list(PUBLISHED)


@dataclass
class Made:
    number: int = 3
    share: float = 0.5
    open_door: bool = False
    word: str = "red"


ENTRY = Entry(
    "made", "", Made, {"number": 3, "share": 0.5, "open_door": False, "word": "red"}, words={"number": ("many",)}
)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"number": "few"}, "takes a number such as 3, or many, but 'few' was given"),
        ({"number": 2.5}, "is a whole number, but 2.5 was given"),
        ({"number": True}, "takes a value such as 3"),
        ({"share": float("nan")}, "must be a number, but nan was given"),
        ({"share": (0.5,)}, "takes a number such as 0.5"),
        ({"open_door": 1}, "takes true or false, but 1 was given"),
        ({"numbr": 1}, r"no parameter 'numbr' \(it has: number, share, open_door, word\). Did you mean 'number'"),
    ],
)
def test_a_value_of_another_kind_than_the_default_is_refused(given, sentence):
    with pytest.raises(ParameterError, match=sentence) as caught:
        build("thing", ENTRY, given)
    assert "\n" not in str(caught.value)


def test_words_and_whole_numbers_fit():
    assert build("thing", ENTRY, {"number": "many", "share": 1, "open_door": True}) == Made("many", 1, True)


def test_a_missing_parameter_is_refused():
    def needs(amount): ...

    with pytest.raises(
        ParameterError, match="cannot be made from these parameters: missing a required argument: 'amount'"
    ):
        build("thing", Entry("needy", "", needs, {"amount": None}), {})


def test_cards_of_experiments_say_what_their_modules_say():
    for card in experiment_cards():
        real = find_experiment(card.id)
        for field in ("id", "title", "source", "seconds_quick", "seconds_full"):
            assert getattr(card, field) == getattr(real, field)


def test_experiments_are_found_by_folder():
    assert EXPERIMENTS.homes["brown/liars-dice"] == "brown.depth_limits.liars_dice"
    assert "brown/bl26" not in EXPERIMENTS.homes  # helps others, is none itself
    assert EXPERIMENTS.names() == sorted(EXPERIMENTS.names())
    assert len(set(EXPERIMENTS.homes.values())) == len(EXPERIMENTS.homes)


COUNT = """
import atexit, sys
def count():
    mine = [name for name in sys.modules if name.partition(".")[0] == "equilibrist"]
    print(len(mine), *sorted(mine), file=sys.stderr)
atexit.register(count)
sys.argv[0] = "equilibrist"
from equilibrist.interfaces.cli import main
main()
"""


def modules_of(*arguments: str, **environment: str) -> tuple[list[str], str]:
    """Modules of the package that a command imports, and what it prints."""
    import os

    done = subprocess.run(
        [sys.executable, "-c", COUNT, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    number, *names = done.stderr.splitlines()[-1].split()
    assert int(number) == len(names)
    return names, done.stdout


def test_solving_a_small_game_loads_little():
    """No engine of boards, buckets or sampling, and no search."""
    modules_of("solve", "kuhn", "--json")  # compiles what is not yet compiled
    names, printed = modules_of("solve", "kuhn", "--json")
    assert '"exploitability"' in printed
    assert len(names) <= 105
    assert [name for name in names if ".boards" in name or ".mccfr" in name or "bucket" in name] == []
    assert [name for name in names if ".search" in name or ".postflop._kernels" in name] == []


def test_reproducing_one_experiment_imports_at_most_sixty_modules():
    names, out = modules_of("reproduce", "brown/bandit")
    assert "reproduced" in out
    assert len(names) <= 60
    assert not [name for name in names if name.startswith("equilibrist.experiments.gilpin")]


def complete(*words: str) -> tuple[list[str], list[str]]:
    names, out = modules_of(
        _EQUILIBRIST_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(("equilibrist", *words)),
        COMP_CWORD=str(len(words)),
    )
    return names, out.split()


def test_completion_imports_no_experiment():
    names, offered = complete("reproduce", "brown/b")
    assert offered == ["brown/bandit", "brown/bet-sizing", "brown/bl26-subgames"]
    assert len(names) <= 20


@pytest.mark.parametrize(
    ("words", "offered", "most"),
    [
        (("solve", "liars"), ["liars-dice"], 20),
        (("solve", "leduc", "--solver", "pcf"), ["pcfr+"], 45),
        (("match", "always-c"), ["always-call"], 20),
    ],
)
def test_completion_imports_no_game_solver_or_player(words, offered, most):
    names, found = complete(*words)
    assert found == offered
    assert len(names) <= most, names


def test_listing_experiments_imports_none_of_them():
    names, out = modules_of("reproduce", "--list", "--json")
    assert '"gilpin/egt"' in out
    assert len(names) <= 20


def test_help_of_one_command_imports_no_other():
    names, _ = modules_of("verify", "--help")
    assert "equilibrist.interfaces.cli.study.solve" not in names
    assert len(names) <= 15


def test_experiments_are_found_inside_a_zip_file(tmp_path):
    """As where a package is imported from an archive."""
    import os
    import zipfile
    from pathlib import Path

    import equilibrist

    source = Path(equilibrist.__file__).parent
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in (*source.rglob("*.py"), *source.rglob("*.pyi")):
            archive.write(path, path.relative_to(source.parent))
    code = (
        "import equilibrist as eq, equilibrist.experiments.registry as found\n"
        "assert eq.list_experiments() == found.list_experiments()\n"
        "assert '.zip' in found.__file__, found.__file__\n"
        "print(len(found.list_experiments()), found.experiment_cards()[0].title)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "all.zip")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{len(EXPERIMENTS.homes)} {experiment_cards()[0].title}"
