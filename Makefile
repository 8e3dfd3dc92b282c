# `make demo` and `make test` set up what they need and are all that most people want; `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALLED := $(VENV)/.installed
BENCH_INSTALLED := $(VENV)/.bench-installed
BROWSER_INSTALLED := $(VENV)/.browser-installed

# bytecode is kept, whatever the shell says: the tests start the command hundreds of times
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install demo serve browser check test types fast-tests quick-tests test-slow coverage numba-versions bench clean

help:
	@echo "make install    virtual environment $(VENV) with the package and all development extras"
	@echo "make demo       solve Leduc poker and a hold'em turn, show and verify, draw pictures in out/ (under two minutes)"
	@echo "make serve      open the browser application on this machine"
	@echo "make browser    install Chromium and Playwright, and run the tests of the browser application"
	@echo "make check      lint, check types, run a fast part of the tests that touches every room (under three minutes)"
	@echo "make test       lint, check types, run all tests that are not slow"
	@echo "make test-slow  run the slow tests"
	@echo "make numba-versions  try the kernel cache with the oldest and the newest Numba allowed, in environments of their own"
	@echo "make coverage   what the fast tests cover, kernels included (run as plain Python)"
	@echo "make bench      measure speed beside OpenSpiel and LiteEFG"
	@echo "make clean      remove everything that these targets made"

install: $(INSTALLED)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "equilibrist needs Python 3.11 or newer; try: make PYTHON=python3.12 install" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# the stamp makes this idempotent: it runs again only when a dependency may have changed
$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(BENCH_INSTALLED): $(INSTALLED)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[bench]'
	@touch $@

demo: $(INSTALLED)
	@mkdir -p out
	@echo "Leduc poker, solved to a ten-thousandth of a chip:"
	@$(BIN)/equilibrist solve leduc --solver dcfr --until 1e-4 --out out/leduc.eqb --png out/leduc.png
	@echo
	@echo "The same numbers from the rules alone, by code that the solver does not use:"
	@$(BIN)/equilibrist verify out/leduc.eqb
	@echo
	@echo "Liar's dice with one die each: 24,576 decisions."
	@$(BIN)/equilibrist solve liars-dice --solver pcfr+ --until 1e-3 --out out/liars-dice.eqb --png out/liars-dice.png
	@echo
	@echo "A turn of hold'em with two ranges, solved to 0.3 % of the pot:"
	@$(BIN)/equilibrist solve examples/spots/turn.toml --until 0.3% --out out/turn.eqb
	@echo
	@echo "What the player in position does after a check (also in out/turn.png):"
	@$(BIN)/equilibrist show out/turn.eqb --line x --png out/turn.png
	@echo
	@echo "More: $(BIN)/equilibrist show out/turn.eqb --line x:b216 --hand KQs, $(BIN)/equilibrist verify out/turn.eqb,"
	@echo "$(BIN)/equilibrist show out/leduc.eqb --line x:b, $(BIN)/equilibrist games, $(BIN)/equilibrist --help"

serve: $(INSTALLED)
	$(BIN)/equilibrist serve --open

# Debian's Chromium, driven by Playwright; without it the tests of the page are skipped
$(BROWSER_INSTALLED): $(INSTALLED)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| { command -v apt-get >/dev/null && { apt-get install -y chromium || sudo apt-get install -y chromium; }; } \
		|| { echo "Chromium could not be installed; install it by hand and try again" >&2; exit 1; }
	$(PIP) install --quiet --constraint constraints.txt --editable '.[browser]'
	@touch $@

browser: $(BROWSER_INSTALLED)
	$(BIN)/pytest tests/interfaces/web

test: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	+@$(MAKE) --no-print-directory -j2 types fast-tests

# side by side: the types keep one core busy for a minute
types: $(INSTALLED)
	$(BIN)/mypy

# a test that never ends fails after ten minutes, and names its place
fast-tests: $(INSTALLED)
	$(BIN)/pytest -n auto --dist loadfile -m "not slow and not gpu" --timeout 600

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	+@$(MAKE) --no-print-directory -j2 types quick-tests

quick-tests: $(INSTALLED)
	$(BIN)/pytest -n auto -m "not slow and not gpu and not browser" --dist loadfile --quick 2

# once as it is, and once with kernels as plain Python, so that their lines are counted too: there the tests of layers with kernels are cut
# after a second, so that some of them fail for having been cut; the first run is the one that must pass
KERNEL_TESTS := $(addprefix tests/,cards games forms abstraction solvers search exploit experiments)
coverage: $(INSTALLED)
	$(BIN)/pytest -n auto -m "not slow and not gpu and not browser" --quick 5 --cov=equilibrist --cov-report=
	-EQUILIBRIST_JIT=0 $(BIN)/pytest -n auto -m "not slow and not gpu and not browser" --quick 5 --at-most 1 -W ignore::RuntimeWarning \
		--cov=equilibrist --cov-append --cov-report= $(KERNEL_TESTS)
	$(BIN)/coverage report --skip-covered
	@echo "Kernels alone:" && $(BIN)/coverage report --include='*/_kernels/*' | tail -n 1

test-slow: $(INSTALLED)
	$(BIN)/pytest -n auto -m slow

# both ends of the range that pyproject.toml allows, each in an environment that is thrown away
numba-versions: $(BIN)/python
	$(BIN)/python tests/compute/numba_versions.py

bench: $(BENCH_INSTALLED)
	$(BIN)/python benchmarks/tabular.py

clean:
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis src/*.egg-info
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
