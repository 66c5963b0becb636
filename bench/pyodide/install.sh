#!/usr/bin/env bash
# Installs the pinned Pyodide for `glovebox bench`. The benchmark says so itself when it is not there.
#
#   bench/pyodide/install.sh [DIRECTORY]     default: build/bench-pyodide, where the benchmark looks
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
target="${1:-$here/../../build/bench-pyodide}"
mkdir -p "$target"
cp "$here/package.json" "$here/package-lock.json" "$here/run.mjs" "$target/"
if [ -f "$target/node_modules/pyodide/pyodide.mjs" ] &&
  cmp -s "$here/package-lock.json" "$target/node_modules/.installed-lock.json"; then
  exit 0
fi
cd "$target"
if ! command -v npm > /dev/null; then
  echo "bench: npm is not installed, so the benchmark will report Pyodide as missing" >&2
  exit 1
fi
if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error; then
  echo "bench: npm could not fetch Pyodide, so the benchmark will report it as missing" >&2
  exit 1
fi
cp package-lock.json node_modules/.installed-lock.json
