# attack: boots another kernel from a file
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: kexec_file_load(
from attack import refused

KEXEC_FILE_LOAD = 320
refused(KEXEC_FILE_LOAD, -1, -1, 0, 0, 0)
