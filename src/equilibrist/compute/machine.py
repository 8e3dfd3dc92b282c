"""What this machine has: cores, memory, and what a process has used; nothing here is missing on macOS or Windows."""

from __future__ import annotations

import os
import sys

UNKNOWN_MEMORY = -(-(4 << 32) // 3)  # three quarters of it are 4 GB


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux only
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory() -> int:
    """Bytes that are free, or where that is not known all there are, or a guess."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # Windows has no sysconf
        pass
    try:
        import psutil  # a dependency on Windows alone
    except ImportError:
        return UNKNOWN_MEMORY
    return int(psutil.virtual_memory().available)


def peak_memory() -> int | None:
    """Most bytes that this process has held at once; None where the system does not count."""
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024  # bytes there, kilobytes elsewhere
