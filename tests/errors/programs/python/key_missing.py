row = {"price": 1, "amount": 2}
print(row["total"])
