"""The bounded form: the code defines solve(input), JSON goes in and JSON comes out (C4)."""

from __future__ import annotations

import json

import pytest

IDENTITY = {
    "python": "def solve(value):\n    return value",
    "javascript": "function solve(value) { return value; }",
    "bash": "solve() { cat; }",
}
VALUES = [None, True, 0, -1.5, "", 'grün " \\ \n', [], {}, [1, [2, [3]]], {"a": {"b": None}, "ü": [False]}]


@pytest.mark.parametrize("language", IDENTITY)
def test_values_pass_through_unchanged(glovebox, language):
    result = glovebox.result(language, IDENTITY[language], "--input", json.dumps(VALUES))
    assert result["outcome"] == "ok", result
    assert result["results"] == [{"kind": "value", "media_type": "application/json", "value": VALUES}]


@pytest.mark.parametrize(
    "language, code",
    [
        ("python", "def solve(x):\n    print('noise')\n    return sum(x['numbers'])"),
        ("javascript", "console.log('noise');\nasync function solve(x) { return x.numbers.reduce((a, b) => a + b); }"),
        ("bash", "echo noise\nsolve() { echo $(( $(tr -dc '0-9,' <<<\"$1\" | tr , +) )); }"),
    ],
)
def test_a_sum_in_every_language(glovebox, language, code):
    result = glovebox.result(language, code, "--input", '{"numbers":[1,2,39]}')
    assert (result["outcome"], [rich["value"] for rich in result["results"]]) == ("ok", [42]), result
    assert result["stdout"] == "noise\n", "what the program prints is output, not the value"


def test_numbers_keep_every_digit(glovebox):
    result = glovebox.run("python", "def solve(x): return [x, x + 1]", "--json", "--input", str(2**100))
    assert f"[{2**100},{2**100 + 1}]" in result.out


def test_the_input_may_be_a_file_or_null(glovebox, directory):
    (directory / "input.json").write_text("[3, 4]")
    ended = glovebox.run("python", "def solve(x): return x[0] * x[1]", "--input", f"@{directory / 'input.json'}")
    assert (ended.status, ended.out) == (0, "12\n"), ended
    assert glovebox.result("python", "def solve(x): return x is None", "--input", "null")["results"][0]["value"] is True


def test_numpy_and_pandas_values_become_json(glovebox):
    code = """
import numpy, pandas
def solve(x):
    return {"array": numpy.arange(3), "number": numpy.float64(1.5), "table": pandas.DataFrame({"a": [1, 2]})}
"""
    result = glovebox.result("python", code, "--input", "null")
    if result["error"] and result["error"]["code"] == "import_error":
        pytest.skip("needs numpy and pandas in the image")
    assert result["results"][0]["value"] == {"array": [0, 1, 2], "number": 1.5, "table": [{"a": 1}, {"a": 2}]}, result


@pytest.mark.parametrize(
    "language, code, says",
    [
        ("python", "def solve(x): return {1, 2}", "set"),
        ("python", "def solve(x): return float('nan')", "nan"),
        ("python", "def solve(x): return {(1, 2): 3}", "key"),
        ("python", "def solve(x):\n    y = []\n    y.append(y)\n    return y", ""),
        ("python", "y = 1", "no function solve"),
        ("python", "solve = 5", "no function solve"),
        ("javascript", "function solve(x) {}", "undefined"),
        ("javascript", "function solve(x) { return 0 / 0; }", "NaN"),
        ("javascript", "function solve(x) { return 1n; }", "BigInt"),
        ("javascript", "let y = 1;", "no function solve"),
        ("bash", "solve() { echo hello; }", "not one JSON value"),
        ("bash", "solve() { echo 1; echo 2; }", "not one JSON value"),
        ("bash", "solve() { :; }", "printed nothing"),
        ("bash", "echo hi", "no function solve"),
    ],
)
def test_what_is_no_value_is_an_error_that_says_why(glovebox, language, code, says):
    result = glovebox.result(language, code, "--input", "1")
    assert (result["outcome"], result["results"]) == ("program_failed", []), result
    assert says.lower() in result["error"]["message"].lower(), result["error"]
    assert result["error"]["hint"]


@pytest.mark.parametrize(
    "language, code, line",
    [
        ("python", "def solve(x):\n    return x['b']", 2),
        ("javascript", "function solve(x) {\n  return x.b.c;\n}", 2),
    ],
)
def test_an_error_inside_of_solve_points_at_the_users_line(glovebox, language, code, line):
    error = glovebox.result(language, code, "--input", "{}")["error"]
    assert (error["code"], error["line"]) == ("runtime_error", line), error
    assert "/support/" not in error["traceback"], "our own frames are not shown"


@pytest.mark.parametrize("text", ["", "{bad", "[1,]", "1 2", "NaN", "[" * 1000 + "]" * 1000])
def test_an_input_that_is_no_json_is_refused(glovebox, text):
    ended = glovebox.run("python", IDENTITY["python"], "--json", "--input", text)
    assert (ended.status, ended.result["error"]["code"]) == (125, "invalid_request"), ended
    assert "input" in ended.result["error"]["message"]


def test_a_forged_value_is_no_success(glovebox):
    code = """
import os
def solve(x):
    os._exit(0)
"""
    result = glovebox.result("python", code, "--input", "1")
    assert (result["outcome"], result["success"], result["results"]) == ("invalid_output", False, [])
    assert result["error"]["code"] == "invalid_output"


@pytest.mark.parametrize("language, code", [
    ("python", "def solve(input): return 'x' * input"),
    ("javascript", "function solve(input) { return 'x'.repeat(input) }"),
])  # fmt: skip
def test_a_value_over_the_limit_names_the_limit(glovebox, language, code):
    result = glovebox.send({"language": language, "code": code, "input": 2 << 20}).result
    assert result["outcome"] == "invalid_output", result["error"]
    message = result["error"]["message"]
    assert "limits.output_bytes" in message and "--output" in message and "1 MiB" in message, message
    fits = glovebox.send(
        {"language": language, "code": code, "input": 2 << 20, "limits": {"output_bytes": 4 << 20}}
    ).result
    assert (fits["outcome"], len(fits["results"][0]["value"])) == ("ok", 2 << 20), fits["error"]
