"""Expectations, through to real cells: a wrong answer is no success, and a bad expectation costs no run."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib

import pytest

from support.command_line import seconds
from support.glovebox_runner import REPOSITORY, slowness


def run(glovebox, code: str, expect: dict, **fields) -> dict:
    ended = glovebox.send({"code": code, "cache": "off", "expect": expect} | fields)
    return ended.result


def passes(result: dict) -> bool:
    assert result["success"] == (result["validation"]["status"] == "passed"), result
    return result["success"]


def documented_examples() -> list[tuple[str, str]]:
    """Pairs of a request and its failures, as docs/verification.md has them."""
    text = (REPOSITORY / "docs/verification.md").read_text(encoding="utf-8")
    return re.findall(r"^```json\n(.*?)^```\n```text\n(.*?)^```", text, re.M | re.S)


@pytest.mark.parametrize("request_text, failures", documented_examples(), ids=lambda text: "")
def test_the_documented_examples_fail_as_they_say(glovebox, request_text, failures):
    result = glovebox.send(json.loads(request_text) | {"cache": "off"}).result
    assert result["outcome"] == "invalid_output", result
    assert result["validation"]["failures"] == failures.splitlines()


def test_there_are_documented_examples_of_every_part():
    parts = {part for request, _ in documented_examples() for part in json.loads(request)["expect"]}
    assert parts == {"stdout_json_schema", "artifacts", "invariants", "tests", "cross_check"}


def test_a_result_that_meets_everything_is_a_success(glovebox):
    result = run(
        glovebox,
        "open('out.csv', 'w').write('a,b\\n1,2\\n')\ndef solve(x):\n    print('{\"n\": %d}' % x)\n    return x * 2",
        {
            "stdout_json_schema": {"required": ["n"]},
            "value_json_schema": {"const": 42},
            "artifacts": [{"path": "out.csv", "format": "csv", "rows": 1, "columns": ["a", "b"]}],
            "invariants": ["value == input * 2", "json.n == input"],
            "tests": {"cases": [{"input": 1, "expected": 2}]},
            "cross_check": {"code": "def solve(x): return x + x"},
        },
        input=21,
    )
    assert passes(result), result
    assert result["outcome"] == "ok" and result["error"] is None
    assert [check["passed"] for check in result["validation"]["checks"]] == [True] * 7
    assert [artifact["path"] for artifact in result["artifacts"]] == ["out.csv"], "it was collected to be checked"
    assert result["metrics"]["stages"]["verify"] > 0


def test_a_failure_is_an_outcome_with_every_failure_listed(glovebox):
    result = run(glovebox, "print('[1]')", {"stdout_json_schema": {"type": "object"}, "invariants": ["len(json) == 2"]})
    assert (result["outcome"], result["success"], result["exit_code"]) == ("invalid_output", False, 0)
    assert result["error"]["code"] == "invalid_output"
    message = result["error"]["message"]
    assert message.startswith("expect.stdout_json_schema: ") and message.endswith("(and 1 more)")
    assert len(result["validation"]["failures"]) == 2
    assert result["attempts"][-1]["outcome"] == "invalid_output"


def test_a_program_that_fails_keeps_its_outcome(glovebox):
    result = run(glovebox, "1/0", {"invariants": ["true"]})
    assert (result["outcome"], result["validation"]["status"]) == ("program_failed", "not_run")
    assert result["validation"]["checks"] == []


def test_without_expectations_nothing_is_validated(glovebox):
    assert glovebox.send({"code": "print(1)", "expect": {}}).result["validation"]["status"] == "not_requested"


@pytest.mark.parametrize(
    "expect, field",
    [
        ({"stdout_json_schema": {"items": {"minimun": 1}}}, "expect.stdout_json_schema#/items/minimun"),
        ({"value_json_schema": {}}, "expect.value_json_schema"),
        ({"invariants": ["1 +"]}, "expect.invariants[0]: column 4"),
        ({"invariants": ["eval(stdout)"]}, "there is no function"),
        ({"artifacts": [{"path": "a", "format": "docx"}]}, "expect.artifacts[0].format"),
        ({"cross_check": {"code": "", "language": "cobol"}}, "expect.cross_check.language"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_expectation_is_refused_before_the_run(glovebox, expect, field):
    ended = glovebox.send({"code": "print('ran')", "expect": expect})
    assert ended.status == 125, ended
    result = ended.result
    assert result["outcome"] == "rejected" and field in result["error"]["message"], result
    assert result["stdout"] == "" and result["attempts"] == []


def test_output_that_was_cut_cannot_be_validated(glovebox):
    expect = {"stdout_json_schema": {"type": "array"}}
    result = run(glovebox, "print('[' + '1,' * 100000 + '1]')", expect, limits={"output_bytes": 1000})
    assert result["outcome"] == "invalid_output" and "was cut" in result["validation"]["failures"][0], result


def png(width: int, height: int, raw: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


HOSTILE = {
    "a picture of 2^31 pixels": ("a.png", "png", png(0x7FFFFFFF, 0x7FFFFFFF, b"\0" * 1000), "too many to be checked"),
    "a picture cut short": ("a.png", "png", png(10, 10, b"\0" * 310)[:-20], "not a valid png"),
    "a picture with wrong pixels": ("a.png", "png", png(10, 10, b"\0" * 300), "bytes of pixels"),
    "deep JSON": ("a.json", "json", b"[" * 1_000_000, "nested deeper"),
    "a table of a million columns in one row": ("a.csv", "csv", b"," * 999_999 + b"\n1\n", "has 1 cells"),
    "an SVG with entities": ("a.svg", "svg", b'<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', "declarations"),
    "a PDF without its end": ("a.pdf", "pdf", b"%PDF-1.4\n" + b"x" * 1000, "%%EOF"),
    "a text that calls itself Parquet": ("a.parquet", "parquet", b"PAR1" + b"\xff" * 100 + b"PAR1", "footer"),
    "a text that calls itself JPEG": ("a.jpg", "jpeg", b"\xff\xd8\xff\xe0\xff\xff", "damaged"),
}


@pytest.mark.parametrize("case", HOSTILE, ids=lambda name: name.replace(" ", "_"))
def test_hostile_artifacts_fail_and_cost_little(glovebox, case):
    path, kind, content, why = HOSTILE[case]
    packed = zlib.compress(content).hex()
    code = f"import zlib\nopen({path!r}, 'wb').write(zlib.decompress(bytes.fromhex({packed!r})))"
    result = run(glovebox, code, {"artifacts": [{"path": path, "format": kind}]})
    assert result["outcome"] == "invalid_output" and why in result["validation"]["failures"][0], result
    assert result["metrics"]["stages"]["verify"] < 5_000


def test_a_zip_bomb_is_not_unpacked(glovebox):
    code = """
