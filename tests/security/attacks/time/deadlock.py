# attack: two threads wait for each other, and the interpreter waits for them
# expect: outcome=timeout
# limits: wall_ms=800
import threading
import time

first, second = threading.Lock(), threading.Lock()


def take(one, other):
    with one:
        time.sleep(0.1)
        with other:
            pass


threading.Thread(target=take, args=(first, second)).start()
take(second, first)
