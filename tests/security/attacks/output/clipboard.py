# attack: the sequence that puts a command into the reader's clipboard
# expect: outcome=ok
# expect-stdout: START
# expect-stdout: END
# forbid-stdout: cm0gLXJmIH4K
print("START\x1b]52;c;cm0gLXJmIH4K\x07END")
