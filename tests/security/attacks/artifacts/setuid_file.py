# attack: a program with the setuid bit among the artifacts; saved outside, it must have lost it
# expect: outcome=ok
# artifacts: *.bin
# expect-artifacts: tool.bin
# limits: artifact_file_bytes=33554432
import os
import shutil

shutil.copy("/usr/bin/env", "tool.bin")
os.chmod("tool.bin", 0o6777)
