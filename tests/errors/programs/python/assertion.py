values = [3, 1, 2]
assert values == sorted(values), "the values are not sorted"
