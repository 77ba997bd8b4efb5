# `make` says what there is. Every target that needs the virtual environment makes it first.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# A python3.11 on PATH, else whatever python3 is; `make setup` refuses what is older.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.locked
WORKERS ?= 2
# TRY_AGAIN=1: what failed is tried once more, and named.
PYTEST = $(BIN)/python -m pytest -q $(TRY_AGAIN:1=--try-again)
PROTOS := $(wildcard protos/parlor/v1/*.proto)
RELEASED := protos/released.binpb

export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help
help: ## say what there is
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(STAMP) ## make the virtual environment in .venv from the lock file

# The stamp holds the lock's hash: a checkout that only touches the file installs nothing.
$(STAMP): requirements-dev.lock pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Parlor needs Python 3.11 or newer")'
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@wanted="$$(cat requirements-dev.lock pyproject.toml | sha256sum)"; \
	if [ "$$(cat $(STAMP) 2>/dev/null || true)" != "$$wanted" ]; then \
	  echo "installing into $(VENV) ..."; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .; \
	  echo "$$wanted" > $(STAMP); \
	else touch $(STAMP); fi

.PHONY: up
up: setup ## run all of Parlor on this machine; Ctrl-C stops it
	@exec $(BIN)/python -m parlor.everything

.PHONY: test
test: setup ## run all tests
	@$(PYTEST) -n $(WORKERS) --dist loadfile \
	  $(CHECKED:%=--ignore=tests/integration/deploy/test_%.py)

.PHONY: e2e
e2e: setup chromium ## play every game in a real browser; screenshots go to tests/e2e/screenshots
	@$(PYTEST) tests/e2e

# Debian's, where one may install it; else what is missing is said.
.PHONY: chromium
chromium:
	@missing=chromium; for name in $(or $(PARLOR_CHROMIUM),chromium) chromium-browser google-chrome; do \
	  if command -v "$$name" > /dev/null; then missing=; fi; \
	done; \
	fc-list :lang=zh 2> /dev/null | grep -q . || missing="$$missing fonts-noto-cjk"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	  echo "installing $$missing ..."; apt-get update -qq; \
	  apt-get install -y -qq --no-install-recommends $$missing > /dev/null; \
	else \
	  echo "make e2e needs a browser and Chinese letters: apt-get install $$missing (PARLOR_CHROMIUM names another browser)"; \
	  exit 1; \
	fi

.PHONY: check
# What has a target of its own is not run twice.
check: CHECKED := compose k8s network_policies monitoring scraping
check: fmt-check lint types layers protos-check compose-check k8s-check alerts-check test ## everything that must hold before a commit

.PHONY: fmt
fmt: setup ## format Python and protos
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/buf format --write

.PHONY: fmt-check
fmt-check: setup
	@$(BIN)/ruff format --check
	@$(BIN)/buf format --diff --exit-code

.PHONY: lint
lint: setup ## ruff and buf lint
	@$(BIN)/ruff check
	@$(BIN)/buf lint

.PHONY: types
types: setup ## mypy --strict
	@$(BIN)/mypy

.PHONY: layers
layers: setup ## a package imports only what stands below it
	@$(BIN)/lint-imports --no-logo

# $(call stubs,FOLDER): generates the stubs of all protos below FOLDER.
stubs = $(BIN)/python -m grpc_tools.protoc -Iprotos --python_out=$(1) --grpc_python_out=$(1) \
	--mypy_out=quiet:$(1) --mypy_grpc_out=quiet:$(1) $(PROTOS)

.PHONY: protos
protos: setup ## generate services/parlor/v1 from protos/
	@rm -f services/parlor/v1/*_pb2*.py services/parlor/v1/*_pb2*.pyi
	@$(call stubs,services)

.PHONY: protos-check
protos-check: setup
	@fresh="$$(mktemp -d)"; trap 'rm -rf "$$fresh"' EXIT; \
	$(call stubs,"$$fresh"); \
	diff -r -x __pycache__ -x __init__.py "$$fresh/parlor/v1" services/parlor/v1 > "$$fresh/diff" \
	  || { head -20 "$$fresh/diff"; echo "services/parlor/v1 is not what protos/ says: run make protos"; exit 1; }
	@if [ -f $(RELEASED) ]; then $(BIN)/buf breaking --against $(RELEASED); fi

.PHONY: docs
docs: setup ## write the pages of docs/ that come from the code
	@PYTHONPATH=. $(BIN)/python -m docs.generate

.PHONY: release-protos
release-protos: setup ## take the protos as released: from now on they change compatibly only
	@$(BIN)/buf build -o $(RELEASED)

# $(call deploy_tests,NAME …): what can be checked of deploy/ without a cluster or an engine.
deploy_tests = $(PYTEST) $(patsubst %,tests/integration/deploy/test_%.py,$(1))

.PHONY: compose-check
compose-check: setup ## docker-compose.yml in every profile, and the Dockerfile; needs no Docker
	@$(BIN)/hadolint deploy/docker/Dockerfile
	@$(call deploy_tests,compose)

.PHONY: k8s-check
k8s-check: setup ## every combination of deploy/k8s is valid and agrees with the code; needs no cluster
	@$(call deploy_tests,k8s network_policies)

.PHONY: alerts-check
alerts-check: setup ## queries ask for what is exported, and alerts fire; the latter where promtool is
	@$(call deploy_tests,monitoring scraping) -rs

.PHONY: tools
tools: setup ## promtool and redis-cli, which PyPI does not have, from Debian's packages; as root
	@apt-get install --yes --quiet --no-install-recommends redis-tools > /dev/null
	@fresh="$$(mktemp -d)"; trap 'rm -rf "$$fresh"' EXIT; chmod 0755 "$$fresh"; \
	cd "$$fresh" && apt-get download --quiet prometheus && dpkg-deb --extract prometheus_*.deb . \
	  && install usr/bin/promtool "$(CURDIR)/$(BIN)/promtool"

.PHONY: docker-test
docker-test: setup ## bring the containers up, play and kill some; needs a Docker engine
	@$(call deploy_tests,docker) -rs

.PHONY: bench-rules
bench-rules: setup ## win checks, rules and bots of every game
	@set -e; for each in jinxian_wins rules_doudizhu rules_planes bots_doudizhu bots_jinxian bots_planes; do \
	  echo "== $$each"; $(BIN)/python -m tests.bench.bench_$$each; done

.PHONY: bench-matchmaking
bench-matchmaking: setup ## how fast people who ask are seated: all at once, and a steady stream
	@$(BIN)/python -m tests.bench.bench_matchmaking

.PHONY: bench
bench: setup ## measure; every tests/bench/bench_*.py in turn
	@for file in tests/bench/bench_*.py; do \
	  [ -e "$$file" ] || continue; \
	  echo "== $$file"; PYTHONPATH=. $(BIN)/python "$$file"; \
	done

.PHONY: chaos
chaos: setup ## kill processes under load, with each form of Redis, and prove that nothing was lost
	@$(BIN)/python -m tests.chaos --matching 20 --redis all --seconds 34 --settling 20 --within 300 \
	  --report .run/chaos.json

.PHONY: chaos-long
chaos-long: setup ## the same until 1,000 kills, for an hour and a half at most
	@$(BIN)/python -m tests.chaos --redis all --seconds 1500 --kills 1000 --report .run/chaos-long.json

.PHONY: rolling
rolling: setup ## restart every process under load, one after the other, and prove that nobody noticed
	@$(BIN)/python -m tests.chaos --rolling --report .run/rolling.json

.PHONY: soak
soak: setup ## let rooms come and go for half an hour, SECONDS=… for another time; nothing may have grown
	@$(BIN)/python -m tests.soak --seconds $(or $(SECONDS),1800)

.PHONY: lock
lock: setup ## resolve the dependencies of pyproject.toml anew
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header pyproject.toml --extra postgres --extra tracing -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header pyproject.toml --extra postgres --extra tracing --extra dev -c requirements.lock -o requirements-dev.lock

.PHONY: clean
clean: ## remove what was made, the virtual environment too
	@rm -rf $(VENV) .run .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	@find services tests -name __pycache__ -prune -exec rm -rf {} +
	@rm -rf services/*.egg-info
