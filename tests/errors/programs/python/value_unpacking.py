for name, price in ["a,1".split(",")] + [["b"]]:
    print(name, price)
