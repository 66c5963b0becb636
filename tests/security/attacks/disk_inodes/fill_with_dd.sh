# attack: fills the disk with an ordinary tool
# expect: outcome=disk_limit
# limits: disk_bytes=16777216
dd if=/dev/zero of=/work/hoard bs=1M count=64 status=none || exit 1
echo ESCAPED
