import socket

socket.create_connection(("192.0.2.1", 443), timeout=2)
