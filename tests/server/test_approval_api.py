"""Approvals over HTTP: runs that wait for a person, and whoever answers."""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.glovebox_runner import binary_path
from support.patience import until
from support.policies import ASKING

WAIT = '[policy]\nask = "wait"\nwait_s = 60\n'
RETURN = '[policy]\nask = "return"\nwait_s = 60\n'


def needs_approval(word: str = "") -> str:
    return f"import os\nprint(os.getpid() > 0)  # {word} {time.time_ns()}"


@pytest.fixture
def policies(tmp_path):
    directory = tmp_path / "policies"
    directory.mkdir()
    (directory / "asking.toml").write_text(ASKING)
    return directory


@pytest.fixture
def start_asking(start_service, policies):
    def start(config: str, *arguments: str, **options):
        return start_service("--cold", "--policy-dir", policies, *arguments, config=config, **options)

    return start


def pending(call) -> list[dict]:
    return call("GET", "/v1/approvals?state=pending").json["approvals"]


class InBackground:
    """A run on a connection of its own."""

    def __init__(self, service, code: str, headers: dict | None = None, key: str = "", **fields):
        self.connection = service.connect(key)
        self.answer = None
        self.thread = threading.Thread(target=self._run, args=(code, headers, fields), daemon=True)
        self.thread.start()

    def _run(self, code, headers, fields):
        try:
            self.answer = self.connection.run(code, headers, policy="asking", **fields)
        except OSError as error:
            self.answer = error

    def result(self):
        self.thread.join(30)
        assert self.answer is not None, "no answer"
        return self.answer


def test_a_waiting_run_happens_when_it_is_approved(start_asking):
    service = start_asking(WAIT)
    call = service.connect()
    run = InBackground(service, needs_approval())
    (approval,) = until(lambda: pending(call), "nobody asked")
    assert set(approval["detail"]) == {"rules", "cut", "redacted"}, "a list has no programs: they may be megabytes"
    whole = call("GET", f"/v1/approvals/{approval['id']}").json["detail"]
    assert whole["rules"] == ["pid"] and "os.getpid" in whole["request"]["code"] and whole["decision"]["findings"]
    record = call("GET", f"/v1/runs/{approval['run_id']}").json
    assert record["state"] == "waiting" and record["approval_id"] == approval["id"]
    (listed,) = until(lambda: call("GET", "/v1/runs").json["runs"], "it is not listed")  # begun after it was asked
    assert listed["state"] == "waiting"
    assert call("DELETE", f"/v1/runs/{approval['run_id']}").status == 409
    answered = call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve", "note": "fine"})
    assert answered.status == 200 and answered.json["state"] == "approved", answered
    result = run.result().json
    assert result["outcome"] == "ok" and result["run_id"] == approval["run_id"], result
    record = call("GET", f"/v1/runs/{result['run_id']}").json
    assert record["state"] == "finished" and record["decision"]["decision"] == "allow"
    assert record["decision"]["findings"][0]["approved"] and approval["id"] in record["decision"]["approved_by"]
    used = call("GET", f"/v1/approvals/{approval['id']}").json
    assert used["state"] == "used" and used["used_by"] == result["run_id"]
    log = service.command("audit", "log", "--json")
    for kind in ("approval_asked", "approval_approved", "approval_used"):
        assert kind in log
    assert service.command("audit", "verify")


def test_an_approval_serves_one_run(start_asking):
    service = start_asking(WAIT)
    call = service.connect()
    code = needs_approval()
    first, second = InBackground(service, code, cache="off"), InBackground(service, code, cache="off")
    (approval,) = until(lambda: pending(call), "nobody asked")
    time.sleep(0.3)
    assert len(pending(call)) == 1, "equal runs ask once"
    call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"})
    again = until(lambda: pending(call), "the second run does not ask again")[0]
    assert again["id"] != approval["id"]
    call("POST", f"/v1/approvals/{again['id']}", {"answer": "reject", "note": "once is enough"})
    outcomes = sorted(run.result().json["outcome"] for run in (first, second))
    assert outcomes == ["ok", "rejected"]


