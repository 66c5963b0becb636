#!/usr/bin/env bash
# tools/fuzz_smoke.sh [SECONDS]: builds every fuzz target and runs them all within that time (default 150), two at a time
# and each for an equal part of it, however many there are.
#
# Prints one line per target. Fails when a target crashes, hangs (10 s for one input), takes more than 2 GiB, leaks, or
# runs nothing. What it found lies in build/asan/findings, its log in build/asan/logs; the corpus grows in
# build/asan/corpus and is used again the next time.
set -euo pipefail
total=${1:-150}
at_once=2
fewest=100  # executions of a target
root=$(dirname "$(dirname "$(readlink -f "$0")")")
build=$root/build/asan

cd "$root"
tools/configure.sh fuzz
cmake --build "$build" -j "$(nproc)" --target fuzzers
mkdir -p "$build"/{corpus/cgroup_layout_fuzz,findings,logs}
{
  cat /proc/self/mountinfo
  printf '\0'
  cat /proc/self/cgroup
  printf '\0cpuset cpu memory pids\n'
} >"$build/corpus/cgroup_layout_fuzz/this_host"

# Where good inputs for a target already lie in the source tree.
seeds_of() {
  case $1 in
    api_fuzz) echo fuzz/seeds/api ;;
    artifact_formats_fuzz) echo fuzz/seeds/formats ;;
    mcp_message_fuzz) echo fuzz/seeds/mcp ;;
    contract_fuzz) echo contract/examples/requests contract/examples/results contract/examples/invalid ;;
    language_profile_fuzz) echo profiles/languages ;;
    program_error_fuzz) echo src/engine/languages/testdata ;;
    program_facts_fuzz) echo src/policy/reading/testdata tests/security/attacks ;;
    redaction_rules_fuzz) echo profiles/redaction ;;
    policy_profile_fuzz) echo profiles/policies ;;
    redactor_fuzz) echo tests/redaction/corpus/secrets contract/examples/results ;;
    seccomp_profile_fuzz) echo profiles/seccomp ;;
  esac
}

# fuzz TARGET LIBFUZZER-FLAGS…
fuzz() {
  local name=$1
  shift
  # shellcheck disable=SC2046  # a list of directories without spaces
  "$build/fuzzers/$name" "$@" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$name-" "$build/corpus/$name" $(seeds_of "$name")
}

executions_in() {
  sed -n 's/^stat::number_of_executed_units: *//p' "$1" | tail -n 1
}

run_one() {
  local name=$1 status=0 log=$build/logs/$1.log runs
  mkdir -p "$build/corpus/$name"
  fuzz "$name" -max_total_time="$seconds" >"$log" 2>&1 || status=$?
  runs=$(executions_in "$log")
  # On a slow machine the time may be over before anything was tried.
  if [ "$status" -eq 0 ] && [ "${runs:-0}" -lt "$fewest" ]; then
    fuzz "$name" -runs="$fewest" >"$log" 2>&1 || status=$?
    runs=$(executions_in "$log")
  fi
  if [ "$status" -ne 0 ]; then
    printf '%-24s FAILED with status %s; the end of %s:\n' "$name" "$status" "$log"
    tail -n 30 "$log"
    return 1
  fi
  if [ "${runs:-0}" -lt "$fewest" ]; then
    printf '%-24s FAILED: only %s executions in %s s\n' "$name" "${runs:-0}" "$seconds"
    return 1
  fi
  printf '%-24s %12s executions in %s s, nothing found\n' "$name" "$runs" "$seconds"
}

programs=("$build"/fuzzers/*_fuzz)
seconds=$((total * at_once / ${#programs[@]}))
seconds=$((seconds > 0 ? seconds : 1))

failed=0
running=0
for program in "${programs[@]}"; do
  if [ "$running" -ge "$at_once" ]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  run_one "$(basename "$program")" &
  running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
  wait -n || failed=1
  running=$((running - 1))
done
exit $failed
