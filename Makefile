# Everything here works on a fresh machine with Python (3.11 or newer) and make, from any folder.

PYTHON ?= python3
VENV ?= .venv
GAMES ?= 2000
OUT ?= results/first
JOBS ?= 2

BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Tests of rules and engine: run a second time without the compiler and a third time with bounds checks.
RULE_TESTS := $(wildcard $(addprefix tests/test_, config.py chance.py engine.py batch.py rules.py twin.py perft.py golden.py properties.py))

.DEFAULT_GOAL := help
.PHONY: help run test test-slow test-interpreted test-bounds lint format types imports bench bench-guard bench-all bench-peers clean

help:  ## Say what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 24

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --upgrade pip
	$(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[distributed]' --group dev
	@touch $@

run: $(READY)  ## Play a small tournament on the standard game
	$(BIN)/encyclopedia tournament greedy random --players 4 --games $(GAMES) --seed 1 --out $(OUT) --overwrite
	@echo "The command encyclopedia is $(BIN)/encyclopedia; after '. $(BIN)/activate' a shell finds it by its name"

# The engine is compiled once before several processes need it.
warm: $(READY)
	@$(BIN)/encyclopedia tournament random --games 4 --quiet > /dev/null

test: warm  ## Run all quick tests and the examples in the documentation
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup --doctest-modules tests sim strategies analysis

test-slow: warm  ## Run the long checks
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m slow tests

test-interpreted: $(READY)  ## Run the tests of the rules without the compiler
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(RULE_TESTS)

test-bounds: $(READY)  ## Run the tests of the rules with bounds checks
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(RULE_TESTS)

lint: $(READY)  ## Look for mistakes and for code that is not formatted
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY)  ## Format the code
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

types: $(READY)  ## Check types
	$(BIN)/mypy

imports: $(READY)  ## Check that imports only go down: analysis, strategies, sim
	$(BIN)/lint-imports

bench: warm  ## Time games and decisions a second
	$(BIN)/encyclopedia bench

bench-guard: warm  ## Check that games are right and no slower than twice what was accepted, on any machine
	$(BIN)/encyclopedia bench --guard

bench-all: warm  ## Run all benchmarks on an idle machine; BENCH_JSON=file writes them all to one file
	$(BIN)/python -m benchmarks.everything $(if $(BENCH_JSON),--json $(BENCH_JSON))

bench-peers: warm  ## Time peers beside this project (installs them in an environment of their own)
	$(BIN)/python -m benchmarks.peers

clean:  ## Remove what was made, the environment too
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
