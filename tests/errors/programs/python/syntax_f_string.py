price = 3
print(f"total: {price * 2")
