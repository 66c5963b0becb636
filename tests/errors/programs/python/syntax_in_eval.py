expression = "3 +"
print(eval(expression))
