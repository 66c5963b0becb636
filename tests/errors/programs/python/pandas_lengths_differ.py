import pandas as pd

frame = pd.DataFrame({"a": [1, 2, 3]})
frame["b"] = [1, 2]
