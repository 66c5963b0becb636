"""The machine is what the suites take it for: Debian's kernel with its defaults, pure cgroup v2, an ordinary user."""

import ctypes
import os
import subprocess
import time

import pytest


def test_the_kernel_is_debians_own():
    kernel = os.uname()
    assert kernel.release.endswith("-cloud-amd64")
    assert "Debian" in kernel.version


def test_cgroups_are_pure_v2():
    mounts = [line.split(" - ")[1].split()[0] for line in open("/proc/self/mountinfo")]
    assert mounts.count("cgroup2") == 1
    assert "cgroup" not in mounts
    assert open("/proc/self/cgroup").read().count("\n") == 1


def test_the_user_is_ordinary():
    assert os.getuid() == os.geteuid() == 1000
    assert os.getgroups() == [1000]
    status = dict(line.rstrip("\n").split(":\t", 1) for line in open("/proc/self/status") if ":\t" in line)
    assert int(status["CapPrm"], 16) == int(status["CapEff"], 16) == int(status["CapAmb"], 16) == 0


def test_user_namespaces_are_open_to_everyone_by_default():
    assert open("/proc/sys/kernel/unprivileged_userns_clone").read() == "1\n"
    answer = subprocess.run(["unshare", "--map-root-user", "--mount", "--pid", "--net", "--fork", "id", "-u"],
                            capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (0, "0\n"), answer.stderr


def test_landlock_is_on():
    landlock_create_ruleset, version_flag = 444, 1
    assert ctypes.CDLL(None).syscall(landlock_create_ruleset, None, 0, version_flag) >= 2


def test_the_user_can_limit_and_kill_below_its_delegated_cgroup(own_cgroup):
    scope = os.path.dirname(own_cgroup)
    child = os.path.join(scope, "probe")
    with open(f"{scope}/cgroup.subtree_control", "w") as control:
        control.write("+cpu +memory +pids")
    os.mkdir(child)
    try:
        for file, value in (("memory.max", "67108864"), ("pids.max", "16"), ("cpu.max", "50000 100000")):
            with open(f"{child}/{file}", "w") as limit:
                limit.write(value)
            assert open(f"{child}/{file}").read().strip() == value
        sleeper = subprocess.Popen(["sleep", "1000"])
        with open(f"{child}/cgroup.procs", "w") as processes:
            processes.write(str(sleeper.pid))
        with open(f"{child}/cgroup.kill", "w") as kill:
            kill.write("1")
        assert sleeper.wait(timeout=30) == -9
    finally:
        remove_when_empty(child)


def remove_when_empty(directory):
    for _ in range(100):
        try:
            return os.rmdir(directory)
        except OSError:
            time.sleep(0.05)
    os.rmdir(directory)


@pytest.mark.parametrize("outside", ["/sys/fs/cgroup", "/sys/fs/cgroup/user.slice"])
def test_the_rest_of_the_cgroup_tree_is_closed_to_the_user(outside):
    with pytest.raises(PermissionError):
        os.mkdir(f"{outside}/intruder")
    with pytest.raises(PermissionError):
        open(f"{outside}/cgroup.procs", "w")


@pytest.mark.parametrize("command", [
    ["/usr/bin/python3", "-c", "import numpy"],
    ["/usr/bin/python3", "-c", "import pandas; assert pandas.DataFrame({'a': [1, 2]}).a.sum() == 3"],
    ["/usr/bin/python3", "-c", "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot"],
    ["/usr/bin/python3", "-c", "from sklearn.linear_model import LinearRegression"],
    ["node", "-e", "if (1 + 1 !== 2) process.exit(1)"],
], ids=["numpy", "pandas", "matplotlib", "sklearn", "node"])
def test_the_languages_of_the_host_work_here(command):
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
