with open("data.csv") as file:
    print(file.read())
