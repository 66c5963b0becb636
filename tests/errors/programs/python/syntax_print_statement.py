value = 42
print value
