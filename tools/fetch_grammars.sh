#!/usr/bin/env bash
# tools/fetch_grammars.sh: the pinned grammars into third_party/grammars/node_modules, if they are not there yet.
#
# npm checks what it fetches against the hashes of package-lock.json, and runs none of the packages' own scripts.
set -euo pipefail
here=$(dirname "$(dirname "$(readlink -f "$0")")")/third_party/grammars
stamp=$here/node_modules/.installed-lock.json

if cmp -s "$here/package-lock.json" "$stamp"; then
  exit 0
fi
# Two presets may be configured at once.
exec 9<"$here"
flock 9
if cmp -s "$here/package-lock.json" "$stamp"; then
  exit 0
fi
cd "$here"
if ! command -v npm >/dev/null; then
  echo "The grammars that read programs come through npm, which is not installed: apt-get install npm" >&2
  exit 1
fi
if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2; then
  echo "npm could not fetch the grammars that read programs. Without a network: run tools/fetch_grammars.sh on a machine" >&2
  echo "that has one, and copy its third_party/grammars/node_modules to $here." >&2
  exit 1
fi
cp package-lock.json "$stamp"
