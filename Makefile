# The commands people use. Everything real happens in CMake, ctest and pytest.
BUILD   := build/release
PYTHON  := /usr/bin/python3
PYTEST  := $(PYTHON) -m pytest -q -p no:cacheprovider
JOBS    ?= $(shell nproc)
PREFIX  ?= /usr/local
CCACHE  := $(shell command -v ccache)
CMAKE_FLAGS := $(if $(CCACHE),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

.PHONY: help build demo install install-programs install-library test test-unit test-engine test-service test-third-party test-bench test-sanitizers test-tsan test-fuzz test-format test-vm bench lint format clean
help:
	@echo "make demo     build, then run examples/conversion.py on examples/sales.csv in the sandbox"
	@echo "make test     set up everything and run all tests (unit, engine, attacks, service, SDKs, sanitizers, fuzz, VM)"
	@echo "make build    the release programs: $(BUILD)/bin/glovebox"
	@echo "make install  programs, systemd unit, examples and C++ library below \$$DESTDIR\$$PREFIX (/usr/local): docs/operations.md"
	@echo "make bench    measure Glovebox beside bare interpreters, bubblewrap, runc and Pyodide, and judge it"
	@echo "make test-vm  the engine suite in a virtual machine with a stock Debian kernel"
	@echo "make lint     clang-format and clang-tidy"
	@echo "make test-tsan  the tests in which threads meet, under the thread sanitizer"

# Programs alone for people who just want to run; tests want their own targets and packages.
build:
	@tools/install_packages.sh build run
	@cmake --preset release $(CMAKE_FLAGS) -DGLOVEBOX_TESTS=OFF > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target glovebox glovebox-launcher

demo: build
	@tools/demo.sh $(BUILD)/bin/glovebox

# Programs, unit and examples below $(DESTDIR)$(PREFIX); `install` adds the C++ library, which a server has no use for.
install: install-programs install-library

install-programs: build
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --component programs --prefix $(PREFIX)

install-library: build
	@cmake --build $(BUILD) -j $(JOBS) --target libglovebox
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --component library --prefix $(PREFIX)

build-all:
	@tools/install_packages.sh build run test bench
	@cmake --preset release $(CMAKE_FLAGS) -DGLOVEBOX_TESTS=ON > /dev/null
	@cmake --build $(BUILD) -j $(JOBS)

test: build-all test-format test-unit test-engine test-service test-third-party test-bench test-sanitizers test-fuzz test-vm
	@echo "All suites passed."
	@cat build/third_party/skipped 2>/dev/null || true

test-format: build-all
	tools/check_format.sh

test-unit: build-all
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

test-engine: build-all
	GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(PYTEST) tests/engine tests/compat tests/errors tests/security

# The HTTP interface, MCP, the commands around them, the SDKs against a live server, and what gets installed.
test-service: build-all
	GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(PYTEST) tests/server tests/mcp tests/cli tests/sdk tests/packaging

# Schemathesis, and MCP's own programs, against a live server; skipped, with a word at the end of everything, where they
# cannot be downloaded.
test-third-party: build-all
	GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(PYTEST) tests/third_party

# Ratios against bench/guard.toml; quick, so it says slower or not, and nothing finer.
test-bench: build-all
	GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(PYTEST) tests/bench

test-sanitizers: build-all
	@cmake --preset asan $(CMAKE_FLAGS) > /dev/null
	@cmake --build build/asan -j $(JOBS) --target unit_tests
	ctest --test-dir build/asan --output-on-failure -j $(JOBS) -L unit

# Everything in which threads meet, with the release build's launcher for the cells. Not part of `make test`: building it
# all once more takes longer than running it.
test-tsan: build-all
	@cmake --preset tsan $(CMAKE_FLAGS) > /dev/null
	@cmake --build build/tsan -j $(JOBS) --target thread_tests
	ctest --test-dir build/tsan --output-on-failure -L threads

test-fuzz: build-all
	tools/fuzz_smoke.sh $(or $(FUZZ_SECONDS),30)

test-vm: build-all
	$(PYTHON) tests/vm/run_vm.py

bench: build-all
	-bench/pyodide/install.sh
	$(BUILD)/bin/glovebox bench --check --json $(BUILD)/bench.json --svg $(BUILD)/bench.svg $(BENCH_FLAGS)

lint: build-all
	tools/lint.sh

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

clean:
	rm -rf build
