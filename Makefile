# Everything is set up in .venv by the targets that need it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
CORE := $(shell find core bindings -name '*.cpp' -o -name '*.hpp') CMakeLists.txt pyproject.toml
CORES := $(shell nproc 2> /dev/null || sysctl -n hw.ncpu)
BUILD_TOOLS := "scikit-build-core>=0.11" "nanobind>=2.7" "cmake>=3.20" ninja
COMMA := ,
FUZZ_CXX ?= $(firstword $(foreach name,clang++ clang++-19 clang++-16 clang++-14,$(shell command -v $(name))) clang++)
CHECKED := OUTFLANK_CORE_TESTS=ON;OUTFLANK_WERROR=ON
unexport MAKEFLAGS  # of make --jobs: ninja would want make's own job server, which recipes do not get

.PHONY: help demo test coverage lint tidy bench format hooks test-core test-portable test-sanitizers test-threads fuzz clean

help:
	@echo "make demo             build, then learn a player in half a minute and rank it in the League"
	@echo "make test             build, then run all tests"
	@echo "make lint             formatting, types, import rules"
	@echo "make tidy             what clang-tidy finds in the core"
	@echo "make format           format Python and C++, rewrite the stub of the core"
	@echo "make coverage         the tests of Python, with the share of lines they reach in each room"
	@echo "make bench            time the core, in one run with rust-reversi"
	@echo "make test-core        the tests of the core alone"
	@echo "make test-sanitizers  the same under AddressSanitizer and UndefinedBehaviorSanitizer, and fuzzing"
	@echo "make test-threads     the same under ThreadSanitizer"
	@echo "make test-portable    golden games and contracts on a build for any machine"
	@echo "make fuzz             fuzz the core for FUZZ_SECONDS (3600); needs Clang"
	@echo "make hooks            run formatters and linters before each commit"
	@echo "make clean            remove .venv, build and out"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "outflank needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

# The package, editable: Python changes need no new build, changes of the core do.
$(VENV)/built: $(BIN)/python $(CORE)
	$(PIP) $(BUILD_TOOLS)
	$(PIP) --no-build-isolation --editable '.[server]'
	@touch $@

# The same for development, with the core's own tests: they share its objects.
$(VENV)/dev: $(BIN)/python $(CORE)
	$(PIP) $(BUILD_TOOLS)
	SKBUILD_BUILD_DIR=build/dev SKBUILD_CMAKE_DEFINE="$(CHECKED)" $(PIP) --no-build-isolation --editable '.[dev]'
	@touch $(VENV)/built $@

# Half a minute of league-champion from nothing; a new folder each time, so that no run is overwritten.
demo: $(VENV)/built
	@mkdir -p out
	$(eval RUN := out/demo-$(shell date +%Y%m%d-%H%M%S))
	$(BIN)/outflank learn league-champion --set games=800000 --set measure_every=20000 --out $(RUN)
	$(BIN)/outflank league-table $(RUN)/last.safetensors
	$(BIN)/outflank plot $(RUN) --out $(RUN)/learning-curve.png
	$(BIN)/outflank show $(RUN)/last.safetensors --out $(RUN)/network.png
	@echo "Open the league with this player in it, and play it: $(BIN)/outflank serve --with $(RUN)/last.safetensors"

# A file's tests stay together: they share what is expensive to make.
PYTEST := $(BIN)/python -m pytest --numprocesses $(CORES) --maxprocesses 8 --dist loadfile

test: $(VENV)/dev test-core
	$(PYTEST)

# Rooms are the folders of the package. Processes that tests kill report nothing, so their share is a lower bound.
ROOMS := $(sort $(dir $(wildcard src/outflank/*/__init__.py)))
coverage: $(VENV)/dev
	$(PYTEST) --cov --cov-report=
	@for room in $(ROOMS) 'src/outflank/[a-z]*.py'; do \
	  printf '%4s %%  %s\n' "$$($(BIN)/coverage report --format=total --include="$${room%/}$$(test -d $$room && echo '/*')")" "$$room"; \
	done
	@$(BIN)/coverage report --format=total | sed 's/$$/ %  in all; per file: $(subst /,\/,$(BIN))\/coverage report/'

# The core's own tests: tuned for this machine, under sanitizers, and for any machine.
core_tests = $(BIN)/ctest --test-dir build/$(1) --output-on-failure --parallel $(CORES)

test-core: $(VENV)/dev
	$(call core_tests,dev)

# build/$(1) with the sanitizers $(2) and what else is asked for in $(3).
sanitized = $(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	-DOUTFLANK_SANITIZE=$(2) -DOUTFLANK_WERROR=ON -DOUTFLANK_EXTENSION=OFF $(3) > /dev/null \
	&& $(BIN)/cmake --build build/$(1)

# Memory and undefined behaviour; strangers' networks by the thousand; races between threads.
test-sanitizers: $(VENV)/dev
	$(call sanitized,sanitized,address$(COMMA)undefined,-DOUTFLANK_CORE_TESTS=ON -DOUTFLANK_FUZZ=ON)
	$(call core_tests,sanitized)
	build/sanitized/fuzz_networks 10000 1 core/fuzz/corpus

test-threads: $(VENV)/dev
	$(call sanitized,thread-sanitized,thread,-DOUTFLANK_CORE_TESTS=ON)
	$(call core_tests,thread-sanitized) --tests-regex 'playouts|search|endgame|threads'

# For hours, guided by coverage: needs Clang. What it finds is kept in build/fuzz-corpus.
FUZZ_SECONDS ?= 3600
fuzz: $(VENV)/dev
	$(call sanitized,fuzz,address$(COMMA)undefined,-DOUTFLANK_FUZZ=ON -DCMAKE_CXX_COMPILER=$(FUZZ_CXX))
	@mkdir -p build/fuzz-corpus
	build/fuzz/fuzz_networks -max_total_time=$(FUZZ_SECONDS) -jobs=$(CORES) -workers=$(CORES) -rss_limit_mb=4096 \
	  -max_len=8192 -timeout=30 build/fuzz-corpus core/fuzz/corpus

# The portable build must play the same games: the golden tests run on it too.
test-portable: $(VENV)/dev
	rm -rf build/portable-site
	SKBUILD_BUILD_DIR=build/portable SKBUILD_CMAKE_DEFINE="$(CHECKED);OUTFLANK_PORTABLE=ON" \
	  $(PIP) --no-build-isolation --no-deps --target build/portable-site .
	$(call core_tests,portable)
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

# One process per file; compile commands are those of the development build.
tidy: $(VENV)/dev
	@printf '%s\n' $(filter core/%.cpp,$(CORE)) | grep -v core/fuzz/ | \
	  xargs -P $(CORES) -n 1 $(BIN)/clang-tidy -p build/dev --quiet

format: $(VENV)/dev
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(filter %.cpp %.hpp,$(CORE))
	$(BIN)/python -m nanobind.stubgen -q -m outflank._core -o src/outflank/_core.pyi

hooks: $(VENV)/dev
	$(BIN)/pre-commit install

bench: $(VENV)/built
	$(BIN)/outflank bench --peers

clean:
	rm -rf $(VENV) build out
