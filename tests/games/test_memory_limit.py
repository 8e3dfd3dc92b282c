"""How much memory a tree may take, wherever we are."""

from __future__ import annotations

import builtins
import os
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from equilibrist.games.size_estimate import memory_limit


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither /proc/meminfo nor sysconf."""
    real = builtins.open

    def missing(path: Any, *rest: Any, **more: Any) -> Any:
        if path == "/proc/meminfo":
            raise FileNotFoundError(path)
        return real(path, *rest, **more)

    monkeypatch.setattr(builtins, "open", missing)
    monkeypatch.delattr(os, "sysconf", raising=False)
    monkeypatch.delenv("EQUILIBRIST_MEMORY", raising=False)


@pytest.mark.usefixtures("windows")
def test_windows_is_asked_by_psutil(monkeypatch: pytest.MonkeyPatch) -> None:
    found = SimpleNamespace(virtual_memory=lambda: SimpleNamespace(available=8_000_000_000))
    monkeypatch.setitem(sys.modules, "psutil", found)
    assert memory_limit() == 6_000_000_000


@pytest.mark.usefixtures("windows")
def test_four_gigabytes_are_assumed_where_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)  # an import fails
    assert memory_limit() == 4 << 30
