# Everything is set up in .venv by the targets that need it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
CORE := $(shell find core bindings -name '*.cpp' -o -name '*.hpp') CMakeLists.txt pyproject.toml

.PHONY: help demo test lint bench format test-core test-portable test-sanitizers clean

help:
	@echo "make demo    build, then learn a player in half a minute and rank it in the League"
	@echo "make test    build, then run all tests"
	@echo "make lint    formatting, types, import rules"
	@echo "make bench   time the core, in one run with rust-reversi"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "outflank needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

# The package, editable: Python changes need no new build, changes of the core do.
$(VENV)/built: $(BIN)/python $(CORE)
	$(PIP) "scikit-build-core>=0.11" "nanobind>=2.7" "cmake>=3.20" ninja
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: $(VENV)/built
	OUTFLANK_WERROR=ON $(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

# Half a minute of league-champion from nothing; a new folder each time, so that no run is overwritten.
demo: $(VENV)/built
	@mkdir -p out
	$(eval RUN := out/demo-$(shell date +%Y%m%d-%H%M%S))
	$(BIN)/outflank learn league-champion --set games=800000 --set measure_every=20000 --out $(RUN)
	$(BIN)/outflank league-table $(RUN)/last.safetensors
	$(BIN)/outflank plot $(RUN) --out $(RUN)/learning-curve.png
	$(BIN)/outflank show $(RUN)/last.safetensors --out $(RUN)/network.png
	@echo "Next: $(BIN)/outflank score $(RUN)/last.safetensors, or $(BIN)/outflank --help"

test: $(VENV)/dev test-core
	$(BIN)/python -m pytest

# The core's own tests: tuned for this machine, for any machine, and under sanitizers.
define core_tests
	$(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DOUTFLANK_CORE_TESTS=ON -DOUTFLANK_WERROR=ON $(2) > /dev/null
	$(BIN)/cmake --build build/$(1)
	cd build/$(1) && $(abspath $(BIN))/ctest --output-on-failure
endef

test-core: $(VENV)/dev
	$(call core_tests,core-tests,)

test-sanitizers: $(VENV)/dev
	$(call core_tests,core-tests-sanitized,-DOUTFLANK_SANITIZE=ON)

# The portable build must play the same games: the golden tests run on it too.
test-portable: $(VENV)/dev
	$(call core_tests,core-tests-portable,-DOUTFLANK_PORTABLE=ON)
	rm -rf build/portable-site
	OUTFLANK_PORTABLE=ON $(PIP) --no-build-isolation --no-deps --target build/portable-site .
	OUTFLANK_EXPECT=portable PYTHONPATH=build/portable-site:$$($(BIN)/python -c 'import numpy; print(numpy.__path__[0] + "/..")') \
	  $(BIN)/python -S -m pytest tests/golden tests/contracts

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(filter %.cpp %.hpp,$(CORE))
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/python -m nanobind.stubgen -q -m outflank._core -o build/_core.pyi
	@diff -u src/outflank/_core.pyi build/_core.pyi || \
	  { echo "the stub of the core is out of date: make format writes it anew"; exit 1; }

format: $(VENV)/dev
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(filter %.cpp %.hpp,$(CORE))
	$(BIN)/python -m nanobind.stubgen -q -m outflank._core -o src/outflank/_core.pyi

bench: $(VENV)/built
	$(BIN)/outflank bench --peers

clean:
	rm -rf $(VENV) build out
