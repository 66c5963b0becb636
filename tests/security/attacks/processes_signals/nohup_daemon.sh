# attack: nohup, setsid and disown together keep a background job alive
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
nohup setsid sleep 600 > /dev/null 2>&1 < /dev/null &
disown
echo LEFT
