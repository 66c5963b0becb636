"""`run --record`, and `runs` with its words: list, show, artifact, delete."""

from __future__ import annotations

import json
import os
import time

import pytest

from support import json_schema
from support.command_line import RESULT_SCHEMA, gone_within
from support.glovebox_runner import slowness


def ids(page: dict) -> list[str]:
    return [run["run_id"] for run in page["runs"]]


def test_a_recorded_run_is_listed_and_shown(records):
    first = records.run("print('hello')")
    second = records.run("import sys; print('bad', file=sys.stderr); sys.exit(3)")
    page = records.json("runs")
    assert ids(page) == [second, first] and page["next_cursor"] is None
    assert [run["outcome"] for run in page["runs"]] == ["program_failed", "ok"]
    assert [run["success"] for run in page["runs"]] == [False, True]

    record = records.json("runs", "show", second)
    assert record["run_id"] == second and record["state"] == "finished" and record["tenant"] == "default"
    assert record["result"]["stderr"] == "bad\n" and record["result"]["exit_code"] == 3
    assert records.glovebox.send(record["request"]).result["stderr"] == "bad\n", "it is a request like any other"
    assert json_schema.violations(record["result"], RESULT_SCHEMA) == []

    shown = records("runs", "show", first)
    assert shown.status == 0
    assert f"run        {first}\n" in shown.out and "outcome    ok (exit status 0)\n" in shown.out
    assert "code\n  print('hello')\n" in shown.out and "stdout\n  hello\n" in shown.out


def test_without_record_nothing_is_kept(records):
    assert records("run", "-c", "print(1)").out == "1\n"
    assert os.listdir(records.directory) == []


def test_the_same_command_twice_runs_twice(records):
    code = "import time; print(time.time_ns())"
    first, second = records.run(code), records.run(code)
    outputs = {records.json("runs", "show", run)["result"]["stdout"] for run in (first, second)}
    assert len(outputs) == 2


def test_a_request_may_be_answered_from_the_records_and_shows_the_output(records):
    request = json.dumps({"language": "python", "code": "import time; print(time.time_ns())"}).encode()
    first = records("run", "--record", "--request", "-", stdin=request)
    second = records("run", "--record", "--request", "-", stdin=request)
    assert first.status == second.status == 0
    assert first.out == second.out and first.out.strip().isdigit()
    assert [run["cached"] for run in records.json("runs")["runs"]] == [True, False]


def test_secrets_are_not_in_the_record(records):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    run = records.run(f"token = '{secret}'\nprint(len(token))")
    record = records.json("runs", "show", run)
    assert secret not in json.dumps(record) and record["result"]["stdout"] == "40\n"
    assert sum(record["redactions"].values()) >= 1
    assert "redacted" in records("runs", "show", run).out


def test_filters(records):
    good = records.run("print(1)")
    bad = records.run("raise SystemExit(1)")
    shell = records.run("echo 1", language="bash")
    records.execute("UPDATE runs SET task_id = 'task-1', created_ms = created_ms - 7200000 WHERE run_id = ?", good)
    assert ids(records.json("runs", "--outcome", "ok")) == [shell, good]
    assert ids(records.json("runs", "list", "--outcome", "program_failed")) == [bad]
    assert ids(records.json("runs", "--language", "bash")) == [shell]
    assert ids(records.json("runs", "--task", "task-1")) == [good]
    assert ids(records.json("runs", "--state", "finished", "--limit", "1")) == [shell]
    assert ids(records.json("runs", "--state", "running")) == []
    assert ids(records.json("runs", "--since", "1h")) == [shell, bad]
    assert ids(records.json("runs", "--since", "1970-01-01T00:00:00Z")) == [shell, bad, good]
    assert ids(records.json("runs", "--tenant", "other")) == []
    assert ids(records.json("runs", "--all")) == [shell, bad, good]


def test_a_limit_beyond_one_page_goes_on(records):
    run = records.run("print(1)")
    columns = [name for _, name, *_ in records.execute("PRAGMA table_info(runs)") if name not in ("number", "run_id")]
    records.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
        f"INSERT INTO runs (run_id, {', '.join(columns)}) "
        f"SELECT printf('run_%026d', i), {', '.join(columns)} FROM runs, n WHERE run_id = ?",
        run,
    )
    everything = ids(records.json("runs", "--all"))
    assert len(everything) == len(set(everything)) == 1501
    some = records.json("runs", "--limit", "1200")
    assert ids(some) == everything[:1200] and some["next_cursor"]
    short = records("runs", "--limit", "2")
    assert short.out.count("run_") == 2 and "--all" in short.err


def test_the_table_fits_100_columns_and_a_terminal(records):
    run = records.run("print(1)")
    other = records.run("print(2)")
    records.execute(
        "UPDATE runs SET task_id = ?, tenant = ?, language = ? WHERE run_id = ?",
        "task-" + "x" * 120, "tenant" * 20, "a-language-of-my-own\x1b[31m\nsecond", run,
    )  # fmt: skip
    table = records("runs").out
    assert run in table and other in table and "…" in table
    assert all(len(line) <= 100 for line in table.splitlines()) and len(table.splitlines()) == 3
    assert "\x1b" not in table


def test_shown_text_cannot_drive_a_terminal(records):
    run = records.run(r"print('a\x1b]0;owned\x07b\x1b[2J\x9bc')")
    shown = records("runs", "show", run).out
    assert "\x1b" not in shown and "\x07" not in shown and "\x9b" not in shown


