#!/usr/bin/env bash
# tools/configure.sh PRESET [CMAKE-FLAGS…]: configures build/PRESET, with ccache where it is installed. It is looked for
# here and not in the Makefile: a first `make` installs it after the Makefile was read, and a second one that found it
# would compile everything again.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
flags=()
if command -v ccache >/dev/null; then
  flags+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
cmake --preset "$preset" "${flags[@]}" "$@" >/dev/null
