with open("out.bin", "wb") as file:
    file.write(b"x" * 100_000)
