"""Two cells at the same time in one service: what one does must be nothing to the other.

Cells of one language come out of the same nursery and, for Python, out of the same zygote. A spy locks, leases and
watches whatever it can reach of what they have in common; a victim of another tenant beside it goes its way.
"""

from __future__ import annotations

import json
import os
import threading
import time

import pytest

from support.glovebox_runner import slowness
from support.service import Service

WATCH_S = 3 * min(slowness(), 8)
LIMITS = {"wall_ms": int(15_000 * min(slowness(), 8)), "cpu_ms": int(15_000 * min(slowness(), 8))}

# Files and directories that both cells see: of the image, and of the language's support.
FILES = ["/usr/bin/od", "/usr/lib/os-release", "/glovebox/support/start.py", "/glovebox/support/solve.py"]
DIRECTORIES = ["/usr", "/usr/bin", "/usr/lib/python3.11/wsgiref", "/usr/share/doc", "/glovebox/support"]

SPY = f"""
import ctypes, fcntl, os, struct, sys, time

libc = ctypes.CDLL(None, use_errno=True)
notify = libc.inotify_init1(os.O_NONBLOCK)
watched = {{}}
held = []
for path in {FILES}:
    try:
        file = os.open(path, os.O_RDONLY)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.append(file)
    except OSError:
        pass
    for lease in (fcntl.F_WRLCK, fcntl.F_RDLCK):
        try:
            file = os.open(path, os.O_RDONLY)
            fcntl.fcntl(file, fcntl.F_SETLEASE, lease)
            held.append(file)
            break
        except OSError:
            pass
for path in {DIRECTORIES}:
    watched[libc.inotify_add_watch(notify, path.encode(), 0xFFF)] = path
watched[libc.inotify_add_watch(notify, b"/tmp", 0xFFF)] = "/tmp"
open("/tmp/watching works", "w").close()
print("READY", flush=True)
end = time.monotonic() + {WATCH_S}
seen = set()
while time.monotonic() < end:
    try:
        data = os.read(notify, 65536)
    except BlockingIOError:
        time.sleep(0.01)
        continue
    while data:
        watch, mask, _, length = struct.unpack_from("iIII", data)
        seen.add((watched.get(watch), data[16 : 16 + length].rstrip(b"\\0").decode()))
        data = data[16 + length :]
print("SEEN", sorted(seen))
"""

VICTIM = f"""
import fcntl, os, time

begun = time.monotonic()
for path in {FILES}:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except BlockingIOError:
        print("LEASED", path)
        continue
    except OSError:
        continue
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("LOCKED", path)
for path in {DIRECTORIES}:
    os.listdir(path)
open("/usr/lib/python3.11/wsgiref/headers.py").read(10)
print("DONE", time.monotonic() - begun < {WATCH_S})
"""


def warm(connection, code: str) -> dict:
    deadline = time.monotonic() + 60 * slowness()
    while True:
        result = connection.run(code, cache="off", limits=LIMITS).json
        if result["provenance"]["warm"] or time.monotonic() > deadline:
            assert result["provenance"]["warm"], result
            return result


class Spy:
    """Runs beside the test, once, in a warm cell; `with` begins when it watches."""

    def __init__(self, connection):
        self.connection = connection
        self.lines: list[bytes] = []
        self.watches = threading.Event()
        self.thread = threading.Thread(target=self._follow)

    def _follow(self):
        sent = {"code": SPY, "cache": "off", "limits": LIMITS}
        headers = {"Accept": "text/event-stream", "Content-Type": "application/json"}
        if self.connection.key:
            headers["Authorization"] = f"Bearer {self.connection.key}"
        self.connection.client.request("POST", "/v1/runs", json.dumps(sent), headers)
        for line in self.connection.client.getresponse():
            self.lines.append(line)
            if b"READY" in line:
                self.watches.set()

    def __enter__(self):
        self.thread.start()
        assert self.watches.wait(60 * slowness()), self.lines
        return self

    def __exit__(self, *_):
        self.thread.join()

    def result(self) -> dict:
        data = [line[len(b"data:") :] for line in self.lines if line.startswith(b"data:")]
        return next(found for each in data if "provenance" in (found := json.loads(each)))


@pytest.mark.parametrize("tenants_apart", ["true", "false"])
def test_cells_of_one_service_share_no_inode(glovebox_binary, tmp_path, tenants_apart):
    service = Service(glovebox_binary, tmp_path / "data", config=f"[pool]\ntenants_apart = {tenants_apart}\n")
    try:
        spy, victim = (service.connect(service.make_key(tenant, "run")) for tenant in ("spy", "victim"))
        if victim.run("print(1)").json["outcome"] == "setup_failed" and os.geteuid() != 0:
            pytest.skip("needs control groups")
        for connection in (spy, victim):
            warm(connection, "print(1)")
        with Spy(spy) as spying:
            victims = [warm(victim, VICTIM) for _ in range(3)]
            assert spying.thread.is_alive(), "the victims ran beside the spy"
        result = spying.result()
        assert result["provenance"]["warm"], result
        for each in victims:
            assert each["stdout"] == "DONE True\n", each
        spied = result["stdout"]
        assert spied.startswith("READY\nSEEN ") and "watching works" in spied, result
        # Its own steps are all that it sees: none of the victim's directories, and not the file that the victim read.
        for path in ("/usr/bin", "wsgiref", "/usr/share/doc"):
            assert path not in spied, spied
    finally:
        assert service.end() == 0, service.lines
