import pandas as pd

frame = pd.DataFrame({"a": [1.0, None]})
print(frame["a"].astype(int))
