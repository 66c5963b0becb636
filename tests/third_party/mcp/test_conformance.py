"""The protocol's own conformance suite: every scenario that a revision requires of a server.

The tools and resources that the scenarios call are fixtures behind `glovebox serve --mcp-conformance`.
"""

from __future__ import annotations

import json

import pytest
import yaml
from support.glovebox_runner import slowness
from support.service import Service

REQUIRED = {"2025-11-25": 30, "2026-07-28": 37}


@pytest.fixture(scope="module")
def fixtures(glovebox_binary, tmp_path_factory):
    running = Service(glovebox_binary, tmp_path_factory.mktemp("conformance") / "data", "--mcp-conformance")
    running.url = "http://{}:{}/mcp".format(*running.place)
    yield running
    assert running.end() == 0, running.lines


@pytest.mark.parametrize("revision", REQUIRED)
def test_every_required_scenario_passes(node, fixtures, revision, tmp_path, capsys):
    requirements = yaml.safe_load(node.package(f"conformance/requirements/{revision}.yaml").read_text())
    required = requirements["server"]
    assert len(required) == REQUIRED[revision], "the suite is not the one that was pinned"
    results = tmp_path / "results"
    done = node.run(
        node.package("conformance/dist/index.js"), "server", "--url", fixtures.url, "--requirements", revision,
        "--output-dir", results, timeout=150 * slowness(), home=tmp_path,
    )  # fmt: skip
    passed, failed = [], []
    for scenario in required:
        # The directory is the scenario and a time: server-ping-2026-…
        found = [path for path in results.glob(f"server-{scenario}-2*/checks.json") if path.is_file()]
        checks = json.loads(found[0].read_text()) if found else []
        broken = [check for check in checks if check["status"] == "FAILURE"]
        if broken or not any(check["status"] == "SUCCESS" for check in checks):
            failed.append((scenario, [(check["id"], check.get("errorMessage")) for check in broken] or "nothing was checked"))
        else:
            passed.append(scenario)
    with capsys.disabled():
        print(f"\n  {revision}: {len(passed)} of {len(required)} required scenarios passed: {', '.join(passed)}")
    assert not failed, json.dumps(failed, indent=1) + done.stdout[-6000:] + done.stderr[-2000:]
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_the_fixtures_are_no_part_of_the_product(node, service, tmp_path):
    listed = node.run(
        node.package("inspector/clients/launcher/build/index.js"), "--cli", service.url, "--transport", "http",
        "--header", f"Authorization: Bearer {service.key}", "--method", "tools/list", "--format", "json",
        timeout=60 * slowness(), home=tmp_path,
    )  # fmt: skip
    assert listed.returncode == 0, listed.stderr
    assert "test_" not in listed.stdout and "execute_code_sandbox" in listed.stdout
