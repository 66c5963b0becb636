import json

print(json.loads("{'a': 1}"))
