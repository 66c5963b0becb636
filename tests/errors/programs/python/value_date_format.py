from datetime import datetime

print(datetime.strptime("31.12.2024", "%Y-%m-%d"))
