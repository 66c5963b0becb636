print(b"caf\xe9".decode("utf-8"))
