"""`glovebox run --repair CMD`: a command mends the program while it fails, within its attempts and its budget."""

from __future__ import annotations

import json

import pytest

BROKEN = "rows = [1, 2, 3]\ntotal = sum(rows)\nprint(totl)\n"
MENDS = """#!/usr/bin/python3
import json, sys
brief = json.load(sys.stdin)
assert brief["error"]["type"] == "NameError" and brief["error"]["line"] == 3, brief
assert [line["text"] for line in brief["failing_lines"] if line["failing"]] == ["print(totl)"], brief
assert "Change only what is needed" in brief["prompt"] and brief["attempts_left"] == 2, brief
print("```python\\n" + brief["code"].replace("totl", "total") + "```")
"""


@pytest.fixture
def script(mode, request):
    """Makes a command out of a text."""
    directory = mode.make_directory("repair_" + "".join(filter(str.isalnum, request.node.name))[:60])

    def make(text: str, name: str = "command") -> str:
        path = directory / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    make.directory = directory
    return make


def report_of(script) -> dict:
    return json.loads((script.directory / "report.json").read_text())


def run(glovebox, script, command: str, *flags: str, code: str = BROKEN):
    report = str(script.directory / "report.json")
    return glovebox("run", "-c", code, "--repair", command, "--repair-report", report, *flags)


def test_a_mended_program_is_the_answer(glovebox, script):
    ended = run(glovebox, script, script(MENDS))
    assert (ended.status, ended.out) == (0, "6\n"), ended
    assert "repair: success" in ended.err and "attempt 1: program_failed: NameError" in ended.err, ended
    report = report_of(script)
    assert report["stop"] == "success" and len(report["attempts"]) == 2
    assert report["attempts"][1]["code"] == BROKEN.replace("totl", "total")
    assert report["attempts"][0]["result"]["error"]["type"] == "NameError"


def test_a_program_that_works_asks_nobody(glovebox, script):
    ended = run(glovebox, script, "echo asked >&2; exit 1", code="print(1)")
    assert (ended.status, ended.out) == (0, "1\n") and "asked" not in ended.err, ended


def test_json_is_the_result_and_nothing_else(glovebox, script):
    ended = run(glovebox, script, script(MENDS), "--json")
    assert ended.result["success"] and ended.result["stdout"] == "6\n"


def test_the_same_error_twice_ends_it(glovebox, script):
    ended = run(glovebox, script, "printf 'rows = [4]\\ntotal = sum(rows)\\nprint(totl)\\n'")
    assert ended.status == 1 and "same_error_twice" in ended.err, ended
    assert len(report_of(script)["attempts"]) == 2


def test_attempts_run_out(glovebox, script):
    counter = script.directory / "count"
    command = script(f"#!/bin/sh\necho x >> {counter}\necho \"raise ValueError('$(wc -l < {counter}) of them'); # $$\"\n")
    ended = run(glovebox, script, command, "--attempts", "4")
    assert ended.status == 1 and "attempts_exhausted: 4 attempts" in ended.err, ended
    assert len(report_of(script)["attempts"]) == 4


def test_the_budget_is_for_all_attempts(glovebox, script):
    command = "echo 'import time; time.sleep(30)'"
    ended = run(glovebox, script, command, "--budget", "800ms", code="import time; time.sleep(0.3); raise ValueError")
    assert ended.status == 124 and "budget_exhausted" in ended.err, ended
    last = report_of(script)["attempts"][-1]["result"]
    assert last["outcome"] == "timeout" and last["metrics"]["wall_ms"] < 3000


def test_a_command_may_give_up(glovebox, script):
    ended = run(glovebox, script, "exit 7")
    assert ended.status == 1 and "supplier_gave_up: the repair command ended with status 7" in ended.err, ended
    ended = run(glovebox, script, "sleep 60", "--repair-timeout", "300ms")
    assert ended.status == 1 and "took too long" in ended.err and ended.elapsed_s < 30, ended


def test_what_no_program_can_mend_is_not_tried(glovebox, script):
    ended = run(glovebox, script, "echo asked >&2; echo 1", "--language", "cobol")
    assert ended.status == 125 and "asked" not in ended.err, ended


def test_bad_flags_are_named(glovebox, script):
    for flag, value in (("--budget", "soon"), ("--budget", "0s"), ("--repair-timeout", "x"), ("--attempts", "0")):
        ended = run(glovebox, script, "true", flag, value)
        assert ended.status != 0 and flag in ended.err, ended
