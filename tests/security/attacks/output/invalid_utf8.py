# attack: bytes that are no text: overlong, surrogate, truncated and out of range
# expect: outcome=ok
# expect-stdout: START
# expect-stdout: END
# expect-field: stdout_bytes=37
import os

broken = b"\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80\xfe\xff\x80\xbf\xe2\x82\n\xf0\x9f\x98"
os.write(1, b"START\n" + broken + b" END\n\xc3\xc3\xe2\n")
