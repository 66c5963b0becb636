import numpy as np

a = np.ones((3, 2))
b = np.ones((3, 4))
print(a + b)
