"""What a static check cannot see, the kernel stops all the same (P3).

The profile here forbids the socket module by name and reads every program. Each program below gets past it, because what
it loads is decided only when it runs. All of them end at the wall, and the result says so.
"""

from __future__ import annotations

import pytest

NO_SOCKET = """
[[rule]]
id = "no_socket"
verdict = "deny"
import = ["socket", "_socket"]
call = ["socket.*"]
reason = "no network here"
suggestion = "pass the data as files"
match = ["import socket"]
no_match = ["import json"]
"""

CONNECT = """
try:
    m.create_connection(("192.0.2.1", 80), timeout=1)
    print("ESCAPED")
except PermissionError:
    print("BLOCKED")
"""

HIDDEN = {
    "text from the input": "import importlib\nm = importlib.import_module(input())\n",
    "letters by their codes": "codes = [int(c) for c in open('codes.txt').read().split()]\n"
    "m = __import__(''.join(map(chr, codes)))\n",
    "code from a file": "ns = {}\nexec(open('hidden.txt').read(), ns)\nm = ns['m']\n",
    "a word turned around": "import importlib\nm = importlib.import_module(input()[::-1][::-1])\n",
    "what the interpreter has loaded": "import asyncio, sys\nm = sys.modules[input()]\n",
    "a choice that only a run makes": "m = __import__(sorted([input(), ''])[-1])\n",
}


@pytest.fixture
def inputs(directory):
    files = {
        "policies/no_socket.toml": NO_SOCKET,
        "hidden.txt": "import socket as m\n",
        "codes.txt": " ".join(str(ord(letter)) for letter in "socket"),
    }
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.parent.chmod(0o755)
        path.write_text(text)
        path.chmod(0o644)
    return (
        "--policy-dir", str(directory / "policies"), "--stdin", "socket\n",
        "--file", str(directory / "hidden.txt"), "--file", str(directory / "codes.txt"),
    )


def test_what_is_said_openly_is_rejected_before_it_runs(glovebox, inputs):
    result = glovebox.result("python", "import socket as m\n" + CONNECT, *inputs, "--policy", "no_socket")
    assert result["outcome"] == "rejected" and result["attempts"] == [], result


@pytest.mark.parametrize("way", HIDDEN)
def test_what_is_hidden_from_the_check_ends_at_the_wall(glovebox, inputs, way):
    result = glovebox.result("python", HIDDEN[way] + CONNECT, *inputs, "--policy", "no_socket")
    assert result["attempts"], f"the check saw through it: {result}"
    assert result["stdout"] == "BLOCKED\n", result
    assert any(denial["what"].startswith("socket(") and denial["layer"] == "seccomp" for denial in result["denials"])


@pytest.mark.parametrize("way", ["text from the input", "letters by their codes", "code from a file"])
def test_a_profile_that_does_not_take_hiding_for_an_answer_rejects_it(glovebox, inputs, way):
    result = glovebox.result("python", HIDDEN[way] + CONNECT, *inputs, "--policy", "sandboxed_python")
    assert result["outcome"] == "rejected" and result["attempts"] == [], result


def test_a_shell_that_builds_its_command_ends_at_the_wall(glovebox):
    code = 'a=/dev/t; b=cp/192.0.2.1/80; eval "exec 3<>$a$b" 2>/dev/null && echo ESCAPED || echo BLOCKED'
    result = glovebox.result("bash", code)
    assert result["stdout"] == "BLOCKED\n" and result["denials"], result


def test_javascript_that_builds_its_module_ends_at_the_wall(glovebox):
    code = """
const net = require(String.fromCharCode(...'110 101 116'.split(' ').map(Number)));
net.connect(80, '192.0.2.1').on('error', () => console.log('BLOCKED')).on('connect', () => console.log('ESCAPED'));
"""
    result = glovebox.result("javascript", code)
    assert result["stdout"] == "BLOCKED\n" and result["denials"], result
