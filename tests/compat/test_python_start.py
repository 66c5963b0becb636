"""A Python program in a cell starts without the `site` step; it must not be able to tell."""

from __future__ import annotations

from support.needs import needs_module


def test_main_module_looks_as_if_started_directly(run_well):
    code = """
import sys
print(__name__, __file__, sys.argv, sys.modules["__main__"].__dict__ is globals())
print(sorted(name for name in globals() if not name.startswith("__")))
print(sys.path[:2], any("dist-packages" in entry for entry in sys.path), any("support" in entry for entry in sys.path))
print(exit, help is not None, sys.flags.no_site)
"""
    stdout, _ = run_well("python", code, args=["a"])
    lines = stdout.splitlines()
    assert lines[0] == "__main__ /glovebox/main.py ['/glovebox/main.py', 'a'] True"
    assert lines[1] == "['sys']"
    assert lines[2] == "['/glovebox', '/work'] True False"
    assert lines[3].startswith("Use exit()") and lines[3].endswith("True 0")


def test_spawned_workers_find_installed_packages(run_well):
    code = """
import multiprocessing

def work(n):
    import numpy
    return int(numpy.square(n))

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(work, [1, 2, 3]))
"""
    stdout, _ = run_well("python", code, limits={"wall_ms": 20000, "cpu_ms": 20000})
    assert stdout == "[1, 4, 9]\n"


@needs_module("joblib")
def test_joblib_workers_run(run_well):
    code = """
from math import sqrt
from joblib import Parallel, delayed
print(Parallel(n_jobs=2)(delayed(sqrt)(i * i) for i in range(4)))
"""
    stdout, _ = run_well("python", code, limits={"wall_ms": 20000, "cpu_ms": 20000})
    assert stdout == "[0.0, 1.0, 2.0, 3.0]\n"


def test_uncaught_error_shows_only_the_program(run_program):
    code = "def f():\n    raise ValueError('x') from KeyError('y')\n\nf()\n"
    run = run_program("python", code)
    assert run.outcome == "program_failed"
    assert run.result["exit_code"] == 1
    assert "glovebox_start" not in run.result["stderr"] and "start.py" not in run.result["stderr"]
    assert run.result["stderr"].endswith("ValueError: x\n")
    assert run.result["error"]["line"] == 2


def test_exit_hooks_and_threads_finish_after_an_error(run_program):
    code = """
import atexit, threading, time
atexit.register(lambda: print("hook"))
threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
raise SystemExit(7)
"""
    run = run_program("python", code)
    assert run.result["exit_code"] == 7
    assert run.stdout == "thread\nhook\n"


def test_path_files_have_their_turn_when_an_import_misses(run_well):
    code = """
import sys
before = [type(finder).__name__ for finder in sys.meta_path if not isinstance(finder, type)]
try:
    import no_such_module_at_all
except ModuleNotFoundError as error:
    print(error)
print(before, "site" in sys.modules)
"""
    stdout, _ = run_well("python", code)
    assert stdout == "No module named 'no_such_module_at_all'\n['LateSite'] True\n"
