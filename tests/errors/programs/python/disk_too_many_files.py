for number in range(100_000):
    open(f"file{number}", "w").close()
