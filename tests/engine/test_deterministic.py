"""The deterministic mode: twice the same program gives the same bytes, on stdout, on stderr and in artifacts (D3).

Every program here prints what differs from run to run otherwise; that is checked too, or the first test could not fail.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from support.command_line import seconds, slowness
from support.glovebox_runner import build_request, input_file
from support.needs import needs_command, needs_module

START = 946684800  # 2000-01-01T00:00:00Z

PYTHON = {
    "clocks": """
import datetime, time
print(time.time(), time.monotonic(), time.perf_counter(), time.time_ns(), datetime.datetime.now(), time.ctime())
print(time.process_time(), time.thread_time(), time.clock_gettime(time.CLOCK_BOOTTIME))
""",
    "random": """
import os, random, secrets, uuid
print(random.random(), random.sample(range(1000), 5), random.SystemRandom().random(), os.urandom(8).hex())
print(uuid.uuid4(), uuid.uuid1(), secrets.token_hex(8), open('/dev/urandom', 'rb').read(8).hex(), os.getrandom(4).hex())
""",
    "hashes_and_addresses": """
print(hash('a'), {'a', 'b', 'c', 'd', 'e'}, object(), id(object()), lambda: 1)
""",
    "errors_with_addresses": """
class Thing: pass
print({}, Thing(), flush=True)
raise KeyError(Thing())
""",
    "temporary_names": """
import tempfile
print(tempfile.mkdtemp(), tempfile.NamedTemporaryFile().name, tempfile.mkstemp(suffix='.x')[1])
""",
    "file_times": """
import os, time
open('new.txt', 'w').write('x')
os.mkdir('directory')
print(os.stat('new.txt'), os.stat('directory'), os.stat('/work'), os.stat('data.csv'), os.stat('/glovebox/main.py'))
print(os.fstat(0), os.fstat(1), os.lstat('/dev/null').st_mtime, os.path.getatime('/usr/bin/env'))
time.sleep(0.01)
os.utime('new.txt')
print(os.stat('new.txt').st_mtime_ns, os.path.getctime('new.txt'))
""",
    "sleeping_threads": """
import os, random, threading, time
def work(number):
    time.sleep(0.4 * number)
    print(number, time.time(), random.random(), os.urandom(2).hex(), threading.get_ident())
threads = [threading.Thread(target=work, args=(number,)) for number in (3, 1, 2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(time.time())
""",
    "event_loop": """
import asyncio, random, time
async def work(number):
    await asyncio.sleep(0.02 * number)
    print(number, time.time(), random.random(), asyncio.get_running_loop().time())
async def main():
    await asyncio.gather(*[work(number) for number in (3, 1, 2)])
    process = await asyncio.create_subprocess_shell('date +%s.%N', stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0])
asyncio.run(main())
""",
    "children": """
import os, random, subprocess, time
print(subprocess.run('date +%s.%N; sleep 0.1; date +%N; head -c 4 /dev/urandom | od -An -tx1; echo $$', shell=True,
                     capture_output=True, text=True).stdout, time.time(), os.system('date +%N'), time.time())
for number in range(3):
    if os.fork() == 0:
        print(number, os.getpid(), os.urandom(3).hex(), time.time(), flush=True)
        time.sleep(0.01)
        os._exit(0)
    os.wait()
print(time.time(), os.urandom(3).hex())
""",
    "the_machine": """
import os, resource, time
time.sleep(0.01)
print(os.times(), resource.getrusage(resource.RUSAGE_SELF), time.clock_gettime(time.CLOCK_MONOTONIC_RAW))
print(os.cpu_count(), os.sched_getaffinity(0), os.getpid(), os.getppid(), os.environ, os.urandom(1))
""",
    "archives": """
import gzip, io, shutil, tarfile, zipfile
open('a.txt', 'w').write('hello')
open('a.gz', 'wb').write(gzip.compress(b'hello'))
with tarfile.open('a.tar', 'w') as archive: archive.add('a.txt'); archive.add('data.csv')
with zipfile.ZipFile('a.zip', 'w') as archive: archive.write('a.txt'); archive.writestr('b.txt', 'now')
""",
}

PYTHON_LIBRARIES = {
    "numpy": """
import numpy as np, numpy.random
print(np.random.rand(3), np.random.default_rng().normal(size=3), np.random.randint(0, 1000, 5), id(np.zeros(3)))
""",
    "pandas": """
import numpy as np, pandas as pd
frame = pd.DataFrame({'a': np.arange(20)})
print(frame.sample(5), pd.Timestamp.now(), frame.sample(frac=0.2).to_dict())
frame.sample(10).to_csv('sample.csv')
""",
    "sklearn": """
import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
import pickle
data = np.random.rand(120, 4)
target = (data.sum(axis=1) > 2).astype(int)
train, test, known, wanted = train_test_split(data, target)
forest = RandomForestClassifier(n_estimators=10).fit(train, known)
print(forest.predict_proba(test)[:4], forest.feature_importances_, KMeans(3, n_init=2).fit(data).inertia_)
pickle.dump(forest, open('forest.pickle', 'wb'))
""",
    "matplotlib": """
import numpy as np, matplotlib.pyplot as plt
plt.scatter(*np.random.rand(2, 30))
for kind in ('png', 'svg', 'pdf'): plt.savefig('plot.' + kind)
""",
}

JAVASCRIPT = {
    "clocks": """
console.log(Date.now(), new Date(), performance.now(), performance.timeOrigin);
console.log(process.hrtime.bigint(), process.uptime());
console.log(process.cpuUsage(), require('os').uptime(), require('os').loadavg(), require('os').cpus().length);
""",
    "random": """
const crypto = require('crypto');
console.log(Math.random(), crypto.randomUUID(), crypto.randomBytes(8), crypto.randomInt(1e9));
console.log(require('fs').mkdtempSync('/tmp/x-'), globalThis.crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)));
crypto.randomBytes(4, (error, bytes) => console.log(bytes));
""",
    "order_of_events": """
