# attack: creates a map in the kernel
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: bpf(
from attack import refused

BPF = 321
refused(BPF, 0, bytes(128), 128)
