# attack: becomes root through the image's own setuid programs
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
for try in "su root -c" "su -c" "runuser -u root --" "newgrp root -c" "pkexec"; do
  answer=$($try 'id -u' < /dev/null 2> /dev/null)
  if [ "$answer" = 0 ]; then echo "ESCAPED with $try"; exit; fi
done
echo BLOCKED
