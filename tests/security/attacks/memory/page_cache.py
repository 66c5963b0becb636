# attack: reads a great part of the image, so that cached pages are charged to the cell; they must be reclaimed
# expect: outcome=ok
# expect-stdout: SURVIVED
# limits: memory_bytes=67108864 wall_ms=10000
import os

total = 0
for directory, _, names in os.walk("/usr/lib"):
    for name in names:
        try:
            with open(os.path.join(directory, name), "rb", buffering=0) as file:
                total += len(file.read(4 << 20))
        except OSError:
            continue
    if total > 200 << 20:
        break
print("SURVIVED")