def test_a_rejected_run_tells_who_and_why(start_asking):
    service = start_asking(WAIT)
    call = service.connect()
    run = InBackground(service, needs_approval())
    (approval,) = until(lambda: pending(call), "nobody asked")
    call("POST", f"/v1/approvals/{approval['id']}", {"answer": "reject", "note": "not today"})
    result = run.result()
    assert result.status == 200 and result.json["outcome"] == "rejected", result
    assert result.json["error"]["code"] == "rejected" and "not today" in result.json["error"]["message"]
    assert result.json["attempts"] == []
    assert call("GET", f"/v1/runs/{result.json['run_id']}").json["result"]["outcome"] == "rejected"


def test_nobody_answers_in_time(start_asking):
    service = start_asking('[policy]\nask = "wait"\nwait_s = 1\n')
    call = service.connect()
    began = time.monotonic()
    result = call.run(needs_approval(), policy="asking").json
    assert 0.9 < time.monotonic() - began < 10
    assert result["error"]["code"] == "approval_needed" and "appr_" in result["error"]["message"], result
    (approval,) = call("GET", "/v1/approvals").json["approvals"]
    assert approval["state"] == "expired"
    assert call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"}).status == 409


def test_return_answers_at_once_and_runs_later(start_asking):
    service = start_asking(RETURN)
    call = service.connect()
    accepted = call.run(needs_approval(), policy="asking")
    assert accepted.status == 202 and accepted.json["state"] == "waiting", accepted
    place, approval = accepted.headers["location"], accepted.json["approval_id"]
    assert call("GET", place).json["state"] == "waiting"
    assert call("POST", f"/v1/approvals/{approval}", {"answer": "approve"}).status == 200
    record = until(lambda: (r := call("GET", place).json)["state"] == "finished" and r, "it never ran")
    assert record["result"]["outcome"] == "ok"


def test_deny_asks_nobody(start_asking):
    call = start_asking('[policy]\nask = "deny"\n').connect()
    result = call.run(needs_approval(), policy="asking").json
    assert result["outcome"] == "rejected" and result["error"]["code"] == "approval_needed"
    assert "policy.ask" in result["error"]["hint"]
    assert call("GET", "/v1/approvals").json["approvals"] == []


def test_of_two_answers_at_once_one_counts(start_asking):
    service = start_asking(RETURN)
    call = service.connect()
    for _ in range(10):
        approval = call.run(needs_approval(), policy="asking").json["approval_id"]

        def answer(word, approval=approval):
            connection = service.connect()
            status = connection("POST", f"/v1/approvals/{approval}", {"answer": word}).status
            connection.close()
            return status

        with ThreadPoolExecutor(2) as threads:
            statuses = sorted(threads.map(answer, ("approve", "reject")))
        assert statuses == [200, 409]


def test_a_key_does_not_approve_what_it_asked_for(start_asking):
    service = start_asking(RETURN)
    both = service.connect(service.make_key("one", "run", "read", "approve"))
    other = service.connect(service.make_key("one", "run", "read", "approve"))
    code = needs_approval()
    asked = both.run(code, policy="asking").json
    place = f"/v1/approvals/{asked['approval_id']}"
    refused = both("POST", place, {"answer": "approve"})
    assert refused.status == 403 and "self_approval" in refused.json["detail"], refused
    assert both("GET", place).json["asked_by"].startswith("key_")
    # Who joins the question has asked it as well.
    assert other.run(code, policy="asking").json["approval_id"] == asked["approval_id"]
    assert other("POST", place, {"answer": "approve"}).status == 403
    third = service.connect(service.make_key("one", "read", "approve"))
    assert third("POST", place, {"answer": "approve"}).status == 200
    own = both.run(needs_approval("again"), policy="asking").json["approval_id"]
    assert both("POST", f"/v1/approvals/{own}", {"answer": "reject"}).status == 200, "a no needs nobody else"


def test_the_operator_may_let_keys_approve_their_own_runs(start_asking):
    service = start_asking(RETURN + "self_approval = true\n")
    both = service.connect(service.make_key("one", "run", "read", "approve"))
    approval = both.run(needs_approval(), policy="asking").json["approval_id"]
    assert both("POST", f"/v1/approvals/{approval}", {"answer": "approve"}).status == 200


