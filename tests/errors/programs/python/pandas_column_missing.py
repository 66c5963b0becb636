import pandas as pd

frame = pd.DataFrame({"name": ["a"], "price": [1]})
print(frame["Price"].sum())
