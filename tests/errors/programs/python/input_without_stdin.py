name = input("Your name: ")
print(name)
