def load():
    import polars
    return polars.DataFrame()

load()
