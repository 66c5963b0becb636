def first(rows):
    rows.sort()

print(first([3, 1])[0])
