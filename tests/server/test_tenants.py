"""Keys, tenants, quotas, budgets, fair sharing, the stop switch."""

from __future__ import annotations

import hashlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

SLOW = "import time\ntime.sleep({})"


def test_loopback_needs_no_key_until_there_is_one(start_service):
    service = start_service("--cold")
    call = service.connect()
    assert call.run("1").status == 200
    key = service.make_key("one", "run", "read")
    deadline = time.monotonic() + 5
    while call.run("1").status != 401:
        assert time.monotonic() < deadline, "loopback still needs no key"
        time.sleep(0.1)
    assert call.run("1").headers["www-authenticate"] == "Bearer"
    mine = service.connect(key)
    assert mine.run("1").status == 200
    assert mine("GET", "/metrics").status == 403
    assert mine("POST", "/v1/admin/stop", {"reason": "x"}).status == 403
    for header in ("", "Basic abc", "Bearer", "Bearer gbk_wrong", f"Bearer {key} {key}"):
        assert call("GET", "/v1/runs", headers={"Authorization": header}).status == 401, header
    identity = service.command("keys", "list", "--json")
    assert key not in identity


def test_a_scraper_sees_the_metrics_and_nothing_else(start_service):
    service = start_service("--cold")
    scraper = service.connect(service.make_key("scraper", "metrics"))
    assert b"glovebox_runs_total" in scraper("GET", "/metrics").body
    for method, path in (("GET", "/v1/runs"), ("POST", "/v1/runs"), ("GET", "/v1/admin/state"), ("GET", "/v1/approvals")):
        assert scraper(method, path, {} if method == "POST" else None).status == 403, path
    assert service.connect(service.make_key("boss", "admin"))("GET", "/metrics").status == 200


def test_tenants_see_nothing_of_each_other(start_service):
    service = start_service("--cold")
    one, two = (service.connect(service.make_key(name, "run", "read")) for name in ("one", "two"))
    run_id = one.run("open('x','w').write('1')", artifacts=["x"]).json["run_id"]
    content = b"secret of one"
    name = hashlib.sha256(content).hexdigest()
    assert one("PUT", f"/v1/blobs/{name}", content).status == 201
    assert two("HEAD", f"/v1/blobs/{name}").status == 404
    assert two.run("1", files=[{"path": "f", "blob": f"sha256:{name}"}]).status == 422
    for method, path in (
        ("GET", f"/v1/runs/{run_id}"),
        ("DELETE", f"/v1/runs/{run_id}"),
        ("POST", f"/v1/runs/{run_id}/cancel"),
        ("POST", f"/v1/runs/{run_id}/replay"),
        ("GET", f"/v1/runs/{run_id}/artifacts/x"),
    ):
        assert two(method, path).status == 404, path
    assert [run["error_code"] for run in two("GET", "/v1/runs").json["runs"]] == ["blob_missing"], "only its own"
    assert one("GET", f"/v1/runs/{run_id}/artifacts/x").body == b"1"
    code = f"import uuid\nprint(uuid.uuid4()) # {time.time_ns()}"
    assert one.run(code).json["stdout"] != two.run(code).json["stdout"], "a cached answer crossed over"


def test_quotas_refuse_with_a_time_to_wait(start_service):
    service = start_service("--cold", config="[quota]\nruns_per_minute = 3\n")
    call = service.connect()
    statuses = [call.run("1", cache="off").status for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    refused = call.run("1")
    assert refused.json["code"] == "quota_exceeded" and 1 <= int(refused.headers["retry-after"]) <= 60
    quota = call("GET", "/v1/usage").json["quota"]["runs_per_minute"]
    assert quota["limit"] == 3 and quota["used"] in (2, 3), "a token comes back every 20 s"


def test_a_task_stops_at_its_budget(start_service):
    service = start_service("--cold", config="[task]\nwall_ms = 700\n")
    call = service.connect()
    task = {"Glovebox-Task": "one"}
    assert call.run(SLOW.format(0.4), task, cache="off").json["outcome"] == "ok"
    cut = call.run(SLOW.format(5), task, cache="off")
    assert cut.json["outcome"] == "timeout" and cut.json["error"]["code"] == "budget_exceeded", cut
    over = call.run("1", task)
    assert over.status == 429 and over.json["code"] == "budget_exceeded" and "retry-after" not in over.headers, over
    assert call.run("1", {"Glovebox-Task": "two"}).status == 200
    assert call.run("1", {"Glovebox-Task": "-bad"}).status == 400


def test_a_noisy_tenant_does_not_starve_another(start_service):
    service = start_service("--cold", config="[queue]\nworkers = 2\n")
    noisy, quiet = (service.make_key(name, "run", "read") for name in ("noisy", "quiet"))
    stop = threading.Event()

    def flood(number):
        connection = service.connect(noisy)
        while not stop.is_set():
            connection.run(SLOW.format(0.1), cache="off")
        connection.close()

    with ThreadPoolExecutor(40) as threads:
        for number in range(40):
            threads.submit(flood, number)
        time.sleep(1)
        call = service.connect(quiet)
        waits = []
        for number in range(5):
            began = time.monotonic()
            assert call.run(f"print({number})", cache="off").status == 200
            waits.append(time.monotonic() - began)
        stop.set()
    # Forty are in front of it in all; in its turn it waits for one or two of them.
    assert sorted(waits)[2] < 1.0, waits


def test_a_full_line_is_refused_at_once(start_service):
    service = start_service("--cold", config="[queue]\nworkers = 1\ntenant_length = 2\n")

    def ask(_):
        connection = service.connect()
        answer = connection.run(SLOW.format(0.5), cache="off")
        connection.close()
        return answer

    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(ask, range(10)))
    refused = [answer for answer in answers if answer.status == 503]
    assert len(refused) >= 5 and all(answer.json["code"] == "overloaded" for answer in refused)
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    assert sum(answer.status == 200 for answer in answers) == 10 - len(refused)


def test_the_stop_switch_kills_refuses_and_survives_a_restart(start_service):
    service = start_service("--cold")
    call = service.connect()
    results = []
    victim = threading.Thread(target=lambda: results.append(service.connect().run(SLOW.format(30), limits={"wall_ms": 60_000})))
    victim.start()
    time.sleep(1)
    stopped = call("POST", "/v1/admin/stop", {"reason": "a test"})
    assert stopped.status == 200 and stopped.json["stopped"], stopped
    victim.join(10)
    assert results[0].json["outcome"] == "cancelled"
    refused = call.run("1")
    assert refused.status == 503 and refused.json["code"] == "stopped" and "retry-after" in refused.headers
    assert call("GET", "/readyz").status == 503 and call("GET", "/v1/runs").status == 200
    assert service.end() == 0
    again = start_service("--cold")
    call = again.connect()
    assert call.run("1").status == 503
    assert call("POST", "/v1/admin/resume", {"reason": "over"}).json["stopped"] is False
    assert call.run("1").status == 200
    assert "service_resumed" in again.command("audit", "log", "--json")
    assert again.command("audit", "verify")
