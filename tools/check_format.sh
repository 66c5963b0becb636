#!/usr/bin/env bash
# What can be said about the sources within seconds: their format, and one habit that leaks. Part of `make test`.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files '*.cpp' '*.h' 'guest/*.c' ':!third_party')
clang-format --dry-run -Werror "${files[@]}"
echo "formatting: ${#files[@]} files are fine"
if grep -nE '\{[^;{]*\bTRY\(' "${files[@]}" | grep -vE '(for|if|while) \(|#define|\{ return [^{]*TRY\('; then
  echo "TRY inside a braced list leaks what the list already built: give the value a name first" >&2
  exit 1
fi
