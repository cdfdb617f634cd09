# make demo        the main job on shipped documents; creates .venv on first use
# make test        lint, types and tests
# make help        all targets
#
# PYTHON=python3.12 chooses the interpreter (3.11 or newer); PYTEST_ARGS, ARGS, DATA and RUN go to the tools.
# JOBS is how many processes run the tests: two more than two cores, for many tests wait for servers. 0: this one.
# A failing test is run again only where its module has the marker "clock" (pyproject.toml); -rR lists those.
# TORCH is what pip installs for the cross-encoders; name a CPU build where the index would give a larger one.

PYTHON ?= python3
VENV ?= .venv
RUN ?= runs/v2
ARGS ?=
DATA ?=
PYTEST_ARGS ?=
JOBS ?= 4
TORCH ?= torch==2.13.0

# Several processes of a test run import the same modules: they are compiled once.
export PYTHONDONTWRITEBYTECODE :=

BIN := $(VENV)/bin
PIP := -m pip --disable-pip-version-check -q
# Tests that need nothing but the installed package and its extra "openai": they also run on the wheel.
WHEEL_TESTS := tests/conftest.py tests/support \
	$(addprefix tests/,test_guard.py check/decompose/test_decomposition.py check/decompose/test_abstention.py) \
	$(addprefix tests/,check/entities/test_groups.py check/logic/test_relations.py text/facts/test_gate.py) \
	$(addprefix tests/,policy/test_policy.py engines/llm/test_cli_llm.py engines/llm/test_paper_examples.py)

# The oldest frameworks that the extras allow; their own ranges would let in newer parts that do not fit.
LOWEST := langchain-core==1.0.0 langchain==1.0.0 langgraph==1.0.0 langgraph-prebuilt==1.0.0 "langgraph-checkpoint<3.1" \
	langchain-classic==1.0.0 llama-index-core==0.14.0 opentelemetry-api==1.30.0 opentelemetry-sdk==1.30.0 \
	opentelemetry-exporter-prometheus==0.51b0 prometheus-client==0.20.0 starlette==0.41.0 uvicorn==0.51.0 \
	gunicorn==22.0.0 openai==1.60.0 cachetools tenacity

.DEFAULT_GOAL := help
.PHONY: help demo monitor-demo test lint pages-types docs train bench cross-encoder-test lowest-test monitor-test phoenix-test wheel-test clean needs-data
.DELETE_ON_ERROR:

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 20

demo: $(VENV)/.with-langchain ## check, explain and repair the answers of a small RAG chain
	@$(BIN)/guardrail demo

monitor-demo: $(addprefix $(VENV)/.with-,langchain openai monitoring) ## [ARGS=--stay]: a RAG service goes wrong, the alert fires
	@$(BIN)/python examples/monitoring/run.py $(ARGS)

test: $(VENV)/.with-dev lint ## ruff, mypy and pytest
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -rR $(PYTEST_ARGS)

lint: $(VENV)/.with-dev ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Nothing else needs npm, and what it installs is not shipped.
pages-types: .ci/pages/node_modules/.package-lock.json ## the types that the studio's pages state, by TypeScript (needs npm)
	.ci/pages/node_modules/.bin/tsc -p .ci/pages

docs: $(VENV)/.with-docs ## the documentation as a site, in build/docs; warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q -f docs/site/mkdocs.yml

# Resumable. Writes over the shipped model.
train: needs-data $(VENV)/.with-train ## DATA=folder [RUN=runs/v2]: train in stages, average, export, fit the scorer
	$(BIN)/python -m training.train --data "$(DATA)" --out "$(RUN)/1"
	$(BIN)/python -m training.train --data "$(DATA)" --start "$(RUN)/1/model.pt" --out "$(RUN)/2"
	$(BIN)/python -m training.train --data "$(DATA)" --start "$(RUN)/2/model.pt" --out "$(RUN)/3" --epochs 1 --seed 401
	$(BIN)/python -m training.train --data "$(DATA)" --start "$(RUN)/3/model.pt" --out "$(RUN)/4" --epochs 1 --seed 501
	$(BIN)/python -m training.average "$(RUN)/2" "$(RUN)/3" "$(RUN)/4" --out "$(RUN)"
	$(BIN)/python -m training.stage --data "$(DATA)" --start "$(RUN)/model.pt" --out "$(RUN)/5" --minutes 30
	$(BIN)/python -m training.export --run "$(RUN)/5" --to guardrail/engines/local/model
	$(BIN)/python -m training.fit --data "$(DATA)" --model guardrail/engines/local/model

bench: $(VENV)/.with-dev ## [DATA=folder]: speed and size, and with DATA also accuracy
	$(BIN)/python benchmarks/latency.py
	$(BIN)/python benchmarks/footprint.py
ifneq ($(DATA),)
	$(BIN)/python benchmarks/entities.py --data "$(DATA)"
	$(BIN)/python benchmarks/accuracy.py --data "$(DATA)"
endif

cross-encoder-test: $(addprefix $(VENV)/.with-,dev sentence-transformers onnx) ## engines on torch models, with tiny ones
	$(BIN)/python -m pytest $(PYTEST_ARGS) tests/engines/cross_encoder tests/training/test_restore.py

# Events need a later OpenTelemetry, so test_spans.py of the integrations is left out.
lowest-test: $(VENV)-lowest/.with-lowest ## integrations and telemetry on the oldest supported LangChain, LlamaIndex, openai, OpenTelemetry
	$(VENV)-lowest/bin/python -m pytest -n $(JOBS) --dist loadfile $(PYTEST_ARGS) \
		$(addprefix tests/integrations/guardrail_,langchain llamaindex) \
		$(patsubst %,--ignore=tests/integrations/guardrail_%/test_spans.py,langchain llamaindex) \
		tests/wrap/test_answer_field.py \
		$(addprefix tests/wrap/openai/test_,chunks.py completion.py parse.py request.py versions.py) \
		$(addprefix tests/telemetry/,test_spans.py test_labels.py records/test_asgi.py) \
		$(addprefix tests/telemetry/monitor/test_,workers.py gunicorn.py)

monitor-test: $(VENV)/.with-dev ## the monitoring example, from the bad index to the alert that is resolved
	GUARDRAIL_SLOW=1 $(BIN)/python -m pytest $(PYTEST_ARGS) tests/telemetry/monitor/test_example.py

phoenix-test: $(VENV)/.with-dev ## traces and evaluations in a real Arize Phoenix (850 MB, in .venv-phoenix)
	@test -x $(VENV)-phoenix/bin/python || $(PYTHON) -m venv $(VENV)-phoenix
	@test -x $(VENV)-phoenix/bin/phoenix || $(VENV)-phoenix/bin/python $(PIP) install arize-phoenix
	GUARDRAIL_PHOENIX="$(abspath $(VENV)-phoenix/bin/phoenix)" $(BIN)/python -m pytest $(PYTEST_ARGS) tests/flows/tracing/test_phoenix.py

wheel-test: $(VENV)/bin/python ## build the wheel, install it elsewhere, run demo and tests without the sources
	@set -eu; unset PYTHONPATH; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; trap 'exit 1' HUP INT TERM; \
	$(BIN)/python -m venv "$$dir/venv"; \
	echo "building the wheel"; "$$dir/venv/bin/python" $(PIP) wheel --no-deps -w "$$dir/dist" .; \
	wheel=$$(echo "$$dir"/dist/*.whl); \
	"$$dir/venv/bin/python" $(PIP) wheel --no-deps -w "$$dir/base" ./models/base; \
	echo "installing $$(basename "$$wheel")"; "$$dir/venv/bin/python" $(PIP) install "$$wheel"; \
	mkdir -p "$$dir/work/docs"; tar cf - $(WHEEL_TESTS) | tar xf - -C "$$dir/work"; \
	cp docs/policy.schema.json "$$dir/work/docs"; cd "$$dir/work"; \
	../venv/bin/guardrail demo --json > demo.jsonl; \
	../venv/bin/python -c 'import json; n = [json.loads(line)["verdict"] for line in open("demo.jsonl")]; print("demo:", *n)'; \
	echo '{"answer": "It closes at 8 pm.", "passages": ["It closes at 8 pm every day."]}' > one.jsonl; \
	code=0; said=$$(../venv/bin/guardrail check one.jsonl --engine local:base 2>&1) || code=$$?; \
	echo "without the larger model: $$said"; test "$$code:$${said#*rag-guardrail}" = '2:[base]"'; \
	../venv/bin/python $(PIP) install ../base/*.whl; \
	../venv/bin/guardrail check one.jsonl --engine local:base > base.jsonl; \
	../venv/bin/python -c 'import json; print("local:base:", json.loads(open("base.jsonl").read())["verdict"])'; \
	code=0; said=$$(../venv/bin/guardrail check demo.jsonl --engine llm --model none 2>&1) || code=$$?; \
	echo "without extras: $$said"; test "$$code:$${said#*rag-guardrail}" = '2:[openai]".'; \
	../venv/bin/python $(PIP) install "$$wheel[openai]" pytest hypothesis jsonschema; \
	../venv/bin/python -c 'import guardrail, sys; sys.exit(sys.prefix not in guardrail.__file__ and "not the wheel: " + guardrail.__file__)'; \
	../venv/bin/python -m pytest -q -p no:cacheprovider --import-mode=importlib tests

clean: ## remove what the other targets made, .venv included; runs/ stays
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-phoenix build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .ci/pages/node_modules
	find guardrail integrations training benchmarks examples tests -name __pycache__ -type d -prune -exec rm -rf {} +

needs-data:
	@test -d "$(DATA)" || { echo 'DATA must name the data folder: make train DATA=path/to/data' >&2; exit 2; }

.ci/pages/node_modules/.package-lock.json: .ci/pages/package.json .ci/pages/package-lock.json
	@npm ci --prefix .ci/pages --ignore-scripts --no-audit --no-fund --silent
	@touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "$(PYTHON) is missing or older than 3.11: $$($(PYTHON) --version 2>&1 | head -n 1)" >&2; \
	echo 'Name a newer one, for example: make demo PYTHON=python3.12' >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo 'No environment: is the venv module of $(PYTHON) installed?' >&2; exit 2; }

$(VENV)/.with-torch: | $(VENV)/bin/python
	@echo "installing $(TORCH) into $(VENV)"
	@$(BIN)/python $(PIP) install "$(TORCH)"
	@touch $@

$(VENV)/.with-sentence-transformers: $(VENV)/.with-torch

$(VENV)/.with-onnx: | $(VENV)/bin/python
	@$(BIN)/python $(PIP) install "onnx>=1.17"
	@touch $@

$(VENV)-lowest/.with-lowest: pyproject.toml Makefile | $(VENV)/bin/python
	@test -x $(VENV)-lowest/bin/python || $(BIN)/python -m venv $(VENV)-lowest
	@echo "installing the oldest versions into $(VENV)-lowest"
	@$(VENV)-lowest/bin/python $(PIP) install -e . pytest pytest-rerunfailures pytest-xdist hypothesis $(LOWEST)
	@touch $@

# One stamp per extra: a second run installs nothing unless pyproject.toml has changed.
$(VENV)/.with-%: pyproject.toml | $(VENV)/bin/python
	@echo "installing rag-guardrail[$*] into $(VENV)"
	@$(BIN)/python $(PIP) install -e ".[$*]"
	@touch $@
