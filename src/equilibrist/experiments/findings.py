"""Findings of an experiment: published and measured numbers, checks between them, and the status they add up to."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

Status = Literal["reproduced", "pattern reproduced", "not reproduced", "differs from the text"]
Report = Callable[[str, float | None], None]  # what is being done, and the share of the work that is over
Draw = Callable[[Any], None]  # draws on a matplotlib Figure


@dataclass(frozen=True)
class Check:
    """One comparison; a *value* is a number that must come out, a *pattern* an ordering or a slope."""

    name: str
    target: Any
    measured: Any
    tolerance: Any
    passed: bool
    kind: Literal["value", "pattern"] = "value"

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "target": plain(self.target),
            "measured": plain(self.measured),
            "tolerance": plain(self.tolerance),
            "passed": self.passed,
        }


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
    kind: Literal["value", "pattern"] = "value",
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
    differs: str = ""  # why a printed number does not come out, where that is known
    draw: Draw | None = None  # without one, the checks are drawn


def status_of(checks: Sequence[Check], differs: str = "") -> Status:
    """Reproduced: all checks pass. Pattern reproduced: there are patterns, and these pass. Else not reproduced."""
    patterns = [check.passed for check in checks if check.kind == "pattern"]
    if all(check.passed for check in checks) and checks:
        return "differs from the text" if differs else "reproduced"
    return "pattern reproduced" if patterns and all(patterns) else "not reproduced"


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

    @property
    def status(self) -> Status:
        return status_of(self.checks, self.findings.differs)

    @property
    def checks(self) -> Sequence[Check]:
        return self.findings.checks

    @property
    def setting(self) -> str:
        return self.findings.setting

    def to_json(self) -> dict[str, Any]:
        """Plain values only, ready for a JSON encoder; NaN and infinities become null."""
        findings = self.findings
        differs = [findings.differs] if findings.differs else []
        return {
            "id": self.id,
            "title": self.title,
            "source": self.source,
            "status": self.status,
            "published": plain(findings.published),
            "recomputed": plain(findings.recomputed),
            "measured": plain(findings.measured),
            "checks": [check.to_json() for check in self.checks],
            "setting": findings.setting,
            "remarks": [*differs, *findings.remarks],
            "full": self.full,
            "seconds": round(self.seconds, 3),
            "figure": self.figure,
        }


def plain(value: Any) -> Any:
    """Mappings, sequences, numbers and text without numpy types."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if hasattr(value, "item"):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
