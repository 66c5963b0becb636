"""What a caller gets to mend a failed program, and what stops one that fails again and again."""

from __future__ import annotations

import time

BROKEN = "rows = {'price': 1}\nprint(rows['total'])\n"


def fail(call, task: str, code: str = BROKEN, **headers):
    return call.run(code, {"Glovebox-Task": task, **headers}, cache="off")


def test_a_failed_run_comes_with_a_repair_brief(call):
    task = f"repair-{time.time_ns()}"
    first = fail(call, task, "import nowhere_to_be_found\n").json["run_id"]
    run_id = fail(call, task).json["run_id"]
    answer = call("GET", f"/v1/runs/{run_id}/repair")
    assert answer.status == 200 and answer.headers["glovebox-run-id"] == run_id, answer
    brief = answer.json
    assert brief["error"]["type"] == "KeyError" and brief["error"]["line"] == 2 and brief["repairable"]
    assert brief["failing_lines"] == [
        {"line": 1, "text": "rows = {'price': 1}", "failing": False},
        {"line": 2, "text": "print(rows['total'])", "failing": True},
    ]
    assert [past["run_id"] for past in brief["tried"]] == [first]
    assert brief["tried"][0]["error"]["code"] == "import_error"
    assert 0 < brief["budget_left_ms"] < 10_000 and brief["attempts_left"] == 2
    for part in ("KeyError: 'total' (line 2)", ">    2 | print(rows['total'])", "Change only what is needed", "1. Module"):
        assert part in brief["prompt"], part


def test_there_is_no_brief_for_what_needs_none(call, start_service):
    good = call.run("print(1)").json["run_id"]
    assert call("GET", f"/v1/runs/{good}/repair").status == 409
    assert call("GET", "/v1/runs/run_00000000000000000000000000/repair").status == 404
    assert call("GET", "/v1/runs/nonsense/repair").status == 400
    refused = call.run("1", language="cobol")
    assert refused.status == 422
    brief = call("GET", f"/v1/runs/{refused.json['run_id']}/repair").json
    assert not brief["repairable"] and brief["error"]["code"] == "unsupported"


def test_a_brief_is_for_its_tenant_alone(start_service):
    service = start_service("--cold")
    one, two = (service.connect(service.make_key(name, "run", "read")) for name in ("one", "two"))
    run_id = one.run(BROKEN).json["run_id"]
    assert one("GET", f"/v1/runs/{run_id}/repair").status == 200
    assert two("GET", f"/v1/runs/{run_id}/repair").status == 404


def test_a_task_that_fails_three_times_in_the_same_way_is_stopped(start_service):
    service = start_service("--cold", config="[breaker]\nopen_s = 2\n")
    call = service.connect()
    for line in range(3):
        assert fail(call, "report", "# more\n" * line + BROKEN).json["outcome"] == "program_failed"
    stopped = fail(call, "report", "print('fine')")
    assert stopped.status == 429 and stopped.json["code"] == "circuit_open", stopped
    assert 1 <= int(stopped.headers["retry-after"]) <= 2 and "3 times in a row" in stopped.json["detail"]
    assert fail(call, "another", "print('fine')").json["success"]
    assert call.run("print('fine')", cache="off").json["success"], "without a task nothing is stopped"
    metrics = call("GET", "/metrics").body.decode()
    assert 'glovebox_breakers_open{scope="task"} 1' in metrics
    assert 'glovebox_breakers_refused_total{scope="task"} 1' in metrics
    time.sleep(2.1)
    assert fail(call, "report", "print('fine')").json["success"], "half open: one may try"
    assert fail(call, "report").json["outcome"] == "program_failed", "closed again"


def test_a_task_has_three_retries(start_service):
    service = start_service("--cold", config="[task]\nwall_ms = 0\n")
    call = service.connect()
    for number in range(4):
        assert fail(call, "tries", "print('fine')").json["success"], "what works is no retry"
        assert fail(call, "tries", f"raise ValueError('{chr(97 + number)}')").status == 200
    over = fail(call, "tries", "print('fine')")
    assert over.status == 429 and over.json["code"] == "budget_exceeded" and "retry-after" not in over.headers, over
    assert "4 attempts have failed" in over.json["detail"]
    assert fail(call, "another").status == 200


def test_other_errors_and_cached_answers_do_not_stop_a_task(start_service):
    service = start_service("--cold", config="[task]\nfailed_attempts = 0\n")
    call = service.connect()
    for number in range(5):
        assert fail(call, "tries", f"raise ValueError('{chr(97 + number)}')").status == 200
    for _ in range(5):
        assert call.run(BROKEN, {"Glovebox-Task": "cached"}).status == 200, "one run, four times its answer"


def test_a_tenant_with_too_many_failures_is_stopped(start_service):
    service = start_service("--cold", config="[breaker]\ntenant_failures = 4\nopen_s = 60\n")
    one, two = (service.connect(service.make_key(name, "run", "read")) for name in ("one", "two"))
    for number in range(4):
        assert one.run(f"raise ValueError({number})").status == 200
    stopped = one.run("print(1)")
    assert stopped.status == 429 and stopped.json["code"] == "circuit_open" and "tenant" in stopped.json["detail"]
    assert two.run("print(1)").json["success"]


def test_breakers_can_be_turned_off(start_service):
    service = start_service("--cold", config="[breaker]\ntask_same_errors = 0\n[task]\nwall_ms = 0\nfailed_attempts = 0\n")
    call = service.connect()
    for _ in range(6):
        assert fail(call, "stubborn").json["outcome"] == "program_failed"
