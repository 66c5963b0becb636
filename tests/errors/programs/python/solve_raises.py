def solve(input):
    return input["missing"]
