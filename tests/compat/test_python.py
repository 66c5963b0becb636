"""Ordinary Python programs in a cell."""

from __future__ import annotations

import struct
import zlib

import pytest

from support.glovebox_runner import input_file
from support.needs import needs_module


@needs_module("numpy")
def test_numpy_computes(run_well):
    code = """
import numpy as np
matrix = np.arange(9.0).reshape(3, 3) + np.eye(3)
print(round(float(np.linalg.det(matrix)), 6), np.linalg.solve(matrix, np.ones(3)).round(4).tolist())
rng = np.random.default_rng(7)
print((rng.random((300, 300)) @ rng.random((300, 300))).shape, np.fft.fft(np.ones(8))[0].real)
"""
    stdout, _ = run_well("python", code)
    assert stdout == "-5.0 [-2.0, -0.2, 1.6]\n(300, 300) 8.0\n"


@needs_module("pandas")
def test_pandas_groups_a_csv(run_well):
    code = """
import pandas as pd
frame = pd.read_csv("sales.csv", parse_dates=["day"])
print(frame.groupby("kind")["amount"].sum().to_dict())
print(frame.set_index("day").resample("M")["amount"].sum().tolist())
frame.to_csv("out.csv", index=False)
"""
    table = "day,kind,amount\n2024-01-05,a,1\n2024-01-09,b,2\n2024-02-01,a,4\n"
    stdout, files = run_well("python", code, files=[input_file("sales.csv", table)], artifacts=["out.csv"])
    assert stdout == "{'a': 5, 'b': 2}\n[3, 4]\n"
    assert files["out.csv"].decode() == table


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG whose every chunk has the right checksum and whose pixels unpack to the right size."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    position, header, pixels, ended = 8, b"", b"", False
    while position < len(data):
        (length,) = struct.unpack(">I", data[position : position + 4])
        kind, body = data[position + 4 : position + 8], data[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack(">I", data[position + 8 + length : position + 12 + length])
        assert checksum == zlib.crc32(kind + body)
        header = body if kind == b"IHDR" else header
        pixels += body if kind == b"IDAT" else b""
        ended = kind == b"IEND"
        position += 12 + length
    assert ended
    width, height, depth, colour = struct.unpack(">IIBB", header[:10])
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    assert len(zlib.decompress(pixels)) == height * (1 + width * channels * depth // 8)
    return width, height


@needs_module("matplotlib")
def test_matplotlib_draws_a_png(run_well):
    code = """
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(4, 3), dpi=100)
axes.plot([1, 2, 3], [1, 4, 9], label="squares")
axes.set_title("Title with ü and $x^2$")
axes.legend()
figure.savefig("plot.png")
print("drawn")
"""
    # Without a font cache the first import looks at every font of the host.
    limits = {"wall_ms": 30_000, "cpu_ms": 20_000}
    stdout, files = run_well("python", code, artifacts=["*.png"], limits=limits)
    assert stdout.endswith("drawn\n")
    assert png_size(files["plot.png"]) == (400, 300)


@needs_module("sklearn")
def test_scikit_learn_fits(run_well):
    code = """
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.ensemble import RandomForestClassifier
samples, labels = make_classification(n_samples=300, n_features=8, class_sep=2.0, random_state=1)
for model in (LogisticRegression(), RandomForestClassifier(n_estimators=20, random_state=1)):
    print(model.fit(samples, labels).score(samples, labels) > 0.9)
"""
    # Importing scipy and scikit-learn alone takes seconds of CPU on a slow machine.
    stdout, _ = run_well("python", code, limits={"wall_ms": 30_000, "cpu_ms": 20_000})
    assert stdout == "True\nTrue\n"


PYTHON = {
    "subprocess": (
        """
import subprocess
print(subprocess.run(["sort", "-r"], input="a\\nb\\n", capture_output=True, text=True, check=True).stdout.split())
print(subprocess.check_output("echo $((6*7)) | tr -d '\\n'", shell=True).decode())
with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
    print(process.communicate(b"x" * 200_000)[0].count(b"x"))
try:
    subprocess.run(["sleep", "60"], timeout=0.2)
except subprocess.TimeoutExpired:
    print("timed out")
""",
        "['b', 'a']\n42\n200000\ntimed out\n",
    ),
    "threading": (
        """
import queue, threading
jobs, done = queue.Queue(), []
def work():
    while (job := jobs.get()) is not None:
        done.append(job * job)
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[jobs.put(number) for number in range(100)]
[jobs.put(None) for _ in threads]
[thread.join() for thread in threads]
print(sum(done))
""",
        "328350\n",
    ),
    "multiprocessing": (
        """
import multiprocessing, os
def square(number):
    return number * number
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, range(8)))
    value = multiprocessing.Value("i", 0)
    def add():
        with value.get_lock():
            value.value += 1
    workers = [multiprocessing.Process(target=add) for _ in range(2)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    print(value.value, [worker.exitcode for worker in workers])
""",
        "[0, 1, 4, 9, 16, 25, 36, 49]\n2 [0, 0]\n",
    ),
    "multiprocessing_spawn": (
        """
import multiprocessing
def double(number):
    return 2 * number
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(double, [1, 2, 3]))
""",
        "[2, 4, 6]\n",
    ),
    "shared_memory": (
        """
from multiprocessing import shared_memory
segment = shared_memory.SharedMemory(create=True, size=1024)
segment.buf[:4] = b"data"
other = shared_memory.SharedMemory(segment.name)
print(bytes(other.buf[:4]))
other.close(); segment.close(); segment.unlink()
""",
        "b'data'\n",
    ),
    "sqlite3": (
        """
import sqlite3
base = sqlite3.connect("data.db")
base.execute("pragma journal_mode=wal")
base.execute("create table item (name text, price real)")
base.executemany("insert into item values (?, ?)", [("a", 1.5), ("b", 2.5)])
base.commit()
print(sqlite3.connect("data.db").execute("select sum(price), count(*) from item").fetchone())
""",
        "(4.0, 2)\n",
    ),
    "tempfile": (
        """
import os, tempfile
with tempfile.TemporaryDirectory() as directory, tempfile.NamedTemporaryFile("w+", dir=directory) as file:
    file.write("x"); file.flush()
    print(os.listdir(directory) == [os.path.basename(file.name)], os.path.getsize(file.name))
with tempfile.TemporaryFile() as file:
    print(file.write(b"abc"))
""",
        "True 1\n3\n",
    ),
    "asyncio": (
        """
import asyncio
async def main():
    results = await asyncio.gather(*(asyncio.sleep(0.01, number) for number in range(3)))
    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    out, _ = await process.communicate(b"through cat")
    left, right = asyncio.Queue(), asyncio.Event()
    await left.put(1); right.set(); await right.wait()
    print(results, out, process.returncode, await asyncio.to_thread(sum, [1, 2]))
asyncio.run(main())
""",
        "[0, 1, 2] b'through cat' 0 3\n",
    ),
    "unix_sockets": (
        """
import socket, socketserver, threading
class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.readline().upper())
with socketserver.ThreadingUnixStreamServer("/tmp/echo.sock", Echo) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = socket.socket(socket.AF_UNIX); client.connect("/tmp/echo.sock"); client.send(b"hello\\n")
    print(client.recv(100)); server.shutdown()
""",
        "b'HELLO\\n'\n",
    ),
    "concurrent_futures": (
        """
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
def cube(number):
    return number ** 3
if __name__ == "__main__":
    with ThreadPoolExecutor(4) as threads, ProcessPoolExecutor(2) as processes:
        print(list(threads.map(cube, range(4))), list(processes.map(cube, range(4))))
""",
        "[0, 1, 8, 27] [0, 1, 8, 27]\n",
    ),
    "ctypes": (
        """
import ctypes
libc = ctypes.CDLL("libc.so.6")
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 4)(3, 1, 2, 0)
libc.qsort(numbers, 4, 4, compare(lambda a, b: a[0] - b[0]))
print(list(numbers), libc.abs(-5))
""",
        "[0, 1, 2, 3] 5\n",
    ),
    "decimal_and_fractions": (
        """
from decimal import Decimal, getcontext
from fractions import Fraction
getcontext().prec = 30
print(Decimal(1) / Decimal(7), Fraction(1, 3) + Fraction(1, 6))
""",
        "0.142857142857142857142857142857 1/2\n",
    ),
    "zoneinfo": (
        """
from datetime import datetime
from zoneinfo import ZoneInfo
print(datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin")).astimezone(ZoneInfo("Asia/Tokyo")).isoformat())
""",
        "2024-07-01T19:00:00+09:00\n",
    ),
    "compression_and_archives": (
        """
import bz2, gzip, lzma, tarfile, zipfile, io
data = b"abc" * 1000
print([module.decompress(module.compress(data)) == data for module in (bz2, gzip, lzma)])
open("a.txt", "w").write("in archive")
with tarfile.open("a.tar.gz", "w:gz") as archive: archive.add("a.txt")
with zipfile.ZipFile("a.zip", "w") as archive: archive.write("a.txt")
print(tarfile.open("a.tar.gz").getnames(), zipfile.ZipFile("a.zip").read("a.txt"))
""",
        "[True, True, True]\n['a.txt'] b'in archive'\n",
    ),
    "randomness_and_hashes": (
        """
import hashlib, os, random, secrets, uuid
random.seed(3)
print(hashlib.sha256(b"x").hexdigest()[:8], len(os.urandom(8)), len(secrets.token_hex(4)), uuid.uuid4().version)
print(hashlib.scrypt(b"p", salt=b"s", n=1024, r=1, p=1, dklen=4).hex(), random.randrange(100))
""",
        "2d711642 8 8 4\ne68be615 30\n",
    ),
    "files_and_links": (
        """
import os, pathlib, shutil
root = pathlib.Path("tree"); (root / "a/b").mkdir(parents=True)
(root / "a/b/file.txt").write_text("Grüße")
os.symlink("a/b/file.txt", root / "link"); os.link(root / "a/b/file.txt", root / "hard")
shutil.copytree(root, "copy", symlinks=True)
print(sorted(str(path.relative_to("copy")) for path in pathlib.Path("copy").rglob("*")), (root / "link").read_text())
os.chmod(root / "a/b/file.txt", 0o600); os.utime(root / "a/b/file.txt", (1, 2)); os.mkfifo("pipe")
print(os.stat(root / "a/b/file.txt").st_mtime, os.access("/usr/bin/env", os.X_OK), os.getcwd())
""",
        "['a', 'a/b', 'a/b/file.txt', 'hard', 'link'] Grüße\n2.0 True /work\n",
    ),
    "memory_maps_and_signals": (
        """
import mmap, os, resource, select, signal
mapping = mmap.mmap(-1, 8192); mapping[:3] = b"abc"
caught = []
signal.signal(signal.SIGUSR1, lambda *_: caught.append("usr1")); os.kill(os.getpid(), signal.SIGUSR1)
signal.signal(signal.SIGALRM, lambda *_: caught.append("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.05); signal.pause()
reader, writer = os.pipe(); os.write(writer, b"x")
poll = select.epoll(); poll.register(reader, select.EPOLLIN)
print(mapping[:3], caught, len(poll.poll(1)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0)
""",
        "b'abc' ['usr1', 'alarm'] 1 True\n",
    ),
    "arguments_and_stdin": (
        "import sys\nprint(sys.argv[1:], sys.stdin.read().split(), sys.stdin.encoding)\n",
        "['one', 'two words'] ['piped', 'in'] utf-8\n",
    ),
    "modules_from_files": ("import helper\nprint(helper.answer())\n", "42\n"),
    "identity": (
        """
import getpass, os, platform, pwd, socket
print(getpass.getuser(), pwd.getpwuid(os.getuid()).pw_name, socket.gethostname(), platform.system())
""",
        "user user glovebox Linux\n",
    ),
}


@pytest.mark.parametrize("name", PYTHON)
def test_python_works_with(run_well, name):
    code, expected = PYTHON[name]
    fields = {}
    if name == "arguments_and_stdin":
        fields = {"args": ["one", "two words"], "stdin": "piped in\n"}
    if name == "modules_from_files":
        fields = {"files": [input_file("helper.py", "def answer():\n    return 42\n")]}
    stdout, _ = run_well("python", code, **fields)
    assert stdout == expected
