"""The Python SDK against a live server, over TCP and over a unix socket, with both clients."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import glovebox
import pytest

FOREVER = "import time\nprint('begun', flush=True)\ntime.sleep(600)"
LONG = {"wall_ms": 30_000}  # long beside the test, short enough for a test that fails


class Driver:
    """Either client, called the same way, so that one test speaks for both."""

    def __init__(self, url: str, flavour: str) -> None:
        self._loop = asyncio.new_event_loop() if flavour == "async" else None
        self._client = (glovebox.AsyncClient if self._loop else glovebox.Client)(url)

    def __getattr__(self, name):
        method = getattr(self._client, name)
        return lambda *args, **named: self.wait_for(method(*args, **named))

    def wait_for(self, value):
        if self._loop is None:
            return value
        if inspect.isasyncgen(value) or isinstance(value, glovebox.AsyncRunStream):
            return self.wait_for(collect(value))
        if inspect.isawaitable(value):
            return self.wait_for(self._loop.run_until_complete(value))
        return value

    def close(self):
        self.wait_for(self._client.close())
        if self._loop is not None:
            self._loop.close()


async def collect(values):
    return [value async for value in values]


@pytest.fixture(params=["sync", "async"])
def client(request, server):
    driver = Driver(server.url, request.param)
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def plain_client(server):
    with glovebox.Client(server.url) as client:
        yield client


def wait_until_running(client, run_id):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if client.get(run_id).state == "running":
            return
        time.sleep(0.02)
    pytest.fail("the run did not begin")


class TestRunning:
    def test_a_program(self, client):
        result = client.run("print('hällo')")
        assert (result.outcome, result.success, result.exit_code, result.stdout) == ("ok", True, 0, "hällo\n")
        assert result.error is None and result.metrics.wall_ms > 0 and result.provenance.isolation
        assert result.raise_for_outcome() is result
        assert result.raw["stdout"] == result.stdout

    def test_every_kind_of_input(self, client):
        code = "import os, sys\nprint(sys.argv[1:], sys.stdin.read(), os.environ['K'], open('d/a.txt').read())"
        files = {"d/a.txt": "text", "b.bin": bytes(range(256))}
        result = client.run(code, args=["x", "y z"], stdin="in", env={"K": "v"}, files=files)
        assert result.stdout == "['x', 'y z'] in v text\n", result.stderr

    def test_other_languages(self, client):
        assert client.run("console.log(1 + 1)", language="javascript").stdout == "2\n"
        assert client.run("echo $((1 + 1))", language="bash").stdout == "2\n"

    def test_a_function(self, client):
        assert client.run("def solve(input):\n  return input", input=None).results[0].value is None
        assert client.run("def solve(input):\n  return 3 ** input", input=80).value == 3**80

    def test_a_failing_program_is_a_result(self, client):
        result = client.run("x = 1\nraise KeyError('k')")
        assert result.outcome == "program_failed" and not result.success
        assert (result.error.code, result.error.type, result.error.line) == ("runtime_error", "KeyError", 2)
        with pytest.raises(glovebox.RunFailed, match="KeyError") as caught:
            result.raise_for_outcome()
        assert caught.value.error is result.error and caught.value.result is result

    def test_a_limit(self, client):
        assert client.run("while True: pass", limits={"wall_ms": 300}).outcome in ("timeout", "cpu_limit")

    def test_an_expectation_is_checked_or_refused_but_never_ignored(self, client):
        result = client.run("print('{}')", expect={"stdout_json_schema": {"type": "array"}})
        assert (result.outcome, result.validation.status) == ("invalid_output", "failed")
        check = result.validation.checks[0]
        assert (check.name, check.passed) == ("expect.stdout_json_schema", False) and "expected array" in check.message
        with pytest.raises(glovebox.ApiError, match="unknown keyword"):
            client.run("print('{}')", expect={"stdout_json_schema": {"tpye": "array"}})

    def test_a_denial(self, client):
        result = client.run("import socket\nsocket.socket()")
        assert result.denials and result.denials[0].grant

    def test_the_arguments_of_a_tool(self, client):
        assert client.run_tool('{"language": "bash", "code": "cat", "stdin": "hi", "files": null}').stdout == "hi"

    def test_twice_with_one_key_is_once(self, client):
        key = f"test-{time.time_ns()}"
        code = "import time\nprint(time.time_ns())"
        first, second = (client.run(code, idempotency_key=key, cache="off") for _ in range(2))
        assert first.stdout == second.stdout

    def test_over_a_unix_socket(self, server):
        for flavour in ("sync", "async"):
            driver = Driver(server.socket_url, flavour)
            try:
                assert driver.run("print(1)").stdout == "1\n"
            finally:
                driver.close()

    def test_from_many_threads(self, plain_client):
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda n: plain_client.run(f"print({n})"), range(40)))
        assert [result.stdout for result in results] == [f"{n}\n" for n in range(40)]


class TestRefusals:
    def test_name_the_field(self, client):
        with pytest.raises(glovebox.ApiError) as caught:
            client.run("1", limits={"wall_ms": "soon"})
        assert (caught.value.status, caught.value.code) == (400, "invalid_request")
        assert caught.value.problem.field == "limits.wall_ms"

    def test_name_what_is_not_offered(self, client):
        with pytest.raises(glovebox.ApiError) as caught:
            client.run("1", language="cobol")
        assert (caught.value.status, caught.value.code) == (422, "unsupported")

    def test_name_a_missing_blob(self, client):
        with pytest.raises(glovebox.ApiError) as caught:
            client.run("1", files={"x": glovebox.Blob("0" * 64)})
        assert (caught.value.status, caught.value.code) == (422, "blob_missing")

    def test_of_what_is_not_there(self, client):
        for method in (client.get, client.cancel, client.delete, client.replay):
            with pytest.raises(glovebox.NotFound):
                method("run_00000000000000000000000000")


class TestFiles:
    def test_large_ones_travel_once(self, client, tmp_path):
        data = bytes(range(256)) * 8192 + time.time_ns().to_bytes(8, "big")
        (tmp_path / "big.bin").write_bytes(data)
        code = "import hashlib\nprint(hashlib.sha256(open('big.bin', 'rb').read()).hexdigest())"
        for files in ([tmp_path / "big.bin"], {"big.bin": data}):
            result = client.run(code, files=files)
            assert len(result.stdout) == 65, result.stderr
        digest = client.upload(tmp_path / "big.bin")
        assert result.stdout == digest + "\n"
        assert client.run(code, files={"big.bin": glovebox.Blob(digest)}).stdout == digest + "\n"
        assert client.download(digest) == data

    def test_artifacts_are_read_and_saved(self, client, tmp_path):
        code = "import os\nos.makedirs('out/ü')\nopen('out/ü/a b%.txt', 'wb').write(b'\\x00' * 300000)\n"
        code += "open('x.csv', 'w').write('a')"
        result = client.run(code, artifacts=["out/**", "*.csv"])
        assert sorted(artifact.path for artifact in result.artifacts) == ["out/ü/a b%.txt", "x.csv"]
        artifact = result.artifact("out/ü/a b%.txt")
        assert artifact.bytes == 300000
        assert client.wait_for(artifact.read()) == b"\0" * 300000
        for artifact in result.artifacts:
            client.wait_for(artifact.save(tmp_path / "saved"))
        assert (tmp_path / "saved/out/ü/a b%.txt").read_bytes() == b"\0" * 300000
        assert (tmp_path / "saved/x.csv").read_bytes() == b"a"
        with pytest.raises(KeyError):
            result.artifact("no.csv")


class TestStreams:
    def test_end_with_the_same_result(self, client):
        events = list(client.stream("import sys\nprint('out')\nprint('err', file=sys.stderr)"))
        texts = {name: "" for name in ("stdout", "stderr")}
        for event in events:
            if isinstance(event, glovebox.OutputEvent):
                texts[event.stream] += event.text
        assert texts == {"stdout": "out\n", "stderr": "err\n"}
        assert any(isinstance(event, glovebox.StateEvent) for event in events)
        assert isinstance(events[-1], glovebox.ResultEvent)
        assert events[-1].result.stdout == "out\n"

    def test_bring_output_while_the_program_runs(self, plain_client):
        with plain_client.stream(glovebox.RunRequest(FOREVER, limits=LONG)) as stream:
            for event in stream:
                if isinstance(event, glovebox.OutputEvent):
                    assert event.text == "begun\n"
                    stream.cancel()
        assert stream.result.outcome == "cancelled"
        assert stream.result.stdout == "begun\n"

    def test_that_are_left_cancel_the_run(self, plain_client):
        with plain_client.stream(glovebox.RunRequest(FOREVER, limits=LONG)) as stream:
            next(iter(stream))
        record = plain_client.wait(stream.run_id, timeout=30)
        assert record.result.outcome == "cancelled"

    def test_of_a_refused_run_are_an_exception(self, client):
        with pytest.raises(glovebox.ApiError):
            list(client.stream({"code": "1", "no_such_field": 1}))


class TestWithoutWaiting:
    def test_submit_and_wait(self, client):
        run_id = client.submit("print(1)")
        record = client.wait(run_id, timeout=30)
        assert (record.run_id, record.state, record.result.stdout) == (run_id, "finished", "1\n")

    def test_cancel(self, client):
        run_id = client.submit(glovebox.RunRequest(FOREVER, limits=LONG))
        wait_until_running(client, run_id)
        with pytest.raises((TimeoutError, asyncio.TimeoutError)):
            client.wait(run_id, timeout=0.1)
        client.cancel(run_id)
        assert client.wait(run_id, timeout=30).result.outcome == "cancelled"
        with pytest.raises(glovebox.ApiError) as caught:
            client.cancel(run_id)
        assert caught.value.status == 409


class TestBatches:
    REQUESTS = ["print(0)", {"code": "print(1)"}, glovebox.RunRequest("console.log(2)", language="javascript"), "1/0"]

    @pytest.mark.parametrize("with_progress", [False, True])
    def test_keep_their_order(self, client, with_progress):
        reports = []
        batch = client.batch(self.REQUESTS, progress=reports.append if with_progress else False)
        assert [result.stdout for result in batch.results] == ["0\n", "1\n", "2\n", ""]
        assert (batch.ok, batch.failed) == (3, 1)
        assert batch.results[3].error.type == "ZeroDivisionError"
        if with_progress:
            assert (reports[-1].done, reports[-1].total, reports[-1].failed) == (4, 4, 1)
            assert [report.done for report in reports] == sorted(report.done for report in reports)

    def test_are_refused_as_a_whole_when_malformed(self, client):
        with pytest.raises(glovebox.ApiError) as caught:
            client.batch(["print(1)", {"code": 5}])
        assert caught.value.status == 400 and caught.value.problem.field == "runs[1].code"
        with pytest.raises(ValueError):
            client.batch(["1"] * 10_001)


class TestLookingBack:
    def test_records(self, client):
        task = f"test-{time.time_ns()}"
        ids = [client.run(f"print({n})", task=task).run_id for n in range(5)]
        record = client.get(ids[0])
        assert record.request["code"] == "print(0)" and record.task == task and record.result.stdout == "0\n"
        page = client.list(task=task, limit=2)
        assert [run.run_id for run in page.runs] == [ids[4], ids[3]] and page.next_cursor
        everything = client.iterate(task=task, limit=2)
        assert [run.run_id for run in everything] == ids[::-1]
        assert client.list(task=task, outcome="timeout").runs == []
        client.delete(ids[0])
        with pytest.raises(glovebox.NotFound):
            client.get(ids[0])

    def test_replays(self, client):
        equal = client.replay(client.run("print(1)").run_id)
        assert equal.verdict == "equal" and equal.differences == [] and equal.run_id != equal.replay_of
        differs = client.replay(client.run("import time\nprint(time.time_ns())", cache="off").run_id)
        assert differs.verdict == "differs"
        assert "stdout" in [difference.field for difference in differs.differences]

    def test_a_failed_run_has_a_repair_brief(self, client):
        failed = client.run("row = {}\nprint(row['total'])", cache="off")
        brief = client.repair_brief(failed.run_id)
        assert brief.error.type == "KeyError" and brief.repairable and brief.run_id == failed.run_id
        assert [line.text for line in brief.failing_lines if line.failing] == ["print(row['total'])"]
        assert brief.rule in brief.prompt and brief.tried == []
        with pytest.raises(glovebox.ApiError) as refused:
            client.repair_brief(client.run("print(1)").run_id)
        assert refused.value.status == 409

    def test_usage(self, client):
        client.run("print(1)")
        usage = client.usage(bucket="day")
        assert sum(bucket.runs for bucket in usage.buckets) >= 1
        assert set(usage.quota) == {"concurrency", "runs_per_minute", "cpu_ms_per_hour", "storage_bytes"}


class TestTools:
    def test_of_every_format(self, client):
        everything = client.tools()
        assert sorted(everything) == ["anthropic", "ollama", "openai_chat", "openai_responses"]
        for name, tools in everything.items():
            assert client.tools(name) == tools
        with pytest.raises(ValueError):
            client.tools("openai")


class TestTheKillSwitch:
    def test_stops_everything_until_resumed(self, plain_client):
        ended = []
        with plain_client.stream(glovebox.RunRequest(FOREVER, limits=LONG)) as stream:
            watcher = threading.Thread(target=lambda: ended.extend(stream))
            watcher.start()
            wait_until_running(plain_client, stream.run_id)
            try:
                assert plain_client.stop("a test").stopped
                watcher.join(30)
                assert ended and not watcher.is_alive()
                with pytest.raises(glovebox.Unavailable) as caught:
                    plain_client.run("print(1)")
                assert caught.value.code == "stopped" and "a test" in str(caught.value)
                assert plain_client.state().reason == "a test"
            finally:
                assert not plain_client.resume("the test is over").stopped
        assert plain_client.run("print(1)").success


class TestPolicy:
    # What is got is decided only when the program runs, and the profile asks about that.
    ASKS = "import json\nprint(callable(getattr(json, input())))  # "

    def test_a_check_names_the_rule_and_the_place(self, client):
        decision = client.check_policy(glovebox.RunRequest("import json\nimport socket", policy="strict"))
        assert decision.decision == "deny" and decision.policy.startswith("strict@sha256:")
        assert (decision.findings[0].line, decision.findings[0].column) == (2, 8)
        assert client.check_policy({"code": "print(1)"}).decision == "allow"

    def test_a_denied_program_is_a_result(self, client):
        result = client.run("import socket", policy="strict")
        assert result.outcome == "rejected" and result.error.code == "rejected" and result.error.line == 1

    @pytest.mark.parametrize(("answer", "outcome"), [("approve", "ok"), ("reject", "rejected")])
    def test_a_person_answers_while_the_run_waits(self, client, plain_client, answer, outcome):
        code = self.ASKS + str(time.time_ns())
        with ThreadPoolExecutor(1) as threads:
            run = threads.submit(plain_client.run, code, stdin="dumps\n", policy="sandboxed_python")
            end = time.monotonic() + 30
            while not (waiting := [a for a in client.approvals() if code in client.approval(a.id).detail["request"]["code"]]):
                assert time.monotonic() < end and not run.done(), run
                time.sleep(0.05)
            approval = client.approval(waiting[0].id)
            assert client.get(approval.run_id).state == "waiting"
            answered = getattr(client, answer)(approval.id, "from a test")
            assert answered.note == "from a test"
            result = run.result(30)
        assert result.outcome == outcome, result
        with pytest.raises(glovebox.ApiError) as refused:
            client.approve(approval.id)
        assert refused.value.status == 409
