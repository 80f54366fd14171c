# Every target sets up what it needs: Python >= 3.11, make and a C++20 compiler are enough.
#
#   make demo       a selection, a comparison with plain ranking and a report, on embedded data
#   make test       lint, types, layers, the test suite on the wheel that users install, the kernels at all instruction levels
#   make dev        an editable install from now on: Python changes take effect at once
#   make test-level LEVEL=baseline   the whole test suite at one instruction level (baseline, popcnt, avx2, avx512)
#   make test-lowest   the test suite on the lowest versions of all dependencies (Python 3.11)
#   make browser    chromium-headless-shell for the tests of reports, by apt-get as root or by sudo      (BROWSER=no: none)
#   make java       a Java for the tests of Spark, in the same way      (JAVA=no: none)
#   make check-core the core without Python, at every level of instructions
#   make check-core-windows, check-core-aarch64   the same for other systems, under wine and qemu-user
#   make test-dev   the test suite on development versions of NumPy, SciPy, pandas, polars and scikit-learn
#   make lint       the static checks only
#   make format     write the lists made from the registries, and format the sources
#   make stub       the stub of the core, generated from the compiled module
#   make bench      time and memory compared with other packages      (ARGS="--quick --only leukemia")
#   make docs       the documentation, its examples run and its local links checked, in docs/_build/html
#   make docs-links check the links of the documentation to other sites (needs a network)
#   make sanitize   the test suite on a core built with ASan and UBSan
#   make coverage   the lines of Python and of C++ that the test suite runs
#   make fuzz       random inputs and damaged files, different each time      (EXAMPLES=20000 for each test)
#   make fuzz-core  libFuzzer on the core's packers, if clang++ is installed      (SECONDS=600)
#   make compare    twelve selectors on fifteen real data sets      (ARGS="--only sonar wdbc")
#   make reproduce  all published experiments, on a page of the docs      (ARGS="--quick")
#   make reproduce-NAME   a published experiment, benchmarks/reproduction/NAME.py      (ARGS=...)
#   make clean      remove all build results

SHELL := bash
PYTHON ?= python3
CXX ?= c++
WORKERS ?= 2
BUILD_TYPE ?= Release
ARGS ?=
EXAMPLES ?= 20000
SECONDS ?= 600
QUICK ?= --quick
BROWSER ?= yes
JAVA ?= yes

