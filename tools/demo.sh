#!/usr/bin/env bash
# The demo: the main job in the sandbox. A user without control groups of their own gets it too, with a word about it.
set -u
glovebox=$1
cd "$(dirname "$0")/.." || exit 1
echo
echo '$ glovebox run examples/conversion.py --file examples/sales.csv'
"$glovebox" run examples/conversion.py --file examples/sales.csv
status=$?
if [ "$status" -eq 125 ] && [ "$(id -u)" -ne 0 ]; then
  echo
  echo 'Once more in the degraded mode, in which limits are watched by polling:'
  echo '$ glovebox run --degraded examples/conversion.py --file examples/sales.csv'
  "$glovebox" run --degraded examples/conversion.py --file examples/sales.csv
  status=$?
fi
exit "$status"
