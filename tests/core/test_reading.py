"""What is nested, dotted or long is refused before it is parsed; what is ordinary is read as ever."""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from equilibrist.core.artifact import open_artifact
from equilibrist.core.errors import EquilibristError, FormatError
from equilibrist.core.names import parse_name
from equilibrist.core.reading import DEEPEST, KEY_PARTS, parse_json, parse_toml, read_bytes, read_text

ORDINARY = """
title = "[[[[ a.b.c"  # [[[[ a.b.c.d.e.f
long = '''
[[[[
'''
quoted = \"\"\"a "word" \\\\ and ]]]]\"\"\"
sizes = [[0.5, 1.0], [1.5, {x = 1.25}]]
[menu.river.p1]
bet = "50%"
"1.2.3.4" = 07:32:00.999
"""


def test_ordinary_toml_is_read_as_tomllib_reads_it() -> None:
    assert parse_toml(ORDINARY, "It", "") == tomllib.loads(ORDINARY)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 20_000, "brackets inside brackets"),
        ("a = " + "{b = " * 20_000, "brackets inside brackets"),
        ('a = ["""x"""", ' + "[" * 20_000, "brackets inside brackets"),  # a string may end in five quotes
        (".".join(["a"] * 15_000) + " = 1", "a key of more than 16 parts"),
        ("[" + " . ".join(['"a"'] * 15_000) + "]", "a key of more than 16 parts"),
        ("a = {" + ".".join(["a"] * 15_000) + " = 1}", "a key of more than 16 parts"),
        ("\n".join(f"{'.'.join(f'k{i}' * 1 for _ in range(12))} = 1" for i in range(3_000)), "20,000 parts in all"),
        ("a = 0x" + "f" * 10_000, "beyond 64 bits"),
        ("a = " + "9" * 10_000, "not valid TOML"),
        ('a = "' + '\\"' * 200_000, "not valid TOML"),
        ('"""' + '\\"""' * 100_000, "not valid TOML"),
    ],
)
def test_toml_that_would_take_the_memory_or_the_stack(text: str, said: str) -> None:
    began = time.process_time()
    with pytest.raises(FormatError, match=said) as refusal:
        parse_toml(text, "The spot", "expected lines such as pot = 200")
    assert time.process_time() - began < 2.0
    assert len(str(refusal.value)) < 400
    assert "expected lines such as pot = 200" in str(refusal.value)


@pytest.mark.parametrize("deep", [DEEPEST, DEEPEST + 1])
def test_the_limits_are_what_they_say(deep: int) -> None:
    texts = {"toml": "a = " + "[" * deep + "]" * deep, "json": '["[[[[",' * (deep - 1) + "[]" + "]" * (deep - 1)}
    for kind, text in texts.items():
        read = parse_toml if kind == "toml" else parse_json
        if deep == DEEPEST:
            read(text, "It", "")
        else:
            with pytest.raises(FormatError, match=f"more than {DEEPEST} deep"):
                read(text, "It", "")


def test_keys_of_the_longest_length_are_read() -> None:
    assert parse_toml(".".join(["a"] * KEY_PARTS) + " = 1", "It", "")
    with pytest.raises(FormatError):
        parse_toml(".".join(["a"] * (KEY_PARTS + 1)) + " = 1", "It", "")


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "[NaN]", "[1e999]", "9" * 10_000, '"\ud800"', "", "[9223372036854775808]"],
)
def test_json_that_is_none(text: str) -> None:
    with pytest.raises(FormatError, match="The model"):
        parse_json(text, "The model", "expected numbers")


def test_endless_and_foreign_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="more than 1,000 bytes"):
        read_bytes("/dev/zero", "The file", most=1_000)
    with pytest.raises(FormatError, match="cannot be read"):
        read_bytes("a\0b", "The file")
    with pytest.raises(FormatError, match="cannot be read"):
        read_bytes(tmp_path, "The file")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match="is not text; expected words"):
        read_text(binary, "The file", "expected words")


def test_nested_header_of_a_saved_file(tmp_path: Path) -> None:
    for text in (b'{"a":' * 50_000, b'{"__metadata__":{"magic":"equilibrist","header":' + b"[" * 50_000):
        path = tmp_path / "deep.eqb"
        path.write_bytes(len(text).to_bytes(8, "little") + text)
        with pytest.raises(FormatError, match="deep"):
            open_artifact(path, "solution")


def test_names_with_lists_in_lists() -> None:
    for text in ("matrix(rows=" + "[" * 5_000 + "]" * 5_000 + ")", "x" * 3_000_000, "kuhn(cards=" + "9" * 10_000 + ")"):
        began = time.process_time()
        with pytest.raises(EquilibristError):
            parse_name(text)
        assert time.process_time() - began < 2.0


def test_a_deep_spot_file_is_one_sentence_on_the_command_line(tmp_path: Path) -> None:
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "[" * 20_000)
    run = subprocess.run(
        [sys.executable, "-m", "equilibrist", "solve", str(deep)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "brackets inside brackets" in run.stderr
