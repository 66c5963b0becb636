files = [open("/dev/null") for _ in range(10_000)]
