# attack: an input file under a second name
# expect: outcome=ok
# file: input.csv=a,b\n1,2\n
# artifacts: *.out
# expect-artifacts: [copy.out]
import os

os.link("input.csv", "copy.out")
