print(open("/tmp").read())
