"""A Python zygote: loads modules once, then is forked, again and again, into sealed cells that wait for their program.

    start_zygote.py PROGRAM MODULES TOUCH

MODULES is a comma-separated list of what to import, as far as the image has it. TOUCH is a little program of the kind
that is expected: it runs once here, so that whatever is made on first use is made, and once in every child before its
program is known, so that the child has its own copies of the memory pages which such a program writes to.

A child runs its program as glovebox_start.py does for a cold cell. It ends as the interpreter does, in the order of the
interpreter, but without taking down all that was loaded.
"""
import gc
import sys

import glovebox_start

SUPPORT = "/glovebox/support"


def load(names):
    loaded = []
    for name in names.split(","):
        try:
            __import__(name)
            loaded.append(name)
        except ImportError:
            pass  # the image does not have it; a program that wants it is told so when it runs
    return loaded


def touch(code):
    import io

    out = sys.stdout
    sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", line_buffering=True)
    try:
        exec(code, {"__name__": "__main__", "__builtins__": __builtins__})
    except Exception:
        pass  # it needs a module that the image does not have
    finally:
        sys.stdout = out


def has_threads():
    from posix import listdir

    return len(listdir("/proc/self/task")) != 1


def renew():
    """What a fork shares and must not: random sources (`random` renews itself after every fork), and what the
    interpreter remembers of directories that are others now."""
    for directory in ("/work", "/glovebox"):
        sys.path_importer_cache.pop(directory, None)
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed()
    ssl = sys.modules.get("_ssl")
    if ssl is not None:
        from posix import urandom

        ssl.RAND_add(urandom(32), 32.0)


def live():
    import glovebox_zygote

    program, names, touch_text = sys.argv[1:4]
    solve_path = SUPPORT + "/solve.py"
    with open(solve_path, "rb") as source:
        solve = compile(source.read(), solve_path, "exec", dont_inherit=True)
    glovebox_start.prepare(program)
    load(names)
    touch_code = compile(touch_text, program, "exec", dont_inherit=True)
    touch(touch_code)
    # A program that prints its modules shall not see ours, nor be able to import them.
    for name in ("glovebox_start", "glovebox_warm", "glovebox_zygote"):
        del sys.modules[name]
    main = sys.modules["__main__"].__dict__
    main.pop("glovebox_warm", None)
    if has_threads():
        sys.exit("a module of this set starts threads, and a process with threads cannot be forked")
    gc.collect()
    gc.freeze()
    glovebox_zygote.serve()
    # From here on: a child, sealed in its cell.
    touch(touch_code)
    renew()
    orders = glovebox_zygote.await_orders()
    follow(orders, program, solve, solve_path, main)


def follow(orders, program, solve, solve_path, main):
    form, count, *rest = orders.decode("utf-8", "surrogateescape").split("\0")[:-1]
    arguments = rest[: int(count)]
    variables = rest[int(count) :]
    if variables:
        import os

        for variable in variables:
            name, _, value = variable.partition("=")
            os.environ[name] = value
    if form == "solve":
        sys.argv = [solve_path, program, "/glovebox/input.json", "/tmp/.glovebox-value.json", *arguments]
        path = solve_path
    else:
        sys.argv = [program, *arguments]
        path = program
    sys.orig_argv = ["/usr/bin/python3", *sys.argv]
    main.update(__file__=path, __cached__=None, __loader__=glovebox_start.loader_of(path))
    finish(glovebox_start.execute(path, main, solve if form == "solve" else None), main)


def finish(status, main):
    """What the interpreter does at its end, up to the point where it would free everything."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    import atexit

    atexit._run_exitfuncs()
    alone = threading is None or len(threading._active) <= 1
    status = flush_streams(status)
    if alone:
        # Objects of the program are finalized: files are flushed and closed, __del__ is called.
        for underscored in (True, False):
            for name in list(main):
                if name != "__builtins__" and (name[:1] == "_" and name[1:2] != "_") == underscored:
                    main[name] = None
        gc.collect()
    else:
        flush_files()
    status = flush_streams(status)
    from posix import _exit

    _exit(status)


def flush_streams(status):
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException:
            if stream is sys.stdout and status == 0:
                status = 120
    return status


def flush_files():
    """A thread of the program still runs, so nothing is taken from under it; what it wrote is kept."""
    import io

    for thing in gc.get_objects():
        if isinstance(thing, (io.TextIOWrapper, io.BufferedWriter)):
            try:
                thing.flush()
            except Exception:
                pass