def test_what_is_not_shown_to_its_end_cannot_be_approved(start_asking):
    service = start_asking(RETURN)
    call = service.connect()
    filling = "#" + "x" * 1000 + "\n"
    fits = needs_approval() + "\n" + filling * 800
    approval = call.run(fits, policy="asking").json["approval_id"]
    shown = call("GET", f"/v1/approvals/{approval}").json["detail"]
    assert shown["cut"] == [] and shown["request"]["code"] == fits
    assert call("POST", f"/v1/approvals/{approval}", {"answer": "approve"}).status == 200
    expect = {"cross_check": {"code": filling * 700}, "stdout_json_schema": {"description": filling * 500}}
    approval = call.run(needs_approval(), policy="asking", expect=expect).json["approval_id"]
    shown = call("GET", f"/v1/approvals/{approval}").json["detail"]
    assert shown["cut"] == ["expect"] and shown["request"]["expect_cut"] and shown["request"]["expect"] is None
    refused = call("POST", f"/v1/approvals/{approval}", {"answer": "approve"})
    assert refused.status == 409 and "expect cannot be shown to its end" in refused.json["detail"], refused
    assert call("POST", f"/v1/approvals/{approval}", {"answer": "reject"}).status == 200


def test_whoever_approves_sees_everything_that_decides(start_asking):
    service = start_asking(RETURN)
    call = service.connect()
    secret = "AKIA" + "IOSFODNN7ABCDEFG"
    code = needs_approval() + f"\nkey = '{secret}'\n" + " " * 3000 + "x = 1\n"
    expect = {"cross_check": {"code": "print(True)", "compare": "exact"}}
    approval = call.run(
        code, policy="asking", args=["--all"], env={"MODE": "fast"}, stdin="data", expect=expect,
        files=[{"path": "helper.py", "content": "import os\nos.getpid()\n"}],
    ).json["approval_id"]  # fmt: skip
    detail = call("GET", f"/v1/approvals/{approval}").json["detail"]
    assert detail["redacted"]["places"] >= 1 and detail["redacted"]["bytes"] >= len(secret), detail["redacted"]
    shown = subprocess.run(
        [binary_path(), "approvals", "show", approval, "--data", service.data], capture_output=True, text=True, check=True
    ).stdout
    for part in ("at program:2:7", "at helper.py:2:1", "arg        --all", "env        MODE=fast", "stdin      4 bytes",
                 "file       helper.py  22 bytes, sha256", "expect.cross_check, a second program", "    1 | print(True)",
                 "!! HIDDEN: ", " " * 3000 + "x = 1"):  # fmt: skip
        assert part in shown, (part, shown)
    assert secret not in shown


def test_only_the_scope_approve_answers_and_only_for_its_tenant(start_asking):
    service = start_asking(RETURN)
    runner = service.connect(service.make_key("one", "run", "read"))
    approver = service.connect(service.make_key("one", "read", "approve"))
    stranger = service.connect(service.make_key("two", "run", "read", "approve"))
    operator = service.connect(service.make_key("ops", "admin"))
    approval = runner.run(needs_approval(), policy="asking").json["approval_id"]
    place = f"/v1/approvals/{approval}"
    assert runner("POST", place, {"answer": "approve"}).status == 403
    assert stranger("GET", place).status == 404 and stranger("POST", place, {"answer": "approve"}).status == 404
    assert stranger("GET", "/v1/approvals").json["approvals"] == []
    assert [found["id"] for found in operator("GET", "/v1/approvals").json["approvals"]] == [approval]
    assert approver("POST", place, {"answer": "maybe"}).status == 400
    assert approver("POST", place, {"answer": "approve", "note": "x" * 2000}).status == 400
    assert approver("POST", place, {"answer": "approve"}).status == 200
    assert approver("GET", "/v1/approvals/nonsense").status == 400
    assert approver("GET", "/v1/approvals/appr_0").status == 404


