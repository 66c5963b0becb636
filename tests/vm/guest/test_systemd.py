"""A login session under Debian's systemd: its cgroup is root's; the user manager gives a delegated one when asked."""

import json
import os
import subprocess

import pytest


def test_systemd_is_pid_1():
    assert open("/proc/1/comm").read() == "systemd\n"


def test_the_session_itself_has_no_cgroup_of_its_own(own_cgroup):
    assert os.path.basename(own_cgroup).startswith("session-")
    assert not os.access(own_cgroup, os.W_OK)


def test_the_user_manager_holds_the_controllers():
    manager = f"/sys/fs/cgroup/user.slice/user-{os.getuid()}.slice/user@{os.getuid()}.service"
    assert os.stat(manager).st_uid == os.getuid()
    assert {"cpu", "memory", "pids"} <= set(open(f"{manager}/cgroup.controllers").read().split())


def test_the_user_manager_gives_a_delegated_scope():
    script = 'd=/sys/fs/cgroup$(cut -c4- /proc/self/cgroup); mkdir $d/leaf && echo $$ >$d/leaf/cgroup.procs && ' \
             'echo "+memory +pids" >$d/cgroup.subtree_control && cat $d/cgroup.subtree_control'
    answer = subprocess.run(["systemd-run", "--user", "--scope", "--quiet", "-p", "Delegate=yes", "sh", "-c", script],
                            capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (0, "memory pids\n"), answer.stderr


def test_the_user_manager_answers_busctl():
    answer = subprocess.run(["busctl", "--user", "get-property", "org.freedesktop.systemd1",
                             "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "Version"],
                            capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith('s "')


@pytest.mark.parametrize("flags", [[], ["--degraded"]], ids=["strict", "degraded"])
def test_a_run_gets_its_limits_from_a_scope_it_asked_for(glovebox, slowness, flags):
    """Also if it would have accepted weaker ones."""
    answer = subprocess.run([glovebox, "run", *flags, "--json", "--timeout", f"{int(5 * slowness)}s",
                             "-c", "print(6 * 7)"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    result = json.loads(answer.stdout)
    assert (result["outcome"], result["stdout"]) == ("ok", "42\n")
    assert "cgroup_memory" in result["provenance"]["enforced"] and "degraded" not in result["provenance"]["enforced"]