def test_artifacts_come_back_byte_for_byte(records, mode):
    content = bytes(range(256)) * 1024  # above what is kept in the database
    code = "open('a.bin','wb').write(bytes(range(256))*1024); open('é.txt','w').write('x')"
    run = records.run(code, "--collect", "*")
    assert records("runs", "artifact", run, "a.bin").stdout == content
    assert records("runs", "artifact", run, "é.txt").stdout == b"x"
    target = mode.make_directory("out_" + run) / "copy.bin"
    assert records("runs", "artifact", run, "a.bin", "-o", str(target)).status == 0
    assert target.read_bytes() == content
    missing = records("runs", "artifact", run, "../a.bin")
    assert missing.status == 125 and missing.stdout == b"" and "a.bin" in missing.err
    nowhere = records("runs", "artifact", run, "a.bin", "-o", "/nowhere/at/all")
    assert nowhere.status == 125 and "/nowhere/at/all" in nowhere.err


def test_a_deleted_run_is_gone_and_the_log_says_so(records):
    run, kept = records.run("print('gone')"), records.run("print('kept')")
    assert records.json("runs", "delete", run) == {"deleted": [run]}
    assert ids(records.json("runs")) == [kept]
    for again in (records("runs", "show", run), records("runs", "delete", run)):
        assert again.status == 125 and f"there is no run {run}" in again.err
    last = records.json("audit", "log", "--limit", "1")["entries"][0]
    assert (last["kind"], last["subject"]) == ("run_deleted", run) and last["actor"].startswith("user ")
    assert records.json("audit", "verify")["intact"]


def test_a_run_in_flight_is_listed_and_cannot_be_deleted(records, token):
    words = records.words("run", "--record", "-c", "import time; time.sleep(60)", "--timeout", "60s", token)
    process = records.glovebox.start(*words)
    try:
        deadline = time.monotonic() + 20 * slowness()
        while not (records.directory / "glovebox.db").exists() or not ids(records.json("runs", "--state", "running")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        (run,) = ids(records.json("runs", "--state", "running"))
        refused = records("runs", "delete", run)
        assert refused.status == 125 and "running" in refused.err
        assert "state      running" in records("runs", "show", run).out
    finally:
        process.terminate()
        process.communicate()
    assert gone_within(token, 10)
    assert records.json("runs", "show", run)["result"]["outcome"] == "cancelled"


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("runs", "--outcome", "fine"), "program_failed"),
        (("runs", "--state", "asleep"), "interrupted"),
        (("runs", "--since", "yesterday"), "2h"),
        (("runs", "--limit", "0"), "--limit"),
        (("runs", "--limit", "5", "--all"), "--all"),
        (("runs", "show"), "ID"),
        (("runs", "show", "run_x"), "there is no run run_x"),
        (("runs", "show", "run_\x1b[31m"), r"\x1b"),
        (("runs", "artifact", "run_x", "a"), "there is no run run_x"),
        (("runs", "burn"), "burn"),
    ],
)
def test_wrong_input_is_told(records, arguments, told):
    records("tenants", "set", "a", "--concurrency", "1")
    ended = records(*arguments)
    assert ended.status == 125 and ended.stdout == b"" and told in ended.err, ended


@pytest.mark.parametrize(
    "arguments",
    [("runs",), ("runs", "show", "run_x"), ("replay", "run_x"), ("audit", "verify"), ("audit", "anchor"),
     ("audit", "log"), ("keys", "list"), ("keys", "revoke", "x"), ("tenants", "list"), ("admin", "state")],
)  # fmt: skip
def test_looking_where_nothing_is_leaves_nothing_behind(records, arguments):
    ended = records(*arguments)
    assert ended.status == 125 and "there are no records" in ended.err, ended
    assert os.listdir(records.directory) == []


def test_a_file_that_is_no_database_is_refused(records):
    (records.directory / "glovebox.db").write_bytes(b"something else entirely" * 100)
    ended = records("runs")
    assert ended.status == 125 and ended.stdout == b"" and ended.err, ended
    assert (records.directory / "glovebox.db").read_bytes() == b"something else entirely" * 100


def test_another_process_may_hold_the_database(records):
    """A reader goes on beside a writer; a second writer waits for the first."""
    run = records.run("print(1)")
    holder = records.database()
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("UPDATE runs SET language = 'held' WHERE run_id = ?", (run,))
    page = records.json("runs")
    assert [entry["language"] for entry in page["runs"]] == ["python"], "uncommitted work is nobody's business"
    writer = records.glovebox.start("keys", "create", "--name", "late", "--data", str(records.directory))
    time.sleep(0.5)
    assert writer.poll() is None, "it has to wait"
    holder.rollback()
    out, _ = writer.communicate(timeout=30 * slowness())
    assert writer.returncode == 0 and out.startswith(b"gbk_")
    holder.close()


def test_the_configured_directory_is_used_for_records_and_blobs(records, mode, glovebox):
    config = mode.make_directory("config_" + records.directory.name)
    (config / "glovebox").mkdir()
    (config / "glovebox/glovebox.toml").write_text(f'[serve]\ndata = "{records.directory}"\n')
    env = {"XDG_CONFIG_HOME": str(config)}
    added = glovebox("blob", "add", "-", stdin=b"bytes", env=env)
    reference = added.out.split()[0]
    ran = glovebox("run", "--record", "-c", "print(open('b').read())", "--blob", f"b={reference}", env=env)
    assert ran.out == "bytes\n", ran
    (run,) = ids(records.json("runs"))
    assert records("replay", run).out.startswith("verdict: equal\n")


@pytest.mark.parametrize("verb", ["runs", "replay", "audit", "keys", "tenants", "admin", "run"])
def test_help_teaches(glovebox, verb):
    ended = glovebox("help", verb)
    assert ended.status == 0 and ended.err == "" and f"glovebox {verb}" in ended.out
    assert verb in glovebox("--help").out
