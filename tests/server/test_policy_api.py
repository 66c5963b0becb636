"""Policies over HTTP: checks, and denials with their records."""

from __future__ import annotations

import subprocess
import time

from support.patience import until


def test_a_check_tells_every_rule_with_its_place_and_runs_nothing(call):
    runs = call("GET", "/v1/runs").json["runs"]
    answer = call("POST", "/v1/policy/check", {"code": "import json\nimport socket\n", "policy": "sandboxed_python"})
    assert answer.status == 200 and list(answer.json)[0] == "decision", answer
    assert answer.json["decision"] == "deny"
    assert answer.json["policy"].startswith("sandboxed_python@sha256:")
    (finding,) = answer.json["findings"]
    assert (finding["rule"], finding["line"], finding["column"]) == ("network", 2, 8)
    assert finding["reason"] and finding["suggestion"] and finding["layer"] == "built_in"
    assert call("GET", "/v1/runs").json["runs"] == runs
    assert call("POST", "/v1/policy/check", {"code": "1", "policy": "nope"}).status == 422
    assert call("POST", "/v1/policy/check", {"code": 1}).status == 400
    assert call("POST", "/v1/policy/check", b"{}", {"Content-Type": "text/plain"}).status == 415


def test_a_denied_program_never_reaches_a_cell_and_is_recorded(call):
    code = f"import socket  # {time.time_ns()}"
    answer = call.run(code, policy="strict")
    assert answer.status == 200 and answer.json["outcome"] == "rejected", answer
    error = answer.json["error"]
    assert error["code"] == "rejected" and (error["line"], error["column"]) == (1, 8)
    assert "strict" in error["message"] and "line 1, column 8" in error["message"] and error["hint"]
    assert answer.json["attempts"] == [] and answer.json["provenance"]["policy"].startswith("strict@sha256:")
    record = call("GET", f"/v1/runs/{answer.json['run_id']}").json
    assert record["state"] == "finished" and record["decision"]["decision"] == "deny"
    assert record["decision"]["findings"][0]["line"] == 1
    allowed = call.run(f"print(1)  # {time.time_ns()}").json
    record = call("GET", f"/v1/runs/{allowed['run_id']}").json
    assert record["decision"]["decision"] == "allow" and record["decision"]["policy"] == allowed["provenance"]["policy"]


def test_a_cross_check_is_no_way_around_the_policy(call):
    def run(second, **check):
        return call.run("print(1)", policy="strict", expect={"cross_check": {"code": second, **check}}).json

    assert run("print(2 - 1)")["outcome"] == "ok"
    for hidden in (run("import socket\nprint(1)"), run("require('net')", language="js"), run("curl x", language="sh")):
        assert hidden["outcome"] == "rejected" and hidden["attempts"] == [], hidden
    question = {"code": "print(1)", "policy": "strict", "expect": {"cross_check": {"code": "import socket"}}}
    answer = call("POST", "/v1/policy/check", question).json
    assert answer["decision"] == "deny" and answer["findings"][0]["file"] == "expect.cross_check"


def test_what_a_decision_says_is_redacted(call):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    answer = call.run(f"import {secret}", policy="strict")
    record = call("GET", f"/v1/runs/{answer.json['run_id']}")
    assert secret not in record.body.decode(), "the decision has a secret in it"


def test_limits_are_lowered_or_refused_by_name(start_service, tmp_path):
    directory = tmp_path / "policies"
    directory.mkdir()
    (directory / "small.toml").write_text("[limits]\nwall_ms = 700\n")
    call = start_service("--cold", "--policy-dir", directory).connect()
    slow = call.run("import time\ntime.sleep(20)", policy="small").json
    assert slow["outcome"] == "timeout" and slow["metrics"]["wall_ms"] < 3000, slow
    record = call("GET", f"/v1/runs/{slow['run_id']}").json
    assert record["decision"]["lowered_limits"] == {"wall_ms": {"asked": 5000, "granted": 700}}
    second = {"cross_check": {"code": "import time\ntime.sleep(20)"}}
    check = call.run("print(1)", policy="small", expect=second).json
    assert not check["success"] and check["metrics"]["wall_ms"] < 3000, check
    refused = call.run("1", policy="small", limits={"wall_ms": 900}).json
    assert refused["outcome"] == "rejected" and "limits.wall_ms" in refused["error"]["message"]


def test_a_tenant_is_bound_to_a_policy(start_service):
    service = start_service("--cold")
    mine = service.connect(service.make_key("bound", "run", "read"))
    assert mine.run("import socket", policy="unrestricted", cache="off").json["outcome"] == "ok"
    service.command("tenants", "set", "bound", "--policy", "sandboxed_python")
    refused = until(
        lambda: (answer := mine.run("import socket", policy="unrestricted", cache="off").json)["outcome"] == "rejected"
        and answer,
        "the tenant's policy does not count",
    )
    finding = mine("GET", f"/v1/runs/{refused['run_id']}").json["decision"]["findings"][0]
    assert finding["layer"] == "tenant" and finding["profile"] == "sandboxed_python"
    assert "sandboxed_python" in service.command("tenants", "list")
    service.command("tenants", "set", "bound", "--policy", "")
    until(lambda: mine.run("import socket", cache="off").json["outcome"] == "ok", "it is still bound")


def test_a_floor_counts_for_everybody(start_service):
    call = start_service("--cold", config='[policy]\nfloor = "sandboxed_python"\n').connect()
    assert call.run("import socket", policy="unrestricted").json["outcome"] == "rejected"
    assert call.run("print(1)").json["outcome"] == "ok"


def test_a_broken_profile_keeps_the_service_from_starting(glovebox_binary, tmp_path):
    directory = tmp_path / "policies"
    directory.mkdir()
    (directory / "broken.toml").write_text("\ndynamic = 5\n")
    ended = subprocess.run(
        [glovebox_binary, "serve", "--cold", "--listen", "127.0.0.1:0", "--data", tmp_path / "d", "--policy-dir", directory],
        capture_output=True, text=True, timeout=60,
    )
    assert ended.returncode == 125 and "broken.toml:2:11" in ended.stderr, ended
