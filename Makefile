# Everything that a fresh machine with Python and make needs: `make paper` and `make test`.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    ?= paper-out

.PHONY: help dist paper claims compare best-of real-data reproductions test lint test-slow bench performance bench-live bench-studies bench-sketches few-rounds clean

help:
	@echo "make paper      draw the paper's three figures into $(OUT)/"
	@echo "make claims     judge every claim of the paper and renew docs/claims.md"
	@echo "make compare    recompute the tables of docs/comparison.md, a quarter of an hour"
	@echo "make best-of    recompute the tables of docs/best-of-n.md"
	@echo "make real-data  recompute docs/gallery/; DATA=folder has the clones that some pages need"
	@echo "make reproductions  published numbers next to ours: renew docs/reproductions.md"
	@echo "make test       ruff, mypy, import layers and pytest"
	@echo "make test-slow  the statistical and fault tests that need minutes"
	@echo "make bench      the benchmarks next to their goals, ten minutes; peers are installed for it"
	@echo "make performance  the same, and renew docs/performance.md"
	@echo "make bench-live live use: forgetting, delays, drift, and the store next to Optuna's"
	@echo "make bench-studies  what blocks, files and Dask add to a study; what 10^12 steps take"
	@echo "make bench-sketches what a policy loses that keeps few values of each arm"
	@echo "make few-rounds what KL-QUCB+ plain, hedged and frugal lose in few rounds, ten minutes"
	@echo "make dist       build the release, check it, and run the README's example from its wheel"
	@echo "make clean      remove the virtual environment and everything that was made"

paper: $(VENV)/.lab
	$(BIN)/upperhand paper --out $(OUT)

claims: $(VENV)/.lab
	$(BIN)/python -m reproductions.claims

compare: $(VENV)/.lab
	$(BIN)/python docs/tools/tables.py comparison

best-of: $(VENV)/.lab
	$(BIN)/python docs/tools/tables.py best-of-n

real-data: $(VENV)/.lab
	$(BIN)/python benchmarks/install_peers.py optuna
	$(BIN)/python docs/tools/gallery.py $(DATA)

reproductions: $(VENV)/.lab
	$(BIN)/python -m reproductions.run

# Tests of logic run interpreted, which is faster for a few hundred rounds than compiling; those of
# compiled code run beside them in one process, which compiles each loop once.
test: lint
	@$(BIN)/python -m pytest -m "compiled and not slow" -p no:xdist > $(VENV)/compiled.log 2>&1 & compiled=$$!; \
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m "not compiled and not slow" -n auto; logic=$$?; \
	echo "Tests of compiled code:"; wait $$compiled; passed=$$?; cat $(VENV)/compiled.log; \
	exit $$((logic | passed))

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow -n auto

bench: $(VENV)/.lab
	$(BIN)/python benchmarks/install_peers.py river SMPyBandits mabwiser
	$(BIN)/python benchmarks/run.py

performance: $(VENV)/.lab
	$(BIN)/python benchmarks/install_peers.py river SMPyBandits mabwiser
	$(BIN)/python benchmarks/run.py --page docs/performance.md

bench-live: $(VENV)/.dev
	$(BIN)/python benchmarks/install_peers.py optuna
	$(BIN)/python benchmarks/forgetting.py
	$(BIN)/python benchmarks/delays.py
	$(BIN)/python benchmarks/drift.py
	$(BIN)/python benchmarks/live_store.py

bench-studies: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py --only study

bench-sketches: $(VENV)/.dev
	$(BIN)/python benchmarks/install_peers.py datasketches
	$(BIN)/python benchmarks/sketches.py

few-rounds: $(VENV)/.lab
	$(BIN)/python benchmarks/few_rounds.py

# The wheel is installed into an environment of its own, and runs the README's first example there.
dist: $(VENV)/.dev
	rm -rf dist $(VENV)/dist
	$(BIN)/python -m pip install --quiet build twine
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv $(VENV)/dist
	$(VENV)/dist/bin/python -m pip install --quiet "$$(ls dist/*.whl)[lab,live]"
	$(BIN)/python docs/tools/readme_example.py > $(VENV)/dist/example.py
	cd $(VENV)/dist && bin/python example.py && bin/upperhand --version
	cd $(VENV)/dist && bin/python -c "import upperhand; print(upperhand.datasets.load_flights())"

clean:
	rm -rf $(VENV) $(OUT) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.made:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'upperhand needs Python 3.11 or newer; try: make PYTHON=python3.11 ...')"
	$(PYTHON) -m venv $(VENV)
	@echo "Renewing pip in $(VENV)/ ..."
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/.lab: $(VENV)/.made pyproject.toml
	@echo "Installing upperhand with NumPy, SciPy, Numba, Matplotlib and SQLite: about a minute, in silence ..."
	$(BIN)/python -m pip install --quiet --editable ".[lab,live]"
	touch $@

$(VENV)/.dev: $(VENV)/.lab
	@echo "Installing the tools for tests and checks: about a minute, in silence ..."
	$(BIN)/python -m pip install --quiet --group dev
	touch $@
