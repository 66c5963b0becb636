"""The inspector's command line: its calls over stdio and HTTP in both eras, and its load mode beside plain HTTP.

GLOVEBOX_MCP_LOAD_SECONDS (4): how long each of the alternating measurements lasts.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
from pathlib import Path

import pytest
from support.glovebox_runner import slowness
from support.service import Service

HERE = Path(__file__).resolve().parent
CALLERS = 8
SECONDS = os.environ.get("GLOVEBOX_MCP_LOAD_SECONDS", "4")
ROUNDS = 3
LEAST_SHARE = 0.6
PROGRAM = "print('one line')"


class Inspector:
    def __init__(self, node, home: Path, target: list, era: str):
        self.node, self.home, self.target, self.era = node, home, target, era

    def __call__(self, *flags: str, timeout: float = 60):
        words = [self.node.package("inspector/clients/launcher/build/index.js"), "--cli", *self.target]
        done = self.node.run(
            *words, "--protocol-era", self.era, "--format", "json", "--quiet", *flags,
            timeout=timeout * slowness(), home=self.home,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return json.loads(done.stdout)

    def call(self, tool: str, **arguments):
        return self("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))


@pytest.fixture(params=[(t, e) for t in ("stdio", "http") for e in ("legacy", "modern")], ids="-".join)
def inspector(request, node, glovebox_binary, tmp_path):
    transport, era = request.param
    if transport == "stdio":
        return Inspector(node, tmp_path, [glovebox_binary, "mcp"], era)
    service = request.getfixturevalue("service")
    key = f"Authorization: Bearer {service.key}"
    return Inspector(node, tmp_path, [service.url, "--transport", "http", "--header", key], era)


def payload(answer: dict) -> dict:
    return answer.get("result", answer)


def test_it_finds_no_fault_with_the_tools(inspector):
    listed = payload(inspector("--method", "tools/list", "--strict"))
    assert "execute_code_sandbox" in {tool["name"] for tool in listed["tools"]}


def test_it_runs_a_program(inspector):
    result = payload(inspector.call("execute_code_sandbox", code="print(6 * 7)"))
    assert result["structuredContent"]["stdout"] == "42\n", result


def test_it_runs_a_command(inspector):
    result = payload(inspector.call("run_shell", command="echo $((6 * 7))"))
    assert result["structuredContent"]["stdout"] == "42\n", result


@pytest.fixture(scope="module")
def uncached(glovebox_binary, tmp_path_factory):
    """Equal programs, and each of them runs."""
    running = Service(glovebox_binary, tmp_path_factory.mktemp("load") / "data", config="[cache]\nttl_s = 0\n")
    running.key = running.make_key("tester", "run", "read")
    running.origin = "http://{}:{}".format(*running.place)
    yield running
    assert running.end() == 0, running.lines


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_eight_callers_get_most_of_the_throughput_of_plain_http(node, uncached, era, tmp_path, capsys):
    key = f"Authorization: Bearer {uncached.key}"
    inspector = Inspector(node, tmp_path, [uncached.origin + "/mcp", "--transport", "http", "--header", key], era)
    script = shutil.copy(HERE / "load.mjs", tmp_path / "load.mjs")

    def through_mcp(seconds: str) -> float:
        told = payload(inspector(
            "--method", "tools/call", "--tool-name", "execute_code_sandbox", "--tool-args-json",
            json.dumps({"code": PROGRAM}), "--load", "--load-concurrency", str(CALLERS), "--load-duration", seconds,
        ))  # fmt: skip
        assert (told["toolErrors"], told["errors"]) == (0, 0), told
        assert told["ok"] == told["requests"] > CALLERS, told
        return told["throughput"]

    def through_http(seconds: str) -> float:
        body = json.dumps({"code": PROGRAM})
        words = [script, uncached.origin + "/v1/runs", uncached.key, str(CALLERS), seconds, body]
        done = node.run(*words, timeout=60 * slowness(), home=tmp_path)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["failed"] == 0, told
        return told["throughput"]

    through_mcp("1"), through_http("1")  # warm cells, a warm page cache
    pairs = [(through_mcp(SECONDS), through_http(SECONDS)) for _ in range(ROUNDS)]
    mcp, http = (statistics.median(values) for values in zip(*pairs))
    with capsys.disabled():
        print(f"\n  {era}: {mcp:.0f} calls/s through MCP, {http:.0f} through plain HTTP: {mcp / http:.0%}")
    assert mcp >= LEAST_SHARE * http, pairs
