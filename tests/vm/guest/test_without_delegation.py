"""A user without a cgroup of its own: a run stops with a clear word, unless weaker limits were asked for (L11)."""

import json
import os
import subprocess

import pytest


@pytest.fixture(autouse=True)
def undelegated(own_cgroup):
    assert not os.access(own_cgroup, os.W_OK), "the premise of these tests: this cgroup belongs to root"


def run(glovebox, *arguments):
    return subprocess.run([glovebox, "run", *arguments, "-c", "print(6 * 7)"], capture_output=True, text=True)


def test_a_run_stops_before_the_program_and_names_cgroups_and_the_remedy(glovebox):
    answer = run(glovebox)
    assert answer.returncode == 125, answer.stderr
    assert answer.stdout == ""
    assert "cgroup" in answer.stderr
    assert "Delegate" in answer.stderr or "systemd-run" in answer.stderr
    assert "--degraded" in answer.stderr


def test_degraded_runs_and_says_which_limits_are_missing(glovebox, slowness):
    patient = ["--degraded", "--timeout", f"{int(5 * slowness)}s"]
    answer = run(glovebox, *patient)
    assert (answer.returncode, answer.stdout) == (0, "42\n"), answer.stderr
    result = json.loads(run(glovebox, *patient, "--json").stdout)
    assert result["outcome"] == "ok"
    assert not [name for name in result["provenance"]["enforced"] if name.startswith("cgroup")]
