# attack: connects outside and does not handle the refusal: the verdict names the wall, not the crash
# expect: outcome=denied
# expect-denial: socket(AF_INET, SOCK_STREAM
import socket

socket.create_connection(("192.0.2.1", 80), timeout=1)
print("ESCAPED")
