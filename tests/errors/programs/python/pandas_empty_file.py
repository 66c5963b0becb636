import pandas as pd

print(pd.read_csv("empty.csv"))
