row = {"price": 1}
try:
    row["total"]
except KeyError as error:
    raise ValueError("the row has no total") from error
