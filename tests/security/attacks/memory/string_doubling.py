# attack: doubles a string until memory ends
# expect: outcome=memory_limit
# limits: memory_bytes=67108864
text = "x"
while True:
    text += text
