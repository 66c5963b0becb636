# attack: thousands of symbolic links
# expect: outcome=disk_limit
# limits: inodes=1000
import os

for number in range(5000):
    os.symlink("x" * 1000, f"/work/{number}")
print("ESCAPED 5000 links on 1000 inodes")
