# attack: escape sequences that would clear, recolour and retitle the terminal of whoever reads the result
# expect: outcome=ok
# expect-stdout: START
# expect-stdout: END
# forbid-stdout: [2J
import sys

sequences = ("\x1b[2J", "\x1b[31m", "\x1b]0;title\x07", "\x1b[6n", "\x1bP+q\x1b\\", "\x9b2J", "\x1b(0", "\x1bc", "\x08")
for sequence in sequences:
    sys.stdout.write("START" + sequence + "END\n")
    sys.stderr.write(sequence)
