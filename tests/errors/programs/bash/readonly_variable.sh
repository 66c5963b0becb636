readonly limit=3
limit=4
