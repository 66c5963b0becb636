"""The unit of packaging/systemd under Debian's systemd, as root would install it."""

import json
import os
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
URL = "http://127.0.0.1:7070"


def systemctl(*words):
    done = subprocess.run(["systemctl", *words], capture_output=True, text=True)
    journal = subprocess.run(["journalctl", "-u", "glovebox", "-n", "30", "--no-pager"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + journal.stdout
    return done.stdout


@pytest.fixture(scope="module")
def service():
    if "GLOVEBOX_BIN" not in os.environ:
        pytest.skip("the payload holds no glovebox binary (--machine-only)")
    packaging = REPOSITORY / "packaging/systemd"
    subprocess.run(["systemd-sysusers", packaging / "glovebox.sysusers"], check=True)
    programs = os.path.dirname(os.environ["GLOVEBOX_BIN"])
    unit = (packaging / "glovebox.service.in").read_text().replace("@GLOVEBOX_BIN_DIRECTORY@", programs)
    pathlib.Path("/run/systemd/system").mkdir(exist_ok=True)
    pathlib.Path("/run/systemd/system/glovebox.service").write_text(unit)
    systemctl("daemon-reload")
    systemctl("start", "glovebox")
    yield
    systemctl("stop", "glovebox")


def call(path, body=None, timeout=120):
    request = urllib.request.Request(URL + path, json.dumps(body).encode() if body else None)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def limits(slowness):
    return {"wall_ms": int(20_000 * slowness), "cpu_ms": int(20_000 * slowness)}


def main_pid():
    return int(systemctl("show", "glovebox", "--property=MainPID", "--value"))


def test_the_service_runs_under_systemd(service, slowness):
    status, ready = call("/readyz")
    assert status == 200, ready
    status, result = call("/v1/runs", {"code": "import os\nprint(6 * 7, os.getuid() != 0)", "limits": limits(slowness)})
    assert (status, result["outcome"], result["stdout"]) == (200, "ok", "42 True\n"), result
    enforced = result["provenance"]["enforced"]
    assert {"cgroup_memory", "cgroup_pids", "cgroup_cpu", "cgroup_kill"} <= set(enforced) and "degraded" not in enforced


def test_every_language_and_the_deterministic_mode_work_in_it(service, slowness):
    for language, code in (("bash", "echo 1"), ("javascript", "console.log(1)"), ("python", "print(1)")):
        for deterministic in (False, True):
            body = {"language": language, "code": code, "deterministic": deterministic, "limits": limits(slowness)}
            status, result = call("/v1/runs", body)
            assert (status, result.get("stdout")) == (200, "1\n"), result


def test_it_has_no_privilege(service):
    status = pathlib.Path(f"/proc/{main_pid()}/status").read_text()
    assert not re.search(r"^Uid:\s+0\b", status, re.MULTILINE)
    for kind in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert re.search(rf"^{kind}:\s+0+$", status, re.MULTILINE), status
    assert "NoNewPrivs:\t1" in status


def test_a_program_that_runs_out_of_memory_does_not_take_the_service_along(service, slowness):
    before = main_pid()
    code = "keep = []\nwhile True: keep.append(bytearray(b'x') * 4_000_000)"
    status, result = call("/v1/runs", {"code": code, "limits": {**limits(slowness), "memory_bytes": 64 << 20}})
    assert (status, result["outcome"]) == (200, "memory_limit"), result
    time.sleep(2)
    assert main_pid() == before and systemctl("is-active", "glovebox") == "active\n"


def test_stopping_lets_a_program_finish(service, slowness):
    code = "import time\nprint('begun', flush=True)\ntime.sleep(8)\nprint('done')"
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(call, "/v1/runs", {"code": code, "cache": "off", "limits": limits(slowness)})
        time.sleep(4)
        systemctl("stop", "glovebox")
        status, result = running.result()
    assert (status, result["stdout"]) == (200, "begun\ndone\n"), result
    systemctl("start", "glovebox")
    assert call("/readyz")[0] == 200
