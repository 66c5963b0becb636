"""The tools, as an agent uses them."""

from __future__ import annotations

import base64

import pytest

from support.mcp_client import structured

PIXEL = (
    "import base64\nopen('dot.png','wb').write(base64.b64decode('"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='))\n"
)


def test_a_program_runs_with_everything_it_was_given(pipe):
    result = pipe.tool(
        "execute_code_sandbox",
        language="python",
        code="import sys, os\nprint(sys.stdin.read(), sys.argv[1], os.environ['WHO'], open('a.txt').read())",
        stdin="in", args=["arg"], env={"WHO": "me"}, files=[{"path": "a.txt", "content": "file"}],
        limits={"wall_ms": 4000}, policy="default",
    )  # fmt: skip
    assert result["stdout"] == "in arg me file\n" and result["success"]


@pytest.mark.parametrize(("language", "code"), [("javascript", "console.log(6*7)"), ("bash", "echo $((6*7))")])
def test_other_languages_run_too(pipe, language, code):
    assert pipe.tool("execute_code_sandbox", language=language, code=code)["stdout"] == "42\n"


def test_a_failing_program_says_how_to_mend_it(pipe):
    answer = pipe.call("execute_code_sandbox", code="x = 1\nprint(y)")["result"]
    assert answer["isError"]
    error = structured(answer)["error"]
    assert error["line"] == 2 and "y" in error["message"]


def test_what_is_expected_is_checked(pipe):
    result = pipe.tool("execute_code_sandbox", code="print('[1]')", expect={"stdout_json_schema": {"type": "object"}})
    assert result["validation"]["status"] == "failed" and not result["success"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"code": 5}, "code"),
        ({"code": "1", "limits": {"wall_ms": -1}}, "wall_ms"),
        ({"code": "1", "no_such": 1}, "no_such"),
        ({"code": "1", "network": {"allow": ["a:1"]}}, "network"),
        ({"code": "1", "isolation": "none"}, "isolation"),
        ({"code": "1", "files": [{"path": "../x", "content": ""}]}, "files[0].path"),
        ({"code": "1", "workspace": "ws_unknown"}, "workspace"),
        ({"code": "1", "language": "cobol"}, "cobol"),
    ],
)
def test_wrong_arguments_are_told_by_name_so_that_a_model_can_mend_them(pipe, arguments, word):
    answer = pipe.call("execute_code_sandbox", **arguments)["result"]
    assert answer["isError"] and word in answer["content"][0]["text"]


def test_a_plot_comes_back_as_an_image_and_as_a_link(pipe):
    answer = pipe.call("execute_code_sandbox", code=PIXEL)["result"]
    image = next(block for block in answer["content"] if block["type"] == "image")
    assert image["mimeType"] == "image/png" and base64.b64decode(image["data"]).startswith(b"\x89PNG")
    link = next(block for block in answer["content"] if block["type"] == "resource_link")
    assert link["name"] == "dot.png"
    read = pipe.ask("resources/read", {"uri": link["uri"]})["result"]["contents"][0]
    assert read["blob"] == image["data"]


def test_long_output_is_head_and_tail_and_a_resource_for_the_rest(pipe):
    answer = pipe.call("execute_code_sandbox", code="print('head')\nprint('x' * 200_000)\nprint('tail')")["result"]
    result = structured(answer)
    assert result["shortened"] == ["stdout"] and len(result["stdout"]) < 30_000
    assert result["stdout"].startswith("head\n") and result["stdout"].endswith("tail\n")
    link = next(block for block in answer["content"] if block["type"] == "resource_link")
    text = pipe.ask("resources/read", {"uri": link["uri"]})["result"]["contents"][0]["text"]
    assert text == "head\n" + "x" * 200_000 + "\ntail\n"


def test_resources_that_are_not_there_are_told(pipe):
    for uri in ("glovebox://runs/run_0/stdout", "glovebox://runs/x/artifacts/%2e%2e/passwd", "file:///etc/passwd"):
        error = pipe.ask("resources/read", {"uri": uri})["error"]
        assert error["code"] == -32002 and error["data"]["uri"] == uri
    assert len(pipe.ask("resources/templates/list")["result"]["resourceTemplates"]) == 4
    assert pipe.ask("resources/list")["result"]["resources"] == []


