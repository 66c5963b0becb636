# attack: gives one file thousands of names
# expect: outcome=disk_limit
# limits: inodes=1000
import os

open("/work/one", "w").close()
for number in range(5000):
    os.link("/work/one", f"/work/{number}")
print("ESCAPED 5000 names on 1000 inodes")
