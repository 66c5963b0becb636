"""`replay`: equal, differs, image_changed, and what is none of them."""

from __future__ import annotations

import fcntl
import json

OPENAPI_REPLAY = ("verdict", "run_id", "replay_of", "differences", "redacted_inputs", "result")


def test_the_same_again_is_equal(records):
    run = records.run("print(sum(range(10))); open('o.txt','w').write('x')", "--collect", "*.txt")
    ended = records("replay", run)
    assert ended.status == 0 and ended.out.startswith("verdict: equal\n"), ended
    report = records.json("replay", run)
    assert set(report) == set(OPENAPI_REPLAY)
    assert report["verdict"] == "equal" and report["replay_of"] == run and report["differences"] == []
    again = records.json("runs", "show", report["run_id"])
    assert again["replay_of"] == run and again["result"]["stdout"] == "45\n"
    assert records.json("audit", "verify")["intact"]


def test_inputs_are_replayed_too(records, mode):
    data = mode.make_directory("in_" + records.directory.name) / "data.csv"
    data.write_text("a,b\n1,2\n")
    code = "import os,sys; print(open('data.csv').read(), sys.argv[1:], os.environ['X'], input())"
    run = records.run(code, "--file", str(data), "--env", "X=y", "--stdin", "typed", "--", "one", "two")
    data.write_text("changed")
    assert records("replay", run).status == 0


def test_a_difference_is_shown_with_its_field_and_a_diff(records):
    run = records.run("import time; print('same'); print(time.time_ns())")
    ended = records("replay", run)
    assert ended.status == 1 and ended.out.startswith("verdict: differs\n"), ended
    lines = ended.out.splitlines()
    assert any(line.startswith("stdout") for line in lines)
    assert " same" in lines and sum(line.startswith("-1") for line in lines) == 1
    report = records.json("replay", run, status=1)
    assert [difference["field"] for difference in report["differences"]] == ["stdout"]
    assert report["differences"][0]["diff"].count("\n+") == 1


def test_another_image_is_not_the_programs_fault(records):
    run = records.run("print(1)")
    image = records.json("runs", "show", run)["result"]["provenance"]["image_digest"]
    other = "sha256:" + "0" * 64
    records.execute("UPDATE run_texts SET result_json = replace(result_json, ?, ?)", image, other)
    ended = records("replay", run)
    assert ended.status == 2 and ended.out.startswith("verdict: image_changed\n") and other in ended.out, ended
    assert records.json("replay", run, status=2)["verdict"] == "image_changed"
    assert records("audit", "verify").status == 1, "and the audit log does not vouch for it"


def test_a_terminal_is_safe_from_the_difference(records):
    run = records.run(r"import time; print('\x1b]0;owned\x07', time.time_ns()); print(2)")
    ended = records("replay", run)
    assert ended.status == 1 and b"\x1b" not in ended.stdout and b"\x07" not in ended.stdout


def test_a_failing_program_can_be_replayed(records):
    run = records.run("import socket; socket.socket(socket.AF_INET)")
    assert records("replay", run).status == 0


def test_a_program_that_did_not_run_has_no_verdict(records):
    run = records.run("print(1)")
    assert records("admin", "stop", "--reason", "tests").status == 0
    for flags in ((), ("--json",)):
        ended = records("replay", run, *flags)
        assert ended.status == 125 and ended.out == "" and "no verdict" in ended.err, ended


def test_an_unknown_or_unended_run_is_told(records):
    run = records.run("print(1)")
    assert "there is no run run_x" in records("replay", "run_x").err
    records.execute("UPDATE runs SET state = 'interrupted', outcome = NULL")
    records.execute("UPDATE run_texts SET result_json = NULL")
    ended = records("replay", run)
    assert ended.status == 125 and "never ended" in ended.err, ended


def test_a_run_that_was_cut_off_or_refused_is_nothing_to_compare_with(records):
    outcome = "ok"
    run = records.run("print(1)")
    for other in ("cancelled", "rejected", "setup_failed"):
        records.execute("UPDATE run_texts SET result_json = replace(result_json, ?, ?)",
                        f'"outcome":"{outcome}"', f'"outcome":"{other}"')  # fmt: skip
        outcome = other
        ended = records("replay", run)
        assert ended.status == 125 and "nothing to replay" in ended.err and ended.out == "", ended


def test_replay_is_a_visitor_beside_a_service(records):
    """The lock of the service is held by this test."""
    run = records.run("print(1)")
    with open(records.directory / "serve.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert json.loads(records("replay", run, "--json").out)["verdict"] == "equal"
        assert records("run", "--record", "-c", "print(2)").out == "2\n"
