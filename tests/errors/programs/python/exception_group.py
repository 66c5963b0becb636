def check(values):
    problems = []
    for value in values:
        try:
            int(value)
        except ValueError as error:
            problems.append(error)
    if problems:
        raise ExceptionGroup("bad values", problems)


check(["1", "x", "y"])
