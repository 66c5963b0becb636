"""`explain` shows the plan without acting; `doctor` tries the host and proves the hardening list (I3, H1–H7)."""

from __future__ import annotations

import json
import re

import pytest

NOT_ABOUT_CELLS = True


def plan_hash(ended) -> str:
    assert ended.status == 0, ended
    return re.match(r"plan +sha256:([0-9a-f]{64})\n", ended.out)[1]


def test_explain_prints_the_plan_and_runs_nothing(glovebox, directory):
    ended = glovebox(
        "explain", "-c", f"open('{directory}/ran', 'w')", "--memory", "512M", "-e", "NAME=value", "--", "arg"
    )
    assert ended.status == 0, ended
    for part in (
        "image      host@sha256:",
        "/glovebox/main.py arg",
        "512 MiB",
        "NAME=value",
        "seccomp",
        "network    off",
        "/work",
        "/proc",
        "the host's /usr, read-only",
    ):
        assert part in ended.out, part
    assert not (directory / "ran").exists()


def test_the_hash_of_a_plan_is_stable_and_tells_plans_apart(glovebox):
    first = plan_hash(glovebox("explain", "-c", "print(1)"))
    assert plan_hash(glovebox("explain", "-c", "print(1)")) == first
    changed = [
        ["--memory", "300M"],
        ["--timeout", "6s"],
        ["--processes", "65"],
        ["-e", "A=b"],
        ["-l", "bash"],
        ["--output", "2M"],
    ]
    hashes = {plan_hash(glovebox("explain", "-c", "print(1)", *flags)) for flags in changed}
    assert len(hashes) == len(changed) and first not in hashes


def test_explain_refuses_what_run_would_refuse(glovebox):
    assert glovebox("explain", "-c", "1", "--isolation", "vm").status == 125
    assert glovebox("explain", "-l", "cobol").status == 125
    assert glovebox("explain").status == 0, "the defaults need no program"


@pytest.fixture(scope="module")
def findings(glovebox):
    ended = glovebox("doctor", "--json")
    return ended, json.loads(ended.out)


def test_doctor_proves_every_point_of_the_hardening_list(findings):
    _, report = findings
    assert report["cannot_prove"] is None
    assert {proof["id"]: proof["holds"] for proof in report["hardening"]} == {
        f"H{n}": True for n in range(1, 8)
    }, report
    assert all(proof["title"] and proof["detail"] for proof in report["hardening"])


def test_doctor_names_what_is_missing_and_what_to_do(findings, mode):
    ended, report = findings
    missing = {check["id"]: check["remedy"] for check in report["host"] if check["status"] == "missing"}
    assert report["sound"] == (not missing)
    assert ended.status == (0 if report["sound"] else 1)
    assert all(missing.values()), "each with its remedy"
    assert bool(missing) == (mode.name == "degraded"), missing


def test_doctor_lists_the_languages(findings):
    _, report = findings
    status = {language["id"]: language["status"] for language in report["languages"]}
    assert {"python", "javascript", "bash"} <= set(status)
    assert status["python"] == status["bash"] == "ok"


def test_doctor_prints_a_table_for_people(glovebox, mode, directory):
    profile = directory / "glovebox/languages/own.toml"
    profile.parent.mkdir(parents=True)
    profile.write_text("bogus = 1\n")
    ended = glovebox("doctor", env={"XDG_CONFIG_HOME": str(directory)})
    assert ended.status == (1 if mode.name == "degraded" else 0), ended
    for point in range(1, 8):
        assert re.search(rf"^  holds +H{point} ", ended.out, re.MULTILINE), ended.out
    for heading in ("host", "languages", "hardening"):
        assert re.search(rf"^{heading}", ended.out, re.MULTILINE)
    assert re.search(r"^  - +own .*own\.toml", ended.out, re.MULTILINE), "a language that cannot be used, and why"