const fs = require('fs');
const now = (word) => console.log(word, performance.now());
setTimeout(() => now('ten'), 10); setTimeout(() => now('five'), 5); setTimeout(() => now('none'), 0);
setImmediate(() => now('immediate'));
for (let file = 0; file < 5; ++file) fs.readFile('/usr/bin/env', () => now('file ' + file));
require('zlib').gzip('text', (error, bytes) => now(bytes.toString('hex')));
require('crypto').pbkdf2('a', 'b', 1000, 8, 'sha256', () => now('key'));
let ticks = 0;
const interval = setInterval(() => { now('tick'); if (++ticks === 5) clearInterval(interval); }, 7);
const pause = () => new Promise((done) => setTimeout(done, 20));
(async () => { for (let turn = 0; turn < 3; ++turn) { await pause(); now(turn); } })();
""",
    "children": """
const { exec, execSync } = require('child_process');
console.log(String(execSync('date +%s.%N; head -c 4 /dev/urandom | od -An -tx1; sleep 0.05; mktemp')), Date.now());
exec('sleep 0.05; date +%N', (error, out) => console.log(out, Date.now()));
""",
    "files": """
const fs = require('fs');
fs.writeFileSync('random.txt', String(Math.random()) + new Date().toISOString());
console.log(fs.statSync('random.txt'), fs.lstatSync('/work'), fs.fstatSync(1), fs.readFileSync('data.csv', 'utf8'));
fs.promises.stat('random.txt').then((status) => console.log(status.mtimeMs, status.birthtime));
""",
}

BASH = {
    "clocks": """
date; date +%s.%N; echo $EPOCHSECONDS $EPOCHREALTIME $SECONDS; printf '%(%F %T)T\\n' -1
sleep 0.1; date +%s.%N; echo $EPOCHREALTIME; time sleep 0.01
""",
    "random": """
echo $RANDOM $SRANDOM $RANDOM; mktemp; mktemp -d; shuf -i 1-20 | tr '\\n' ' '; sort -R <<< $'a\\nb\\nc\\nd'
head -c 8 /dev/urandom | od -An -tx1; od -An -N4 -tu4 < /dev/urandom; tr -dc a-z < /dev/urandom | head -c 9
cat /dev/urandom | base64 | head -c 12; dd if=/dev/random bs=1M count=2 2> /dev/null | sha256sum
awk 'BEGIN { srand(); print rand() }'; perl -e 'print rand(), " ", time, "\\n"'
""",
    "pipelines": """
(date +%N; head -c 4 /dev/urandom | od -An -tx1) | (cat; date +%N; shuf -n 3 -i 1-1000)
(sleep 0.15; echo late $EPOCHREALTIME) & (sleep 0.05; echo early $EPOCHREALTIME) & echo first $$; wait; date +%N
for number in 1 2 3; do (echo $RANDOM $BASHPID); done
timeout 0.1 sleep 5; date +%N; read -t 0.05 < <(sleep 2); date +%N
""",
    "files": """
echo $RANDOM > random.txt; stat random.txt data.csv . /dev/null; ls -lai --time-style=full-iso
find /work -printf '%p %t %i %D\\n'
tar cf all.tar random.txt; date > date.txt
""",
    "other_programs": """
