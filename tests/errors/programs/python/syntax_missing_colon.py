total = 0
for item in range(3)
    total += item
