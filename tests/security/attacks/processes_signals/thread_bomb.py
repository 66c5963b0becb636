# attack: starts threads without end; they count like processes
# expect: outcome=process_limit
import threading
import time

while True:
    try:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    except RuntimeError:
        time.sleep(0.01)
