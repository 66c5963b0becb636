# attack: looks for the channel through which a waiting shell was told what to run
# expect: outcome=ok
# expect-stdout: BLOCKED
for path in /proc/$$/fd/*; do
  link=$(readlink "$path") # the one through which the list was read is gone by now
  case $link in
    pipe:* | '/memfd:stdin (deleted)' | /glovebox/main.sh | '') ;;
    *) echo "ESCAPED $path $link" ;;
  esac
done
for name in "${!__glovebox@}"; do
  echo "ESCAPED $name"
done
echo BLOCKED
