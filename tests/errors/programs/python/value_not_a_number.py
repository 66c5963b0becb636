print(int("12 apples"))
