# attack: nests polling descriptors so deep that a wake-up would visit them all
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import select

from attack import finish

chain = [select.epoll()]
for depth in range(200):
    outer = select.epoll()
    try:
        outer.register(chain[-1].fileno())
    except OSError as error:
        finish("BLOCKED", f"{error} at depth {depth}")
    chain.append(outer)
finish("ESCAPED", "two hundred levels")
