# attack: makes empty files until the file system has no room for names
# expect: outcome=disk_limit
# limits: inodes=1000
for number in range(5000):
    open(f"/work/{number}", "w").close()
print("ESCAPED 5000 files on 1000 inodes")
