import time

print("waiting", flush=True)
time.sleep(60)
