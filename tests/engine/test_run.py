"""`glovebox run`: what goes in reaches the program, and what the program did comes out (C1, C2, C3, X1, G1–G3)."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from support import json_schema
from support.command_line import RESULT_SCHEMA, seconds
from support.glovebox_runner import REPOSITORY, build_request

HELLO = {
    "python": "print('hello from', 'python')",
    "javascript": "console.log('hello from', 'javascript')",
    "bash": 'echo "hello from" bash',
}
HANGS_AFTER_S = 120
ECHO = {
    "python": "import os, sys\nprint(sys.stdin.read(), sys.argv[1:], os.environ['GREETING'])",
    "javascript": "console.log(require('fs').readFileSync(0, 'utf8'), JSON.stringify(process.argv.slice(2)),"
    " process.env.GREETING)",
    "bash": 'printf "%s %s %s\\n" "$(cat)" "$*" "$GREETING"',
}


@pytest.mark.parametrize("language", HELLO)
def test_hello(glovebox, mode, language):
    ended = glovebox.run(language, HELLO[language])
    assert (ended.status, ended.out) == (0, f"hello from {language}\n"), ended
    result = glovebox.result(language, HELLO[language])
    assert (result["outcome"], result["success"], result["error"]) == ("ok", True, None)
    assert (result["stdout"], result["exit_code"], result["signal"]) == (ended.out, 0, None)
    assert result["stdout_bytes"] == len(ended.stdout)
    assert result["metrics"]["peak_memory_bytes"] > 100 << 10
    assert 0 < result["metrics"]["cpu_ms"] and 0 < result["metrics"]["wall_ms"]
    assert result["attempts"] == [{"path": "warm" if mode.warm else "cold", "outcome": "ok", "reason": None}]
    assert result["provenance"]["warm"] == mode.warm


@pytest.mark.parametrize("language", ECHO)
def test_stdin_arguments_and_environment_reach_the_program(glovebox, language):
    ended = glovebox(
        "run",
        "-l",
        language,
        "-c",
        ECHO[language],
        "--stdin",
        "typed",
        "-e",
        "GREETING=héllo wörld",
        "--",
        "one",
        "--two",
    )
    expected = {
        "python": "typed ['one', '--two'] héllo wörld\n",
        "javascript": 'typed ["one","--two"] héllo wörld\n',
        "bash": "typed one --two héllo wörld\n",
    }
    assert (ended.status, ended.out) == (0, expected[language]), ended


def test_nothing_of_our_environment_reaches_the_program(glovebox, mode):
    result = glovebox.result("python", "import os\nprint(dict(os.environ))", env={"LEAK": mode.token})
    assert mode.token not in result["stdout"]
    assert "LEAK" not in result["stdout"]


def test_what_is_piped_in_is_the_programs(glovebox, directory):
    code = "import sys\nprint(repr(sys.stdin.read()))"
    assert glovebox("run", "-c", code, stdin=b"piped").out == "'piped'\n"
    assert glovebox("run", "-c", code, "--stdin", "none", stdin=b"piped").out == "''\n"
    assert glovebox("run", "-c", code, "--stdin", "typed", stdin=b"piped").out == "'typed'\n"
    assert glovebox("run", "-c", code, "--stdin-file", "-", stdin=b"asked for").out == "'asked for'\n"
    # Another flag reads it.
    both = "import sys\nprint(repr(sys.stdin.read()), open('data.txt').read())"
    assert glovebox("run", "-c", both, "--file", "data.txt=-", stdin=b"piped").out == "'' piped\n"
    saved = directory / "input.txt"
    saved.write_text("from a file")
    with open(saved, "rb") as file:
        process = glovebox.start("run", "-c", code, stdin=file)
        assert process.communicate(timeout=HANGS_AFTER_S)[0] == b"'from a file'\n"


def test_an_empty_or_missing_standard_input_is_empty(glovebox):
    code = "import sys\nprint(repr(sys.stdin.read()))"
    assert glovebox("run", "-c", code).out == "''\n"
    process = glovebox.start("run", "-c", code)  # /dev/null
    assert process.communicate(timeout=HANGS_AFTER_S)[0] == b"''\n"


def test_a_pipe_that_nobody_ends_is_spoken_of(glovebox):
    process = glovebox.start("run", "-c", "print(input())", stdin=subprocess.PIPE)
    try:
        assert b"--stdin none" in process.stderr.readline()
        assert process.communicate(b"at last\n", timeout=HANGS_AFTER_S)[0] == b"at last\n"
    finally:
        process.kill()
        process.wait()


def test_a_terminal_is_not_the_programs(glovebox):
    ours, theirs = os.openpty()
    try:
        process = glovebox.start("run", "-c", "import sys\nprint(repr(sys.stdin.read()))", stdin=theirs)
        assert process.communicate(timeout=HANGS_AFTER_S)[0] == b"''\n"
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_script_file_tells_its_language(glovebox, directory):
    for name, code in {"a.py": "print('py')", "a.js": "console.log('js')", "a.sh": "echo sh"}.items():
        (directory / name).write_text(code)
        assert glovebox("run", str(directory / name)).out == name.partition(".")[2] + "\n"
    (directory / "a.xyz").write_text("?")
    ended = glovebox("run", str(directory / "a.xyz"))
    assert ended.status == 125 and "--language" in ended.err, ended


@pytest.mark.parametrize(
    "code, status",
    [
        ("raise SystemExit(7)", 7),
        ("raise SystemExit(255)", 255),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", 128 + 15),
        ("import os; os.abort()", 128 + 6),
    ],
)
def test_exit_status_is_the_programs_own(glovebox, code, status):
    ended = glovebox("run", "-c", code)
    assert ended.status == status, ended
    ended = glovebox("run", "--json", "-c", code)
    assert ended.status == 0, "with --json the call worked, and the result tells the rest"
    expected = (status, None) if status < 128 or status == 255 else (None, {143: "SIGTERM", 134: "SIGABRT"}[status])
    assert (ended.result["exit_code"], ended.result["signal"]) == expected
    assert ended.result["outcome"] == "program_failed" and not ended.result["success"]


def test_own_exit_statuses(glovebox):
    """124 time, 137 memory, 126 denied, 125 ours; 130 is in test_streaming_cancel.py."""
    assert glovebox("run", "-c", "import time; time.sleep(600)", "--timeout", seconds(0.3)).status == 124
    assert glovebox("run", "-c", "while True: pass", "--cpu-time", seconds(0.2)).status == 124
    assert glovebox("run", "-c", "x = bytearray(b'x') * (200 << 20)", "--memory", "64M").status == 137
    assert glovebox("run", "-c", "import socket; socket.socket()").status == 126
    assert glovebox("run", "-c", "1", "--memory", "lots").status == 125
    assert glovebox("run", "-l", "cobol", "-c", "1").status == 125


@pytest.mark.parametrize(
    "language, code, expected",
    [
        ("python", "x = 1\nprint(x\ny = 2\n", {"code": "syntax_error", "type": "SyntaxError", "line": 2, "column": 6}),
        (
            "python",
            "def f():\n    return 1/0\nf()\n",
            {"code": "runtime_error", "type": "ZeroDivisionError", "line": 2},
        ),
        (
            "javascript",
            "let x = 1;\nlet y = ;\n",
            {"code": "syntax_error", "type": "SyntaxError", "line": 2, "column": 9},
        ),
        ("javascript", "let x = 1;\nnull.y;\n", {"code": "runtime_error", "type": "TypeError", "line": 2}),
        ("bash", "echo one\nif true; then\n", {"code": "syntax_error"}),
        ("bash", "echo one\nset -u\necho $nothing\n", {"code": "runtime_error", "line": 3}),
        ("bash", "exit 3", {"code": "program_exit"}),
    ],
)
def test_errors_say_what_and_where(glovebox, language, code, expected):
    result = glovebox.result(language, code)
    assert result["outcome"] == "program_failed"
    assert {name: result["error"][name] for name in expected} == expected
    assert result["error"]["message"] and result["error"]["hint"]


@pytest.mark.parametrize(
    "language, code, module", [("python", "import jsom", "json"), ("javascript", "require('fss')", "fs")]
)
def test_an_import_error_names_similar_modules(glovebox, language, code, module):
    error = glovebox.result(language, code)["error"]
    assert error["code"] == "import_error"
    assert module in error["message"].split("similar", 1)[1] + error["hint"], error


def test_a_request_comes_from_a_file_or_from_stdin(glovebox, directory):
    request = build_request("python", "print(input())", stdin="hi")
    path = directory / "request.json"
    path.write_text(json.dumps(request))
    from_file = glovebox("run", "--request", str(path), "--json").result
    from_stdin = glovebox.send(request).result
    assert from_file["stdout"] == from_stdin["stdout"] == "hi\n"
    assert from_file["run_id"] != from_stdin["run_id"]
    assert glovebox("run", "--request", str(path)).out == "hi\n", "without --json the program's own output"


@pytest.mark.parametrize(
    "words, named",
    [
        (["-c", "print('other')"], "-c"),
        (["other.py"], "script"),
        (["--language", "bash"], "--language"),
        (["--stdin", "outer"], "--stdin"),
        (["--stdin", ""], "--stdin"),
        (["--stdin-file", "/dev/null"], "--stdin-file"),
        (["--input", "5"], "--input"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
@pytest.mark.parametrize("verb", ["run", "explain"])
def test_what_a_request_says_itself_is_refused_beside_it(glovebox, directory, verb, words, named):
    path = directory / "request.json"
    path.write_text(json.dumps(build_request("python", "print(input())", stdin="inner")))
    ended = glovebox(verb, "--request", str(path), *words)
    assert (ended.status, ended.out) == (125, ""), ended
    assert f"{named}: a request brings its own" in ended.err, ended


def test_limits_and_files_may_stand_beside_a_request(glovebox, directory):
    path = directory / "request.json"
    path.write_text(json.dumps({"code": "print(open('note.txt').read())"}))
    (directory / "note.txt").write_text("from a flag")
    ended = glovebox("run", "--request", str(path), "--file", str(directory / "note.txt"), "--memory", "128M")
    assert (ended.status, ended.out) == (0, "from a flag\n"), ended


def test_standard_input_has_one_source(glovebox):
    ended = glovebox("run", "-c", "print(input())", "--stdin", "one", "--stdin-file", "/dev/null")
    assert ended.status == 125 and "--stdin: " in ended.err, ended


@pytest.mark.parametrize(
    "change, field",
    [
        ({"colour": "red"}, "colour"),
        ({"limits": {"wall_sec": 5}}, "limits.wall_sec"),
        ({"files": [{"path": "a", "content": "", "mode": 7}]}, "files[0].mode"),
        ({"code": 5}, "code"),
        ({"args": "one"}, "args"),
        ({"limits": {"wall_ms": "5s"}}, "limits.wall_ms"),
        ({"files": [{"path": "../a", "content": ""}]}, "files[0].path"),
        ({"files": [{"path": "/a", "content": ""}]}, "files[0].path"),
        ({"env": {"LD_PRELOAD": "x"}}, "env.LD_PRELOAD"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_bad_field_is_refused_by_name(glovebox, change, field):
    request = {"language": "python", "code": "print('ran')"} | change
    ended = glovebox.send(request)
    assert ended.status == 125, ended
    error = ended.result["error"]
    assert (ended.result["outcome"], error["code"]) == ("rejected", "invalid_request")
    assert error["message"].startswith(field + ":"), error
    plain = glovebox("run", "--request", "-", stdin=json.dumps(request).encode())
    assert (plain.status, plain.out) == (125, ""), plain
    assert field in plain.err


@pytest.mark.parametrize(
    "text, says",
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ('{"code":"1"} x', "JSON"),
        ('{"code":"1","code":"2"}', "code"),
        ('{"code":"1","expect":' + "[" * 100_000 + "]" * 100_000 + "}", "nested deeper"),
        ('{"code":"1","input":' + '{"a":' * 5000 + "1" + "}" * 5000 + "}", "nested deeper"),
    ],
    ids=["empty", "unfinished", "trailing", "duplicate", "deep_arrays", "deep_objects"],
)
def test_what_is_no_request_is_refused(glovebox, text, says):
    ended = glovebox.send(text)
    assert ended.status == 125, ended
    assert ended.result["error"]["code"] == "invalid_request"
    assert says in ended.result["error"]["message"]


@pytest.mark.parametrize(
    "change, field",
    [
        ({"isolation": "vm"}, "isolation"),
        ({"isolation": "none"}, "isolation"),
        ({"network": {"allow": ["example.org:443"]}}, "network.allow"),
        ({"policy": "nobody"}, "policy"),
        ({"idempotency_key": "once"}, "idempotency_key"),
        ({"language": "cobol"}, "language"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_cannot_be_honoured_is_refused_by_name_and_not_ignored(glovebox, change, field):
    ended = glovebox.send({"code": "print('ran')"} | change)
    assert ended.status == 125, ended
    error = ended.result["error"]
    assert error["code"] == "unsupported"
    assert error["message"].startswith(field + ":") and error["hint"], error
    assert ended.result["stdout"] == ""


def test_too_large_inputs_are_refused_before_anything_runs(glovebox):
    ended = glovebox.send({"code": "1", "stdin": "x" * 5000, "limits": {"input_bytes": 4000}})
    assert (ended.status, ended.result["error"]["code"]) == (125, "input_too_large"), ended
    rows = {"path": "data.csv", "content": "1\n" * 50}
    ended = glovebox.send({"code": "1", "files": [rows], "limits": {"input_rows": 49}})
    assert (ended.status, ended.result["error"]["code"]) == (125, "input_too_large"), ended


def test_every_good_example_of_the_contract_is_understood(glovebox):
    """It runs, or it is refused for something that this installation says it does not have; it is never misread."""
    for path in sorted((REPOSITORY / "contract/examples/requests").glob("*.json")):
        result = glovebox("run", "--request", str(path), "--json").result
        code = result["error"]["code"] if result["error"] else ""
        assert code != "invalid_request", f"{path.name}: {result['error']}"


def test_json_is_one_object_and_nothing_else(glovebox):
    code = "import sys\nprint('{\"outcome\":\"forged\"}')\nprint('noise', file=sys.stderr)\n1/0"
    ended = glovebox("run", "--json", "-c", code)
    assert ended.stderr == b""
    assert ended.result["outcome"] == "program_failed", "what the program prints stays inside of its stdout"
    for bad in (["run", "--json", "-c", "1", "--memory", "x"], ["run", "--json", "/nowhere/script.py"]):
        ended = glovebox(*bad)
        assert (ended.status, ended.result["outcome"]) == (125, "rejected"), ended


def test_output_is_clean_text(glovebox):
    raw = b"a\x1b[31mred\x1b[0m\xff\x00b\xe2\x80\xaec\r\nd\x07\n"
    code = f"import os; os.write(1, {raw!r})"
    result = glovebox.result("python", code)
    assert result["stdout"] == "ared\ufffdbc\r\nd\n"
    assert result["stdout_bytes"] == len(raw), "the true number of bytes"
    assert glovebox.run("python", code).stdout == raw, "a pipe gets the bytes"


def test_streams_are_kept_apart_and_human_words_go_to_stderr(glovebox):
    ended = glovebox.run("python", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(3)")
    assert ended.out == "out\n"
    assert ended.err.startswith("err\n") and "glovebox: program_failed" in ended.err
    quiet = glovebox.run("python", "import sys\nprint('err', file=sys.stderr)\nsys.exit(3)", "--quiet")
    assert (quiet.status, quiet.err) == (3, "err\n")


def test_provenance_tells_inputs_apart(glovebox):
    def digests(code="print(1)", **fields):
        provenance = glovebox.send(build_request("python", code, **fields)).result["provenance"]
        return provenance["code_sha256"], provenance["inputs_sha256"]

    first = digests()
    assert digests() == first
    others = [
        digests(code="print(2)"),
        digests(stdin="x"),
        digests(args=["x"]),
        digests(env={"A": "x"}),
        digests(files=[{"path": "a", "content": "x"}]),
        digests(files=[{"path": "b", "content": "x"}]),
    ]
    assert len({first, *others}) == 1 + len(others)


def test_the_result_says_what_was_enforced(glovebox, mode):
    enforced = glovebox.result("python", "1")["provenance"]["enforced"]
    always = {
        "namespace_user",
        "namespace_network",
        "read_only_root",
        "no_capabilities",
        "no_new_privileges",
        "seccomp",
        "wall_clock",
        "disk",
        "output",
    }
    assert always <= set(enforced)
    assert {"cpu_time", "polled_cpu_time"} & set(enforced)
    kernel_limits = {"cgroup_memory", "cgroup_pids", "cgroup_cpu"}
    assert kernel_limits <= set(enforced) if mode.name != "degraded" else not kernel_limits & set(enforced)


def test_the_validator_of_this_suite_can_fail():
    good = json.loads((REPOSITORY / "contract/examples/results/ok.json").read_text())
    assert json_schema.violations(good, RESULT_SCHEMA) == []
    for change in ({"outcome": "fine"}, {"extra": 1}, {"exit_code": 256}, {"success": "yes"}, {"denials": [{}]}):
        assert json_schema.violations(good | change, RESULT_SCHEMA) != [], change
    del good["metrics"]["wall_ms"]
    assert json_schema.violations(good, RESULT_SCHEMA) == ["$.metrics: wall_ms is missing"]


@pytest.mark.parametrize(
    "arguments, status, says",
    [
        ([], 125, "usage"),
        (["--help"], 0, "usage"),
        (["--version"], 0, "glovebox "),
        (["fly"], 125, "fly"),
        (["run", "--help"], 0, "exit status"),
        (["run"], 125, "nothing to run"),
    ],
)
def test_help_and_mistakes(glovebox, arguments, status, says):
    ended = glovebox(*arguments)
    assert (ended.status, says in ended.out + ended.err) == (status, True), ended
