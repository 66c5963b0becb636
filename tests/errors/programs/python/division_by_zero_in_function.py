def mean(values):
    return sum(values) / len(values)


def report(groups):
    return {name: mean(values) for name, values in groups.items()}


print(report({"a": [1, 2], "b": []}))
