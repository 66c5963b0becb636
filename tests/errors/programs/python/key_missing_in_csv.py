import csv

with open("sales.csv") as file:
    for row in csv.DictReader(file):
        print(row["Price"])
