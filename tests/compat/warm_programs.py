"""Programs that end, fail, print and look around in all ways that come to mind, for test_warm_like_cold.py."""

DEL = """
class A:
    def __init__(self, n): self.n = n
    def __del__(self): print('del', self.n, f is None)
def f(): pass
"""
UNWRITABLE = """
import sys
class W:
    def write(self, text): return len(text)
    def flush(self): raise OSError('no')
"""

PYTHON = {
    # how it ends
    "text_without_newline": "import sys\nsys.stdout.write('no newline')",
    "exit_code": "import sys\nsys.exit(3)",
    "exit_code_too_large": "import sys\nsys.exit(256)",
    "exit_code_negative": "import sys\nsys.exit(-1)",
    "exit_with_text": "import sys\nsys.exit('bye')",
    "exit_with_none": "raise SystemExit",
    "exit_with_true": "raise SystemExit(True)",
    "exit_with_tuple": "raise SystemExit((1, 2))",
    "exit_in_a_thread": "import sys, threading\nthread = threading.Thread(target=sys.exit, args=(3,))\nthread.start()",
    "exit_in_a_fork": "import os, sys\nif os.fork() == 0: sys.exit(5)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))",
    "quit": "quit(2)",
    "at_once": "import os\nprint('lost', end='')\nos._exit(7)",
    "killed": "import os\nos.kill(os.getpid(), 9)",
    "terminated": "import os\nos.kill(os.getpid(), 15)",
    "interrupted": "import os, time\nos.kill(os.getpid(), 2)\ntime.sleep(5)",
    "crashed": "import ctypes\nctypes.string_at(0)",
    "aborted": "import os\nos.abort()",
    "replaced": "import os\nos.execv('/usr/bin/env', ['env', '-i', 'sh', '-c', 'ls /proc/self/fd; exit 3'])",
    "replaced_by_itself": """
import os, sys
if len(sys.argv) < 2: os.execv(sys.executable, [sys.executable, *sys.argv, 'again'])
print(sys.argv)
""",
    "daemon_left": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\nprint('main')",
    # what is done at the end
    "open_file": "f = open('a.txt', 'w'); f.write('x' * 10)",
    "open_file_in_a_cycle": """
def g():
    f = open('a.txt', 'w'); f.write('x')
    return lambda: f
h = [g()]
h.append(h)
""",
    "open_file_in_a_generator": """
def g():
    with open('a.txt', 'w') as f:
        f.write('x')
        yield
g = g()
next(g)
""",
    "open_file_after_an_error": "def g():\n    f = open('a.txt', 'w'); f.write('x')\n    raise ValueError\ng()",
    "open_file_beside_a_thread": """
import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
f = open('a.txt', 'w'); f.write('x')
""",
    "open_file_behind_a_hook": "import sys\nf = open('a.txt', 'w'); f.write('x')\nsys.excepthook = lambda *_: print(f)",
    "open_file_behind_a_signal": """
import signal
f = open('a.txt', 'w'); f.write('x')
signal.signal(15, lambda *_: print(f))
""",
    "open_file_of_a_module": "open('own.py', 'w').write('f = open(\"a.txt\", \"w\"); f.write(\"x\")')\nimport own",
    "stdout_is_a_file": "import sys\nsys.stdout = open('a.txt', 'w')\nprint('x')",
    "stdout_without_flush": """
import sys
class Tee:
    def __init__(self): self.file = open('a.txt', 'w')
    def write(self, text): self.file.write(text)
sys.stdout = Tee()
print('x')
""",
    "finalizers": DEL + "a = A('a')\n_b = A('b')\nc = A('c')\nc.c = c\n",
    "finalizers_of_a_module": DEL + """
import sys, types
sys.modules['m'] = types.ModuleType('m')
sys.modules['m'].a = A('m')
""",
    "failing_finalizer": "class A:\n    def __del__(self): 1 / 0\na = A()\ndel a\nprint('after')",
    "finalize_function": "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'gone')",
    "unfinished_generator": """
def g():
    try:
        yield
    finally:
        print('finally')
g = g()
next(g)
""",
    "exit_functions": """
import atexit
atexit.register(print, 1)
atexit.register(lambda: 1 / 0)
atexit.register(print, 2)
""",
    "exit_function_that_exits": "import atexit, sys\natexit.register(lambda: sys.exit(5))",
    "exit_function_then_finalizer": DEL + "import atexit\na = A('a')\natexit.register(print, 'exit')",
    "threads_are_waited_for": """
import threading, time
threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()
print('main')
""",
    "failing_thread": """
import threading
t = threading.Thread(target=lambda: 1 / 0)
t.start()
t.join()
print('after')
""",
    "never_awaited": "async def f(): pass\nf()",
    "pending_tasks": """
import asyncio
async def bad(): 1 / 0
async def main(): asyncio.create_task(asyncio.sleep(9)); asyncio.create_task(bad())
asyncio.run(main())
""",
    # errors
    "traceback": """
def f(n):
    if n == 0: raise ValueError('a\\nb')
    f(n - 1)
try:
    f(3)
except ValueError as e:
    raise KeyError('k') from e
""",
    "error_group": "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
    "syntax": "x = 1\nprint(x\ny = 2",
    "tabs": "def f():\n\tx\n        y",
    "unknown_encoding": "# coding: nope\nx = 1",
    "byte_order_mark": "\ufeffprint(1)",
    "recursion": "def f(n): return f(n + 1)\nf(0)",
    "recursion_depth": "def f(n):\n    try: return f(n + 1)\n    except RecursionError: return n\nprint(f(0))",
    "own_error_hook": "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n1 / 0",
    "no_such_module": "import panda",
    "refused": "import socket\nsocket.socket()",
    "warnings": "import warnings\nwarnings.warn('careful')\nimport imp",
    # streams
    "stdout_closed": "import sys\nsys.stdout.close()",
    "stdout_descriptor_closed": "import os\nprint('x', end='')\nos.close(1)",
    "stderr_descriptor_closed": "import os\nos.close(2)\n1 / 0",
    "stdout_none": "import sys\nsys.stdout = None\nprint('x')",
    "stdout_full": "import os, sys\nos.dup2(os.open('/dev/full', os.O_WRONLY), 1)\nsys.stdout.write('x')",
    "stdout_fails": UNWRITABLE + "sys.stdout = W()\nprint(1)",
    "stderr_fails": UNWRITABLE + "sys.stderr = W()",
    "much_output": "print('x' * 3_000_000)",
    "no_input": "input('name? ')",
    # what it sees
    "module": """
print(__name__, __file__, __spec__, __package__, __doc__, __builtins__, sorted(globals()),
    __import__('__main__').__dict__ is globals(), __loader__.get_source('__main__'))
""",
    "interpreter": """
import sys
print(sys.argv, sys.path, sys.executable, sys.prefix, sys.flags, sys.warnoptions, sys.getrecursionlimit(),
    sys.stdin, sys.stdout, sys.stderr, sys.stdout.line_buffering, sys.excepthook, sys.meta_path,
    sys.dont_write_bytecode, sys.gettrace(), sys.is_finalizing())
""",
    "environment": "import os\nprint(dict(os.environ), open('/proc/self/environ').read().split('\\0'))",
    "our_modules": """
import sys
print([name for name in sys.modules if 'glovebox' in name])
for name in ('glovebox_start', 'glovebox_warm', 'glovebox_zygote'):
    try:
        __import__(name)
        print('found', name)
    except ImportError as error: print(error)
""",
    "garbage_collector": """
import gc
print(gc.isenabled(), gc.get_threshold(), gc.garbage, gc.callbacks, gc.get_debug())
""",
    "locale_and_time": """
import locale, time
print(locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(), time.tzname, time.process_time() < 1)
""",
    "directories": """
import os
for place in ('/', '/work', '/tmp', '/dev', '/dev/shm', '/etc', '/glovebox', '/glovebox/support'): print(place,
    sorted(os.listdir(place)))
print(os.statvfs('/work').f_blocks, os.statvfs('/work').f_files)
""",
    "own_source": "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f))",
    "pickling": "import pickle\nclass A: pass\nprint(pickle.loads(pickle.dumps(A())).__class__)",
    "subprocess": """
import subprocess, sys
print(subprocess.run([sys.executable, '-c',
    'import os, sys; print(sys.path, dict(os.environ), os.listdir("/proc/self/fd"))'], capture_output=True,
    text=True))
""",
    "fork_server": """
import multiprocessing as m
def f(x): return x * x
if __name__ == '__main__':
    with m.get_context('forkserver').Pool(2) as pool: print(pool.map(f, [1, 2]))
""",
    "process_not_joined": """
import multiprocessing as m, time
def f():
    time.sleep(0.2)
    print('child')
if __name__ == '__main__': m.Process(target=f).start()
""",
    # the process
    "descriptors": """
import fcntl, os
print(os.listdir('/proc/self/fd'), [fcntl.fcntl(n, fcntl.F_GETFD) for n in range(3)], [oct(fcntl.fcntl(n,
    fcntl.F_GETFL)) for n in range(3)], os.readlink('/proc/self/fd/0'), os.lseek(0, 0, 1), os.fstat(0).st_size)
""",
    "signals": """
import signal
print([(s, signal.getsignal(s)) for s in sorted(signal.valid_signals())], signal.pthread_sigmask(signal.SIG_BLOCK,
    []), signal.getitimer(signal.ITIMER_REAL))
""",
    "status": """
wanted = ('Umask', 'PPid', 'TracerPid', 'Uid', 'Gid', 'Groups', 'Threads', 'Sig', 'Shd', 'Cap', 'NoNew',
    'Seccomp', 'Cpus', 'CoreDumping', 'Speculation')
print([line for line in open('/proc/self/status') if line.startswith(wanted)])
""",
    "identity": """
import os, socket
print(os.getppid(), os.getpid() == os.getpgrp() == os.getsid(0), os.getresuid(), os.getresgid(), os.getgroups(),
    socket.gethostname(), os.uname(), os.getcwd(), os.umask(0), os.nice(0), os.sched_getaffinity(0),
    os.sched_getscheduler(0))
""",
    "limits": """
import resource
print({name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith('RLIMIT')})
""",
    "process_files": """
import os
print([(name, open('/proc/self/' + name).read()) for name in ('oom_score_adj', 'loginuid', 'sessionid',
    'coredump_filter', 'personality', 'comm', 'cgroup')])
print([name for name in os.listdir('/proc') if not name.isdigit()],
    len([name for name in os.listdir('/proc') if name.isdigit()]))
print(open('/proc/self/uid_map').read().split()[::2], [os.readlink('/proc/self/' + name) for name in ('exe',
    'cwd', 'root')])
""",
    "process_attributes": """
import ctypes
prctl = ctypes.CDLL(None).prctl
signal = ctypes.c_int(-1)
print([(name, prctl(option, 0, 0, 0, 0)) for name, option in (('dumpable', 3), ('seccomp', 21), ('securebits',
    27), ('keepcaps', 7), ('timerslack', 30), ('no_new_privs', 39), ('subreaper?', 37))])
print(prctl(2, ctypes.byref(signal)), signal.value)
""",
    "mounts": """
lines = {' '.join(line.split()[3:6]) for line in open('/proc/self/mountinfo')}
# Support files lie in the nursery, and so does what the image's overlay is laid over; /work covers it.
print(sorted(line for line in lines if ' /glovebox/support ' not in line and ' /work/usr ' not in line))
""",
}

