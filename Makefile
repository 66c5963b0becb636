# The commands people use. Everything real happens in CMake, ctest and pytest.
BUILD   := build/release
PYTHON  := /usr/bin/python3
PYTEST  := $(PYTHON) -m pytest -q -p no:cacheprovider
JOBS    ?= $(shell nproc)
PREFIX  ?= /usr/local
SUITE   := tools/suite.sh

.PHONY: help build build-all build-apart packages demo install install-programs install-library test test-long test-unit \
        test-engine test-service test-third-party test-bench test-sanitizers test-tsan test-fuzz test-format test-vm bench \
        lint format clean
help:
	@echo "make demo     build, then run examples/conversion.py on examples/sales.csv in the sandbox"
	@echo "make test     set up everything and run all tests (unit, engine, attacks, service, SDKs, sanitizers, fuzz, VM)"
	@echo "make build    the release programs: $(BUILD)/bin/glovebox"
	@echo "make install  programs, systemd unit, examples and C++ library below \$$DESTDIR\$$PREFIX (/usr/local): docs/operations.md"
	@echo "make bench    measure Glovebox beside bare interpreters, bubblewrap, runc and Pyodide, and judge it"
	@echo "make test-long  soaks, endurance and the thread sanitizer: by hand, before a capability is called done"
	@echo "make test-vm  the engine suite in a virtual machine with a stock Debian kernel"
	@echo "make lint     clang-format and clang-tidy"
	@echo "make build-apart  every file compiled by itself, as editors and clang-tidy see it"

# Programs alone for people who just want to run. Tests are further targets of the same build: nothing is compiled twice.
build:
	@tools/install_packages.sh build run
	@tools/configure.sh release -DGLOVEBOX_TESTS=OFF
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

packages:
	@$(SUITE) packages tools/install_packages.sh build run test bench

build-all: packages
	@tools/configure.sh release -DGLOVEBOX_TESTS=ON
	@$(SUITE) build cmake --build $(BUILD) -j $(JOBS)

# Every file by itself: does it include what it needs, and is it free of what its neighbours define?
build-apart: packages
	@tools/configure.sh apart
	@cmake --build build/apart -j $(JOBS)

# One after the other, also under -j: each suite wants both cores. The table at the end is kept in CONTRIBUTING.md.
test:
	@$(SUITE) --begin
	@$(MAKE) --no-print-directory -j1 test-format test-unit test-engine test-service test-third-party test-bench \
	  test-sanitizers test-fuzz test-vm
	@$(SUITE) --table
	@echo "All suites passed."
	@cat build/third_party/skipped 2>/dev/null || true

# What takes too long for every change: five minutes of clients on the service, 100,000 runs on one pool, and the thread
# sanitizer.
test-long: build-all
	GLOVEBOX_LOAD_SECONDS=300 GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(PYTEST) tests/server/test_service_under_load.py
	$(BUILD)/bin/glovebox bench --mode endurance
	$(MAKE) --no-print-directory test-tsan

test-format: packages
	@$(SUITE) format tools/check_format.sh

test-unit: build-all
	@$(SUITE) unit ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

test-engine: build-all
	@GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(SUITE) engine $(PYTEST) tests/engine tests/compat tests/errors tests/security

# The HTTP interface, MCP, the commands around them, the SDKs against a live server, and what gets installed.
test-service: build-all
	@GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(SUITE) service \
	  $(PYTEST) tests/server tests/mcp tests/cli tests/sdk tests/packaging

# Schemathesis, and MCP's own programs, against a live server; skipped, with a word at the end of everything, where they
# cannot be downloaded.
test-third-party: build-all
	@GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(SUITE) third-party $(PYTEST) tests/third_party

# Ratios against bench/guard.toml; quick, so it says slower or not, and nothing finer.
test-bench: build-all
	@GLOVEBOX_BIN=$(abspath $(BUILD))/bin/glovebox $(SUITE) bench $(PYTEST) tests/bench

test-sanitizers: build-all
	@tools/configure.sh asan
	@$(SUITE) sanitizers sh -c 'cmake --build build/asan -j $(JOBS) --target unit_tests && \
	  ctest --test-dir build/asan --output-on-failure -j $(JOBS) -L unit'

# Everything in which threads meet, with the release build's launcher for the cells. Not part of `make test`: building it
# all once more takes longer than running it.
test-tsan: build-all
	@tools/configure.sh tsan
	@cmake --build build/tsan -j $(JOBS) --target thread_tests
	ctest --test-dir build/tsan --output-on-failure -L threads

test-fuzz: build-all
	@$(SUITE) fuzz tools/fuzz_smoke.sh $(or $(FUZZ_SECONDS),150)

test-vm: build-all
	@$(SUITE) vm $(PYTHON) tests/vm/run_vm.py

bench: build-all
	-bench/pyodide/install.sh
	$(BUILD)/bin/glovebox bench --check --json $(BUILD)/bench.json --svg $(BUILD)/bench.svg $(BENCH_FLAGS)

lint: build-apart
	tools/lint.sh

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format -i

clean:
	rm -rf build
