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

.PHONY: help demo test test-long docs notebooks coverage lint tidy bench format hooks test-core test-sanitizers test-threads test-threadless wasm test-wasm wheel test-wheel fuzz clean

help:
	@echo "make demo             build, then learn a player in half a minute and rank it in the League"
	@echo "make test             build, then run the tests"
	@echo "make test-long        those that take longer: processes killed again and again, every experiment, notebooks"
	@echo "make docs             build the documentation site in build/site"
	@echo "make notebooks        run the notebooks of examples/ and store their outputs; needs PyTorch"
	@echo "make lint             formatting, types, import rules"
	@echo "make tidy             what clang-tidy finds in the core"
	@echo "make format           format Python and C++, rewrite the stub of the core"
	@echo "make coverage         the tests of Python, with the share of lines they reach in each room"
	@echo "make bench            time the core, in one run with other libraries"
	@echo "make test-core        the tests of the core alone"
	@echo "make test-sanitizers  the same under AddressSanitizer and UndefinedBehaviorSanitizer, and fuzzing"
	@echo "make test-threads     the same under ThreadSanitizer"
	@echo "make test-threadless  the same on a build for any machine, without threads"
	@echo "make wasm             build the core for browsers"
	@echo "make test-wasm        whether the sources give exactly the module that is in the package"
	@echo "make wheel            the wheel of this architecture, which runs on any machine, in build/wheelhouse"
	@echo "make test-wheel       install it without a compiler; golden games on each of its cores"
	@echo "make fuzz             fuzz the core for FUZZ_SECONDS (3600); needs Clang"
	@echo "make hooks            run formatters and linters before each commit"
	@echo "make clean            remove .venv, build and out"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "outflank needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/tools: $(BIN)/python
	$(PIP) $(BUILD_TOOLS)
	@touch $@

# The package, editable: Python changes need no new build, changes of the core do.
$(VENV)/built: $(VENV)/tools $(CORE)
	$(PIP) --no-build-isolation --editable '.[server]'
	@touch $@

# The same for development, with the core's own tests: they share its objects.
$(VENV)/dev: $(VENV)/tools $(CORE)
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
	$(BIN)/outflank page $(RUN)/last.safetensors --out $(RUN)/page
	@echo "Play it in a browser, without a server: open $(RUN)/page/index.html"
	@echo "Open the league with this player in it, and play it: $(BIN)/outflank serve --with $(RUN)/last.safetensors"

# A file's tests stay together: they share what is expensive to make.
PYTEST := $(BIN)/python -m pytest --numprocesses $(CORES) --maxprocesses 8 --dist loadfile

test: $(VENV)/dev test-core
	$(PYTEST) -m "not long"

test-long: $(VENV)/dev
	$(PYTEST) -m long

# Strict: a broken link or anchor, a page that is not in the menu and a public name without a docstring are errors.
docs: $(VENV)/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Tested: $$($(BIN)/python -m tests.test_documentation)"
	@echo "The site is in build/site. To read it with search: $(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site"

