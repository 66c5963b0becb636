raise RuntimeError("first line\nsecond line\nthird line")
