"""Findings of an experiment: published and measured numbers, checks between them, and the status they add up to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal, get_args

from equilibrist.core.writing import plain

Status = Literal[
    "reproduced", "pattern reproduced", "stand-in reproduced", "differs from the text", "not reproduced"
]  # from the best to what must be told first
Kind = Literal["printed", "pattern", "reference", "refutation"]
Parts = Mapping[str, Sequence[Kind]]  # game and size that checks run on -> kinds of these checks
Report = Callable[[str, float | None], None]  # what is being done, and the share of the work that is over
Draw = Callable[[Any], None]  # draws on a matplotlib Figure

TEXT = "text"  # the part that runs on the text's own game and size; "text: Table 8.1" where there are several


@dataclass(frozen=True)
class Check:
    """One comparison.

    *printed*: a number that the text prints. *pattern*: an order, a slope or a statement of the text. *reference*: a number that the text
    does not print, from another computation of ours. *refutation*: a second route shows that a printed number cannot come out.
    """

    name: str
    target: Any
    measured: Any
    tolerance: Any
    passed: bool
    kind: Kind = "reference"
    part: str | None = None  # the game and size it runs on; None: the first that the experiment declares

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "part": self.part,
            "target": plain(self.target),
            "measured": plain(self.measured),
            "tolerance": plain(self.tolerance),
            "passed": self.passed,
        }


def printed(checks: Iterable[Check]) -> list[Check]:
    """Numbers that the text prints; patterns among them stay patterns."""
    return [replace(check, kind="printed") if check.kind == "reference" else check for check in checks]


def ours(checks: Iterable[Check]) -> list[Check]:
    """Numbers and conditions that the text does not have."""
    return [replace(check, kind="reference") for check in checks]


def on(part: str, checks: Iterable[Check]) -> list[Check]:
    """Checks that run on this game and size; 'text' and 'text: Table 8.1' are the text's own."""
    return [replace(check, part=part) for check in checks]


def refuted(name: str, target: float, measured: float, again: float, tolerance: float) -> Check:
    """Two routes agree, and neither comes to the printed number."""
    agreed = abs(measured - again) <= tolerance
    passed = agreed and abs(measured - target) > tolerance < abs(again - target)
    return Check(name, f"not {target:,.10g}", [measured, again], tolerance, bool(passed), "refutation")


def outside(name: str, target: float, low: float, high: float) -> Check:
    """The printed number lies outside of bounds that both players' strategies prove."""
    return Check(name, f"not {target:,.10g}", [low, high], "outside", bool(not low <= target <= high), "refutation")


def close(name: str, target: float, measured: float, tolerance: float) -> Check:
    """Equal up to an absolute tolerance."""
    return Check(name, target, float(measured), tolerance, bool(abs(measured - target) <= tolerance))


def equal(name: str, target: Any, measured: Any) -> Check:
    """Exactly equal."""
    return Check(name, target, measured, 0, bool(target == measured))


def between(
    name: str,
    low: float,
    high: float,
    measured: float,
    *,
    target: Any = None,
    kind: Kind = "reference",
) -> Check:
    """Inside a closed interval."""
    shown = [low, high] if target is None else target
    return Check(name, shown, float(measured), [low, high], bool(low <= measured <= high), kind)


def at_least(name: str, low: float, measured: float) -> Check:
    """A pattern: no smaller than a bound."""
    return Check(name, f">= {low:g}", float(measured), f">= {low:g}", bool(measured >= low), "pattern")


def at_most(name: str, high: float, measured: float) -> Check:
    """A pattern: no larger than a bound."""
    return Check(name, f"<= {high:g}", float(measured), f"<= {high:g}", bool(measured <= high), "pattern")


def ascending(name: str, values: Mapping[str, float]) -> Check:
    """A pattern: the values rise strictly in the order given."""
    numbers = list(values.values())
    rises = all(a < b for a, b in pairwise(numbers))
    return Check(name, " < ".join(values), {k: float(v) for k, v in values.items()}, "strict order", rises, "pattern")


def descending(name: str, values: Mapping[str, float]) -> Check:
    """A pattern: the values fall strictly in the order given."""
    found = ascending(name, dict(reversed(list(values.items()))))
    return replace(found, target=" > ".join(values), measured={k: float(v) for k, v in values.items()})


