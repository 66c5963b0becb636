"""Starts the program as `python3 program` would, but quicker (see docs/decisions).

The interpreter was started without its `site` step, which on a full system spends half of the start-up time on .pth
files. What programs see of that step is done here: the directories of installed packages, exit() and friends, lines
that stream. The .pth files have their turn when an import would fail without them. A traceback shows the program's
own frames and none of ours.
"""
import sys
from builtins import compile, exec
from posix import O_CLOEXEC, O_RDONLY, close, fstat, open, read, stat


def package_directories():
    version = "python%d.%d" % sys.version_info[:2]
    for directory in (
        "/usr/local/lib/%s/dist-packages" % version,
        "/usr/local/lib/%s/site-packages" % version,
        "/usr/lib/python3/dist-packages",
        "/usr/lib/%s/dist-packages" % version,
        "/usr/lib/%s/site-packages" % version,
    ):
        try:
            stat(directory)
        except OSError:
            continue
        yield directory


class LateSite:
    """The last finder: processes the .pth files once, then asks the other finders again."""

    def __init__(self, directories):
        self.directories = directories

    def find_spec(self, name, path=None, target=None):
        sys.meta_path.remove(self)
        import site

        for directory in self.directories:
            site.addsitedir(directory)
        for finder in list(sys.meta_path):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None


def prepare(program):
    import _sitebuiltins
    import builtins

    sys.path[0] = program.rpartition("/")[0]
    sys.path[:] = [entry for entry in sys.path if not entry.startswith("/glovebox/support")]
    directories = list(package_directories())
    sys.path += directories
    sys.meta_path.append(LateSite(directories))
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.help = _sitebuiltins._Helper()
    # Interpreters that this one starts (multiprocessing, joblib) copy its flags; they shall have their `site`.
    names = [name for name in dir(sys.flags) if name[0] != "_" and name not in ("count", "index") and name[:2] != "n_"]
    flags = {name: getattr(sys.flags, name) for name in names}
    flags["no_site"] = 0
    sys.flags = type(sys.implementation)(**flags)
    interval = sys._xoptions.get("glovebox_switch_interval")  # of a deterministic run
    if interval:
        sys.setswitchinterval(float(interval))
    if sys.stdout is not None:
        sys.stdout.reconfigure(line_buffering=True)


def loader_of(program):
    from _frozen_importlib_external import SourceFileLoader

    return SourceFileLoader("__main__", program)


def counted_in_characters(problem, text, program):
    """The same error with its column in characters: Python's parser tells bytes where it was given bytes."""
    from _frozen_importlib_external import decode_source

    try:
        compile(decode_source(text), program, "exec", dont_inherit=True)
    except SyntaxError as same:
        same.__context__ = None
        return same
    except Exception:  # such as an encoding that nobody knows
        pass
    return problem


def bytes_of(program):
    source = open(program, O_RDONLY | O_CLOEXEC)
    try:
        text = read(source, fstat(source).st_size + 1)
        while True:
            more = read(source, 1 << 16)
            if not more:
                return text
            text += more
    finally:
        close(source)


def execute(program, namespace, code=None):
    """Runs the program, or the code given in its place. Returns the exit status."""
    try:
        if code is None:
            text = bytes_of(program)
            try:
                code = compile(text, program, "exec", dont_inherit=True)
            except BaseException as problem:  # a syntax error has no frame of the program's
                if isinstance(problem, ValueError) and b"\0" in text:  # as the interpreter says it of a file
                    line = text.count(b"\n", 0, text.index(b"\0")) + 1
                    problem = SyntaxError("source code cannot contain null bytes", (program, line, None, None))
                elif isinstance(problem, SyntaxError) and not text.isascii():
                    problem = counted_in_characters(problem, text, program)
                sys.excepthook(type(problem), problem.with_traceback(None), None)
                return 1
            del text
        exec(code, namespace)
        return 0
    except SystemExit as leave:
        return status_of(leave.code)
    except BaseException as problem:
        frames = problem.__traceback__.tb_next if code is not None else None  # of a program that could not be read
        sys.excepthook(type(problem), problem.with_traceback(frames), frames)
        return 130 if isinstance(problem, KeyboardInterrupt) else 1


def status_of(code):
    """As the interpreter takes the value of sys.exit()."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def run():
    del sys.argv[0]
    program = sys.argv[0]
    prepare(program)
    namespace = sys.modules["__main__"].__dict__
    del namespace["glovebox_start"]
    namespace.update(__file__=program, __cached__=None, __loader__=loader_of(program))
    del sys.modules["glovebox_start"]
    status = execute(program, namespace)
    if status != 0:
        sys.exit(status)
