Here is the program you asked for:

print("hello")
