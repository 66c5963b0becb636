title = "fine"
print(“Report”)
