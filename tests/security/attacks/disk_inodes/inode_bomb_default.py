# attack: the same with the limit that holds when nobody asks for one
# expect: outcome=disk_limit
import os

for number in range(200_000):
    os.mkdir(f"/tmp/{number}")
print("ESCAPED 200000 directories")
