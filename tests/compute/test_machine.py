"""The machine, and machines that lack what Linux has."""

import os
import subprocess
import sys

import pytest

from equilibrist.compute import machine
from equilibrist.compute.machine import available_memory, cores, peak_memory


def test_this_machine():
    assert 1 <= cores() <= (os.cpu_count() or 1)
    assert available_memory() > 1 << 20
    assert peak_memory() > 1 << 20


def test_cores_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert cores() == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1


def test_memory_where_the_system_does_not_say(monkeypatch):
    def absent(*args, **more):
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", absent)
    assert available_memory() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.delattr(os, "sysconf")
    assert available_memory() == machine.UNKNOWN_MEMORY
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory() is None


@pytest.mark.parametrize(("platform", "factor"), [("darwin", 1), ("linux", 1024)])
def test_units_of_peak_memory(platform, factor, monkeypatch):
    import resource

    monkeypatch.setattr(sys, "platform", platform)
    assert peak_memory() == pytest.approx(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * factor, rel=0.05)


# what Windows or macOS lacks, taken away before anything of ours is imported; other packages that need it are imported first
BARE = """
import importlib, multiprocessing.connection, os, pkgutil, signal, subprocess, sys, tempfile
import asyncio, concurrent.futures.process, numba, scipy.optimize, highspy, typer, rich.console, safetensors.numpy, matplotlib.figure
import fastapi, fastapi.testclient, uvicorn, pydantic
for name in ("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty", "curses", "readline", "syslog", "posix_ipc"):
    sys.modules[name] = None
for name in ("sched_getaffinity", "sysconf", "fork", "getuid", "geteuid", "setsid", "killpg", "getpgid", "nice", "getloadavg",
             "fchmod", "mkfifo", "posix_fallocate", "sendfile"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGPIPE", "alarm", "setitimer", "pthread_sigmask"):
    if hasattr(signal, name):
        delattr(signal, name)
import equilibrist
count = 0
for module in pkgutil.walk_packages(equilibrist.__path__, "equilibrist."):
    if module.name == "equilibrist.__main__":
        continue
    importlib.import_module(module.name)
    count += 1
assert count > 500, count
from equilibrist.games.catalogue import load_game
from equilibrist.solvers.solve import solve
assert solve(load_game("kuhn"), iterations=50).exploitability < 0.1
from equilibrist.compute.machine import cores, peak_memory
assert cores() >= 1 and peak_memory() is None
print("all", count)
"""


def test_every_module_is_imported_without_what_linux_alone_has():
    pytest.importorskip("fastapi")
    done = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("all")
