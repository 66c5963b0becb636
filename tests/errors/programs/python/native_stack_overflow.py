import sys

sys.setrecursionlimit(10_000_000)

class Deep:
    def __repr__(self):
        return repr([self])

repr(Deep())
