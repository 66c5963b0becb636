with open("big.bin", "wb") as file:
    while True:
        file.write(b"x" * (1 << 20))
