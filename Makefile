# Two commands do everything on a machine that has Python 3.11+, make and git: `make demo` and `make test`.
SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
STAMP := $(VENV)/.ready-$(shell cat requirements.lock pyproject.toml 2>/dev/null | cksum | cut -d' ' -f1)
export OPENBLAS_NUM_THREADS := 1
export REFEREE_DATA ?= $(wildcard $(CURDIR)/../shared/data)

.PHONY: help setup demo test lint types layers unit bench docs lock clean

help:
	@echo "make demo   the main job on the shipped synthetic corpus"
	@echo "make test   lint, types, layers, tests with coverage (what CI runs)"
	@echo "make bench  speed beside peer libraries, as ratios"
	@echo "make docs   the documentation as a folder of pages (site/)"
	@echo "make setup  prepare .venv (the two above do it themselves)"

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Referee needs Python 3.11 or newer: install it, or say PYTHON=/path/to/python"; exit 1; }
	@echo "preparing $(VENV) (a few minutes the first time)"
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv --quiet --allow-existing --seed --python $(PYTHON) $(VENV) && \
	  uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock && \
	  uv pip install --quiet --python $(BIN)/python --no-deps -e . ; \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e . ; \
	fi
	@rm -f $(VENV)/.ready-* && touch $@

demo: setup
	@$(BIN)/referee score --demo --baseline toy-chatty --by domain

test: lint types layers unit

lint: setup
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports

unit: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term:skip-covered -q

bench: setup
	@for b in benchmarks/*.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

docs: setup
	$(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

lock:
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet -o requirements.lock

clean:
	rm -rf $(VENV) site build dist .pytest_cache .mypy_cache .ruff_cache .coverage demo-run report
