# attack: loads a program into the kernel
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: bpf(
from attack import refused

BPF = 321
refused(BPF, 5, bytes(128), 128)
