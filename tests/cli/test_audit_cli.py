"""`audit`: whoever changes, cuts or reorders the log or a record behind our back is found."""

from __future__ import annotations

import json

import pytest

PROBLEMS = {
    "a changed entry": ("UPDATE audit SET actor = 'somebody else' WHERE seq = 2", "changed", 2),
    "a changed detail": ("UPDATE audit SET detail_json = '{}' WHERE seq = 4", "changed", 4),
    "a missing entry": ("DELETE FROM audit WHERE seq = 3", "missing", 3),
    "a cut": ("DELETE FROM audit WHERE seq >= 4", "cut", 4),
    "an emptied log": ("DELETE FROM audit", "cut", 1),
    "a changed result": ("UPDATE run_texts SET result_json = replace(result_json, '0', '1')", "run_changed", 1),
    "a changed request": (
        "UPDATE run_texts SET request_json = replace(request_json, 'python', 'pythno')", "run_changed", 1),
    "a changed output": ("UPDATE run_contents SET data = CAST('X' AS BLOB) WHERE role = 'stdout'", "run_changed", 1),
    "a changed summary": ("UPDATE runs SET outcome = 'timeout'", "run_changed", 1),
    "a hidden run": ("DELETE FROM runs WHERE audit_seq = 1", "run_missing", 1),
}  # fmt: skip


@pytest.fixture
def filled(records):
    """Entries 1: a run, 2: a key, 3: a quota, 4: stopped, 5: resumed."""
    records.run("print('hello')")
    records("keys", "create", "--name", "k")
    records("tenants", "set", "web", "--concurrency", "2")
    records("admin", "stop", "--reason", "a test")
    records("admin", "resume", "--reason", "it is over")
    kinds = [entry["kind"] for entry in records.json("audit", "log")["entries"]]
    assert kinds == ["run_finished", "key_created", "quota_changed", "service_stopped", "service_resumed"]
    return records


def test_an_untouched_log_is_intact(filled):
    ended = filled("audit", "verify")
    assert ended.status == 0 and ended.out.startswith("intact: "), ended
    report = filled.json("audit", "verify")
    assert report["intact"] and report["problem"] is None and report["runs"] == 1
    assert json.loads(filled("audit", "anchor").out) == report["head"]


@pytest.mark.parametrize("name", PROBLEMS)
def test_tampering_is_found_and_located(filled, name):
    sql, what, seq = PROBLEMS[name]
    filled.execute(sql)
    report = filled.json("audit", "verify", status=1)
    assert (report["problem"]["what"], report["problem"]["seq"]) == (what, seq), report
    ended = filled("audit", "verify")
    assert ended.status == 1 and "NOT INTACT" in ended.out and what in ended.out, ended
    assert str(seq) in ended.out


def test_swapped_entries_are_found(filled):
    filled.execute("UPDATE audit SET seq = -seq WHERE seq IN (2, 3)")
    filled.execute("UPDATE audit SET seq = CASE seq WHEN -2 THEN 3 ELSE 2 END WHERE seq < 0")
    assert filled.json("audit", "verify", status=1)["problem"]["seq"] == 2


def test_a_run_that_nobody_vouches_for_is_found(filled):
    columns = [name for _, name, *_ in filled.execute("PRAGMA table_info(runs)") if name not in ("number", "run_id")]
    filled.execute(
        f"INSERT INTO runs (run_id, {', '.join(columns)}) SELECT 'run_forged', {', '.join(columns)} FROM runs"
    )
    assert filled.json("audit", "verify", status=1)["problem"]["what"] == "run_without_entry"


def test_a_missing_head_is_found(filled):
    (filled.directory / "audit.head").unlink()
    assert filled.json("audit", "verify", status=1)["problem"]["what"] == "head_missing"


