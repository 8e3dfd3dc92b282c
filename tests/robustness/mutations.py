"""A small mutation engine: valid inputs, changed a little or a lot, the same for the same seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

NUMBERS = (
    b"0", b"-1", b"-0.0", b"1e-300", b"1e308", b"1e999", b"inf", b"-inf", b"nan", b"NaN", b"Infinity", b"2147483647", b"2147483648",
    b"4294967296", b"9223372036854775807", b"9223372036854775808", b"99999999999999999999", b"0x7fffffffffffffff", b"1_000",
    b"0.1234567890123", b"1e-25", b"3e8", b"1" + b"0" * 400, "٣".encode(), "½".encode(), "²".encode(), b"1.", b".5", b"+1", b"--1", b"1,5",
)  # fmt: skip
TOKENS = (
    b"[", b"]", b"{", b"}", b"(", b")", b'"', b"'", b'"""', b"'''", b"\\", b"\n", b"\r\n", b"\0", b"=", b",", b":", b"/", b"|", b"#",
    b"..", b"../../etc/passwd", b"@/etc/passwd", b"%", b"*", b"x", b"a", b"f", b"c", b"r", b"true", b"false", b"null", b"None", b"\xff",
    b"\xef\xbb\xbf", "ü".encode(), "\u202e".encode(), b"[" * 200, b"{" * 200, b'{"a":' * 200, b"a." * 200, b"(" * 200, b" " * 5000,
)  # fmt: skip
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z]+|\d+|[^\w\s]")

Mutation = Callable[[random.Random, bytearray, Sequence[bytes]], bytearray]


def mutate(rng: random.Random, seeds: Sequence[bytes], longest: int = 200_000) -> bytes:
    """One of the seeds after one to four changes."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(MUTATIONS)(rng, data, seeds)
    return bytes(data[:longest])


def mutate_text(rng: random.Random, seeds: Sequence[str], longest: int = 20_000) -> str:
    """The same for texts."""
    return mutate(rng, [seed.encode() for seed in seeds], longest).decode("utf-8", "replace").replace("\0", "")


def _flip(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    for _ in range(rng.choice((1, 1, 2, 8)) if data else 0):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data


def _byte(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    if data:
        data[rng.randrange(len(data))] = rng.choice((0, 1, 10, 32, 127, 128, 255, rng.randrange(256)))
    return data


def _cut(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    begin, end = _span(rng, data)
    del data[begin:end]
    return data


def _truncate(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    return data[: rng.randrange(len(data) + 1)]


def _repeat(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    begin, end = _span(rng, data)
    part = data[begin:end]
    times = min(rng.choice((1, 2, 10, 300)), 100_000 // max(len(part), 1) + 1)
    return data[:end] + part * times + data[end:]


def _splice(rng: random.Random, data: bytearray, seeds: Sequence[bytes]) -> bytearray:
    other = bytearray(rng.choice(seeds))
    begin, end = _span(rng, other)
    place = rng.randrange(len(data) + 1)
    return data[:place] + other[begin:end] + data[place + rng.choice((0, end - begin)) :]


def _token(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(TOKENS) + data[place:]


def _number(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    return _replace(rng, data, _NUMBER, NUMBERS)


def _word(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    return _replace(rng, data, _WORD, (*TOKENS, *NUMBERS, b"", b"a" * 3000))


def _swap(rng: random.Random, data: bytearray, _: Sequence[bytes]) -> bytearray:
    """Two lines change places."""
    lines = bytes(data).split(b"\n")
    if len(lines) > 1:
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    return bytearray(b"\n".join(lines))


def _span(rng: random.Random, data: bytearray) -> tuple[int, int]:
    begin = rng.randrange(len(data) + 1)
    return begin, min(len(data), begin + rng.choice((1, 2, 4, 16, 64, 1024)))


def _replace(rng: random.Random, data: bytearray, what: re.Pattern[bytes], by: Sequence[bytes]) -> bytearray:
    found = list(what.finditer(bytes(data[:20_000])))  # arrays in files may be long
    if not found:
        return data
    one = rng.choice(found)
    return data[: one.start()] + rng.choice(by) + data[one.end() :]


MUTATIONS: tuple[Mutation, ...] = (
    _flip, _byte, _cut, _truncate, _repeat, _splice, _token, _number, _number, _number, _word, _word, _swap,
)  # fmt: skip
