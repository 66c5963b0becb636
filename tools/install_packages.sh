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
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# At most some twenty lines per step: on a fresh machine this takes minutes, and silence looks like a hang. Not in awk:
# Debian's reads a pipe in blocks.
show_progress() {
  local line total=0 step=1 got=0 unpacked=0 ready=0
  tell() {
    if [ "$total" -gt 0 ] && { [ "$2" -eq "$total" ] || [ $(($2 % step)) -eq 0 ]; }; then
      echo "  $1 $2 of $total packages"
    fi
  }
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    case $line in
      *" newly installed, "*)
        total=${line%% newly installed*}
        total=${total##* }
        step=$((total / 20 + 1))
        ;;
      "Need to get "*) echo "  $line" ;;
      Get:*) tell downloaded $((got += 1)) ;;
      "Unpacking "*) tell unpacked $((unpacked += 1)) ;;
      "Setting up "*) tell "set up" $((ready += 1)) ;;
    esac
  done
}

failed() {
  tail -n 30 "$log" >&2
  echo "Installing failed; the end of what apt-get said is above." >&2
  exit 1
}

echo "Reading the lists of Debian's packages ..."
apt-get update -q >"$log" 2>&1 || failed
echo "Installing ${#missing[@]} packages and what they need: ${missing[*]}"
apt-get install -y -q --no-remove --no-install-recommends "${missing[@]}" 2>&1 | show_progress || failed
