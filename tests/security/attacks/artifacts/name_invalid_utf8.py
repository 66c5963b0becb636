# attack: a name that is no text
# expect: outcome=ok
# artifacts: *
# expect-artifacts: good.txt
open(b"evil\xff\xfe.txt", "w").write("x")
open("good.txt", "w").write("good")
