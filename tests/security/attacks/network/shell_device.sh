# attack: the network files that bash simulates
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET
if (exec 3<> /dev/tcp/192.0.2.1/80) 2> /dev/null; then echo ESCAPED; exit; fi
if (exec 3<> /dev/udp/192.0.2.1/53) 2> /dev/null; then echo ESCAPED; exit; fi
echo BLOCKED
