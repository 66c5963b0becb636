"""A Python zygote: loads modules once, then is forked, again and again, into sealed cells that wait for their program.

    start_zygote.py PROGRAM MODULES REHEARSAL...

MODULES is a comma-separated list of what to import, as far as the image has it. A REHEARSAL is a little program of the
kind that is expected: it runs once here, so that whatever is made on first use is made, and once in a child that shows
which memory pages it writes to. Later children get their own copies of the pages that all rehearsals wrote to, before
their programs are known.

A child runs its program as glovebox_start.py does for a cold cell. It ends as the interpreter does, in the order of the
interpreter, but without taking down all that was loaded.

Every page that a child writes to is copied for it, and looking at an object writes to its page. So whatever can be looked
up or made before the fork is, and a child does nothing that its program does not need.
"""
import atexit
import builtins
import gc
import io
import sys
from _weakref import ref
from posix import _exit, listdir, urandom
from time import time

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


def rehearse(text):
    """Reads, compiles and runs it as the child's program will be."""
    out = sys.stdout
    sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", line_buffering=True)
    try:
        glovebox_start.bytes_of(SUPPORT + "/start.py")
        code = compile(text, "/glovebox/rehearsal.py", "exec", dont_inherit=True)
        exec(code, {"__name__": "__main__", "__builtins__": __builtins__})
    except Exception:
        pass  # it needs a module that the image does not have
    finally:
        sys.stdout = out


def has_threads():
    return len(listdir("/proc/self/task")) != 1


def renewals():
    """What a child has to do because a fork shares what must not be shared: random sources (`random` renews itself
    after every fork), and the time at which things began."""
    found = []
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        found.append(numpy.seed)
    ssl = sys.modules.get("_ssl")
    if ssl is not None:
        found.append(lambda: ssl.RAND_add(urandom(32), 32.0))
    logging = sys.modules.get("logging")
    if logging is not None:
        found.append(lambda: setattr(logging, "_startTime", time()))
    return found


def new_main(path):
    """A module for the program, as empty as the interpreter makes it."""
    main = type(sys)("__main__")
    main.__dict__.update(__annotations__={}, __builtins__=builtins, __file__=path, __cached__=None)
    main.__dict__.update(__loader__=glovebox_start.loader_of(path))
    sys.modules["__main__"] = main


def live():
    """Never ends in the zygote. Returns in a child, sealed in its cell: the orders, and what following them takes."""
    import glovebox_zygote

    program, names, *rehearsals = sys.argv[1:]
    solve_path = SUPPORT + "/solve.py"
    with open(solve_path, "rb") as source:
        solve = compile(source.read(), solve_path, "exec", dont_inherit=True)
    glovebox_start.prepare(program)
    load(names)
    for text in rehearsals:
        rehearse(text)
    # A program that prints its modules shall not see ours, nor be able to import them.
    for name in ("glovebox_start", "glovebox_warm", "glovebox_zygote"):
        del sys.modules[name]
    known = frozenset(sys.modules)
    if has_threads():
        sys.exit("a module of this set starts threads, and a process with threads cannot be forked")
    gc.collect()
    gc.freeze()
    to_renew = renewals()
    for directory in ("/work", "/glovebox"):  # what the interpreter remembers of them; they are others in a cell
        sys.path_importer_cache.pop(directory, None)
    # After the freeze: what is frozen is never collected.
    new_main(program)
    for text in rehearsals:
        if glovebox_zygote.rehearse():
            rehearse(text)
            for renew in to_renew:
                renew()
            flush_streams(0)
            release(known)
            glovebox_zygote.rehearsed()
    glovebox_zygote.serve()
    for renew in to_renew:
        renew()
    return glovebox_zygote.await_orders(), program, (solve_path, solve), known