notebooks: $(VENV)/dev
	$(BIN)/jupyter nbconvert --to notebook --execute --inplace examples/*.ipynb --ExecutePreprocessor.record_timing=False \
	  --ClearMetadataPreprocessor.enabled=True --ClearMetadataPreprocessor.preserve_nb_metadata_mask="kernelspec"

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

# build/$(1): the core without the extension, with the options $(2); all of it, or the targets $(3).
core_build = $(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	-DOUTFLANK_WERROR=ON -DOUTFLANK_EXTENSION=OFF $(2) > /dev/null \
	&& $(BIN)/cmake --build build/$(1) $(addprefix --target ,$(3))

# Memory and undefined behaviour; strangers' networks by the thousand; races between threads.
test-sanitizers: $(VENV)/tools
	$(call core_build,sanitized,-DOUTFLANK_SANITIZE=address$(COMMA)undefined -DOUTFLANK_CORE_TESTS=ON -DOUTFLANK_FUZZ=ON)
	$(call core_tests,sanitized)
	build/sanitized/fuzz_networks 10000 1 core/fuzz/corpus

THREADED := endgame|playouts|search|threads
test-threads: $(VENV)/tools
	$(call core_build,thread-sanitized,-DOUTFLANK_SANITIZE=thread -DOUTFLANK_CORE_TESTS=ON,$(addprefix test_,$(subst |, ,$(THREADED))))
	$(call core_tests,thread-sanitized) --tests-regex '$(THREADED)'

# For any machine and without threads, as the module for browsers is built, but with exceptions. -O1 is compiled
# fastest; a wheel's portable core has -O3.
test-threadless: $(VENV)/tools
	$(call core_build,threadless,-DOUTFLANK_THREADS=OFF -DOUTFLANK_PORTABLE=ON -DOUTFLANK_CORE_TESTS=ON \
	  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1)
	$(call core_tests,threadless) --exclude-regex threads

# The core for browsers: Zig brings Clang, a C++ library and a linker, pinned in pyproject.toml, so that the same sources
# give the same bytes on every machine. Whoever changes the core runs `make wasm` and commits the module.
WASM := src/outflank/interfaces/web/static/engine/engine.wasm
WASM_CORE := books/opening_book endgame/ordering_network endgame/solver evaluators/deep_network evaluators/league_text evaluators/mlp \
	evaluators/mlp_estimate evaluators/ntuple_compile evaluators/ntuple_network evaluators/ntuple_ranks rules/stability \
	search/minimax search/search
WASM_SOURCES := $(WASM_CORE:%=core/%.cpp) $(wildcard bindings/wasm/*.cpp)
WASM_FLAGS := -target wasm32-wasi -msimd128 -std=c++20 -O3 -DNDEBUG -DOUTFLANK_THREADS=0 -fno-exceptions -fno-rtti \
	-ffp-contract=off -fno-math-errno -fno-trapping-math -Icore -Wall -Wextra -Wshadow -Wconversion -Werror \
	-mexec-model=reactor -Wl,--no-entry -Wl,--gc-sections -Wl,-z,stack-size=1048576 -Wl,--max-memory=1073741824 -s

build/engine.wasm: $(VENV)/dev $(WASM_SOURCES) $(filter %.hpp,$(CORE))
	@mkdir -p build
	$(BIN)/python -m ziglang c++ $(WASM_FLAGS) $(WASM_SOURCES) -o $@

wasm: build/engine.wasm
	cp build/engine.wasm $(WASM)

test-wasm: build/engine.wasm
	@cmp build/engine.wasm $(WASM) || \
	  { echo "$(WASM) is not what the sources give: run make wasm and commit it"; exit 1; }

# For hours, guided by coverage: needs Clang. What it finds is kept in build/fuzz-corpus.
FUZZ_SECONDS ?= 3600
fuzz: $(VENV)/tools
	$(call core_build,fuzz,-DOUTFLANK_SANITIZE=address$(COMMA)undefined -DOUTFLANK_FUZZ=ON -DCMAKE_CXX_COMPILER=$(FUZZ_CXX))
	@mkdir -p build/fuzz-corpus
	build/fuzz/fuzz_networks -max_total_time=$(FUZZ_SECONDS) -jobs=$(CORES) -workers=$(CORES) -rss_limit_mb=4096 \
	  -max_len=8192 -timeout=30 build/fuzz-corpus core/fuzz/corpus

# The wheel that others get: the core for every level of this machine's architecture.
wheel: $(VENV)/dev
	rm -rf build/unrepaired build/wheelhouse
	OUTFLANK_VARIANTS=ON SKBUILD_BUILD_DIR=build/variants SKBUILD_CMAKE_DEFINE="$(CHECKED)" \
	  $(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/unrepaired .
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir build/wheelhouse build/unrepaired/*.whl 2> build/auditwheel.log || { cat build/auditwheel.log; exit 1; }
	@ls -s --human-readable build/wheelhouse/*.whl

# As others get it: in an environment of its own, without a compiler. Every core must play the same games.
test-wheel: wheel
	$(call core_tests,variants)
	OUTFLANK_WHEEL=$$(echo $(CURDIR)/build/wheelhouse/*.whl) $(BIN)/python -m pytest tests/test_wheel.py --capture=no --timeout 1200

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
