"""Words, texts and numbers of an `.efg` file, each with the place it stands at."""

from __future__ import annotations

import functools
import re
from fractions import Fraction

from equilibrist.core.errors import FormatError

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>[{},])|(?P<word>[^\s{},"]+)|(?P<quote>")|(?P<end>\Z))""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\([\\\"])")  # any other backslash stands for itself
_WHOLE = re.compile(r"[+-]?[0-9]+\Z")
_RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+\Z")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,3}))?\Z")

_LONGEST_NUMBER = 400  # characters; no float needs more, and longer ones only cost time


class Tokens:
    """A cursor over the tokens of a text; `kind` is text, word, end or one of the marks { } and comma."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.kind = ""
        self.value = ""
        self.start = 0  # of the current token
        self._next = 0
        self.advance()

    def advance(self) -> None:
        """Step to the next token."""
        match = _TOKEN.match(self.text, self._next)
        assert match is not None  # every character belongs to some alternative
        self.kind = str(match.lastgroup)
        self.start = match.start(self.kind)
        self.value = match.group(self.kind)
        self._next = match.end()
        if self.kind == "mark":
            self.kind = self.value
        elif self.kind == "text":
            inside = self.value[1:-1]
            self.value = _ESCAPE.sub(r"\1", inside) if "\\" in inside else inside
        elif self.kind == "quote":
            raise self.refuse("the quote that opens here is never closed")

    def refuse(self, problem: str, start: int | None = None) -> FormatError:
        """An error that names the file and the line of the current token, or of the place given."""
        line = self.text.count("\n", 0, self.start if start is None else start) + 1
        return FormatError(f"{self.source}, line {line}: {problem}.")

    def unexpected(self, expected: str) -> FormatError:
        """An error that says what stands here instead of what was expected."""
        if self.kind == "end":
            return self.refuse(f"expected {expected}, but the file ends")
        return self.refuse(f"expected {expected}, but found {_shorten(self.value)!r}")

    def take_text(self, what: str) -> str:
        """A text in quotes."""
        if self.kind != "text":
            raise self.unexpected(f"{what} in quotes")
        value = self.value
        self.advance()
        return value

    def take_mark(self, mark: str, what: str) -> None:
        """One of the marks { and }."""
        if self.kind != mark:
            raise self.unexpected(what)
        self.advance()

    def skip_comma(self) -> None:
        """A comma may stand between the items of a list."""
        if self.kind == ",":
            self.advance()

    def take_whole(self, what: str) -> int:
        """A whole number from 0 on."""
        if self.kind != "word" or not _WHOLE.match(self.value) or len(self.value) > 18 or int(self.value) < 0:
            raise self.unexpected(f"{what}, a whole number")
        value = int(self.value)
        self.advance()
        return value

    def take_number(self, what: str) -> tuple[Fraction, bool]:
        """A number, exactly, and whether it was written without rounding: an integer or a ratio."""
        number = parse_number(self.value) if self.kind == "word" else None
        if number is None:
            raise self.unexpected(f"{what} such as 1, -0.5, 2e-3 or 1/3")
        exact = not any(character in ".eE" for character in self.value)
        self.advance()
        return number, exact


@functools.lru_cache(maxsize=4096)
def parse_number(word: str) -> Fraction | None:
    """A number as an exact fraction; None when it is none, or beyond the range of floats."""
    if len(word) > _LONGEST_NUMBER:
        return None
    if not _DECIMAL.match(word) and not _RATIO.match(word):
        return None
    try:
        number = Fraction(word)
        float(number)
    except (ZeroDivisionError, OverflowError):
        return None
    return number


def one_line(text: str) -> str:
    """The text with line ends and tabs turned into blanks, for labels and keys; nothing else changes."""
    return " ".join(text.split()) if any(character in text for character in "\n\r\t") else text


def quote(text: str) -> str:
    """A text in quotes, on one line, so that reading gives it back."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _shorten(value: str) -> str:
    return value if len(value) <= 40 else value[:37] + "..."