def test_waiting_runs_hold_no_worker(start_asking):
    service = start_asking(WAIT + "[queue]\nworkers = 2\n")
    call = service.connect()
    waiting = [InBackground(service, needs_approval(str(number))) for number in range(10)]
    until(lambda: len(pending(call)) == 10, "not all of them ask")
    for number in range(5):
        assert call.run(f"print({number})", cache="off").json["outcome"] == "ok"
    for approval in pending(call):
        assert call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"}).status == 200
    assert {run.result().json["outcome"] for run in waiting} == {"ok"}


def test_whoever_hangs_up_does_not_wait_any_more(start_asking):
    service = start_asking(WAIT)
    call = service.connect()
    other = service.connect()
    body = json.dumps({"code": needs_approval(), "policy": "asking"})
    other.client.request("POST", "/v1/runs", body, {"Content-Type": "application/json"})
    (approval,) = until(lambda: pending(call), "nobody asked")
    other.close()
    until(lambda: not pending(call), "the approval outlives its caller")
    record = until(
        lambda: (r := call("GET", f"/v1/runs/{approval['run_id']}").json)["state"] == "finished" and r, "it still waits"
    )
    assert record["result"]["outcome"] == "cancelled"
    assert call("GET", f"/v1/approvals/{approval['id']}").json["state"] == "expired"


def test_a_waiting_run_can_be_cancelled(start_asking):
    service = start_asking(RETURN)
    call = service.connect()
    accepted = call.run(needs_approval(), policy="asking").json
    assert call("POST", f"/v1/runs/{accepted['run_id']}/cancel").status == 202
    record = until(
        lambda: (r := call("GET", f"/v1/runs/{accepted['run_id']}").json)["state"] == "finished" and r, "it still waits"
    )
    assert record["result"]["outcome"] == "cancelled"


def test_a_stream_says_that_it_waits(start_asking):
    service = start_asking(RETURN)
    call = service.connect()
    run = InBackground(service, needs_approval(), {"Accept": "text/event-stream"})
    (approval,) = until(lambda: pending(call), "nobody asked")
    call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"})
    text = run.result().body.decode()
    assert '"waiting"' in text and approval["id"] in text
    assert text.index("waiting") < text.index("event: stdout") < text.index("event: result")


def test_a_batch_does_not_wait_but_may_be_sent_again(start_asking):
    service = start_asking(WAIT)
    call = service.connect()
    batch = {"runs": [{"code": needs_approval(), "policy": "asking", "cache": "off"}, {"code": "print(1)"}]}
    results = call("POST", "/v1/batches", batch).json["results"]
    assert [result["outcome"] for result in results] == ["rejected", "ok"]
    assert results[0]["error"]["code"] == "approval_needed"
    (approval,) = pending(call)
    assert approval["id"] in results[0]["error"]["message"]
    call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"})
    results = call("POST", "/v1/batches", batch).json["results"]
    assert [result["outcome"] for result in results] == ["ok", "ok"]


def test_an_idempotency_key_survives_the_wait(start_asking):
    service = start_asking(WAIT)
    call = service.connect()
    code = needs_approval()
    run = InBackground(service, code, {"Idempotency-Key": "k1"})
    (approval,) = until(lambda: pending(call), "nobody asked")
    second = call.run(code, {"Idempotency-Key": "k1"}, policy="asking")
    assert second.status == 503, "the first one is still going on"
    call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"})
    result = run.result().json
    assert result["outcome"] == "ok"
    third = call.run(code, {"Idempotency-Key": "k1"}, policy="asking").json
    assert third["run_id"] == result["run_id"] and third["cached"]


def test_a_key_is_not_used_up_by_a_wait_that_the_service_ended(start_asking):
    service = start_asking(WAIT)
    call = service.connect()
    code = needs_approval()
    key = {"Idempotency-Key": "k2"}
    run = InBackground(service, code, key)
    until(lambda: pending(call), "nobody asked")
    assert call("POST", "/v1/admin/stop", {"reason": "a test"}).status == 200
    assert run.result().json["code"] == "stopped"
    assert call("POST", "/v1/admin/resume", {"reason": "over"}).status == 200
    run = InBackground(service, code, key)
    (approval,) = until(lambda: pending(call), "the stored refusal was the answer")
    call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"})
    assert run.result().json["outcome"] == "ok"


