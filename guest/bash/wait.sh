# A shell that is loaded and sealed and waits for its one program.
#
# Says one byte on descriptor 3 when it is ready, then reads its orders there until the end: fields that end in NUL,
# "script" or "solve", the number of arguments, the arguments, then NAME=value each.
printf r >&3
mapfile -d '' -u 3 __glovebox_orders
exec 3>&-
((${#__glovebox_orders[@]} >= 2)) || exit 0 # whoever wanted a program to run has gone
for __glovebox_variable in "${__glovebox_orders[@]:2+__glovebox_orders[1]}"; do
  export "$__glovebox_variable"
done
set -- "${__glovebox_orders[@]:2:__glovebox_orders[1]}"
BASH_ARGV0=/glovebox/main.sh
if [[ ${__glovebox_orders[0]} == solve ]]; then
  unset __glovebox_orders __glovebox_variable
  set -- /glovebox/main.sh /glovebox/input.json /tmp/.glovebox-value.json "$@"
  . /glovebox/support/solve.sh
  exit
fi
unset __glovebox_orders __glovebox_variable
. /glovebox/main.sh