@dataclass(frozen=True)
class Request:
    """How an experiment is to be run."""

    full: bool = False
    data: str | None = None  # folder of data files, for experiments that read any
    progress: Report | None = None
    device: str = "cpu"  # "cuda" and "auto" reach experiments that can use a GPU alone
    jobs: int = 1  # pieces that may run at a time, each in a process of its own
    until: float | None = None  # seconds since 1970 after which trainings end early

    @property
    def is_late(self) -> bool:
        """Whether the time for trainings is over."""
        return self.until is not None and time.time() > self.until

    def report(self, doing: str, share: float | None = None) -> None:
        if self.progress is not None:
            self.progress(doing, share)


@dataclass(frozen=True)
class Findings:
    """What an experiment's `run` gives back."""

    setting: str  # what was run, and what this setting claims
    checks: Sequence[Check]
    published: Mapping[str, Any] = field(default_factory=dict)  # printed in the thesis
    recomputed: Mapping[str, Any] = field(default_factory=dict)  # independently recomputed reference values
    measured: Mapping[str, Any] = field(default_factory=dict)  # by this run
    remarks: Sequence[str] = ()
    draw: Draw | None = None  # without one, the checks are drawn


def is_text(part: str) -> bool:
    """Whether checks of this part run on the text's own game and size."""
    return part == TEXT or part.startswith(f"{TEXT}: ")


def status_of(checks: Sequence[Check], *, text: bool) -> Status:
    """What one part comes to: on the text's own game and size, or on a stand-in.

    A pattern that fails decides. Where a number fails, the patterns beside it decide, if there are any.
    """
    patterns = [check.passed for check in checks if check.kind == "pattern"]
    if not checks or not all(patterns) or not (patterns or all(check.passed for check in checks)):
        return "not reproduced"
    kinds = {check.kind for check in checks}
    if not text or kinds == {"reference"}:  # numbers of ours in place of the text's
        return "stand-in reproduced"
    if not all(check.passed for check in checks):
        return "pattern reproduced"
    return (
        "differs from the text"
        if "refutation" in kinds
        else "reproduced"
        if "printed" in kinds
        else "pattern reproduced"
    )


def weakest(parts: Mapping[str, Status], claims: Mapping[str, bool]) -> Status:
    """The status of the whole: of all parts that say something of the text, the one to be told first; parts of references must hold."""
    said = [status for part, status in parts.items() if claims[part] or status == "not reproduced"]
    return max(said or parts.values() or ["not reproduced"], key=get_args(Status).index)


def attainable(parts: Parts) -> dict[str, Status]:
    """The status of each part if all its checks hold."""
    held = {part: [Check("", 0, 0, 0, True, kind) for kind in kinds] for part, kinds in parts.items()}
    return {part: status_of(checks, text=is_text(part)) for part, checks in held.items()}


def attainable_status(parts: Parts) -> Status:
    """The status of the whole if all checks hold."""
    return weakest(attainable(parts), {part: set(kinds) != {"reference"} for part, kinds in parts.items()})


@dataclass(frozen=True)
class ExperimentResult:
    """An experiment that has been run."""

    id: str
    title: str
    source: str
    findings: Findings = field(repr=False)
    full: bool
    seconds: float
    figure: str | None

    declared: Parts = field(repr=False)

    @property
    def parts(self) -> dict[str, Status]:
        """The status of each part, in the order of the declaration."""
        return {part: status_of(self.checks_of(part), text=is_text(part)) for part in self.declared}

    @property
    def status(self) -> Status:
        claims = {part: any(check.kind != "reference" for check in self.checks_of(part)) for part in self.declared}
        return weakest(self.parts, claims)

    def checks_of(self, part: str) -> list[Check]:
        first = next(iter(self.declared))
        return [check for check in self.checks if (check.part or first) == part]

    @property
    def checks(self) -> Sequence[Check]:
        return self.findings.checks

    @property
    def setting(self) -> str:
        return self.findings.setting

    def to_json(self) -> dict[str, Any]:
        """Plain values only, ready for a JSON encoder; NaN and infinities become null."""
        findings = self.findings
        return {
            "id": self.id,
            "title": self.title,
            "source": self.source,
            "status": self.status,
            "parts": self.parts,
            "published": plain(findings.published),
            "recomputed": plain(findings.recomputed),
            "measured": plain(findings.measured),
            "checks": [check.to_json() for check in self.checks],
            "setting": findings.setting,
            "remarks": list(findings.remarks),
            "full": self.full,
            "seconds": round(self.seconds, 3),
            "figure": self.figure,
        }
