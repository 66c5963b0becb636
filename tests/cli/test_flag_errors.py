"""Flags that say nothing, places that are not there, directories of somebody else: refused by name."""

from __future__ import annotations

import os
import subprocess

import pytest


@pytest.mark.parametrize("flag", ["--policy", "--isolation", "--language", "--policy-dir", "--artifacts"])
@pytest.mark.parametrize("verb", ["run", "explain"])
def test_an_empty_name_is_not_the_default(glovebox, verb, flag):
    ended = glovebox(verb, "--code", "print(1)", flag, "")
    assert ended.status == 125 and flag in ended.err and "must not be empty" in ended.err and ended.out == "", ended


def test_a_usage_error_points_at_the_subcommand(glovebox):
    ended = glovebox("keys", "create", "--nope")
    assert ended.status == 125 and "`glovebox keys create --help`" in ended.err, ended
    assert "`glovebox keys --help`" in glovebox("keys", "nope").err


def test_records_do_not_know_what_waits(records):
    records.run("print(1)")
    ended = records("runs", "--state", "waiting")
    assert ended.status == 125 and "glovebox approvals" in ended.err, ended
    assert records.json("runs", "--state", "finished")["runs"]


@pytest.fixture
def closed(records, mode, glovebox):
    """A data directory that the caller may not look into."""
    if mode.user.uid == 0:
        prefix = ("setpriv", "--reuid=4242", "--regid=4242", "--clear-groups", "--")
    else:
        prefix = ()
    records.run("print(1)")
    records.directory.chmod(0o000 if not prefix else 0o700)
    yield records, prefix
    records.directory.chmod(0o700)


@pytest.mark.parametrize("words", [("runs",), ("keys", "list"), ("audit", "verify"), ("tenants", "list"),
                                   ("admin", "stop", "--reason", "r"), ("admin", "state")])  # fmt: skip
def test_a_directory_of_somebody_else_is_not_one_without_records(closed, words):
    records, prefix = closed
    command = [*prefix, str(records.glovebox.glovebox.binary), *records.words(*words)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, env={"PATH": "/usr/bin:/bin"}, cwd="/")
    if "setpriv" in ended.stderr:
        pytest.skip("the binary is out of reach for another user")
    assert ended.returncode == 125 and "Permission denied" in ended.stderr, ended
    assert "there are no records" not in ended.stderr


ALONE = {
    "--overwrite": (["--overwrite"], "--artifacts"),
    "--attempts": (["--attempts", "2"], "--repair"),
    "--budget": (["--budget", "5s"], "--repair"),
    "--repair-report": (["--repair-report", "report.json"], "--repair"),
    "--env twice": (["--env", "A=1", "--env", "A=2"], "A is given twice"),
    "a word for a number": (["--processes", "abc"], '"abc" is not a number'),
    "a directory as a file": (["--file", "/usr"], "/usr: "),
}


@pytest.mark.parametrize("name", ALONE)
def test_nothing_that_was_said_is_ignored(glovebox, name):
    arguments, told = ALONE[name]
    ended = glovebox("run", "--code", "print(1)", *arguments)
    assert ended.status == 125 and told in ended.err and ended.out == "", ended


SLIPS = {
    "a verb": (["rnu", "-c", "print(1)"], "did you mean run?"),
    "a flag": (["run", "-c", "print(1)", "--tiemout", "5s"], "did you mean --timeout?"),
    "a flag with its value": (["run", "-c", "print(1)", "--memroy=1G"], "did you mean --memory?"),
    "a word below a verb": (["keys", "revok", "key_x"], "did you mean revoke?"),
    "a flag of such a word": (["keys", "create", "--nmae", "x"], "did you mean --name?"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_gets_the_word_that_was_meant(glovebox, name):
    arguments, told = SLIPS[name]
    ended = glovebox(*arguments)
    assert ended.status == 125 and told in ended.err and ended.out == "", ended


def test_a_word_like_no_other_gets_no_guess(glovebox):
    for arguments in (["fly"], ["run", "-c", "1", "--quantum"], ["keys", "dance"]):
        ended = glovebox(*arguments)
        assert ended.status == 125 and "did you mean" not in ended.err, ended


@pytest.mark.parametrize("noun", ["runs", "keys", "tenants", "policy", "approvals"])
def test_ls_list_and_the_noun_alone_are_the_same(glovebox, records, noun):
    records.run("print(1)")
    ask = glovebox if noun == "policy" else records
    first, *others = (ask(noun, *word) for word in ([], ["ls"], ["list"]))
    assert first.status == 0 or noun == "approvals", first
    for other in others:
        assert (other.status, other.out) == (first.status, first.out), other


def test_a_named_pipe_without_a_writer_is_refused(glovebox, mode, tmp_path):
    pipe = mode.make_directory(f"pipe_{tmp_path.name}") / "data.csv"
    os.mkfifo(pipe, 0o666)
    os.chmod(pipe, 0o666)
    ended = glovebox("run", "-c", "print(1)", "--file", str(pipe))
    assert ended.status == 125 and "a named pipe without a writer" in ended.err and str(pipe) in ended.err, ended
    # A shell's <(…) has its writer, also one that takes its time.
    writer = subprocess.Popen(["sh", "-c", f"exec > '{pipe}'; sleep 1; echo 1,2"], stdin=subprocess.DEVNULL)
    reader = os.open(pipe, os.O_RDONLY)  # lets the writer's open return
    try:
        ended = glovebox("run", "-c", "print(open('data.csv').read())", "--file", str(pipe))
    finally:
        os.close(reader)
        writer.wait()
    assert (ended.status, ended.out) == (0, "1,2\n\n"), ended