BASH = {
    "arguments": 'echo "$0" "$@" $# $- $SHLVL "$_"',
    "no_function_around": 'return 5',
    "is_the_script": """
[[ "${BASH_SOURCE[0]}" == "$0" ]] && echo main
f() { echo ${FUNCNAME[@]} ${BASH_LINENO[@]} ${BASH_SOURCE[@]}; caller; caller 0; }
f
""",
    "options": "set -o; shopt; echo $SHELLOPTS $BASHOPTS",
    "variables": """
compgen -v | grep -v PIPESTATUS | sort; declare -F; alias; trap; jobs; declare -p | grep -i glovebox_
""",
    "environment": "env | sort",
    "descriptors": "ls /proc/$$/fd; exec {fd}> /tmp/x; echo $fd; umask",
    "unknown_command": "echo early\nnosuch_command\necho $?",
    "unfinished": "echo early\nif true; then\n",
    "unfinished_quote": 'echo early\necho "abc\n',
    "unset_variable": "set -u\necho $nope",
    "error_stops": "set -e\nf() { false; echo no; }\nf",
    "division": "echo $((1 / 0)); echo after",
    "exit_code": "exit 7",
    "last_command": "false",
    "killed": "kill -9 $$",
    "exit_trap": 'trap "echo bye; exit 9" EXIT; exit 3',
    "return_trap": 'trap "echo R" RETURN; f() { :; }; f',
    "debug_trap": "trap 'echo D $BASH_COMMAND' DEBUG; true",
    "error_trap": "trap 'echo err $LINENO' ERR\nfalse\necho x",
    "trace": "set -x; f() { echo 1; }; f",
    "input": "read x; echo \"[$x]\"; cat",
    "background": "sleep 60 & echo x",
    "daemon": "(setsid sleep 60 > /dev/null 2>&1 &); echo done",
    "sources_a_file": 'echo \'echo in $BASH_SOURCE; return 3\' > l.sh; . ./l.sh; echo $?',
    "reads_itself": "cat $0",
    "descriptor_three_is_free": "exec 3> /tmp/y; echo z >&3; cat /tmp/y",
}

