from .helpers import clean

print(clean("x"))