def follow(child):
    orders, program, (solve_path, solve), known = child
    form, count, *rest = orders.decode("utf-8", "surrogateescape").split("\0")[:-1]
    arguments = rest[: int(count)]
    variables = rest[int(count) :]
    if variables:
        import os

        for variable in variables:
            name, _, value = variable.partition("=")
            os.environ[name] = value
    if hides_a_module(known):
        start_over(form, program, arguments)
    sys.argv = [program, *arguments]
    code = None
    if form == "solve":
        sys.argv = [solve_path, program, "/glovebox/input.json", "/tmp/.glovebox-value.json", *arguments]
        code = solve
        new_main(solve_path)
    sys.orig_argv = ["/usr/bin/python3", *sys.argv]
    # As many frames of ours below the program's as in a cold cell: recursion ends at the same depth. None of them holds
    # the program's names: they are released before the interpreter ends.
    finish(glovebox_start.execute(sys.argv[0], sys.modules["__main__"].__dict__, code), known)


def hides_a_module(known):
    """A file of the request that a fresh interpreter would import in place of what is loaded here."""
    for name in listdir("/work"):
        stem, dot, suffix = name.partition(".")
        if stem in known and (not dot or suffix.endswith(("py", "pyc", "so"))):
            return True
    return False


def start_over(form, program, arguments):
    """As a cold cell starts: with nothing loaded."""
    import os

    words = ["-S", SUPPORT + "/start.py", program]
    if form == "solve":
        words = [SUPPORT + "/solve.py", program, "/glovebox/input.json", "/tmp/.glovebox-value.json"]
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *words, *arguments])


def finish(status, known):
    """What the interpreter does at its end, in its order, up to the point where it would free all that is loaded."""
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as problem:
            tell_ignored(problem, threading)
    atexit._run_exitfuncs()
    status = flush_streams(status)
    # A thread of the program that still runs keeps what it uses; what was written is kept too.
    if threading is not None and len(threading._active) > 1:
        flush_files()
    else:
        release(known)
    flush_streams(status, tell=lambda *_: None)  # of errors at this point nobody hears
    _exit(status)


def tell_ignored(problem, where):
    """As the interpreter tells of an error that has nobody to go to."""
    try:
        print("Exception ignored in: %r" % (where,), file=sys.stderr)
        frames = problem.__traceback__.tb_next
        sys.__excepthook__(type(problem), problem.with_traceback(frames), frames)
    except BaseException:
        pass  # standard error is gone as well


def flush_streams(status, tell=tell_ignored):
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException as problem:
            status = 120
            if stream is sys.stdout:
                tell(problem, stream)
    return status


class Mark:
    """Put among the names of the program, it dies with them, unless something keeps them."""


def release(known):
    """Objects of the program are finalized: files are flushed and closed, __del__ is called while its names are
    still there."""
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    sys.excepthook, sys.displayhook = sys.__excepthook__, sys.__displayhook__
    sys.unraisablehook = sys.__unraisablehook__
    # All that is older than the program is frozen. Where no collection has been yet, all of the program's is young.
    generation = 0 if gc.get_count()[1:] == (0, 0) else 1
    # As the interpreter does. What survives is put in order by it: without, a file that is part of a cycle is closed
    # before its buffers are flushed.
    gc.collect(2 * generation)
    marks = []
    # The newest first, and not one more: a look at a module writes to its page, which the zygote shares until then.
    names = ["__main__"]
    for name in reversed(sys.modules):
        if name in known:
            break
        names.append(name)
    for name in names:
        module = sys.modules[name]
        if name == "__main__" or is_of_program(module):
            mark = module.__dict__["__glovebox__"] = Mark()
            marks.append(ref(mark))
            sys.modules[name] = None
    mark = module = None
    gc.collect(1 + generation)
    kept = [mark() for mark in marks if mark() is not None]
    if kept:
        for mark in kept:
            for names in gc.get_referrers(mark):
                if isinstance(names, dict):
                    forget_names(names)
        mark = kept = names = None
        gc.collect()
        flush_files()


def is_of_program(module):
    spec = getattr(module, "__spec__", None)
    return type(module) is type(sys) and (spec is None or str(spec.origin).startswith(("/work/", "/tmp/")))


def forget_names(names):
    for private in (True, False):
        for name in list(names):
            if name != "__builtins__" and (name[:1] == "_" and name[1:2] != "_") == private:
                names[name] = None


def flush_files():
    for thing in gc.get_objects():
        if isinstance(thing, (io.TextIOWrapper, io.BufferedWriter)):
            try:
                thing.flush()
            except Exception:
                pass