def test_an_anchor_finds_what_the_directory_alone_cannot(filled, mode):
    """The end is cut off, and the head beside it is put back to match."""
    anchors = mode.make_directory("anchors_" + filled.directory.name) / "anchors"
    earlier, now = filled.json("audit", "log")["entries"][2], json.loads(filled("audit", "anchor").out)
    old = {"seq": earlier["seq"], "hash": earlier["hash"], "time_ms": 0}
    anchors.write_text(json.dumps(old) + "\n\n" + json.dumps(now) + "\n")
    ended = filled("audit", "verify", "--anchors", str(anchors))
    assert ended.status == 0 and "2 anchors" in ended.out, ended

    filled.execute("DELETE FROM audit WHERE seq > 3")
    head = json.dumps(old, separators=(",", ":")).ljust(159) + "\n"
    (filled.directory / "audit.head").write_text(head)
    assert filled("audit", "verify").status == 0, "the directory agrees with itself"
    report = filled.json("audit", "verify", "--anchors", str(anchors), status=1)
    assert (report["problem"]["what"], report["problem"]["seq"]) == ("cut", 4)


def test_an_anchor_of_another_log_is_found(filled, records):
    foreign = json.dumps({"seq": 2, "hash": "ab" * 32, "time_ms": 0}).encode()
    ended = filled("audit", "verify", "--anchors", "-", stdin=foreign)
    assert ended.status == 1 and "rewritten" in ended.out, ended


@pytest.mark.parametrize("text", ["", "\n \n", "nonsense\n", '{"seq":1}', '{"seq":-1,"hash":"","time_ms":0}', "[]"])
def test_unusable_anchors_are_told(filled, text):
    ended = filled("audit", "verify", "--anchors", "-", stdin=text.encode())
    assert ended.status == 125 and "--anchors" in ended.err and ended.out == "", ended


def test_the_log_can_be_paged(filled):
    entries = filled.json("audit", "log")["entries"]
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert filled.json("audit", "log", "--after", "1", "--limit", "2")["entries"] == entries[1:3]
    assert filled.json("audit", "log", "--limit", "2")["entries"] == entries[-2:], "the last ones, unless told"
    table = filled("audit", "log").out
    assert all(len(line) <= 100 for line in table.splitlines()) and "service_stopped" in table
    assert filled("audit", "log", "--after", "99999999999999999999").status == 125


def test_both_reasons_are_in_the_log(filled):
    details = [entry["detail"] for entry in filled.json("audit", "log")["entries"]]
    assert {"reason": "a test"} in details and {"reason": "it is over"} in details


LARGE = "import os; open('big', 'wb').write(os.urandom(300_000)); print('x' * 1000)"


@pytest.fixture
def stored(records):
    """A run with an artifact that is a file, and an output that is kept in the database."""
    records.run(LARGE, "--collect", "big")
    assert records("audit", "verify").out.startswith("intact: 1 entry, the records of 1 run and ")
    return records


def content_file(records):
    (path,) = records.directory.glob("contents/*/*.zst")
    return path


def alter_file(records):
    path = content_file(records)
    path.write_bytes(path.read_bytes()[:-10] + b"0123456789")


DAMAGES = {
    "an altered file": (alter_file, "content_damaged", "artifact big"),
    "a deleted file": (lambda records: content_file(records).unlink(), "content_missing", "artifact big"),
    "altered bytes": (
        lambda records: records.execute("UPDATE contents SET data = randomblob(length(data)) WHERE data IS NOT NULL"),
        "content_damaged",
        "stdout",
    ),
    "deleted bytes": (
        lambda records: records.execute("UPDATE contents SET data = NULL WHERE data IS NOT NULL"),
        "content_missing",
        "stdout",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_contents_are_found_and_named(stored, name):
    damage, what, whose = DAMAGES[name]
    damage(stored)
    ended = stored("audit", "verify")
    assert ended.status == 1 and "NOT INTACT" in ended.out and what in ended.out and whose in ended.out, ended
    report = stored.json("audit", "verify", status=1)
    assert report["problem"]["what"] == what and report["problem"]["seq"] == 1
    assert len(report["damaged"]) == report["contents_damaged"] == 1

    quick = stored("audit", "verify", "--quick")
    assert quick.status == 0 and "not read" in quick.out, quick
