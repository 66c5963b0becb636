"""Runs over HTTP: answers, streams, cancelling, batches, cache, idempotency."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

FOREVER = "import time\nprint('begun', flush=True)\ntime.sleep(60)"
LONG = {"wall_ms": 60_000}


def unique(code: str = "print(1)") -> str:
    return f"{code}  # {time.time_ns()} {threading.get_ident()}"


def events_of(body: bytes) -> list[tuple[str, dict]]:
    events = []
    for block in body.decode().split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        if lines:
            fields = dict(line.split(": ", 1) for line in lines)
            events.append((fields["event"], json.loads(fields["data"])))
    return events


def test_a_run_answers_with_its_result(call):
    answer = call.run(unique("print('hello')"))
    assert answer.status == 200 and answer.json["stdout"] == "hello\n", answer
    assert answer.headers["glovebox-run-id"] == answer.json["run_id"]
    assert answer.headers["traceparent"].startswith("00-")
    assert {"policy", "record"} <= set(answer.json["metrics"]["stages"])


def test_a_failing_program_is_an_answer_and_a_refusal_is_a_problem(call):
    failed = call.run(unique("1/0"))
    assert failed.status == 200 and failed.json["outcome"] == "program_failed"
    refused = call.run("x", language="cobol")
    assert refused.status == 422 and refused.json["code"] == "unsupported", refused
    assert refused.headers["content-type"] == "application/problem+json"
    assert call("GET", f"/v1/runs/{refused.json['run_id']}").json["result"]["outcome"] == "rejected"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"code": 5}, "code"),
        ({"code": "1", "limits": {"wall_ms": 0}}, "limits.wall_ms"),
        ({"code": "1", "colour": "red"}, "colour"),
        ({"code": "1", "files": [{"path": "../x", "content": ""}]}, "files[0].path"),
    ],
)
def test_what_breaks_the_contract_is_named(call, body, field):
    answer = call("POST", "/v1/runs", body)
    assert answer.status == 400 and answer.json["field"] == field, answer


def test_only_json_is_read(call):
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = call("POST", "/v1/runs", b'{"code":"1"}', {"Content-Type": kind} if kind else {})
        assert answer.status == 415, answer
    assert call("POST", "/v1/runs", b"{", {"Content-Type": "application/json"}).status == 400
    assert call("POST", "/v1/runs", b'{"code":"1"}', {"Content-Type": "application/json; charset=utf-8"}).status == 200


def test_a_stream_has_output_as_it_comes_and_ends_with_the_result(call):
    code = unique("import sys\nfor n in range(3): print(n, flush=True)\nprint('ü', file=sys.stderr)")
    answer = call.run(code, {"Accept": "text/event-stream"})
    assert answer.headers["content-type"] == "text/event-stream"
    events = events_of(answer.body)
    assert "".join(data["data"] for name, data in events if name == "stdout") == "0\n1\n2\n"
    assert "".join(data["data"] for name, data in events if name == "stderr") == "ü\n"
    assert events[0][0] == "state" and events[-1][0] == "result" and events[-1][1]["outcome"] == "ok"
    again = events_of(call.run(code, {"Accept": "text/event-stream"}).body)
    assert again[-1][1]["cached"] and [name for name, _ in again] == ["state", "stdout", "stderr", "result"]


def test_whoever_hangs_up_cancels(service, call):
    before = call("GET", "/v1/runs?limit=1").json["runs"]
    other = service.connect()
    other.client.request(
        "POST",
        "/v1/runs",
        json.dumps({"code": unique(FOREVER), "limits": LONG}),
        {"Content-Type": "application/json", "Accept": "text/event-stream"},
    )
    answer = other.client.getresponse()
    run_id = answer.headers["Glovebox-Run-Id"]
    answer.close()
    other.close()
    assert run_id not in {run["run_id"] for run in before}
    assert outcome_of(call, run_id) == "cancelled"


def outcome_of(call, run_id: str, patience_s: float = 20) -> str:
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        record = call("GET", f"/v1/runs/{run_id}")
        assert record.status == 200, record
        if record.json["state"] == "finished":
            return record.json["result"]["outcome"]
        time.sleep(0.02)
    raise AssertionError("it did not end")


def test_a_run_for_later_can_be_looked_up_at_once_and_cancelled(call):
    accepted = call.run(unique(FOREVER), {"Prefer": "respond-async"}, limits=LONG)
    assert accepted.status == 202 and accepted.json["state"] == "running", accepted
    place = accepted.headers["location"]
    assert call("GET", place).json["state"] == "running"
    assert call("POST", place + "/cancel").status == 202
    assert outcome_of(call, accepted.json["run_id"]) == "cancelled"
    assert call("POST", place + "/cancel").status == 409
    assert call("POST", "/v1/runs/run_0000/cancel").status == 404


def test_a_hundred_equal_requests_run_once(service, call):
    code = unique("import time, uuid\ntime.sleep(0.3)\nprint(uuid.uuid4())")

    def ask(_):
        connection = service.connect()
        answer = connection.run(code)
        connection.close()
        return answer.json

    with ThreadPoolExecutor(100) as threads:
        results = list(threads.map(ask, range(100)))
    assert {result["outcome"] for result in results} == {"ok"}
    assert len({result["stdout"] for result in results}) == 1, "more than one execution"
    assert sum(not result["cached"] for result in results) == 1
    assert len({result["run_id"] for result in results}) == 100
    assert call.run(code, cache="refresh").json["stdout"] != results[0]["stdout"]
    assert call.run(code, cache="off").json["cached"] is False


def test_failures_are_not_shared(call):
    code = unique("import time\ntime.sleep(5)")
    first = call.run(code, limits={"wall_ms": 100}).json
    second = call.run(code, limits={"wall_ms": 100}).json
    assert first["outcome"] == second["outcome"] == "timeout" and not second["cached"]


def test_the_same_key_never_runs_twice(service, call):
    code = unique("import time, uuid\ntime.sleep(0.2)\nprint(uuid.uuid4())")
    key = f"key-{time.time_ns()}"

    def ask(_):
        connection = service.connect()
        answer = connection.run(code, {"Idempotency-Key": key}, cache="off")
        connection.close()
        return answer.json

    with ThreadPoolExecutor(20) as threads:
        results = list(threads.map(ask, range(20)))
    assert len({result["run_id"] for result in results}) == 1, results
    assert len({result["stdout"] for result in results}) == 1
    conflict = call.run("print('another')", {"Idempotency-Key": key})
    assert conflict.status == 422 and conflict.json["code"] == "idempotency_conflict"
    both = call.run("1", {"Idempotency-Key": "one"}, idempotency_key="two")
    assert both.status == 400 and both.json["field"] == "idempotency_key"


def test_a_batch_keeps_its_order_and_stops_when_told(call):
    stamp = time.time_ns()
    runs = [{"code": f"print({n}) # {stamp}"} for n in range(12)] + [{"code": "1/0"}]
    answer = call("POST", "/v1/batches", {"runs": runs, "concurrency": 3})
    assert answer.status == 200, answer
    assert [result["stdout"] for result in answer.json["results"]] == [f"{n}\n" for n in range(12)] + [""]
    assert (answer.json["ok"], answer.json["failed"]) == (12, 1)
    stopping = {"runs": [{"code": "1/0"}, *runs], "concurrency": 1, "stop_on_failure": True}
    outcomes = [result["outcome"] for result in call("POST", "/v1/batches", stopping).json["results"]]
    assert outcomes == ["program_failed"] + ["cancelled"] * 13
    streamed = call("POST", "/v1/batches", {"runs": runs}, {"Accept": "text/event-stream"})
    events = events_of(streamed.body)
    assert sorted(data["index"] for name, data in events if name == "result") == list(range(13))
    done = [data["done"] for name, data in events if name == "progress"]
    assert done == sorted(done) and done[-1] == 13 and events[-1][0] == "done"
    refused = call("POST", "/v1/batches", {"runs": [{"code": "1"}, {"code": 1}]})
    assert refused.status == 400 and refused.json["field"] == "runs[1].code"


def test_blobs_go_in_by_their_hash_and_reach_the_program(call):
    content = f"a,b\n1,{time.time_ns()}\n".encode() * 1000
    name = hashlib.sha256(content).hexdigest()
    assert call("HEAD", f"/v1/blobs/{name}").status == 404
    assert call("PUT", f"/v1/blobs/{name}", content).status == 201
    assert call("PUT", f"/v1/blobs/{name}", content).status == 200
    assert call("GET", f"/v1/blobs/{name}").body == content
    wrong = call("PUT", f"/v1/blobs/{'0' * 64}", content)
    assert wrong.status == 422 and wrong.json["code"] == "hash_mismatch"
    assert call("PUT", "/v1/blobs/nothing", content).status == 400
    files = [{"path": "data.csv", "blob": f"sha256:{name}"}]
    answer = call.run("print(len(open('data.csv').read()))", files=files)
    assert answer.json["stdout"] == f"{len(content)}\n", answer


def test_artifacts_come_back_and_tricks_with_their_names_do_not_work(call):
    code = "import os\nos.makedirs('out')\nopen('out/ü b.txt','w').write('kept')\nopen('x.html','w').write('<b>')"
    run_id = call.run(code, artifacts=["**"]).json["run_id"]
    place = f"/v1/runs/{run_id}/artifacts"
    found = call("GET", f"{place}/out/%C3%BC%20b.txt")
    assert found.status == 200 and found.body == b"kept", found
    page = call("GET", f"{place}/x.html")
    assert page.headers["content-disposition"] == "attachment" and page.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in page.headers["content-security-policy"]
    for trick in ("%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "out%2F..%2Fx.html", "out\\x", "%00"):
        assert call("GET", f"{place}/{trick}").status in (400, 404), trick
    assert call("GET", f"{place}/nothing").status == 404


def test_a_replay_says_what_differs(call):
    same = call.run(unique("print(6 * 7)")).json
    assert call("POST", f"/v1/runs/{same['run_id']}/replay").json["verdict"] == "equal"
    other = call.run("import uuid\nprint(uuid.uuid4())", cache="off").json
    report = call("POST", f"/v1/runs/{other['run_id']}/replay").json
    assert report["verdict"] == "differs" and report["differences"][0]["field"] == "stdout", report
    assert call("GET", f"/v1/runs/{report['run_id']}").json["replay_of"] == other["run_id"]
    fixed = call.run("import uuid\nprint(uuid.uuid4())", deterministic=True).json
    assert call("POST", f"/v1/runs/{fixed['run_id']}/replay").json["verdict"] == "equal"


def test_records_are_listed_filtered_paged_and_deleted(call):
    task = f"task-{time.time_ns()}"
    ids = [call.run(f"print({n})", {"Glovebox-Task": task}).json["run_id"] for n in range(5)]
    page = call("GET", f"/v1/runs?task={task}&limit=3").json
    rest = call("GET", f"/v1/runs?task={task}&limit=3&cursor={page['next_cursor']}").json
    assert [run["run_id"] for run in page["runs"] + rest["runs"]] == ids[::-1] and rest["next_cursor"] is None
    assert call("GET", f"/v1/runs?task={task}&outcome=timeout").json["runs"] == []
    for query in ("limit=0", "limit=x", "outcome=great", "since=yesterday", "nonsense=1", "limit=1&limit=2", "cursor=%00"):
        assert call("GET", f"/v1/runs?{query}").status == 400, query
    assert call("DELETE", f"/v1/runs/{ids[0]}").status == 204
    assert call("GET", f"/v1/runs/{ids[0]}").status == 404
    assert call("DELETE", f"/v1/runs/{ids[0]}").status == 404


def test_secrets_are_not_in_the_record(service, call):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    answer = call.run(f"token = '{secret}'\nprint('key', token)")
    assert secret in answer.json["stdout"], "the caller gets its own output"
    record = call("GET", f"/v1/runs/{answer.json['run_id']}")
    assert secret.encode() not in record.body and record.json["redactions"], record
    for file in service.data.rglob("*"):
        if file.is_file() and not file.is_socket():
            assert secret.encode() not in file.read_bytes(), file


def test_paths_methods_and_hosts(call):
    assert call("GET", "/v1/nothing").status == 404
    wrong = call("PATCH", "/v1/runs")
    assert wrong.status == 405 and "POST" in wrong.headers["allow"]
    assert call("GET", "/healthz").json["status"] == "ok"
    assert call("GET", "/readyz").status == 200
    assert call("GET", "/openapi.json").json["openapi"].startswith("3.1")
    assert set(call("GET", "/v1/tools").json) == {"openai_chat", "openai_responses", "anthropic", "ollama"}
    assert call("GET", "/v1/tools?format=cobol").status == 400
    assert b"glovebox_runs_total" in call("GET", "/metrics").body
    assert call("GET", "/healthz", headers={"Host": "evil.example"}).status == 421
    assert call.run("1", {"Origin": "http://evil.example"}).status == 401


def test_an_expectation_is_held_and_recorded(call):
    request = {"code": unique("print([2, 1])"), "expect": {"invariants": ["sorted(json)"]}}
    answer = call("POST", "/v1/runs", request)
    assert answer.status == 200 and answer.json["outcome"] == "invalid_output", answer
    assert answer.json["validation"]["failures"] == ["expect.invariants[0] sorted(json): seen: sorted([2, 1])"]
    record = call("GET", f"/v1/runs/{answer.json['run_id']}").json["result"]
    assert record["validation"] == answer.json["validation"]
    again = call("POST", "/v1/runs", request)
    assert again.json["cached"] and again.json["validation"] == answer.json["validation"], again
    other = call("POST", "/v1/runs", request | {"expect": {"invariants": ["len(json) == 2"]}})
    assert other.json["outcome"] == "ok" and not other.json["cached"], "another expectation is another request"
    refused = call("POST", "/v1/runs", request | {"expect": {"invariants": ["json ="]}})
    assert refused.status == 400 and "expect.invariants[0]: column 6" in refused.json["detail"], refused


def test_what_never_ran_to_its_end_has_nothing_to_replay(call):
    refused = call.run("x", language="cobol").json["run_id"]
    answer = call("POST", f"/v1/runs/{refused}/replay")
    assert answer.status == 409 and "refused" in answer.json["detail"], answer
    place = call.run(unique(FOREVER), {"Prefer": "respond-async"}, limits=LONG).headers["location"]
    running = call("POST", place + "/replay")
    assert running.status == 409 and "not ended" in running.json["detail"], running
    assert call("POST", place + "/cancel").status == 202
    assert outcome_of(call, place.rpartition("/")[2]) == "cancelled"
    cancelled = call("POST", place + "/replay")
    assert cancelled.status == 409 and "cancelled" in cancelled.json["detail"], cancelled


def test_what_a_call_does_not_know_is_refused(call):
    for path in ("/v1/runs?limti=3", "/v1/usage?buckets=day", "/v1/tools?Format=ollama", "/v1/admin/state?x"):
        answer = call("GET", path)
        assert answer.status == 400 and "no such parameter" in answer.json["detail"], answer
    assert call("POST", "/v1/runs?code=1", {"code": "1"}).status == 400
    assert call("GET", "/healthz?probe=7").status == 200


def test_days_of_usage_are_those_of_utc(call):
    call.run("print(1)", cache="off")
    for bucket in call("GET", "/v1/usage?bucket=day").json["buckets"]:
        assert bucket["start"].endswith("T00:00:00.000Z"), bucket
