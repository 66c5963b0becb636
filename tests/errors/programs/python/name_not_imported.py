frame = pd.DataFrame({"a": [1]})
