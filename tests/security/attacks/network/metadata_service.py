# attack: asks the metadata service of a cloud for credentials
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET
import urllib.error
import urllib.request

from attack import finish

try:
    answer = urllib.request.urlopen("http://169.254.169.254/latest/meta-data/", timeout=1).read()
except urllib.error.URLError as error:
    finish("BLOCKED" if isinstance(error.reason, PermissionError) else "UNCLEAR", str(error))
finish("ESCAPED", repr(answer))
