"""Many clients at once, and a service that is killed while they call."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from support.glovebox_runner import slowness

CLIENTS = int(os.environ.get("GLOVEBOX_LOAD_CLIENTS", "500"))
SECONDS = float(os.environ.get("GLOVEBOX_LOAD_SECONDS", "15"))


def wait_until_nothing_runs(service):
    """Whatever hung up is ended by now, or soon."""
    call = service.connect()
    deadline = time.monotonic() + 60 * slowness()
    while call("GET", "/v1/runs?state=running&limit=1").json["runs"]:
        assert time.monotonic() < deadline, "runs of clients that are gone go on"
        time.sleep(0.2)
    call.close()


def test_a_crowd_of_all_sorts_gets_right_answers_and_leaves_nothing_behind(start_service):
    service = start_service(config="[serve]\nconnections = 2000\n[queue]\nwait_ms = 60000\n[cache]\nmemory_mib = 8\n")
    call = service.connect()
    for number in range(50):
        assert call.run(f"print({number})", cache="off").status == 200
    kinds = Counter()
    acknowledged = []
    wrong = []
    lock = threading.Lock()

    def client(number, stop):
        chance = random.Random(f"{number} {stop}")
        connection = service.connect(timeout=120)
        while time.monotonic() < stop:
            kind = chance.choices(("good", "failing", "late", "gone", "bad"), (60, 15, 5, 10, 10))[0]
            stamp = f"{number} {chance.random()}"
            try:
                if kind == "gone":
                    body = json.dumps({"code": f"import time; time.sleep(5) # {stamp}"})
                    connection.client.request("POST", "/v1/runs", body, {"Content-Type": "application/json"})
                    connection.close()
                    connection = service.connect(timeout=120)
                elif kind == "bad":
                    answer = connection("POST", "/v1/runs", b"{", {"Content-Type": "application/json"})
                    assert answer.status == 400, answer
                else:
                    code = {"good": f"print('{stamp}')", "failing": f"raise ValueError('{stamp}')"}.get(
                        kind, f"import time; time.sleep(9) # {stamp}"
                    )
                    limits = {"wall_ms": 100} if kind == "late" else {}
                    answer = connection.run(code, limits=limits)
                    wanted = {"good": "ok", "failing": "program_failed", "late": "timeout"}[kind]
                    if answer.status == 200:
                        assert answer.json["outcome"] == wanted, answer
                        assert kind != "good" or answer.json["stdout"] == stamp + "\n", answer
                        with lock:
                            acknowledged.append(answer.json["run_id"])
                    else:
                        assert answer.status in (429, 503) and "retry-after" in answer.headers, answer
                        kind += " refused"
                with lock:
                    kinds[kind] += 1
            except Exception as problem:  # the test goes on and tells in the end
                with lock:
                    wrong.append(f"{kind}: {problem!r}")
                connection = service.connect(timeout=120)
        connection.close()

    # Twice: what the first crowd makes the pool keep is kept; the second one must not add to it.
    used = []
    for _ in range(2):
        stop = time.monotonic() + SECONDS / 2
        with ThreadPoolExecutor(CLIENTS) as threads:
            list(threads.map(client, range(CLIENTS), [stop] * CLIENTS))
        wait_until_nothing_runs(service)
        used.append((service.memory_bytes(), service.descriptors()))
    assert not wrong, (len(wrong), wrong[:5])
    assert kinds["good"] > 0 and kinds["gone"] > 0, kinds
    assert len(acknowledged) == len(set(acknowledged)), "an id was given twice"

    call = service.connect()  # the other one was idle for so long that the server closed it
    recorded = set()
    cursor = ""
    while True:
        page = call("GET", f"/v1/runs?limit=1000{cursor}").json
        ids = [run["run_id"] for run in page["runs"]]
        assert not recorded & set(ids), "a record is there twice"
        recorded |= set(ids)
        if page["next_cursor"] is None:
            break
        cursor = "&cursor=" + page["next_cursor"]
    assert set(acknowledged) <= recorded, f"{len(set(acknowledged) - recorded)} acknowledged runs have no record"
    (memory, descriptors), (memory_after, descriptors_after) = used
    assert descriptors_after <= descriptors + 60, f"descriptors were left open: {used}"
    assert memory_after < memory * 1.25 + (16 << 20), f"memory grew: {used}"
    assert service.command("audit", "verify")
    print(dict(kinds), used)


def test_nothing_acknowledged_is_lost_when_it_is_killed(start_service):
    acknowledged: dict[str, str] = {}
    lock = threading.Lock()
    chance = random.Random(7)
    for round_number in range(6):
        service = start_service("--cold")
        dead = threading.Event()

        def client(number, service=service, dead=dead, round_number=round_number):
            connection = service.connect(timeout=20)
            count = 0
            while not dead.is_set():
                count += 1
                text = f"{round_number}-{number}-{count}"
                try:
                    answer = connection.run(f"print('{text}')", {"Idempotency-Key": f"key-{text}"})
                except OSError:
                    return
                except Exception:  # half an answer, when it was killed in the middle of it
                    return
                if answer.status == 200:
                    with lock:
                        acknowledged[answer.json["run_id"]] = text

        threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(chance.uniform(0.3, 1.2))
        service.kill()
        dead.set()
        for thread in threads:
            thread.join(30)
    service = start_service("--cold")
    call = service.connect()
    assert acknowledged
    for run_id, text in acknowledged.items():
        record = call("GET", f"/v1/runs/{run_id}").json
        assert record["state"] == "finished" and record["result"]["stdout"] == text + "\n", record
    states = Counter()
    cursor = ""
    while True:
        page = call("GET", f"/v1/runs?limit=1000{cursor}").json
        for run in page["runs"]:
            states[run["state"]] += 1
            assert (run["outcome"] is None) == (run["state"] == "interrupted"), run
        if page["next_cursor"] is None:
            break
        cursor = "&cursor=" + page["next_cursor"]
    assert "running" not in states, states
    assert states["finished"] >= len(acknowledged)
    run_id, text = next(iter(acknowledged.items()))
    again = call.run(f"print('{text}')", {"Idempotency-Key": f"key-{text}"}).json
    assert again["run_id"] == run_id, "a key ran twice over a crash"
    assert service.command("audit", "verify")
