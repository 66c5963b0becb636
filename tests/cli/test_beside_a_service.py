"""The verbs for records while `glovebox serve` works on the same directory."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request

import pytest

from support.glovebox_runner import slowness


class Served:
    def __init__(self, records):
        self.process = records.glovebox.start(*records.words("serve", "--listen", "127.0.0.1:0", "--cold"))
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()
        deadline = time.monotonic() + 30 * slowness()
        while not (match := re.search(r"^listening on (http://\S+)$", "\n".join(self.lines), re.MULTILINE)):
            assert self.process.poll() is None and time.monotonic() < deadline, self.lines
            time.sleep(0.02)
        self.url = match[1]

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.decode(errors="replace").rstrip("\n"))

    def post(self, path: str, body: dict, key: str = "") -> tuple[int, dict]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=30 * slowness()) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def run(self, code: str, key: str = "") -> tuple[int, dict]:
        return self.post("/v1/runs", {"code": code, "limits": {"wall_ms": 60_000}}, key)


@pytest.fixture
def served(records):
    service = Served(records)
    yield service
    service.process.terminate()
    assert service.process.wait(60 * slowness()) == 0


def test_both_see_each_others_runs(records, served):
    status, result = served.run("print('over http')")
    assert status == 200
    assert "over http" in records("runs", "show", result["run_id"]).out
    mine = records.run("print('beside it')")
    assert {run["run_id"] for run in records.json("runs")["runs"]} == {result["run_id"], mine}
    assert records("replay", result["run_id"]).out.startswith("verdict: equal\n")
    assert records("runs", "delete", mine).status == 0
    assert records.json("audit", "verify")["intact"]


def test_a_key_works_until_it_is_revoked(records, served):
    key = records.json("keys", "create", "--name", "k", "--tenant", "web")
    time.sleep(1.5)  # the service asks for keys at most once a second
    assert served.run("print(1)")[0] == 401, "with the first key, loopback needs one"
    status, result = served.run("print(1)", key["secret"])
    assert status == 200
    assert records.json("runs", "show", result["run_id"])["tenant"] == "web"
    records("keys", "revoke", key["id"])
    time.sleep(1.5)
    assert served.run("print(1)", key["secret"])[0] == 401
    assert records.json("keys", "list")["keys"][0]["last_used"]


def test_the_switch_kills_what_runs_and_refuses_what_comes(records, served):
    answers = []
    sleeper = threading.Thread(target=lambda: answers.append(served.run("import time; time.sleep(50)")))
    sleeper.start()
    deadline = time.monotonic() + 20 * slowness()
    while not records.json("runs", "--state", "running")["runs"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    state = records.json("admin", "stop", "--reason", "leaked credentials")
    assert state["stopped"] and state["reason"] == "leaked credentials"
    sleeper.join(20 * slowness())
    ((_, killed),) = answers
    assert killed.get("outcome") == "cancelled" or killed.get("code") in ("stopped", "cancelled"), killed
    status, problem = served.run("print(1)")
    assert status == 503 and problem["code"] == "stopped" and "leaked credentials" in problem["detail"]
    assert "the service is stopped" in records("admin", "state").out

    assert not records.json("admin", "resume", "--reason", "rotated")["stopped"]
    assert served.run("print(1)")[0] == 200
    details = [entry["detail"] for entry in records.json("audit", "log")["entries"]]
    assert {"reason": "leaked credentials"} in details and {"reason": "rotated"} in details


def test_the_switch_by_url_needs_the_right_key(records, served, glovebox):
    admin = records("keys", "create", "--name", "ops", "--scope", "admin").out.strip()
    plain = records("keys", "create", "--name", "ci").out.strip()
    time.sleep(1.5)
    for key, told in ((plain, "403"), ("gbk_wrong", "401")):
        ended = glovebox("admin", "stop", "--reason", "r", "--url", served.url, "--key", key)
        assert ended.status == 125 and told in ended.err and key not in ended.err, ended
    done = glovebox("admin", "stop", "--reason", "r", "--url", served.url, "--json", env={"GLOVEBOX_API_KEY": admin})
    assert done.status == 0 and json.loads(done.out)["by"].startswith("ops"), done


def test_a_service_that_starts_on_a_stopped_directory_is_stopped(records):
    records("admin", "stop", "--reason", "before it began")
    service = Served(records)
    try:
        status, problem = service.run("print(1)")
        assert status == 503 and "before it began" in problem["detail"]
        assert not records.json("admin", "resume", "--reason", "go")["stopped"]
        assert service.run("print(1)")[0] == 200
    finally:
        service.process.terminate()
        service.process.wait(60 * slowness())


def test_a_quota_is_followed_by_a_running_service(records, served):
    assert served.run("print(1)")[0] == 200
    records("tenants", "set", "default", "--storage", "1")
    time.sleep(1.5)
    status, problem = served.run("print(2)")
    assert status == 429 and problem["code"] == "quota_exceeded"


def test_a_stop_that_could_not_be_recorded_is_a_stop(records, served):
    (table,) = records.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%stop%'")
    records.execute(f"ALTER TABLE {table[0]} RENAME TO out_of_reach")
    ended = records("admin", "stop", "--reason", "leaked credentials")
    assert ended.status == 125 and "is stopped, but that could not be recorded" in ended.err, ended
    assert served.run("print(1)")[0] == 503
    records.execute(f"ALTER TABLE out_of_reach RENAME TO {table[0]}")
