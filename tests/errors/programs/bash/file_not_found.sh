cat < data.csv
