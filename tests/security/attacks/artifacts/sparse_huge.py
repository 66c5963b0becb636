# attack: a file that takes no space and says it is four times as long as an artifact may be
# expect: outcome=output_limit
# expect-field: error.code="artifact_limit"
# artifacts: *.bin
import os

os.truncate(os.open("huge.bin", os.O_CREAT | os.O_RDWR), 32 << 20)
