# A shell that is loaded and sealed and waits for its one program.
#
# Its BASH_ENV: bash runs this before it opens its script, which is not there yet, and then carries on as if it had been
# started just now. So the program is the script and not something that a script of ours sources: `return`, $LINENO,
# $FUNCNAME and traces are as in any other shell.
#
# Says one byte on descriptor 3 when it is ready, then reads its orders there until the end: fields that end in NUL,
# "script" or "solve", the number of arguments, the arguments, then NAME=value each.
unset BASH_ENV
printf r >&3
mapfile -d '' -u 3 __glovebox_orders
exec 3>&-
((${#__glovebox_orders[@]} >= 2)) || exit 0 # whoever wanted a program to run has gone
for __glovebox_variable in "${__glovebox_orders[@]:2+__glovebox_orders[1]}"; do
  export "$__glovebox_variable"
done
set -- "${__glovebox_orders[@]:2:__glovebox_orders[1]}"
if [[ ${__glovebox_orders[0]} == solve ]]; then
  unset __glovebox_orders __glovebox_variable
  set -- /glovebox/main.sh /glovebox/input.json /tmp/.glovebox-value.json "$@"
  . /glovebox/support/solve.sh
  exit
fi
unset __glovebox_orders __glovebox_variable
: /usr/bin/bash # what $_ is in a new shell
