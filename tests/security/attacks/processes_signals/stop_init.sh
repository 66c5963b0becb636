# attack: stops the cell's process 1, so that nobody reports the end of the program
# expect: outcome=ok
# expect-stdout: STILL HERE
# forbid-stdout: ESCAPED
kill -STOP 1 2> /dev/null
sleep 0.1
echo STILL HERE