openssl rand -hex 8; openssl genrsa 512 2> /dev/null | sha256sum
python3 -c 'import random, time; print(random.random(), time.time())'; node -p 'Date.now()'
""",
}


def _cases():
    suites = (("python", PYTHON), ("python", PYTHON_LIBRARIES), ("javascript", JAVASCRIPT), ("bash", BASH))
    for language, programs in suites:
        for name, code in programs.items():
            marks = [needs_module(name)] if programs is PYTHON_LIBRARIES else []
            if "openssl" in code:
                marks.append(needs_command("openssl", "node"))
            yield pytest.param(language, code, id=f"{language}-{name}", marks=marks)


def send(glovebox, language: str, code: str, **fields) -> dict:
    files = [input_file("data.csv", "a,b\n1,2\n")]
    limits = {"memory_bytes": 1 << 30}
    request = build_request(language, code, limits=limits, files=files, artifacts=["**"], **fields)
    return glovebox.send(request, "--timeout", seconds(30), "--cpu-time", seconds(30)).result


def bytes_of(result: dict) -> dict:
    """All that the mode makes a promise about."""
    return {key: result[key] for key in ("outcome", "stdout", "stderr", "exit_code", "artifacts", "results", "error")}


def deterministic(glovebox, language: str, code: str, **fields) -> dict:
    return send(glovebox, language, code, deterministic=True, **fields)


def printed(glovebox, language: str, code: str) -> str:
    result = deterministic(glovebox, language, code)
    assert result["outcome"] == "ok", result
    return result["stdout"]


@pytest.mark.parametrize(("language", "code"), _cases())
def test_twice_the_same_program_gives_the_same_bytes(glovebox, language, code):
    first = deterministic(glovebox, language, code)
    assert first["outcome"] == ("program_failed" if "raise" in code else "ok"), first
    assert first["stdout"] or first["artifacts"], first
    with ThreadPoolExecutor(3) as pool:  # in each other's way
        others = list(pool.map(lambda _: deterministic(glovebox, language, code), range(3)))
    for other in others:
        assert bytes_of(other) == bytes_of(first)


@pytest.mark.parametrize(("language", "code"), _cases())
def test_without_the_mode_they_differ(glovebox, language, code):
    runs = [send(glovebox, language, code) for _ in range(2)]
    assert bytes_of(runs[0]) != bytes_of(runs[1])


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import time; print(int(time.time()))"),
        ("javascript", "console.log(Math.floor(Date.now() / 1000))"),
        ("bash", "date +%s"),
    ],
)
def test_the_clock_starts_with_the_year_2000(glovebox, language, code):
    assert printed(glovebox, language, code) == f"{START}\n"


def test_sleeping_moves_the_clock_by_what_was_asked_for(glovebox):
    code = """
import queue, select, socket, threading, time
def took(action):
    start = time.monotonic_ns()
    try: action()
    except (queue.Empty, TimeoutError): pass
    print(round((time.monotonic_ns() - start) / 1e6, 1), end=' ')
left, right = socket.socketpair()
left.settimeout(0.02)
took(lambda: time.sleep(0.025)); took(lambda: threading.Event().wait(0.03))
took(lambda: queue.Queue().get(timeout=0.04))
took(lambda: select.select([left], [], [], 0.05)); took(lambda: left.recv(1)); took(lambda: select.poll().poll(15))
took(lambda: threading.Lock().acquire(timeout=0.01))
took(lambda: threading.Thread(target=time.sleep, args=(0.06,)).run())
"""
    assert printed(glovebox, "python", code) == "25.0 30.0 40.0 50.0 20.0 15.0 0.0 60.0 "
    result = deterministic(glovebox, "python", "import time; time.sleep(0.5)")
    assert result["metrics"]["wall_ms"] >= 500, "time really passes"


def test_a_loop_that_watches_the_clock_ends(glovebox):
    for watch in ("time.time()", "time.monotonic()", "time.clock_gettime(6)"):
        code = f"import time\nend = {watch} + 0.05\nwhile {watch} < end: pass\nprint('ended')"
        assert printed(glovebox, "python", code) == "ended\n"
    code = "const end = Date.now() + 50; while (Date.now() < end); console.log(1)"
    assert printed(glovebox, "javascript", code) == "1\n"
    ready = """
import os, select, time
reader, writer = os.pipe()
os.write(writer, b'x')
for limit in (0, 10):
    end = time.monotonic() + 0.1
    while time.monotonic() < end:
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        poll.poll(limit)
print('ended')
"""
    assert printed(glovebox, "python", ready) == "ended\n"
    assert printed(glovebox, "bash", "while ((SECONDS < 1)); do sleep 0.2; done; echo ended") == "ended\n"


def test_time_that_a_child_slept_comes_back_with_it(glovebox):
    assert printed(glovebox, "bash", "sleep 0.3; date +%s.%1N; (sleep 0.2); echo ${EPOCHREALTIME:0:11}") == (
        f"{START}.3\n{START}.5\n"
    )
    parallel = "sleep 0.2 & sleep 0.2 & sleep 0.2 & wait; echo ${EPOCHREALTIME:0:11}"
    assert printed(glovebox, "bash", parallel) == f"{START}.2\n"


def test_numbers_repeat_between_runs_and_not_within_one(glovebox):
    draws = """
