"""The official SDKs as clients, over stdio and HTTP, in both eras of the protocol.

Each client is started once and does everything; the tests look at what it saw.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.glovebox_runner import slowness

HERE = Path(__file__).resolve().parent
TOOLS = {
    "execute_code_sandbox", "write_file", "read_file", "list_files", "run_shell", "check_policy", "get_run", "replay_run",
}  # fmt: skip
CLIENTS = [
    (sdk, era, transport)
    for sdk, era in (("v1", "legacy"), ("v2", "legacy"), ("v2", "modern"), ("python", "legacy"), ("python", "modern"))
    for transport in ("stdio", "http")
]


@pytest.fixture(scope="module", params=CLIENTS, ids="-".join)
def saw(request, tmp_path_factory, glovebox_binary):
    sdk, era, transport = request.param
    if transport == "http":
        service = request.getfixturevalue("service")
        # A tenant of its own: its runs are told apart, and are not answered from the cache of another.
        key = service.make_key(f"{sdk}-{era}", "run", "read", "admin")
        target = {"url": service.url, "key": key}
    else:
        target = {"command": str(glovebox_binary), "args": ["mcp"]}
    home = tmp_path_factory.mktemp("client")
    if sdk == "python":
        words = [request.getfixturevalue("python_with_sdk"), HERE / "client.py", era, json.dumps(target)]
        env = {**os.environ, "HOME": str(home)}
        done = subprocess.run(words, capture_output=True, text=True, timeout=60 * slowness(), env=env, cwd=home)
    else:
        node = request.getfixturevalue("node")
        script = request.getfixturevalue("client_script")
        done = node.run(script, sdk, era, json.dumps(target), timeout=60 * slowness(), home=home)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    found = json.loads(done.stdout)
    found["era"], found["transport"], found["key"] = era, transport, target.get("key")
    return found


def structure(result: dict) -> dict:
    assert "thrown" not in result, result
    assert "structuredContent" in result, result
    return result["structuredContent"]


def text(result: dict) -> str:
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def test_the_server_says_who_it_is(saw):
    assert saw["server"]["info"]["name"] == "glovebox", saw["server"]
    assert "tools" in saw["server"]["capabilities"]
    if protocol := saw["server"].get("protocol"):
        assert protocol == ("2026-07-28" if saw["era"] == "modern" else "2025-11-25")


def test_the_tools_are_listed_with_schemas_and_hints(saw):
    assert "thrown" not in saw["tools"], saw["tools"]
    tools = {tool["name"]: tool for tool in saw["tools"]}
    assert set(tools) == TOOLS
    for tool in tools.values():
        assert tool["inputSchema"]["type"] == "object" and tool["outputSchema"]["type"] == "object", tool
        assert len(tool["description"]) > 40 and "annotations" in tool, tool
    assert tools["read_file"]["annotations"]["readOnlyHint"] is True
    assert not tools["run_shell"]["annotations"].get("readOnlyHint")


def test_a_program_runs(saw):
    result = structure(saw["run"])
    assert (result["outcome"], result["stdout"]) == ("ok", "42\n")
    assert "42" in text(saw["run"]), "the structure is mirrored as text"
    assert not saw["run"].get("isError")


def test_a_failing_program_says_why(saw):
    assert structure(saw["failing"])["outcome"] == "program_failed"
    assert "ZeroDivisionError" in text(saw["failing"])
    assert saw["failing"]["isError"] is True


def test_what_is_no_tool_or_no_argument_is_refused(saw):
    for step in ("unknown_tool", "bad_arguments"):
        told = saw[step]
        assert told.get("thrown") or told.get("isError"), told
    assert "no_such_tool" in json.dumps(saw["unknown_tool"])
    assert "code" in json.dumps(saw["bad_arguments"])


def test_files_stay_between_the_calls_of_a_conversation(saw):
    steps = saw["workspace"]
    assert "thrown" not in steps, steps
    assert structure(steps["shell"])["stdout"] == "hello from the client\n", steps["shell"]
    assert structure(steps["program"])["stdout"] == "made by shell\n\n", steps["program"]
    assert {"notes/hello.txt", "made.txt"} <= {file["path"] for file in structure(steps["listed"])["files"]}
    assert "made by shell\n" in json.dumps(steps["read"]["structuredContent"]) or "made by shell" in text(steps["read"])
    if saw["era"] == "modern":
        assert steps["handle"].startswith("ws_"), steps["wrote"]


def test_a_handle_that_is_nobodys_finds_nothing(saw):
    stranger = saw["workspace"]["stranger"]
    assert stranger.get("thrown") or stranger["isError"] is True, stranger
    assert "no such workspace" in json.dumps(stranger)


def test_a_person_who_says_yes_lets_it_run(saw):
    step = saw["elicitation_accepted"]
    assert "thrown" not in step, step
    assert len(step["questions"]) == 1, step
    assert "outside_the_work_directory" in json.dumps(step["questions"]) or "os.chdir" in json.dumps(step["questions"])
    assert structure(step["result"])["stdout"] == "approved\n", step["result"]


def test_a_person_who_says_no_stops_it(saw):
    step = saw["elicitation_declined"]
    assert "thrown" not in step, step
    assert len(step["questions"]) == 1, step
    assert step["result"]["isError"] is True
    assert structure(step["result"])["outcome"] == "rejected", step["result"]


def test_progress_is_told_while_a_program_runs(saw):
    step = saw["progress"]
    assert "thrown" not in step, step
    values = [told["progress"] for told in step["told"]]
    assert len(values) >= 2, step["told"]
    assert values == sorted(set(values)), "it only ever grows"
    assert structure(step["result"])["outcome"] == "ok"


def test_a_cancelled_call_ends_and_the_next_one_works(saw):
    step = saw["cancel"]
    assert "thrown" in step and step["thrown"], step
    assert step["stopped_ms"] < 10_000 * slowness(), step
    assert structure(step["after"])["stdout"] == "alive\n"


def test_a_cancelled_call_ends_its_program(saw, request):
    if saw["transport"] != "http":
        pytest.skip("stdio keeps no records to look at")
    call = request.getfixturevalue("service").connect(saw["key"])
    runs = call("GET", "/v1/runs?limit=100").json["runs"]
    call.close()
    outcomes = [run["outcome"] for run in runs]
    assert outcomes.count("cancelled") == 1 and None not in outcomes, outcomes


def test_many_calls_at_once_each_get_their_own_answer(saw):
    assert saw["many"] == [f"{number * 1000}\n" for number in range(16)]
