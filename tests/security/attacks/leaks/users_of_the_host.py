# attack: learns the users of the host from the password file
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# forbid-stdout: gbtest
import pwd

from attack import finish

users = {entry.pw_name for entry in pwd.getpwall()}
finish("BLOCKED" if users <= {"root", "user", "nobody"} else "ESCAPED", str(sorted(users)))