import zipfile
with zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
    with archive.open('zeros', 'w') as file:
        for _ in range(300):
            file.write(bytes(1 << 20))
"""
    result = run(glovebox, code, {"artifacts": [{"path": "bomb.zip", "format": "zip"}]})
    assert result["outcome"] == "invalid_output", result
    assert "too many to be checked" in result["validation"]["failures"][0]


def test_what_common_libraries_write_is_valid(glovebox):
    code = """
import csv, io, json, zipfile
with open('t.csv', 'w', newline='') as file:
    csv.writer(file).writerows([['a', 'b'], [1, 'x, "y"'], [2, 'two\\nlines']])
with open('t.tsv', 'w', newline='') as file:
    csv.writer(file, dialect='excel-tab').writerows([['a', 'b'], [1, 2]])
json.dump([{'a': 1}, {'a': 2}], open('t.json', 'w'), indent=1)
open('t.jsonl', 'w').write('{"a": 1}\\n{"a": 2}\\n')
with zipfile.ZipFile('t.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
    archive.writestr('a.txt', 'hello ' * 1000)
open('t.html', 'w').write('<!doctype html><title>t</title><p>1 < 2')
"""
    page = b"<!doctype html><title>t</title><p>1 < 2"
    expect = [
        {"path": "t.csv", "format": "csv", "rows": 2, "columns": ["a", "b"]},
        {"path": "t.tsv", "format": "tsv", "rows": 1},
        {"path": "t.json", "format": "json", "rows": 2, "columns": ["a"]},
        {"path": "t.jsonl", "format": "jsonl", "rows": 2, "has_columns": ["a"]},
        {"path": "t.zip", "format": "zip", "max_bytes": 1000},
        {"path": "t.html", "format": "html", "sha256": hashlib.sha256(page).hexdigest()},
    ]
    result = run(glovebox, code, {"artifacts": expect})
    assert passes(result), result["validation"]


def test_plots_of_matplotlib_are_valid(glovebox):
    code = """
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plot
figure = plot.figure(figsize=(4, 3), dpi=100)
plot.plot([1, 2, 3])
for ending in ('png', 'svg', 'pdf', 'jpg'):
    figure.savefig('plot.' + ending)
"""
    result = run(
        glovebox,
        code,
        {
            "artifacts": [
                {"path": "plot.png", "format": "png", "width": 400, "height": 300},
                {"path": "plot.svg", "format": "svg", "min_width": 300, "max_width": 400},
                {"path": "plot.pdf", "format": "pdf", "pages": 1},
                {"path": "plot.jpg", "format": "jpeg", "width": 400},
            ]
        },
        limits={"wall_ms": 60_000, "cpu_ms": 60_000, "memory_bytes": 1 << 30},
    )
    if result["error"] and result["error"]["code"] == "import_error":
        pytest.skip("needs matplotlib in the image")
    assert passes(result), (result["validation"], result["error"])


def test_each_test_has_a_cell_of_its_own(glovebox):
    code = "import os\ndef solve(x):\n    seen = os.listdir('.')\n    open('left', 'w').close()\n    return seen"
    cases = [{"input": number, "expected": []} for number in range(3)]
    assert passes(run(glovebox, code, {"tests": {"cases": cases}}))


def test_javascript_is_tested_too(glovebox):
    result = run(
        glovebox,
        "function solve(x) { return [...x].reverse().join(''); }\nfunction undo(x) { return solve(x); }",
        {
            "tests": {
                "cases": [
                    {"name": "word", "input": "abc", "expected": "cba"},
                    {"name": "wrong", "input": "a", "expected": "b"},
                ],
                "properties": [{"property": "round_trip", "inputs": ["abc", ""], "inverse": "undo"}],
            }
        },
        language="javascript",
    )
    assert [check["passed"] for check in result["validation"]["checks"]] == [True, False, True, True], result
    assert result["validation"]["failures"] == ['expect.tests.cases[1] wrong: solve("a"): "a" came, "b" was expected']


def test_tests_share_the_wall_time_of_the_request(glovebox):
    code = "import time\ndef solve(x):\n    time.sleep(x)\n    return x"
    cases = [{"input": 0.9 * slowness(), "expected": 0.9 * slowness()}] * 10
    result = glovebox.send({"code": code, "expect": {"tests": {"cases": cases}}}, "--timeout", seconds(2)).result
    passed = [check["passed"] for check in result["validation"]["checks"]]
    assert len(passed) == 10 and passed.count(True) < 4 and not passed[-1], result["validation"]


def test_what_tests_cost_is_counted(glovebox):
    code = "def solve(x):\n    return sum(range(x))"
    alone = run(glovebox, code, {"invariants": ["true"]})
    tested = run(glovebox, code, {"tests": {"cases": [{"input": 3_000_000, "expected": 4499998500000}] * 2}})
    assert passes(tested), tested
    assert tested["metrics"]["cpu_ms"] > alone["metrics"]["cpu_ms"] + 10, (alone["metrics"], tested["metrics"])


def test_a_second_program_has_the_same_inputs(glovebox):
    files = [{"path": "n.txt", "content": "4 5 6"}]
    sums = "print(sum(int(n) for n in open('n.txt').read().split()))"
    second = "console.log(require('fs').readFileSync('n.txt', 'utf8').split(' ').map(Number).reduce((a, b) => a + b))"
    assert passes(run(glovebox, sums, {"cross_check": {"code": second, "language": "javascript"}}, files=files))
    wrong = run(glovebox, sums, {"cross_check": {"code": "print(16)"}}, files=files)
    assert wrong["outcome"] == "invalid_output"
    assert "15" in wrong["validation"]["failures"][0] and "16" in wrong["validation"]["failures"][0]
    broken = run(glovebox, sums, {"cross_check": {"code": "print(undefined)"}}, files=files)
    assert "the second program ended with program_failed: NameError" in broken["validation"]["failures"][0]


def test_the_second_program_is_sealed_too(glovebox):
    second = "import socket\nsocket.create_connection(('192.0.2.1', 80))"
    result = run(glovebox, "print('no')", {"cross_check": {"code": second}})
    assert result["outcome"] == "invalid_output" and "ended with denied" in result["validation"]["failures"][0], result


def test_counts_before_and_after(glovebox):
    rows = "id,name\n1, a \n2,b\n2,b\n"
    code = """
import csv
rows = list(csv.reader(open('in.csv')))
with open('out.csv', 'w', newline='') as file:
    csv.writer(file).writerows([rows[0]] + sorted({tuple(cell.strip() for cell in row) for row in rows[1:]}))
"""
    invariants = [
        'row_count(artifact("out.csv")) <= row_count(input("in.csv"))',
        'columns(artifact("out.csv")) == columns(input("in.csv"))',
        'set(column(artifact("out.csv"), "id")) == set(column(input("in.csv"), "id"))',
        'unique(column(artifact("out.csv"), "id")) and sorted(column(artifact("out.csv"), "id"))',
        'all(matches(column(artifact("out.csv"), "name"), r"^\\S+$"))',
    ]
    assert passes(run(glovebox, code, {"invariants": invariants}, files=[{"path": "in.csv", "content": rows}]))


def test_people_give_a_file(glovebox, directory):
    (directory / "expect.json").write_text('{ "invariants": ["len(stdout) == 5", "stdout == \\"ok\\""] }')
    ended = glovebox("run", "-c", "print('no')", "--expect", str(directory / "expect.json"))
    assert ended.status == 125 and "invalid_output" in ended.err, ended
    assert '  - expect.invariants[1] stdout == "ok"' in ended.err
    (directory / "expect.json").write_text('{"invariant": []}')
    refused = glovebox("run", "-c", "print('ran')", "--expect", str(directory / "expect.json"))
    assert refused.status == 125 and "did you mean" in refused.err and "ran" not in refused.out, refused


ABSENT = {"artifacts": [{"path": "d/zz.txt", "exists": False}]}


@pytest.mark.parametrize(
    "code, why",
    [
        ("import os\nos.mkdir('d'); os.symlink('/etc/passwd', 'd/zz.txt')", "a symbolic link"),
        ("import os\nos.mkdir('d'); os.mkfifo('d/zz.txt')", "a fifo"),
        ("import os\nos.mkdir('d'); open('d/zz.txt', 'w').write('x'); os.chmod('d', 0)", "unreadable"),
        ("import os\nos.mkdir('d'); open('d/zz.txt', 'w').write('x'); os.chmod('d', 0o444)", "d/"),
        ("import os\nos.mkdir('d'); open('d/zz.txt', 'w').write('x'); os.chmod('d/zz.txt', 0)", "unreadable"),
        ("import os\nos.makedirs('e/d'); open('e/d/zz.txt', 'w').write('x'); os.symlink('e/d', 'd')", "a symbolic link"),
        ("import os\nos.makedirs('d/zz.txt'); open('d/zz.txt/a', 'w').write('x')", "a directory with d/zz.txt/a"),
        ("import os\nos.mkdir('d'); open('d/zz.txt', 'w').write('x')", "must not be there, and has 1 bytes"),
        ("import os\nos.mkdir('d'); open('d/zz.txt', 'w').write('x'); os.chmod('.', 0)", "unreadable"),
    ],
    ids=["link", "fifo", "closed directory", "half closed directory", "unreadable", "link on the way", "directory",
         "file", "closed work directory"],
)
def test_what_must_not_be_there_fails_unless_it_is_known_to_be_absent(glovebox, code, why):
    result = run(glovebox, code, ABSENT)
    assert result["outcome"] == "invalid_output", result
    assert why in result["validation"]["failures"][0]


def test_what_is_absent_passes_whatever_else_is_there(glovebox):
    code = (
        "import os\nos.makedirs('d/zz.txt'); os.symlink('/etc', 'e'); open('d/zz.txt2', 'w').write('x')\n"
        "open('large', 'wb').truncate(1 << 20); os.remove('gone.csv')"
    )
    expect = {"artifacts": ABSENT["artifacts"] + [{"path": "gone.csv", "exists": False}, {"path": "e2", "exists": False}]}
    files = [{"path": "gone.csv", "content": "a\n1\n"}, {"path": "stays.csv", "content": "a\n"}]
    assert passes(run(glovebox, code, expect, files=files))


def test_an_input_that_is_still_there_is_there(glovebox):
    files = [{"path": "secret.csv", "content": "a\n1\n"}]
    result = run(glovebox, "pass", {"artifacts": [{"path": "secret.csv", "exists": False}]}, files=files)
    assert result["validation"]["failures"] == [
        "expect.artifacts[0] secret.csv: must not be there, and the input file secret.csv still is"
    ]


def test_a_text_in_a_text_is_found_in_time(glovebox):
    code = "open('a.txt', 'w').write('a' * 4_000_000 + 'b'); open('b.txt', 'w').write('a' * 8_000_000)"
    result = run(glovebox, code, {"invariants": ['artifact("a.txt") in artifact("b.txt")']})
    assert result["outcome"] == "invalid_output"
    assert result["metrics"]["stages"]["verify"] < 2200 * slowness()


@pytest.mark.parametrize(
    "code, expect",
    [
        ("print(9007199254740993)", {"cross_check": {"code": "print(9007199254740992)", "compare": "numeric"}}),
        (
            "open('o.csv', 'w').write('a\\n' + '9' * 400 + '.5\\n')",
            {"invariants": ['sum(column(artifact("o.csv"), "a")) <= 1']},
        ),
        ("print('[100000000000000000000, 1e20]')", {"invariants": ["unique(json)"]}),
        (
            "open('o.csv', 'w').write('a' + '\\n' * 6)",
            {"artifacts": [{"path": "o.csv", "format": "csv", "min_rows": 5}]},
        ),
        (
            "open('o.pdf', 'w').write('%PDF-1.7\\n1 0 obj /XRef/Root stream\\nstartxref\\n9\\n%%EOF')",
            {"artifacts": [{"path": "o.pdf", "format": "pdf"}]},
        ),
    ],
    ids=["whole numbers", "huge number", "equal numbers", "blank rows", "pdf"],
)
def test_wrong_answers_that_look_right_fail(glovebox, code, expect):
    assert run(glovebox, code, expect)["outcome"] == "invalid_output"
