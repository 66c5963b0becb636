"""The live service, driven by Schemathesis from the document that it serves itself.

GLOVEBOX_SCHEMATHESIS_SECONDS (40) and GLOVEBOX_SCHEMATHESIS_SEED (1): longer, or other cases.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support.glovebox_runner import slowness
from support.service import Service

HERE = Path(__file__).resolve().parent
SECONDS = int(os.environ.get("GLOVEBOX_SCHEMATHESIS_SECONDS", "40"))
SEED = os.environ.get("GLOVEBOX_SCHEMATHESIS_SEED", "1")
CONFORMANCE = [
    "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "negative_data_rejection", "unsupported_method", "allow_header_conformance",
    "ignored_auth",
]  # fmt: skip
LEAST_CASES = 500


@pytest.fixture
def guarded(glovebox_binary, tmp_path):
    """With a key, so that calls without one have to be refused."""
    running = Service(glovebox_binary, tmp_path / "data")
    running.all_scopes = running.make_key("tester", "run", "read", "admin")
    yield running
    assert running.end() == 0, running.lines


def drive(schemathesis: Path, service: Service, seconds: int, checks: list[str], *flags: str, cwd: Path) -> str:
    url = "http://{}:{}".format(*service.place)
    command = [
        schemathesis, "--no-color", "--config-file", HERE / "schemathesis.toml", "run", url + "/openapi.json",
        "--url", url, "-H", f"Authorization: Bearer {service.all_scopes}", "--mode", "all", "--checks", ",".join(checks),
        "--max-time", str(seconds), "--max-examples", "50", "--workers", "1", "--seed", SEED, "--no-shrink", *flags,
    ]  # fmt: skip
    # One worker: Python before 3.11.5 loses count of its recursion when two threads compile (CPython issue 106905).
    patience = (seconds + 60) * slowness()
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience, cwd=cwd)
    said = done.stdout + done.stderr
    found = re.search(r"= (ERRORS|FAILURES) =", said)
    assert done.returncode == 0, said[found.start() if found else 0 :][:20_000]
    return said


def test_the_service_keeps_to_its_document(schemathesis, guarded, tmp_path):
    # Not positive_data_acceptance: some rules are beyond a schema, such as bytes of a name, or a time before another.
    checks = [*CONFORMANCE, "not_a_server_error", "use_after_free"]
    said = drive(schemathesis, guarded, SECONDS, checks, "--exclude-operation-id", "stopService", cwd=tmp_path)
    assert int(re.search(r"(\d+) generated", said)[1]) >= LEAST_CASES, said[-2000:]
    # Nothing that was thrown at it has left a mark.
    call = guarded.connect(guarded.all_scopes)
    assert call("GET", "/readyz").status == 200
    assert call.run("print(6 * 7)", cache="off").json["stdout"] == "42\n"
    call.close()


def test_a_stopped_service_keeps_to_it_too(schemathesis, guarded, tmp_path):
    """503 is then the right answer of much, so it is no fault."""
    said = drive(schemathesis, guarded, SECONDS // 3, CONFORMANCE, cwd=tmp_path)
    assert re.search(r"(\d+) generated", said), said[-2000:]
