with open("/usr/share/result.txt", "w") as file:
    file.write("x")
