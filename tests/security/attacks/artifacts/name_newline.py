# attack: a name with a line break, which forges lines in lists
# expect: outcome=ok
# artifacts: *
# expect-artifacts: good.txt
open("good.txt", "w").write("good")
open("evil\nnext: line.txt", "w").write("x")
