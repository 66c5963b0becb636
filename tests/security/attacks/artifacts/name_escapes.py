# attack: a name with terminal sequences
# expect: outcome=ok
# artifacts: *
# expect-artifacts: good.txt
open("\x1b[2Jevil.txt", "w").write("x")
open("\x9bevil.txt", "w").write("x")
open("good.txt", "w").write("good")
