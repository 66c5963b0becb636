# The "solve" form: solve.sh PROGRAM INPUT VALUE [ARGS...]
#
# Sources the user's program and calls its function solve with the JSON text as first argument and on standard
# input. What the function prints is the value, and must be JSON; messages for people belong on standard error.
__glovebox_program=$1 __glovebox_input=$2 __glovebox_value=$3
shift 3
source "$__glovebox_program" "$@" || exit
if ! declare -F solve >/dev/null; then
  echo "$__glovebox_program: line 1: solve: the program defines no function solve" >&2
  exit 1
fi
# Not in a condition: `set -e` of the program has to hold inside of the function.
solve "$(<"$__glovebox_input")" <"$__glovebox_input" >"$__glovebox_value"
__glovebox_status=$?
((__glovebox_status == 0)) || exit "$__glovebox_status"
if [[ ! -s $__glovebox_value ]]; then
  echo "$__glovebox_program: line 1: solve: printed nothing; it has to print one JSON value" >&2
  exit 1
fi
# An image without awk still gets an answer: the value is checked again outside of the cell.
if type -P awk >/dev/null && ! awk -f "${BASH_SOURCE[0]%/*}/json_check.awk" "$__glovebox_value" >&2; then
  echo "$__glovebox_program: line 1: solve: what it printed is not one JSON value" >&2
  exit 1
fi
exit 0