def test_an_approved_run_whose_file_is_gone_meanwhile_ends(start_asking):
    """It must not line up again and again."""
    service = start_asking(WAIT)
    call = service.connect()
    content = f"{time.time_ns()}".encode()
    name = hashlib.sha256(content).hexdigest()
    assert call("PUT", f"/v1/blobs/{name}", content).status == 201
    run = InBackground(service, needs_approval(), files=[{"path": "data", "blob": f"sha256:{name}"}])
    (approval,) = until(lambda: pending(call), "nobody asked")
    (stored,) = [path for path in service.data.rglob(f"*{name[8:]}") if path.is_file()]
    stored.unlink()
    call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"})
    answer = run.result()
    assert answer.status == 422 and answer.json["code"] == "blob_missing", answer


def test_a_replay_needs_an_approval_of_its_own(start_asking):
    service = start_asking(RETURN)
    call = service.connect()
    accepted = call.run(needs_approval(), policy="asking").json
    call("POST", f"/v1/approvals/{accepted['approval_id']}", {"answer": "approve"})
    until(lambda: call("GET", f"/v1/runs/{accepted['run_id']}").json["state"] == "finished", "it never ran")
    place = f"/v1/runs/{accepted['run_id']}/replay"
    refused = call("POST", place)
    assert refused.status == 409 and "/v1/approvals/appr_" in refused.json["detail"], refused
    (approval,) = pending(call)
    call("POST", f"/v1/approvals/{approval['id']}", {"answer": "approve"})
    assert call("POST", place).json["verdict"] == "equal"


def test_the_stop_switch_ends_waiting_runs(start_asking):
    service = start_asking(WAIT)
    call = service.connect()
    run = InBackground(service, needs_approval())
    until(lambda: pending(call), "nobody asked")
    assert call("POST", "/v1/admin/stop", {"reason": "a test"}).status == 200
    answer = run.result()
    assert answer.status == 503 and answer.json["code"] == "stopped", answer
    assert call("GET", "/v1/approvals").json["approvals"][0]["state"] == "expired"


def test_draining_ends_waiting_runs_at_once(start_asking):
    service = start_asking(WAIT)
    run = InBackground(service, needs_approval())
    until(lambda: pending(service.connect()), "nobody asked")
    began = time.monotonic()
    assert service.end() == 0
    assert time.monotonic() - began < 15
    answer = run.result()
    assert answer.status == 503 and answer.json["code"] == "draining", answer


def test_a_restart_expires_questions_and_marks_their_runs(start_asking):
    service = start_asking(RETURN)
    accepted = service.connect().run(needs_approval(), policy="asking").json
    time.sleep(0.5)
    service.kill()
    call = start_asking(RETURN).connect()
    assert call("GET", f"/v1/approvals/{accepted['approval_id']}").json["state"] == "expired"
    assert call("GET", f"/v1/runs/{accepted['run_id']}").json["state"] == "interrupted"
    assert call("POST", f"/v1/approvals/{accepted['approval_id']}", {"answer": "approve"}).status == 409


def test_the_command_line_answers(start_asking):
    service = start_asking(RETURN)
    call = service.connect()
    accepted = call.run(needs_approval("\x1b[31m"), policy="asking").json
    assert accepted["approval_id"] in service.command("approvals", "ls")
    shown = service.command("approvals", "show", accepted["approval_id"])
    assert "os.getpid" in shown and "\x1b" not in shown
    service.command("approvals", "approve", accepted["approval_id"], "--note", "looks fine")
    until(lambda: call("GET", f"/v1/runs/{accepted['run_id']}").json["state"] == "finished", "it never ran")
    second = call.run(needs_approval(), policy="asking").json
    service.command("approvals", "reject", second["approval_id"])
    record = until(
        lambda: (r := call("GET", f"/v1/runs/{second['run_id']}").json)["state"] == "finished" and r, "it still waits"
    )
    assert record["result"]["outcome"] == "rejected"
    assert json.loads(service.command("approvals", "ls", "--all", "--json"))["approvals"]
