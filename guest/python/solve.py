# The "solve" form: solve.py PROGRAM INPUT VALUE [ARGS...]
#
# Loads the user's program as the module `main`, calls its solve(input) with the JSON value in the file INPUT, and
# writes what it returned as JSON to the file VALUE. Whatever goes wrong is told in the user's terms: the traceback
# has no frame of this file, exactly as if the interpreter had called the function by itself.
import sys


class _Refused(Exception):
    """solve is missing, or its value has no JSON form."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def _plain(value, path, depth=0):
    """The value as JSON types; numpy and pandas values become what they hold."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise _Refused("ValueError", f"solve(input) returned {value!r} at {path}, which JSON cannot hold; "
                                         "return None or a finite number instead")
        return float(value)
    if depth > 200:
        raise _Refused("ValueError", f"solve(input) returned a value nested deeper than 200 levels, "
                                     f"or one that contains itself, at {path[:60]}…")
    if isinstance(value, dict):
        return {_key(key, path): _plain(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    return _plain(_foreign(value, path), path, depth + 1)


def _key(key, path):
    if not isinstance(key, (str, bool, int, float)) and key is not None:
        key = _foreign(key, path + " (a key)")
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, (int, float)):
        return repr(key)
    raise _Refused("TypeError", f"solve(input) returned a mapping at {path} whose key is a {type(key).__name__}; "
                                "JSON keys are strings")


def _foreign(value, path):
    """A value that json does not know, one step nearer to JSON."""
    pandas, numpy = sys.modules.get("pandas"), sys.modules.get("numpy")
    if pandas is not None:
        if isinstance(value, pandas.DataFrame):
            return value.to_dict(orient="records")
        if isinstance(value, (pandas.Series, pandas.Index)):
            return value.tolist()
        if value is pandas.NaT or value is pandas.NA:
            return None
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        if isinstance(value, (numpy.datetime64, numpy.timedelta64)):
            return str(value)
        plain = value.tolist()
        if type(plain) is not type(value):
            return plain
    datetime = sys.modules.get("datetime")
    if datetime is not None and isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    is_set = isinstance(value, (set, frozenset))
    advice = "return a list instead" if is_set else "return numbers, strings, lists or dicts"
    raise _Refused("TypeError", f"solve(input) returned a {type(value).__name__} at {path}, "
                                f"which JSON cannot hold; {advice}")


def _to_json(value):
    import json

    try:  # most values are plain already, and this is the fast way for large ones
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(_plain(value, "$"), ensure_ascii=False, allow_nan=False)


def _call(program, input_path, value_path):
    import json
    import types

    with open(program, "rb") as file:
        source = file.read()
    module = types.ModuleType("main")
    module.__file__ = program
    sys.modules["main"] = module
    exec(compile(source, program, "exec"), module.__dict__)
    solve = module.__dict__.get("solve")
    if not callable(solve):
        raise _Refused("NameError", "the program defines no function solve(input)")
    with open(input_path, encoding="utf-8") as file:
        argument = json.load(file)
    value = solve(argument)
    if hasattr(value, "cr_await"):
        import asyncio

        value = asyncio.run(value)
    text = _to_json(value)
    with open(value_path, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)


def _explain_refusal(program, refused):
    """A traceback that points at the function whose value was refused."""
    code = getattr(getattr(sys.modules.get("main"), "solve", None), "__code__", None)
    lines = ["Traceback (most recent call last):"]
    if code is not None:
        import linecache

        lines.append(f'  File "{program}", line {code.co_firstlineno}, in {code.co_name}')
        lines.append("    " + linecache.getline(program, code.co_firstlineno).strip())
    print(*lines, f"{refused.kind}: {refused}", sep="\n", file=sys.stderr)


def _main():
    program, input_path, value_path = sys.argv[1:4]
    sys.argv[:] = [program, *sys.argv[4:]]
    sys.path[0] = program.rpartition("/")[0]
    try:
        _call(program, input_path, value_path)
        return
    except SystemExit:
        raise
    except _Refused as refused:
        _explain_refusal(program, refused)
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
    sys.exit(1)


_main()
