#!/usr/bin/env bash
# Installs the Debian packages of the named groups (see packages.txt) that are missing. An ordinary user cannot install,
# so it then says exactly what root has to run.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

wanted=()
for group in "$@"; do
  while read -r _ name; do
    wanted+=("$name")
  done < <(grep "^$group " "$here/packages.txt")
done

missing=()
for name in "${wanted[@]}"; do
  # A vendor's nodejs, or one in /usr/bin by other means, serves as well as Debian's.
  if [ "$name" = nodejs ] && [ -x /usr/bin/node ]; then
    continue
  fi
  # It comes with a vendor's nodejs, beside which Debian's could not be installed.
  if [ "$name" = npm ] && command -v npm >/dev/null; then
    continue
  fi
  if ! dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed; then
    missing+=("$name")
  fi
done

if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "These packages are missing; as root, run:" >&2
  echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
echo "Installing ${#missing[@]} packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update -q && apt-get install -y -q --no-remove --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "Installing failed; the end of what apt-get said is above." >&2
  exit 1
fi
