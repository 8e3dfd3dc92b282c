"""Settings of all tests."""

import os

from hypothesis import settings

# Machines are noisy, and the first example of a test may compile kernels. Examples are the same everywhere, so that a change is judged by
# what it changes; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("equilibrist", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "equilibrist"))

QUICK = 6  # tests of each file that `--quick` keeps, one case of each


def pytest_addoption(parser):
    parser.addoption(
        "--quick",
        action="store_true",
        help=f"the first {QUICK} tests of every file, one case of each: every room is touched",
    )


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--quick"):
        return
    kept, seen = [], {}
    for item in items:
        functions = seen.setdefault(item.path, set())
        name = getattr(item, "originalname", item.name)
        if name not in functions and len(functions) < QUICK:
            kept.append(item)
            functions.add(name)
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept
