# Everything that is done with this repository. `make demo` and `make test` start from a bare
# machine: they create the environment in $(VENV) themselves, once.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST_ARGS ?= -n auto

.PHONY: demo test lint format bench clean

# The network is small: more than one thread of BLAS would only wait for the other.
demo: $(VENV)/.demo
	OPENBLAS_NUM_THREADS=1 $(BIN)/gradtape run examples/digits.py

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/check_layers.py
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The pinned environment of development; it can also run the demo.
$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	@echo "installing gradtape and its development tools into $(VENV) ..."
	$(PIP) install -r requirements-dev.lock
	$(PIP) install --no-deps --editable .
	touch $(VENV)/.dev $(VENV)/.demo

# What a user of the examples installs.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	@echo "installing gradtape and what the example needs into $(VENV) ..."
	$(PIP) install --editable '.[examples]'
	touch $(VENV)/.demo

clean:
	rm -rf $(VENV) .ci-venv build dist figures .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
