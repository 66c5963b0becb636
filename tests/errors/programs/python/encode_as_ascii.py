print("café".encode("ascii"))
