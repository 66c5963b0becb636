# attack: deletes the programs, the settings and itself
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
rm -rf --no-preserve-root /usr/bin /etc /glovebox /dev /lib64 2> /dev/null
if [ -x /usr/bin/env ] && [ -r /glovebox/main.sh ]; then echo BLOCKED; else echo ESCAPED; fi
