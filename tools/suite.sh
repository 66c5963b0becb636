#!/usr/bin/env bash
# tools/suite.sh NAME COMMAND…: runs one suite of `make test` and notes how long it took in build/suites.tsv.
# tools/suite.sh --begin: forgets the last run.  tools/suite.sh --table: prints every suite beside its share.
#
# The shares stand in tools/suites.tsv. A suite that takes longer than its share on two quiet cores is a defect, but not
# a failure: a busy machine is slow for everybody.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
notes=$root/build/suites.tsv
case $1 in
  --begin)
    mkdir -p "$root/build"
    : >"$notes"
    ;;
  --table)
    awk -F '\t' '
      function clock(s) { return sprintf("%d:%02d", s / 60, s % 60) }
      FNR == NR { if ($1 !~ /^#/) share[$1] = $2; next }
      FNR == 1 { printf "%-12s %6s %6s\n", "suite", "time", "share" }
      {
        printf "%-12s %6s %6s%s\n", $1, clock($2), clock(share[$1]), ($2 > share[$1] ? "  over its share" : "")
        total += $2; shares += share[$1]
      }
      END { printf "%-12s %6s %6s\n", "all", clock(total), clock(shares) }' "$root/tools/suites.tsv" "$notes"
    ;;
  *)
    name=$1
    shift
    begun=$SECONDS
    "$@"
    mkdir -p "$root/build"
    printf '%s\t%s\n' "$name" $((SECONDS - begun)) >>"$notes"
    ;;
esac
