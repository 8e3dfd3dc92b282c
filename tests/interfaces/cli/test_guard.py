"""What stands around every command: no traceback, one sentence, exit code 2."""

from __future__ import annotations

import sys

import pytest
import typer

from equilibrist.interfaces.cli.guard import LONGEST, guarded, refuse


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (OverflowError("int too large"), "A number in 'solve game.toml' is too large"),
        (RecursionError("maximum recursion depth exceeded"), "nested too deeply"),
        (MemoryError(), "not enough memory"),
        (
            OSError(28, "No space left on device", "out.eqb"),
            "'out.eqb' cannot be read or written (No space left on device)",
        ),
        (OSError(30, "Read-only file system"), "A file of 'solve game.toml' cannot be read or written"),
    ],
)
def test_what_the_system_refuses_is_one_sentence(
    raised: BaseException, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["equilibrist", "solve", "game.toml"])

    def command() -> None:
        raise raised

    with pytest.raises(typer.Exit) as leaving:
        guarded(command)()
    assert leaving.value.exit_code == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


def test_a_sentence_about_something_long_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        refuse(f"Cannot read '{'x' * 1_000_000}': expected a name.")
    printed = capsys.readouterr().err
    assert len(printed) < LONGEST
    assert printed.endswith("expected a name.\n")
