#!/bin/bash
# Runs the suites inside the test machine, as root, from one of three seats:
#
#   plain    this script is pid 1. It builds the cgroup tree that systemd would have built, delegates one directory of
#            it to the test user, and runs the suites from a leaf inside; then a few tests from an undelegated place.
#   attacks  the same with other suites, and nothing else.
#   systemd  a service of Debian's own init. The test user logs in (su through PAM) and has a session and a user
#            manager, but the session's cgroup belongs to root: for one of its own it has to ask the user manager.
#
# Each leg ends with a line "GLOVEBOX-VM-LEG …", the whole with "GLOVEBOX-VM-EXIT: <status>", then the power goes off.

seat=$1
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8
tests=/opt/glovebox
tester=1000
worst=0
# Brings slowness, modes, binary, the suites of each seat and pytest_arguments, as run_vm.py chose them.
plain_suites=() attacks_suites=() systemd_suites=() pytest_arguments=()
# shellcheck disable=SC1091
. $tests/vm.env

pytest=(/usr/bin/python3 -m pytest -p no:cacheprovider -q -rs --color=no --durations=5)

finish() {
  echo "GLOVEBOX-VM-EXIT: $worst"
  sync
  # The console is a serial line: let the last words leave before the power does.
  sleep 0.2
  busybox poweroff -f
}
trap finish EXIT

# The environment of the user's processes, from nothing: what root or the boot had must not reach the tests.
user_environment() {
  printf '%s\n' HOME=/home/tester USER=tester LOGNAME=tester SHELL=/bin/bash PATH=/usr/local/bin:/usr/bin:/bin \
    LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 GLOVEBOX_VM="$seat" GLOVEBOX_TEST_MODES="${modes:-user}" \
    GLOVEBOX_TEST_SLOWNESS="${slowness:-1}"
  [ -z "$binary" ] || printf '%s\n' GLOVEBOX_BIN="$tests/$binary"
}

# leg NAME STATUS SECONDS
report_leg() {
  echo "GLOVEBOX-VM-LEG $1: status $2 after $3 s"
  [ "$2" -eq 0 ] || worst=$2
}

# run_leg NAME CGROUP PYTEST-ARGUMENTS…: pytest as the test user, from inside the cgroup
run_leg() {
  local name=$1 cgroup=$2 started=$SECONDS environment
  shift 2
  echo "guest: leg '$name' in $cgroup: $*"
  mapfile -t environment < <(user_environment)
  (
    echo "$BASHPID" >"$cgroup/cgroup.procs" || exit 125
    cd "$tests" || exit 125
    exec env -i "${environment[@]}" setpriv --reuid=$tester --regid=$tester --init-groups --inh-caps=-all \
      "${pytest[@]}" "$@" </dev/null
  )
  report_leg "$name" $? $((SECONDS - started))
}

# run_login_leg NAME PYTEST-ARGUMENTS…: pytest in a login session of the test user
run_login_leg() {
  local name=$1 started=$SECONDS
  shift
  echo "guest: leg '$name' in a login session: $*"
  user_environment | sed 's/^/export /' >/run/glovebox-user.env
  su -l tester -c ". /run/glovebox-user.env && cd $tests && exec$(printf ' %q' "${pytest[@]}" "$@")" </dev/null
  report_leg "$name" $? $((SECONDS - started))
}

# run_root_leg NAME PYTEST-ARGUMENTS…: pytest as root, for what an administrator does
run_root_leg() {
  local name=$1 started=$SECONDS environment
  shift
  echo "guest: leg '$name' as root: $*"
  mapfile -t environment < <(user_environment)
  (cd "$tests" && exec env -i "${environment[@]}" HOME=/root USER=root LOGNAME=root PATH="$PATH" "${pytest[@]}" "$@") \
    </dev/null
  report_leg "$name" $? $((SECONDS - started))
}

# What systemd does for a unit with Delegate=yes: controllers reach the directory, and it and three files change hands.
# The leaf is what a service manager of the user would make in it.
delegated_leaf() {
  local slice=/sys/fs/cgroup/user.slice/user-$tester.slice scope
  scope=$slice/glovebox.scope
  mkdir -p "$scope" && enable_controllers /sys/fs/cgroup /sys/fs/cgroup/user.slice "$slice" &&
    mkdir "$scope/tests" && enable_controllers "$scope" &&
    chown $tester:$tester "$scope" "$scope"/{cgroup.procs,cgroup.threads,cgroup.subtree_control} \
      "$scope/tests" "$scope/tests"/{cgroup.procs,cgroup.threads,cgroup.subtree_control} &&
    echo "$scope/tests"
}

enable_controllers() {
  local directory
  for directory in "$@"; do
    echo "+cpu +memory +pids" >"$directory/cgroup.subtree_control" || return
  done
}

echo "guest: $(uname -sr) up after $(cut -d' ' -f1 /proc/uptime) s, $seat seat, $(nproc) processors," \
  "$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo) MiB," \
  "kernel.unprivileged_userns_clone=$(cat /proc/sys/kernel/unprivileged_userns_clone)"

case $seat in
  plain)
    ip link set lo up 2>/dev/null
    leaf=$(delegated_leaf) || { echo "guest: the cgroup cannot be delegated"; worst=125; exit; }
    run_leg machine "$leaf" tests/vm/guest/test_machine.py
    [ ${#plain_suites[@]} -eq 0 ] || run_leg suites "$leaf" "${pytest_arguments[@]}" "${plain_suites[@]}"
    if [ -n "$binary" ]; then
      undelegated=/sys/fs/cgroup/system.slice/undelegated.service
      mkdir -p $undelegated
      run_leg undelegated $undelegated tests/vm/guest/test_without_delegation.py
    fi
    ;;
  attacks)
    ip link set lo up 2>/dev/null
    leaf=$(delegated_leaf) || { echo "guest: the cgroup cannot be delegated"; worst=125; exit; }
    run_leg attacks "$leaf" "${pytest_arguments[@]}" "${attacks_suites[@]}"
    ;;
  systemd)
    run_login_leg systemd tests/vm/guest/test_systemd.py
    [ -z "$binary" ] || run_root_leg service tests/vm/guest/test_service_unit.py
    [ ${#systemd_suites[@]} -eq 0 ] || run_login_leg suites "${pytest_arguments[@]}" "${systemd_suites[@]}"
    ;;
esac
