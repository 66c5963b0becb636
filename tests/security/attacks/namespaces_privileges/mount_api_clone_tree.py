# attack: clones a mount tree into a descriptor
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: open_tree
from attack import refused

OPEN_TREE, AT_FDCWD, OPEN_TREE_CLONE = 428, -100, 1
refused(OPEN_TREE, AT_FDCWD, b"/\0", OPEN_TREE_CLONE)
