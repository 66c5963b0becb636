# attack: a user namespace through the tools of the image
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: unshare(
if unshare --user --map-root-user true 2> /dev/null; then echo ESCAPED; else echo BLOCKED; fi
