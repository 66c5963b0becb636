def solve(input):
    return set(input)
