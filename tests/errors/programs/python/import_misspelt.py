import numpi as np

print(np.arange(3))
