# attack: names that a shell or a tool would take for something else
# expect: outcome=ok
# artifacts: *.txt
# expect-artifacts: --checkpoint-action=exec.txt $(reboot).txt ;reboot;.txt
for name in ("--checkpoint-action=exec.txt", "$(reboot).txt", ";reboot;.txt"):
    open(name, "w").write("x")