import os, uuid
print(len({os.urandom(8) for _ in range(1000)}), len({uuid.uuid4() for _ in range(1000)}))
"""
    assert printed(glovebox, "python", draws) == "1000 1000\n"
    draw = "head -c 8 /dev/urandom | od -An -tx1; mktemp; shuf -n 1 -i 1-1000000000000"
    children = f"for number in {{1..20}}; do {draw}; done | sort | uniq -d"
    assert printed(glovebox, "bash", children) == ""
    forks = """
import os
for _ in range(10):
    if os.fork() == 0:
        print(os.urandom(8).hex(), flush=True)
        os._exit(0)
    os.wait()
print(os.urandom(8).hex())
"""
    assert len(set(printed(glovebox, "python", forks).split())) == 11


def test_a_solve_function_repeats_its_value(glovebox):
    code = "import random, time\ndef solve(input):\n    return [input, random.random(), time.time()]\n"
    runs = [deterministic(glovebox, "python", code, input=[1]) for _ in range(2)]
    assert runs[0]["outcome"] == "ok" and runs[0]["results"], runs[0]
    assert bytes_of(runs[0]) == bytes_of(runs[1])


def test_the_result_says_so_and_the_cell_was_cold(glovebox):
    result = deterministic(glovebox, "python", "print(1)")
    assert "deterministic" in result["provenance"]["enforced"]
    assert not result["provenance"]["warm"]
    assert [attempt["path"] for attempt in result["attempts"]] == ["cold"]
    assert "deterministic" not in glovebox.result("python", "print(1)")["provenance"]["enforced"]


def test_the_flag_is_the_field(glovebox):
    code = "import os, time; print(time.time(), os.urandom(4))"
    assert glovebox.run("python", code, "--deterministic").out == printed(glovebox, "python", code)


def test_explain_shows_the_mode(glovebox):
    text = glovebox("explain", "--deterministic", "-c", "1").out
    assert "/etc/ld.so.preload" in text and "PYTHONHASHSEED=0" in text and "deterministic" in text


def test_the_environment_of_the_request_wins(glovebox):
    code = "print(hash('a'))"
    runs = [deterministic(glovebox, "python", code, env={"PYTHONHASHSEED": seed}) for seed in ("1", "1", "2")]
    hashes = {run["stdout"] for run in runs}
    assert len(hashes) == 2


def test_the_environment_of_the_program_has_no_trace_of_the_library(glovebox):
    assert "LD_" not in printed(glovebox, "bash", "env; env | cat")


def test_one_processor_is_there(glovebox):
    assert printed(glovebox, "bash", "nproc; taskset -p $$ | tr -dc '0-9\\n'").split()[0] == "1"
    assert printed(glovebox, "python", "import os; print(os.cpu_count(), os.sched_getaffinity(0))") == "1 {0}\n"


def test_the_library_cannot_be_changed(glovebox):
    code = """
for path in ('/glovebox/support/libglovebox_determinism.so', '/etc/ld.so.preload'):
    try: open(path, 'ab')
    except OSError as error: print(error.errno)
"""
    assert printed(glovebox, "python", code) in ("30\n30\n", "13\n13\n", "13\n30\n", "30\n13\n")


def test_a_program_that_spoils_the_book_of_clocks_only_loses_its_clock(glovebox):
    code = "rm -f /dev/shm/.glovebox-clocks; mkfifo /dev/shm/.glovebox-clocks; date +%s; echo ended"
    assert printed(glovebox, "bash", code) == f"{START}\nended\n"
    code = "head -c 32768 /dev/urandom > /dev/shm/.glovebox-clocks; true; echo ended"
    assert printed(glovebox, "bash", code) == "ended\n"


@pytest.mark.parametrize(
    ("code", "flags", "outcome"),
    [
        ("import time; time.sleep(60)", ("--timeout", seconds(0.5)), "timeout"),
        ("while True: pass", ("--cpu-time", seconds(0.5)), "cpu_limit"),
        ("x = [bytearray(b'x') * (1 << 20) for _ in range(400)]", ("--memory", "128M"), "memory_limit"),
        ("import os\nwhile True: os.fork()", ("--processes", "32"), "process_limit"),
        ("open('x', 'wb').write(bytes(64 << 20))", ("--disk", "1M"), "disk_limit"),
        ("import socket; socket.create_connection(('192.0.2.1', 80))", (), "denied"),
        ("import ctypes; assert ctypes.CDLL(None).personality(0x0040000) == -1", (), "ok"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_the_wall_is_the_same(glovebox, code, flags, outcome):
    result = glovebox.result("python", code, "--deterministic", *flags)
    assert result["outcome"] == outcome, result
    assert result["metrics"]["wall_ms"] < 5000 * slowness()
