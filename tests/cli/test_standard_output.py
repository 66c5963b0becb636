"""What cannot be written to standard output is said, and never looks like an answer."""

from __future__ import annotations

import subprocess

import pytest

FULL = "glovebox: cannot write to standard output: No space left on device\n"
SOLVE = ("run", "-l", "python", "-c", "def solve(input): return input", "--input", "1")
COMMANDS = {
    "run": ("run", "-c", "print(1)"),
    "run, and much": ("run", "-c", "while True: print('y' * 1000)"),
    "the value of a run": SOLVE,
    "the result of a run": ("run", "--json", "-c", "print(1)"),
    "explain": ("explain",),
    "policy ls": ("policy", "ls"),
    "policy check": ("policy", "check", "-", "--language", "python"),
    "help": ("--help",),
    "help of a verb": ("run", "--help"),
    "version": ("--version",),
}
OF_RECORDS = {"runs": ("runs",), "audit log": ("audit", "log"), "audit verify": ("audit", "verify")}


def into_full_disk(glovebox, *arguments):
    with open("/dev/full", "wb") as full:
        process = glovebox.start(*arguments, stdout=full)
        _, told = process.communicate(timeout=120)
    return process.returncode, told.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_told(glovebox, name):
    assert into_full_disk(glovebox, *COMMANDS[name]) == (125, FULL)


@pytest.mark.parametrize("name", OF_RECORDS)
def test_a_full_disk_is_told_by_the_verbs_of_records(records, name):
    records.run("print(1)")
    assert into_full_disk(records.glovebox, *records.words(*OF_RECORDS[name])) == (125, FULL)


def test_a_full_disk_is_told_by_doctor(glovebox):
    status, told = into_full_disk(glovebox, "doctor", "--json")
    assert status == 125 and FULL in told


def test_a_reader_that_goes_away_ends_a_run_without_a_word(glovebox):
    process = glovebox.start("run", "-c", "while True: print('y' * 1000)")
    head = subprocess.run(["head", "-1"], stdin=process.stdout, capture_output=True, timeout=60)
    process.stdout.close()
    told = process.stderr.read().decode()
    assert head.stdout.startswith(b"yyy") and process.wait(60) == 130 and told == "", told
