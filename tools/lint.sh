#!/usr/bin/env bash
# tools/check_format.sh, then static analysis, which takes many minutes. Needs a configured build/apart for its
# compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/check_format.sh
mapfile -t sources < <(git ls-files 'src/*.cpp' | grep -v '_test\.cpp$')
# GCC's own flags in the compile commands mean nothing to clang.
clang-tidy -p build/apart --quiet --extra-arg=-Wno-unknown-warning-option "${@:---warnings-as-errors=*}" "${sources[@]}"
