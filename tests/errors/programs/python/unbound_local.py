count = 0
def increase():
    count += 1

increase()
