# attack: a socket among the artifacts
# expect: outcome=ok
# artifacts: *
# expect-artifacts: good.txt
import socket

server = socket.socket(socket.AF_UNIX)
server.bind("/work/evil.txt")
server.listen()
open("good.txt", "w").write("good")
