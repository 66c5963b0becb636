# attack: opens the directory of the planted secrets by its path on the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# args: {secret_directory_parent}
import sys

from attack import cannot_read

cannot_read(sys.argv[1])
