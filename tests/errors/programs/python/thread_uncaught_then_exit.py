import sys
import threading

done = []

def work():
    done.append(1 / 0)

thread = threading.Thread(target=work)
thread.start()
thread.join()
sys.exit(0 if done else 1)