VENV := .venv
BIN := $(VENV)/bin
# The tools of the environment come first: cmake and ninja are installed there. Ninja cannot use the job server of make.
ENV := env -u MAKEFLAGS PATH="$(CURDIR)/$(BIN):$$PATH"
# Twice quiet: errors are shown, and warnings about indexes are not.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
SITE = $(shell $(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")

CPP := $(shell find cpp -name '*.cpp' -o -name '*.hpp')
CORE := CMakeLists.txt $(CPP)
CPPCHECK := --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c++20 --language=c++ -I cpp \
    -D THRESHER_LEVEL=baseline --suppressions-list=cpp/cppcheck-suppressions.txt -j $(WORKERS)
PACKAGE := pyproject.toml README.md LICENSE $(CORE) $(shell find src -name '*.py' -o -name '*.pyi')

# The suite: the tests, the examples in docstrings of the installed package, and those of pages.
SUITE := tests README.md docs/quickstart.md docs/guide.md docs/error_control.md --pyargs thresher
KERNEL_TESTS = $(shell grep -l "pytest.mark.kernels" tests/*.py)

.PHONY: packages browser java suite check-core check-core-% test-dev demo dev test test-level test-levels test-lowest lint lint-sources lint-package stub cppcheck format bench compare reproduce docs docs-links sanitize coverage fuzz clean
.DELETE_ON_ERROR:

demo: $(VENV)/.core
	$(BIN)/python -m thresher demo --out build/demo.html --force $(ARGS)

# The gate keeps all processors busy, so that threads of OpenBLAS would spin, waiting for each other. Other runs of the
# tests do not limit OpenBLAS.
ONE_BLAS_THREAD := OPENBLAS_NUM_THREADS=1

# The static checks of the sources run while the core is compiled.
test:
	@$(MAKE) --no-print-directory -j2 $(VENV)/.core lint-sources packages
	@$(MAKE) --no-print-directory -j3 suite lint-package $(if $(ARGS),,test-levels)

suite: $(VENV)/.tools $(VENV)/.core
	env -u MAKEFLAGS $(ONE_BLAS_THREAD) $(BIN)/python -m pytest -n $(WORKERS) $(if $(ARGS),$(ARGS),$(SUITE))

# Only the kernels depend on the instruction level. They are compared with their reference implementations at every
# level, and about 300 fits, nightly thousands (QUICK=), must be bit-identical at all of them. One process runs at a time,
# at a slightly lower priority than the suite that `make test` runs at the same time.
test-levels: $(VENV)/.tools $(VENV)/.core
	@for level in baseline popcnt avx2; do \
	    echo "kernels at $$level" && THRESHER_ISA=$$level THRESHER_EXAMPLES=$${THRESHER_EXAMPLES:-0.1} $(ONE_BLAS_THREAD) nice -n 3 $(BIN)/python -m pytest -p no:cacheprovider \
	        -m "kernels and not once" $(KERNEL_TESTS) > build/kernels.log || { cat build/kernels.log; exit 1; }; \
	    tail -n 1 build/kernels.log; \
	done
	$(ONE_BLAS_THREAD) nice -n 3 $(BIN)/python -m tests.identity levels $(QUICK) --workers 1

# The whole suite at one level, without tests that do not depend on it: those with clusters and of scikit-learn's contract.
LEVEL ?= baseline
test-level: $(VENV)/.tools $(VENV)/.core
	THRESHER_ISA=$(LEVEL) $(BIN)/python -m pytest -n $(WORKERS) -m "not cluster and not once" $(if $(ARGS),$(ARGS),$(SUITE))

# Debian packages for the tests of reports (chromium-headless-shell) and of Spark (a Java). Without root they are
# installed by sudo where it requires no password. Tests that need missing packages are skipped; in CI that is an error unless
# BROWSER=no or JAVA=no says so.
export THRESHER_BROWSER := $(BROWSER)
export THRESHER_JAVA := $(JAVA)
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo "sudo -n")
NO_QUESTIONS := env DEBIAN_FRONTEND=noninteractive
QUIETLY := -qq --yes --no-install-recommends
install = command -v $(1) > /dev/null \
	|| { command -v apt-get > /dev/null && echo "installing $(2)" \
	     && $(SUDO) apt-get -qq update && $(SUDO) $(NO_QUESTIONS) apt-get $(QUIETLY) install $(2) > /dev/null; } \
	|| { echo "$(2) cannot be installed here, which takes apt-get and root or sudo: its tests are skipped."; \
	     [ "$$CI" != true ] || { echo "Pass $(3)=no to skip them in CI."; exit 1; }; }

packages:
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory java

browser:
	@[ "$(BROWSER)" = no ] || command -v google-chrome > /dev/null || { $(call install,chromium-headless-shell,chromium-headless-shell,BROWSER); }

java:
	@[ "$(JAVA)" = no ] || { $(call install,java,openjdk-17-jre-headless,JAVA); }

lint: lint-sources lint-package

lint-sources: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(BIN)/clang-format --dry-run --Werror $(CPP)
	@$(MAKE) --no-print-directory cppcheck
	$(BIN)/codespell
	$(BIN)/mypy

lint-package: $(VENV)/.tools $(VENV)/.core
	@$(BIN)/python tools/core_stub.py --check
	$(BIN)/lint-imports

# The type stub of the compiled core. It is part of the sources, so that mypy need not wait for the compiler.
stub: $(VENV)/.tools $(VENV)/.core
	@$(BIN)/python tools/core_stub.py

cppcheck: $(VENV)/.tools
	$(BIN)/cppcheck $(CPPCHECK) cpp

format: $(VENV)/.tools
	$(BIN)/python tools/write_lists.py
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

bench: $(VENV)/.tools $(VENV)/.core
	$(BIN)/python -m benchmarks.speed.run $(ARGS)

compare: $(VENV)/.tools $(VENV)/.core
	$(BIN)/python -m benchmarks.comparison $(ARGS)

reproduce: $(VENV)/.tools $(VENV)/.core
	$(BIN)/python -m benchmarks.reproduction.run $(ARGS)

reproduce-%: $(VENV)/.tools $(VENV)/.core
	$(BIN)/python -m benchmarks.reproduction.$* $(ARGS)

docs: $(VENV)/.docs $(VENV)/.core
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html
	@echo "open docs/_build/html/index.html"

# Links that no site serves are listed, and an error.
docs-links: docs
	$(BIN)/python -m sphinx -q -b linkcheck -d docs/_build/html/.doctrees docs docs/_build/links

clean:
	rm -rf .venv .venv-* build dist docs/_build docs/api docs/gallery benchmarks/results
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The environment, with the build requirements of the core. Partly rebuilt when pyproject.toml changes.
$(VENV)/.build: pyproject.toml
	@$(PYTHON) -c "import sys; sys.version_info >= (3, 11) or sys.exit('thresher needs Python >= 3.11: make PYTHON=...')"
	@echo "making the environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade "pip>=25.1"
	@$(PIP) install --group build
	@touch $@

# Lint and test tools.
$(VENV)/.tools: $(VENV)/.build
	@echo "installing the tools of lint and tests"
	@$(PIP) install --group lint --group test --group oracles
	@touch $@

$(VENV)/.docs: $(VENV)/.tools
	$(PIP) install --group docs
	@touch $@

# The package as users install it: the sdist is unpacked, built into a wheel and installed, with the extras of the demo.
# Unchanged files keep their time stamps, so that only changed ones are compiled again.
# BUILD_TYPE=Debug keeps the core's assertions. After `make dev` the install is editable.
EDITABLE := $(wildcard $(VENV)/.editable)
ifeq ($(EDITABLE),)
$(VENV)/.core: build/wheel/.built
	@echo "installing the wheel"
	@$(PIP) install --force-reinstall --no-deps build/wheel/thresher-*.whl
	@$(PIP) install "thresher[cli,report] @ file://$$(echo $(CURDIR)/build/wheel/thresher-*.whl)"
	@touch $@
else
$(VENV)/.core: $(VENV)/.build $(CORE)
	$(ENV) $(PIP) install --no-build-isolation --editable ".[cli,report]" -Cbuild-dir=build/$(BUILD_TYPE) \
	    -Ccmake.build-type=$(BUILD_TYPE) -Ccmake.define.THRESHER_WERROR=ON
	@touch $@
endif

build/wheel/.built: $(VENV)/.build $(PACKAGE)
	@mkdir -p build/sdist build/wheel && rm -f build/wheel/*.whl build/sdist/*.tar.gz
	@$(ENV) $(BIN)/python -m build --sdist --no-isolation --outdir build/sdist . > build/sdist/log 2>&1 || { cat build/sdist/log; exit 1; }
	@$(BIN)/python tools/unpack_sdist.py build/sdist/thresher-*.tar.gz build/sdist/source
	@echo "compiling the core: about 2 minutes the first time"
	@set -o pipefail; $(ENV) $(BIN)/python -m build --wheel --no-isolation --outdir build/wheel build/sdist/source \
	    -Cbuild-dir="$(CURDIR)/build/wheel/$(BUILD_TYPE)" -Ccmake.build-type=$(BUILD_TYPE) -Ccmake.define.THRESHER_WERROR=ON \
	    2>&1 | $(BIN)/python tools/build_progress.py build/wheel/log || { tail -n 30 build/wheel/log; exit 1; }
	@touch $@

dev: $(VENV)/.build
	@touch $(VENV)/.editable && rm -f $(VENV)/.core
	@$(MAKE) --no-print-directory $(VENV)/.core

# The lowest versions that pyproject.toml declares, for building and for running, in a separate environment.
LOWEST := .venv-lowest
$(LOWEST)/.core: pyproject.toml $(CORE)
	@$(PYTHON) -c "import sys; sys.version_info[:2] == (3, 11) or sys.exit('the lowest versions are those of Python 3.11: make PYTHON=...')"
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip --quiet install --upgrade "pip>=25.1"
	grep -oE '"[A-Za-z0-9-]+(\[[a-z]+\])?>=[0-9.]+"' pyproject.toml | tr -d '"' | sed 's/\[.*\]//; s/>=/==/' | sort -u > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip --quiet install --constraint $(LOWEST)/lowest.txt --group build --group test
	PATH="$(CURDIR)/$(LOWEST)/bin:$$PATH" $(LOWEST)/bin/python -m pip --quiet install --no-build-isolation \
	    --constraint $(LOWEST)/lowest.txt --editable . -Cbuild-dir=build/lowest
	@touch $@

test-lowest: $(LOWEST)/.core
	THRESHER_TOOLS=no $(LOWEST)/bin/python -m pytest -n $(WORKERS) $(ARGS)

# The next versions, from the nightly builds of the projects, in a separate environment.
DEV := .venv-dev
NIGHTLY := https://pypi.anaconda.org/scientific-python-nightly-wheels/simple
$(DEV)/.core: $(VENV)/.build $(CORE)
	$(PYTHON) -m venv $(DEV)
	$(DEV)/bin/python -m pip --quiet install --upgrade "pip>=25.1"
	$(DEV)/bin/python -m pip --quiet install --group build --group test
	$(DEV)/bin/python -m pip --quiet install --upgrade --pre --only-binary :all: --extra-index-url $(NIGHTLY) \
	    numpy scipy pandas polars scikit-learn
	PATH="$(CURDIR)/$(DEV)/bin:$$PATH" $(DEV)/bin/python -m pip --quiet install --no-build-isolation --no-deps \
	    --editable . -Cbuild-dir=build/dev
	@touch $@

test-dev: $(DEV)/.core
	THRESHER_TOOLS=no $(DEV)/bin/python -m pytest -n $(WORKERS) $(ARGS)

# The core with AddressSanitizer and UndefinedBehaviorSanitizer (GCC or Clang on Linux), next to the usual environment,
# whose packages it uses. The interpreter is not instrumented, so the run-time libraries are preloaded, and leaks are not
# checked: CPython has some at exit by design. Use after return is not checked either: from GCC 13 on, its stacks are not
# aligned for vectors of 64 bytes.
ASAN := .venv-sanitize
$(ASAN)/.core: $(VENV)/.tools $(VENV)/.core
	$(PYTHON) -m venv --without-pip $(ASAN)
	echo "$(SITE)" > $$($(ASAN)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/borrowed.pth
	PATH="$(CURDIR)/$(BIN):$$PATH" $(ASAN)/bin/python -m pip --disable-pip-version-check --quiet install \
	    --no-build-isolation --no-deps --ignore-installed --editable . -Cbuild-dir=build/sanitize \
	    -Ccmake.build-type=Debug -Ccmake.define.CMAKE_CXX_FLAGS=-O1 -Ccmake.define.CMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
	    -Ccmake.define.THRESHER_WERROR=ON -Ccmake.define.THRESHER_SANITIZE=address,undefined
	@touch $@

sanitize: $(ASAN)/.core
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so) \
	    $$($(CXX) -print-file-name=libstdc++.so.6)" \
	ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	$(ASAN)/bin/python -m pytest -n $(WORKERS) -p no:cacheprovider -m "not cluster" $(ARGS)

# How much of the code the suite runs: the core compiled with counters, next to the usual environment whose packages it
# borrows. Fails below 97 % of the lines of Python and 92 % of those of C++.
COVERED := .venv-coverage
# The .pth file by which coverage counts processes that tests start: Python does not read those of borrowed packages.
COVER_PROCESSES := import os; 'COVERAGE_PROCESS_CONFIG' in os.environ and __import__('coverage').process_startup()
$(COVERED)/.core: $(VENV)/.tools $(VENV)/.core
	@$(PIP) install --group coverage
	$(PYTHON) -m venv --without-pip $(COVERED)
	printf '%s\n' "$(SITE)" "$(COVER_PROCESSES)" > $$($(COVERED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/borrowed.pth
	$(ENV) $(COVERED)/bin/python -m pip --disable-pip-version-check --quiet install \
	    --no-build-isolation --no-deps --ignore-installed --editable . -Cbuild-dir=build/coverage \
	    -Ccmake.build-type=Coverage -Ccmake.define.CMAKE_CXX_FLAGS_COVERAGE="-O1 -DNDEBUG --coverage -fprofile-update=atomic"
	@touch $@

coverage: $(COVERED)/.core
	find build/coverage -name '*.gcda' -delete
	$(COVERED)/bin/python -m pytest -n $(WORKERS) -p no:cacheprovider -m "not plain" --cov --cov-report= $(if $(ARGS),$(ARGS),$(SUITE))
	$(BIN)/gcovr --root . --filter cpp/ --exclude cpp/bindings/bind_testing.cpp --merge-lines \
	    --gcov-ignore-parse-errors=suspicious_hits.warn_once_per_file --sort uncovered-percent --fail-under-line 92 build/coverage
	$(COVERED)/bin/python -m coverage report --skip-covered --fail-under 97

# What `make test` does with a few inputs that are always the same; also: make sanitize ARGS=tests/test_fuzz.py
fuzz: $(VENV)/.tools $(VENV)/.core
	HYPOTHESIS_PROFILE=explore THRESHER_FUZZ_EXAMPLES=$(EXAMPLES) THRESHER_FUZZ_SECONDS=3 \
	$(BIN)/python -m pytest -n $(WORKERS) tests/test_fuzz.py tests/test_fuzz_files.py tests/test_changing_data.py $(ARGS)
	HYPOTHESIS_PROFILE=explore THRESHER_EXAMPLES=10 $(BIN)/python -m pytest -n $(WORKERS) $$(grep -l "@examples" tests/*.py) $(ARGS)

# The packers alone, on plain instructions: arrays of any bytes, dense and sparse, with both sanitizers.
CLANG ?= clang++
FUZZED := $(wildcard cpp/core/*.cpp cpp/packing/*.cpp cpp/counting/*.cpp) tests/fuzz_core.cpp
build/fuzz/core: $(FUZZED) $(CPP)
	@mkdir -p $(@D)
	$(CLANG) -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS \
	    -D THRESHER_LEVEL=baseline -I cpp $(FUZZED) -o $@ -pthread

# The core alone, compared with plain loops and, by digests, with all other systems and levels. For Windows it takes
# clang from version 17 on (in Debian 12: CLANG=clang++-19), lld, g++-mingw-w64-x86-64-posix and wine of Debian, for
# aarch64 g++-aarch64-linux-gnu and qemu-user-static.
CHECK_FLAGS := -G Ninja -D THRESHER_CHECK=ON -D CMAKE_BUILD_TYPE=Release
CHECK_WINDOWS := -D CMAKE_SYSTEM_NAME=Windows -D CMAKE_SYSTEM_PROCESSOR=x86_64 -D CMAKE_CXX_COMPILER=$(CLANG) \
    -D CMAKE_CXX_COMPILER_TARGET=x86_64-w64-mingw32 -D CMAKE_EXE_LINKER_FLAGS="-static -fuse-ld=lld" \
    -D CMAKE_CXX_STANDARD_LIBRARIES=-lpthread -D CMAKE_CXX_FLAGS=-femulated-tls
CHECK_AARCH64 := -D CMAKE_SYSTEM_NAME=Linux -D CMAKE_SYSTEM_PROCESSOR=aarch64 \
    -D CMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -D CMAKE_EXE_LINKER_FLAGS=-static
X86_LEVELS := baseline popcnt avx2 avx512
# $(1): the folder, $(2): options of CMake, $(3): what runs the program, $(4): levels of instructions.
check_core = $(BIN)/cmake -S . -B $(1) $(CHECK_FLAGS) $(2) > /dev/null && $(BIN)/ninja -C $(1) check_core && \
	for level in $(4); do THRESHER_ISA=$$level $(3) $$(ls $(1)/check_core*) > $(1)/found.txt; \
	tr -d '\r' < $(1)/found.txt | diff tests/cpp/digests.txt - || exit 1; done

check-core: $(VENV)/.build
	PATH="$(CURDIR)/$(BIN):$$PATH"; $(call check_core,build/check,-D THRESHER_WERROR=ON,,$(X86_LEVELS))

check-core-windows: $(VENV)/.build
	PATH="$(CURDIR)/$(BIN):$$PATH"; export WINEDEBUG=-all; $(call check_core,build/check-windows,$(CHECK_WINDOWS),wine,$(X86_LEVELS))

check-core-aarch64: $(VENV)/.build
	PATH="$(CURDIR)/$(BIN):$$PATH"; $(call check_core,build/check-aarch64,$(CHECK_AARCH64),qemu-aarch64-static,baseline)

fuzz-core:
	@if command -v $(CLANG) > /dev/null; then \
	    $(MAKE) --no-print-directory build/fuzz/core && mkdir -p build/fuzz/inputs && \
	    build/fuzz/core -max_total_time=$(SECONDS) -max_len=4096 $(ARGS) build/fuzz/inputs; \
	else echo "fuzz-core needs $(CLANG) with libFuzzer (Debian: apt install clang): nothing was fuzzed"; fi
