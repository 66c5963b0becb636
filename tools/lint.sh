#!/usr/bin/env bash
# Formatting and static analysis. Needs a configured build/release for its compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files 'src/*.cpp' 'src/*.h' 'tools/*.cpp' 'tools/*.h' 'bench/*.cpp' 'bench/*.h' 'fuzz/*.cpp' 'examples/*.cpp')
clang-format --dry-run -Werror "${files[@]}"
echo "formatting: ${#files[@]} files are fine"
if grep -nE '\{[^;{]*\bTRY\(' "${files[@]}" | grep -vE '(for|if|while) \(|#define|\{ return [^{]*TRY\('; then
  echo "TRY inside a braced list leaks what the list already built: give the value a name first" >&2
  exit 1
fi
mapfile -t sources < <(git ls-files 'src/*.cpp' | grep -v '_test\.cpp$')
# GCC's own flags in the compile commands mean nothing to clang.
clang-tidy -p build/release --quiet --extra-arg=-Wno-unknown-warning-option "${@:---warnings-as-errors=*}" "${sources[@]}"