JAVASCRIPT = {
    "arguments": "console.log(process.argv, process.title, process.argv0, process.execArgv, __filename, __dirname)",
    "module": """
console.log(require.main === module, module.id, module.paths, module.children.length, module.parent,
    Object.keys(require.cache), process.mainModule === module, this === module.exports)
""",
    "globals": """
console.log(Object.getOwnPropertyNames(globalThis).sort().join(), process.eventNames(), Error.stackTraceLimit)
""",
    "environment": "console.log(process.env)",
    "throws": 'function f() { throw new Error("x") }\nf()',
    "throws_an_object": "throw { a: 1 }",
    "rejects": 'Promise.reject(new Error("r"))',
    "syntax": "let x = 1;\nlet y = ;",
    "exit": 'process.on("exit", (code) => console.log("exit", code)); process.exit(5)',
    "before_exit": 'process.on("beforeExit", () => console.log("before")); process.exitCode = 6',
    "ends_with_a_code": "process.exitCode = 7; setTimeout(() => console.log('late'), 20)",
    "code_of_the_last_listener": """
process.on("exit", (code) => { console.log("exit", code, process.exitCode); process.exitCode = 9 })
""",
    "failing_exit_listener": 'process.on("exit", () => { throw new Error("z") })',
    "more_work_before_exit": """
let turns = 0;
process.on("beforeExit", () => { if (turns++ < 2) setTimeout(() => console.log("more", turns), 1) })
""",
    "exit_listener_before_exit": """
process.on("beforeExit", () => process.once("exit", (code) => console.log("exit", code)))
""",
    "emits_by_itself": """
console.log(process.emit("beforeExit", 0), process.emit("exit", 0));
setTimeout(() => console.log("still here", process.listenerCount("exit"), process.listenerCount("beforeExit")), 10)
""",
    "own_way_out": "process.reallyExit = (code) => console.log('own', code); process.exitCode = 3",
    "own_way_out_taken": """
const leave = process.reallyExit;
process.reallyExit = (code) => { console.log("own", code); leave.call(process, 4) }
process.exit(3)
""",
    "unfinished": "new Promise(() => {}); setTimeout(() => console.log('never'), 9000).unref(); console.log('now')",
    "worker_ends": """
const { Worker, isMainThread } = require("worker_threads");
if (isMainThread) new Worker(__filename).on("exit", (code) => console.log("worker", code));
else { process.on("exit", (code) => console.log("in worker", code)); process.exitCode = 3 }
""",
    "streams": """
const state = (stream) => [stream.bytesWritten, stream.writableLength, Object.keys(stream._events), stream._handle &&
    Object.getOwnPropertyNames(stream._handle)];
console.log(state(process.stdout), state(process.stderr))
""",
    "console": """
console.count(); console.group(); console.log("in"); console.groupEnd(); console.timeEnd("t");
console.table([{ a: 1 }]);
console.log(Object.getOwnPropertyNames(console).join())
""",
    "caches": """
const { Module } = require("module");
console.log(Object.keys(Module._pathCache), Object.keys(require.cache), process.mainModule.children.length)
""",
    "depth": "let depth = 0; const f = () => { ++depth; f() }; try { f() } catch {} console.log(depth > 5000)",
    "caught": 'process.on("uncaughtException", (error) => console.log(error.message)); throw new Error("y")',
    "stack": 'function f() { console.log(new Error("s").stack) }\nf()',
    "order": """
process.nextTick(() => console.log("tick")); Promise.resolve().then(() => console.log("micro"));
    setImmediate(() => console.log("immediate")); console.log("now")
""",
    "input": 'process.stdin.on("data", (data) => console.log(String(data))).on("end", () => console.log("end"))',
    "input_at_once": 'console.log(require("fs").readFileSync(0, "utf8"))',
    "es_module": 'import fs from "fs"; console.log(typeof fs, process.argv, new Error("s").stack.split("\\n")[1])',
    "es_module_unsettled": "export {}; await new Promise(() => {})",
    "no_such_module": 'require("nosuch")',
    "module_in_work": 'require("fs").writeFileSync("h.js", "module.exports = 42"); console.log(require("./h"))',
    "killed": 'process.kill(process.pid, "SIGKILL")',
    "worker": """
const { Worker, isMainThread } = require("worker_threads"); if (isMainThread) new Worker(__filename);
    else console.log(process.argv)
""",
    "fork": """
const { fork } = require("child_process"); if (process.argv[2] !== "kid") fork(__filename, ["kid"]).on("message",
    (m) => console.log(m)); else { process.send("hello"); process.disconnect() }
""",
    "much_output": 'console.log("x".repeat(2000000)); process.exit(0)',
    "daemon": """
require("child_process").spawn("sleep", ["60"], { detached: true, stdio: "ignore" }).unref(); console.log(1)
""",
    "heap": """
console.log(require("v8").getHeapStatistics().heap_size_limit, process.umask(), process.cwd(), process.getuid(),
    process.getgroups())
""",
    "empty": "",
}

SOLVE = {
    "python": "import sys\nprint(sys.argv, __name__, __file__)\ndef solve(x):\n    return [x, 1]",
    "python_fails": "def solve(x):\n    return x['a']",
    "python_writes": "f = open('a.txt', 'w'); f.write('x')\ndef solve(x):\n    return f.write('y')",
    "javascript": "console.log(process.argv, require.main === module);\nfunction solve(x) { return [x, 1]; }",
    "javascript_fails": "function solve(x) {\n  return x.a.b;\n}",
    "bash": 'echo "$@" >&2; solve() { echo "$@" >&2; cat; }',
    "bash_fails": "set -e\nsolve() { false; echo 1; }",
}
