"""Every refusal is seen from outside and says what, why and which grant would allow it (E3, I2, H1)."""

from __future__ import annotations

import pytest

LIBC = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"

# what starts the entry in `denials`, and the Python that causes it
CALLS = [
    (
        "socket(AF_INET, SOCK_STREAM)",
        "import socket\nattempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))",
    ),
    (
        "socket(AF_INET6, SOCK_DGRAM)",
        "import socket\nattempt(lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))",
    ),
    ("socket(AF_NETLINK", "import socket\nattempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))"),
    ("mount()", "call(libc.mount, b'none', b'/tmp', b'tmpfs', 0, None)"),
    ("umount2", "call(libc.umount2, b'/proc', 0)"),
    ("unshare(CLONE_NEWUSER)", "call(libc.unshare, 0x10000000)"),
    ("setns", "call(libc.setns, 0, 0)"),
    ("ptrace(PTRACE_ATTACH)", "call(libc.ptrace, 16, 1, None, None)"),
    ("bpf(", "call(libc.syscall, 321, 0, None, 0)"),
    ("perf_event_open", "call(libc.syscall, 298, None, 0, -1, -1, 0)"),
    ("keyctl", "call(libc.syscall, 250, 0, -3, 0, 0, 0)"),
    ("init_module", "call(libc.syscall, 175, None, 0, None)"),
]
PREAMBLE = LIBC + """
def attempt(action):
    try:
        action()
        print('allowed')
    except OSError as error:
        print('refused', error.errno)

def call(function, *arguments):
    ctypes.set_errno(0)
    print('refused' if function(*arguments) == -1 else 'allowed', ctypes.get_errno())
"""


def test_swallowed_refusals_are_listed_and_the_run_stays_ok(glovebox):
    code = PREAMBLE + "\n".join(code for _, code in CALLS)
    result = glovebox.result("python", code)
    assert (result["outcome"], result["exit_code"], result["error"]) == ("ok", 0, None), result
    assert result["stdout"].splitlines() == ["refused 1"] * len(CALLS), "EPERM each time"
    for (what, _), denial in zip(CALLS, result["denials"], strict=True):
        assert denial["what"].startswith(what), denial
        assert (denial["layer"], denial["count"]) == ("seccomp", 1)
        assert denial["target"] and denial["grant"], "the reason and the grant"


def test_equal_refusals_are_counted(glovebox):
    code = PREAMBLE + "import socket\nfor _ in range(7): attempt(socket.socket)"
    denials = glovebox.result("python", code)["denials"]
    assert [(denial["what"], denial["count"]) for denial in denials] == [("socket(AF_INET, SOCK_STREAM)", 7)]
    assert "no network broker" in denials[0]["grant"], "what is true: a request with network.allow is refused today"


@pytest.mark.parametrize("family", ["AF_NETLINK", "AF_PACKET", "AF_ALG", "AF_VSOCK"])
def test_no_grant_is_named_for_sockets_that_nothing_allows(glovebox, family):
    code = PREAMBLE + f"import socket\nattempt(lambda: socket.socket(socket.{family}, socket.SOCK_RAW))"
    [denial] = glovebox.result("python", code)["denials"]
    assert denial["what"].startswith(f"socket({family}")
    assert denial["grant"].startswith("nothing") and "network" not in denial["grant"]


@pytest.mark.parametrize(
    "language, code",
    [
        ("python", "import urllib.request\nurllib.request.urlopen('http://192.0.2.1/')"),
        ("javascript", "require('net').connect(80, '192.0.2.1')"),
        ("bash", "exec 3<>/dev/tcp/192.0.2.1/80"),
    ],
)
def test_a_program_that_fails_for_a_refusal_is_denied(glovebox, language, code):
    ended = glovebox.run(language, code)
    assert ended.status == 126, ended
    assert "refused socket(AF_INET" in ended.err and "network.allow" in ended.err
    result = glovebox.result(language, code)
    assert (result["outcome"], result["error"]["code"]) == ("denied", "denied")
    assert "network.allow" in result["error"]["hint"]
    assert any(denial["what"].startswith("socket(AF_INET") for denial in result["denials"])


def test_an_error_of_the_program_without_a_refusal_is_its_own(glovebox):
    result = glovebox.result("python", "open('/etc/shadow')")
    assert (result["outcome"], result["denials"]) == ("program_failed", [])


SWALLOWED = "import socket\ntry:\n    socket.socket()\nexcept OSError:\n    pass\n"


@pytest.mark.parametrize(
    "language, code, type_name",
    [
        ("python", SWALLOWED + "{}['address']", "KeyError"),
        (
            "javascript",
            "require('net').connect(80, '192.0.2.1').on('error', () => { const x = {}; x.address.port; });",
            "TypeError",
        ),
        ("bash", "set -u\n(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null\necho $address", "unbound_variable"),
    ],
)
def test_a_bug_after_a_swallowed_refusal_is_the_programs_own(glovebox, language, code, type_name):
    result = glovebox.result(language, code)
    assert (result["outcome"], result["error"]["type"]) == ("program_failed", type_name), result
    assert any(denial["what"].startswith("socket(AF_INET") for denial in result["denials"])
    assert "socket(AF_INET, SOCK_STREAM) was refused" in result["error"]["hint"], "listed, and mentioned"
    ended = glovebox.run(language, code)
    assert ended.status == result["exit_code"], "the program's own"


@pytest.mark.parametrize(
    "code",
    [
        SWALLOWED + "raise SystemExit(4)",
        SWALLOWED + "import os\nos.abort()",
        "import socket\ntry:\n    socket.socket()\nexcept OSError as error:\n    raise RuntimeError('no data') from error",
    ],
    ids=["exit", "signal", "chained"],
)
def test_an_end_that_does_not_rule_out_the_refusal_is_denied(glovebox, code):
    assert glovebox.result("python", code)["outcome"] == "denied"


def test_local_sockets_work(glovebox):
    code = """
import socket
a, b = socket.socketpair()
a.sendall(b'x')
server = socket.socket(socket.AF_UNIX)
server.bind('/tmp/server'); server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect('/tmp/server')
print(b.recv(1))
"""
    result = glovebox.result("python", code)
    assert (result["outcome"], result["stdout"], result["denials"]) == ("ok", "b'x'\n", [])


def test_a_storm_of_refusals_ends_and_is_counted(glovebox):
    code = PREAMBLE + """
import socket
made = 0
for number in range(700):
    try:
        socket.socket()
        made += 1
    except OSError:
        pass
print(made)
"""
    result = glovebox.result("python", code)
    assert (result["outcome"], result["stdout"]) == ("ok", "0\n"), result
    assert [denial["count"] for denial in result["denials"]] == [700]
