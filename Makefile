# Two commands do everything on a machine that has Python 3.11+, make and git: `make demo` and `make test`.
SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
STAMP := $(VENV)/.ready-$(shell cat requirements.lock packages/*/pyproject.toml 2>/dev/null | cksum | cut -d' ' -f1)
export OPENBLAS_NUM_THREADS := 1
# Compiled modules are kept, whatever the shell says: tests start hundreds of processes, and each would compile the package again.
export PYTHONDONTWRITEBYTECODE :=
export REFEREE_DATA ?= $(wildcard $(CURDIR)/../shared/data)

.PHONY: help setup demo demo-tangram demo-study test test-all lint types layers unit bundle pages test-versions release-check bench docs docs-numbers lock clean

help:
	@echo "make demo   seven systems on a generated corpus: run, scored, reported (installs the judge alone)"
	@echo "make demo-study  a whole experiment of TUNA 2008 with simulated participants, from design to report"
	@echo "make demo-tangram  situated reference: bots play, are annotated, classified, overheard"
	@echo "make test   lint, types, layers, tests (what CI runs)"
	@echo "make test-all  the same with the long tests and coverage"
	@echo "make test-versions  the quick part on every Python from 3.11 to 3.14 that is here"
	@echo "make bench  speed beside peer libraries, as ratios"
	@echo "make docs   the documentation as a folder of pages (site/)"
	@echo "make docs-numbers  the numbers on the pages, made anew by the commands beside them (SLOW=1: also those that take minutes)"
	@echo "make setup  prepare .venv for developing (make test does it itself)"

setup: $(STAMP)

# $(call install,VENV,LOCK,PACKAGES): a virtual environment from a hash-locked list. What pip prints is shown only if it fails.
define install
@test -n "$(PYTHON)" || { echo "Referee needs Python 3.11 or newer: install it, or say PYTHON=/path/to/python"; exit 1; }
@echo "preparing $(1) (once; a minute or more)"
@log=$$(mktemp); { if command -v uv >/dev/null 2>&1; then \
  uv venv --allow-existing --seed --python $(PYTHON) $(1) && \
  uv pip install --python $(1)/bin/python --require-hashes -r $(2) && \
  uv pip install --python $(1)/bin/python --no-deps $(3); \
else \
  $(PYTHON) -m venv $(1) && \
  $(1)/bin/python -m pip install --disable-pip-version-check --require-hashes -r $(2) && \
  $(1)/bin/python -m pip install --disable-pip-version-check --no-deps $(3); \
fi; } >$$log 2>&1 || { cat $$log; rm -f $$log; echo "$(1) could not be prepared: see above"; exit 1; }; rm -f $$log
@rm -f $(1)/.ready-* && touch $@
endef

$(STAMP): requirements.lock packages/referee/pyproject.toml packages/referee-lab/pyproject.toml
	$(call install,$(VENV),requirements.lock,-e packages/referee -e packages/referee-lab)

# The demo needs the judge alone: a fifth of what developing needs, in an environment of its own unless .venv is there already.
DEMO_VENV := $(if $(wildcard $(STAMP)),$(VENV),$(VENV)-demo)
DEMO_STAMP := $(if $(wildcard $(STAMP)),$(STAMP),$(VENV)-demo/.ready-$(shell cat requirements-judge.lock packages/referee/pyproject.toml 2>/dev/null | cksum | cut -d' ' -f1))
DEMO := $(DEMO_VENV)/bin/referee
DEMO_SYSTEMS := tuna2008-as/GRAPH-4+B,classic/visible-objects,classic/pro,classic/incremental,classic/full-brevity,classic/rsa,baseline/type

$(VENV)-demo/.ready-%: requirements-judge.lock packages/referee/pyproject.toml
	$(call install,$(VENV)-demo,requirements-judge.lock,-e packages/referee)

demo: $(DEMO_STAMP)
	@echo "== 1 of 3: seven systems describe the targets of a generated corpus; those that learn, learn in five folds"
	@$(DEMO) run --corpus synthetic --systems $(DEMO_SYSTEMS) --folds 5 --folds-by speaker --out demo-run/outputs --overwrite
	@echo "== 2 of 3: scored: how human-like are they (set/dice), and do they single out the target (scene/unique)?"
	@$(DEMO) score demo-run/outputs --metrics set/dice,scene/unique,scene/surplus
	@$(DEMO) score demo-run/outputs --metrics set,scene --by domain,condition --out demo-run/scores --overwrite --format csv > demo-run/scores.csv
	@echo "== 3 of 3: a report, with the audit of printed tables"
	@$(DEMO) report demo-run/scores --out demo-run/report --audit --overwrite
	@echo "open demo-run/report/index.html"

# The task-performance experiment of TUNA 2008: 12 systems (people's descriptions one of them), 112 items, 24 participants with 60 trials each.
REG := tuna2008-reg
STUDIED := $(REG)/OSU-GP,$(REG)/ATT-PermuteRank-drws,$(REG)/DIT-FBI-CBSR,$(REG)/NIL-UCM-FVBS,$(REG)/GRAPH-4+B,$(REG)/DIT-TVAS-RBR,$(REG)/ATT-Dependency-drws,$(REG)/ATT-TemplateS-drws,$(REG)/IS-FP-GT,$(REG)/ATT-PermuteRank-ws,$(REG)/ATT-Dependency-ws
demo-study: setup bundle
	@rm -rf demo-run/study-*
	@echo "== 1 of 7: eleven systems describe the targets of the synthetic corpus"
	@$(BIN)/referee run --corpus synthetic --systems $(STUDIED) --folds 5 --folds-by speaker --out demo-run/study-outputs
	@echo "== 2 of 7: a study of 12 x 112 in repeated Latin squares, and its check"
	@$(BIN)/referee study new demo-run/study-outputs --protocol tuna2008 --design latin --with-humans --items 112 --participants 24 --title "TUNA 2008, played by bots" --out demo-run/study-tuna2008 > demo-run/study-design.txt
	@$(BIN)/referee study check demo-run/study-tuna2008
	@echo "== 3 of 7: 24 simulated participants over a network that loses, delays and doubles, with reloads and wrong clocks"
	@$(BIN)/referee study simulate demo-run/study-tuna2008 --participants 24 --faults loss,delay,duplicate,reload,skew
	@echo "== 4 of 7: the data"
	@$(BIN)/referee study export demo-run/study-tuna2008 --out demo-run/study-export --format csv,parquet,jsonl
	@cd demo-run/study-export && { sha256sum -c --quiet SHA256SUMS || shasum -a 256 -c SHA256SUMS >/dev/null; } && echo "checksums hold"
	@$(BIN)/referee study datasheet demo-run/study-tuna2008 --out demo-run/study-datasheet.md
	@echo "== 5 of 7: Tables 11 and 12 of the challenge, in their shape"
	@$(BIN)/referee study analyse demo-run/study-tuna2008 --style tuna2008
	@echo "== 6 of 7: the same answers with participants and items as random effects"
	@$(BIN)/referee study analyse demo-run/study-tuna2008 --style mixed-model | tee demo-run/study-analysis.txt
	@echo "== 7 of 7: as a run, and its report"
	@$(BIN)/referee study import demo-run/study-tuna2008 --out demo-run/study-run
	@$(BIN)/referee report demo-run/study-run --style tuna2008 --out demo-run/study-report
	@echo "open demo-run/study-report/index.html; take part yourself: $(BIN)/referee study serve demo-run/study-tuna2008"

# From a game to the tables of a task-performance evaluation, with bots for players and simulated evaluators: every number in it is invented.
TANGRAM := demo-run/tangram
demo-tangram: setup bundle
	@rm -rf $(TANGRAM)
	@echo "== 1 of 7: pairs of bots play"
	@$(BIN)/referee tangram play --bots 24 --out $(TANGRAM)/recordings
	@first=$$(ls $(TANGRAM)/recordings/*.jsonl | head -1); \
	  echo "== 2 of 7: one session as a page to watch, as tiers for ELAN"; \
	  $(BIN)/referee tangram replay $$first --out $(TANGRAM)/replay.html && \
	  $(BIN)/referee tangram export $$first --as eaf --out $(TANGRAM)/session.eaf
	@echo "== 3 of 7: expressions marked by a program"
	@$(BIN)/referee tangram preannotate $(TANGRAM)/recordings
	@echo "== 4 of 7: when do speakers say that?"
	@$(BIN)/referee tangram classify --recordings $(TANGRAM)/recordings --worst 3
	@if [ -n "$$REFEREE_DATA" ] && [ -d "$$REFEREE_DATA/pento-cv" ]; then \
	  echo "== the same on real dialogue: PENTOCV"; $(BIN)/referee tangram classify --corpus pento-cv --by pair --worst 3; fi
	@echo "== 5 of 7: a study out of the classifier's hits and misses"
	@$(BIN)/referee tangram study $(TANGRAM)/recordings --out $(TANGRAM)/study --participants 16 --contact "nobody: a demonstration"
	@echo "== 6 of 7: simulated evaluators take part, over the real server"
	@$(BIN)/referee study simulate $(TANGRAM)/study --participants 16
	@echo "== 7 of 7: the tables"
	@$(BIN)/referee tangram evaluate $(TANGRAM)/study --out $(TANGRAM)/tables
	@echo "open $(TANGRAM)/replay.html; be an evaluator yourself: $(BIN)/referee study serve $(TANGRAM)/study"
	@echo "annotate: $(BIN)/referee tangram annotate $(TANGRAM)/recordings --annotator me"

# What one core can do alone is done two by two; the tests take all of them.
test: setup bundle
	@$(MAKE) --no-print-directory -j2 -O lint types layers pages
	@$(MAKE) --no-print-directory unit

lint: setup
	$(BIN)/ruff check packages tests benchmarks examples conftest.py
	$(BIN)/ruff format --check packages tests benchmarks examples conftest.py
	$(BIN)/python tests/name_count.py
	$(BIN)/python tests/code_lines.py

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports

# The pages of a study, bundled from browser/ with the machine's Node (20 or newer) or the one that .venv has; a wheel carries them.
BUNDLE := packages/referee-lab/src/referee_lab/static/.built
NODE := $(BIN)/python packages/referee-lab/browser/node.py
bundle: $(BUNDLE)

$(BUNDLE): packages/referee-lab/src/referee_lab/study/texts/en/strings.toml $(shell find packages/referee-lab/browser -type f -not -path '*/node_modules/*' -not -path '*/generated/*' -not -path '*/__pycache__/*' 2>/dev/null) | setup
	@$(BIN)/python packages/referee-lab/browser/pages.py && touch $@

pages: bundle
	@test -d packages/referee-lab/browser/node_modules || $(NODE) npm ci --silent --no-audit --no-fund
	$(NODE) npm run --silent check
	$(NODE) npm run --silent lint
	$(NODE) npm test --silent

# Pages are tried in Chromium; without it the last line says how many tests were not run (.ci/run installs it). PostgreSQL and Node are in .venv if nowhere else.
PYTEST = $(BIN)/python -m pytest -n 4 --dist worksteal -q --durations=20
unit: setup bundle
	$(PYTEST) -m "not long"

# Everything: what `make test` leaves out (corpus replications, the longest walks through pages), and coverage with the share that must hold.
test-all: setup bundle
	@$(MAKE) --no-print-directory -j2 -O lint types layers pages
	REFEREE_THOROUGH=1 $(PYTEST) --cov --cov-report=term:skip-covered --cov-fail-under=90

test-versions:
	@$(PYTHON) tests/versions.py

# What can be checked of a release before its version is tagged; docs/release.md has the rest.
release-check: setup
	@git diff --quiet HEAD || { echo "there are changes that are not committed"; exit 1; }
	@version=$$($(BIN)/python -c 'import referee; print(referee.__version__)'); \
	  grep -q "^## $$version" CHANGELOG.md || { echo "CHANGELOG.md has no section for $$version"; exit 1; }; \
	  grep -q "^version: $$version$$" CITATION.cff || { echo "CITATION.cff does not say version $$version"; exit 1; }; \
	  echo "version $$version"
	$(BIN)/python -m pytest -q -n 0 tests/installation

bench: setup
	@for b in benchmarks/*.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

# Every number between the marks of a page, and every block that begins with a command, made anew and compared.
docs-numbers: setup bundle
	$(BIN)/python tests/docs_numbers.py $(PAGES_TO_CHECK) $(if $(SLOW),--slow)

docs: setup bundle
	# --quiet would hide warnings from --strict as well
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

# Extras stay in the list (coverage[toml]): without them pip takes the newest version of such a package and stops, for it has no hash of that.
LOCK = uv pip compile --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-emit-index-url --no-header --quiet --no-emit-package referee --no-emit-package referee-lab
lock:
	$(LOCK) packages/referee/pyproject.toml packages/referee-lab/pyproject.toml --extra all --extra ocr --extra ray --extra remote --group dev -o requirements.lock
	$(LOCK) packages/referee/pyproject.toml -c requirements.lock -o requirements-judge.lock

clean:
	rm -rf $(VENV) $(VENV)-demo packages/referee-lab/src/referee_lab/static packages/referee-lab/browser/node_modules packages/referee-lab/browser/src/generated site build dist .pytest_cache .mypy_cache .ruff_cache .coverage demo-run report
