numbers = iter([1])
next(numbers)
next(numbers)
