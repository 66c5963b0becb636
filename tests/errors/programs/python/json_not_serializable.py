import json
from datetime import date

print(json.dumps({"day": date(2024, 1, 1)}))