def test_a_conversation_has_a_workspace(pipe):
    written = pipe.tool("write_file", path="src/tool.py", content="def f():\n    return 41\n")
    assert written["bytes"] == 23 and written["workspace"].startswith("ws_")
    ran = pipe.tool("execute_code_sandbox", code="import sys\nsys.path.insert(0, 'src')\nimport tool\nprint(tool.f() + 1)\nopen('out.txt', 'w').write('left')")
    assert ran["stdout"] == "42\n" and ran["workspace"] == written["workspace"]
    assert ran["files_written"] == ["out.txt"]
    shell = pipe.tool("run_shell", command="cat out.txt; rm src/tool.py")
    assert shell["stdout"] == "left" and shell["files_removed"] == ["src/tool.py"]
    listed = pipe.tool("list_files")
    assert [file["path"] for file in listed["files"]] == ["out.txt"] and listed["more"] == 0
    assert pipe.tool("read_file", path="out.txt")["content"] == "left"


def test_without_a_workspace_every_program_starts_fresh(pipe):
    pipe.tool("execute_code_sandbox", code="open('a', 'w').write('x')")
    assert pipe.tool("execute_code_sandbox", code="import os\nprint(os.listdir('.'))")["stdout"] == "[]\n"
    missing = pipe.call("list_files")["result"]
    assert missing["isError"] and "write_file" in missing["content"][0]["text"]


def test_files_are_read_in_parts_and_bytes_as_base64(pipe):
    pipe.tool("write_file", path="b.bin", content=base64.b64encode(b"\xff\x00\x01").decode(), encoding="base64")
    read = pipe.tool("read_file", path="b.bin")
    assert read["encoding"] == "base64" and base64.b64decode(read["content"]) == b"\xff\x00\x01"
    pipe.tool("write_file", path="t.txt", content="aé")
    pipe.tool("write_file", path="t.txt", content="€z", append=True)
    parts, offset = "", 0
    while True:
        part = pipe.tool("read_file", path="t.txt", offset=offset, max_bytes=4)
        assert part["encoding"] == "utf8"
        parts, offset = parts + part["content"], offset + part["bytes"]
        if offset == part["file_bytes"]:
            break
    assert parts == "aé€z"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../b", "", "a\0b"])
def test_no_path_leads_out_of_the_workspace(pipe, path):
    assert pipe.call("write_file", path=path, content="x")["result"]["isError"]
    pipe.tool("write_file", path="ok", content="x")
    assert pipe.call("read_file", path=path)["result"]["isError"]


def test_a_shell_command_has_thirty_seconds_unless_told_otherwise(pipe):
    tools = {tool["name"]: tool for tool in pipe.ask("tools/list")["result"]["tools"]}
    assert tools["run_shell"]["inputSchema"]["properties"]["timeout_ms"]["default"] == 30000
    run = pipe.tool("run_shell", command="true")
    assert pipe.tool("get_run", run_id=run["run_id"])["request"]["limits"]["wall_ms"] == 30000
    assert pipe.tool("run_shell", command="sleep 20", timeout_ms=300)["outcome"] == "timeout"


def test_a_policy_is_asked_without_running(pipe):
    decision = pipe.tool("check_policy", code="import subprocess", policy="strict")
    assert decision["decision"] == "deny" and decision["findings"][0]["line"] == 1


def test_an_earlier_run_can_be_looked_at_and_run_again(pipe):
    run = pipe.tool("execute_code_sandbox", code="print(5)")
    seen = pipe.tool("get_run", run_id=run["run_id"])
    assert seen["state"] == "finished" and seen["result"]["stdout"] == "5\n" and seen["request"]["code"] == "print(5)"
    again = pipe.tool("replay_run", run_id=run["run_id"])
    assert again["verdict"] == "equal" and again["replay_of"] == run["run_id"]
    random = pipe.tool("execute_code_sandbox", code="import random\nprint(random.random())")
    assert pipe.tool("replay_run", run_id=random["run_id"])["verdict"] == "differs"
    assert pipe.call("get_run", run_id="run_0")["result"]["isError"]
    assert pipe.call("replay_run", run_id="run_0")["result"]["isError"]


def test_with_records_runs_outlive_the_process(start_pipe, tmp_path):
    first = start_pipe("--record", "--data", str(tmp_path / "data"))
    first.initialize()
    run = first.tool("execute_code_sandbox", code="print('kept')")
    assert first.end() == 0
    second = start_pipe("--record", "--data", str(tmp_path / "data"))
    second.initialize()
    assert second.tool("get_run", run_id=run["run_id"])["result"]["stdout"] == "kept\n"


def test_the_policy_of_the_command_line_counts_where_a_call_names_none(start_pipe):
    client = start_pipe("--policy", "strict")
    client.initialize()
    assert client.tool("execute_code_sandbox", code="import subprocess")["outcome"] == "rejected"
    assert client.tool("execute_code_sandbox", code="import subprocess", policy="default")["outcome"] == "ok"
