"""`keys` and `tenants`."""

from __future__ import annotations

import hashlib
import re

import pytest

SECRET = re.compile(r"gbk_[0-9A-Za-z]{43}")


def bytes_of(directory) -> bytes:
    """All that lies in the data directory, the write-ahead log too."""
    return b"".join(path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file())


def test_the_secret_is_shown_once_and_stored_nowhere(records):
    ended = records("keys", "create", "--name", "ci")
    secret = ended.out.strip()
    assert ended.status == 0 and SECRET.fullmatch(secret) and ended.out == secret + "\n", ended
    assert secret not in ended.err
    listed = records("keys", "list").out + records("keys", "list", "--json").out + records("audit", "log", "--json").out
    assert "ci" in listed and secret not in listed and secret[4:] not in listed
    stored = bytes_of(records.directory)
    assert secret[4:].encode() not in stored
    assert hashlib.sha256(secret.encode()).hexdigest().encode() in stored


def test_a_key_says_what_it_may(records):
    scopes = ("--scope", "admin", "--scope", "run")
    key = records.json("keys", "create", "--name", "ops tool", "--tenant", "web", *scopes, "--expires", "90d")
    assert SECRET.fullmatch(key.pop("secret"))
    assert key["scopes"] == ["admin", "run"] and key["tenant"] == "web" and key["state"] == "active"
    assert key["expires"] > key["created"] and key["last_used"] is None
    assert records.json("keys", "list") == {"keys": [key]}
    plain = records.json("keys", "create", "--name", "plain")
    assert plain["scopes"] == ["read", "run"] and plain["expires"] is None and plain["tenant"] == "default"
    table = records("keys", "list").out
    assert "ops tool" in table and "in 89 d" in table and all(len(line) <= 100 for line in table.splitlines())


def test_two_keys_are_different(records):
    assert len({records("keys", "create", "--name", "same").out for _ in range(5)}) == 5
    assert len({key["id"] for key in records.json("keys", "list")["keys"]}) == 5


def test_a_revoked_key_stays_revoked(records):
    key = records.json("keys", "create", "--name", "leaked")
    assert records("keys", "revoke", key["id"]).status == 0
    (listed,) = records.json("keys", "list")["keys"]
    assert listed["state"] == "revoked" and listed["revoked"]
    for name in (key["id"], "key_unknown", "key_\x1b[31m"):
        again = records("keys", "revoke", name)
        assert again.status == 125 and "\x1b" not in again.err and "keys list" in again.err, again


def test_an_expired_key_is_shown_as_such(records):
    records("keys", "create", "--name", "old", "--expires", "1h")
    records.execute("UPDATE keys SET expires_ms = 1000")
    assert records.json("keys", "list")["keys"][0]["state"] == "expired"


def test_a_secret_that_nobody_could_read_is_worth_nothing(records):
    with open("/dev/full", "wb") as full:
        process = records.glovebox.start("keys", "create", "--name", "k", "--data", str(records.directory), stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 125 and b"revoked" in err
    assert records.json("keys", "list")["keys"][0]["state"] == "revoked"


@pytest.mark.parametrize(
    "flags, told",
    [
        ((), "--name"),
        (("--name", ""), "--name"),
        (("--name", "a\nb"), "--name"),
        (("--name", "x" * 101), "--name"),
        (("--name", "a", "--scope", "root"), "--scope"),
        (("--name", "a", "--scope", "run read"), "--scope"),
        (("--name", "a", "--tenant", "../x"), "--tenant"),
        (("--name", "a", "--tenant", ""), "--tenant"),
        (("--name", "a", "--expires", "soon"), "--expires"),
        (("--name", "a", "--expires", "0d"), "--expires"),
        (("--name", "a", "--expires", "1e9d"), "--expires"),
        (("--name", "a", "--expires", "2001-01-01T00:00:00Z"), "--expires"),
    ],
)
def test_a_wrong_key_is_refused(records, flags, told):
    ended = records("keys", "create", *flags)
    assert ended.status == 125 and told in ended.err and ended.out == "", ended
    assert not (records.directory / "glovebox.db").exists()


def test_quotas_are_set_one_by_one(records):
    records("tenants", "set", "web", "--concurrency", "4", "--storage", "10G")
    answer = records.json("tenants", "set", "web", "--runs-per-minute", "600", "--cpu-seconds-per-hour", "90")
    quota = {
        "concurrency": 4,
        "runs_per_minute": 600,
        "cpu_ms_per_hour": 90_000,
        "storage_bytes": 10 << 30,
    }
    assert answer["quota"] == quota
    assert records.json("tenants", "set", "web", "--concurrency", "0")["quota"] == quota | {"concurrency": None}


def test_tenants_are_whoever_has_a_key_or_a_quota(records):
    records("keys", "create", "--name", "a", "--tenant", "alpha")
    revoked = records.json("keys", "create", "--name", "b", "--tenant", "alpha")["id"]
    records("keys", "revoke", revoked)
    records("tenants", "set", "beta", "--concurrency", "1")
    records.run("print(1)")
    listed = {entry["tenant"]: entry for entry in records.json("tenants", "list")["tenants"]}
    assert list(listed) == ["alpha", "beta", "default"]
    assert listed["alpha"]["keys"] == 1 and listed["default"]["stored_bytes"] > 0
    assert listed["beta"]["quota"]["concurrency"] == 1
    table = records("tenants", "list").out
    assert "alpha" in table and all(len(line) <= 100 for line in table.splitlines())


def test_a_quota_is_enforced_on_recorded_runs(records):
    records.run("print(1)")
    records("tenants", "set", "default", "--storage", "1")
    ended = records("run", "--record", "-c", "print(2)")
    assert ended.status == 125 and ended.out == "" and "recorded as" not in ended.err, ended
    assert len(records.json("runs")["runs"]) == 1


@pytest.mark.parametrize(
    "words, told",
    [
        (("web",), "nothing to set"),
        (("web", "--concurrency", "-1"), "--concurrency"),
        (("web", "--concurrency", "many"), "--concurrency"),
        (("web", "--runs-per-minute", "99999999999"), "--runs-per-minute"),
        (("web", "--storage", "lots"), "--storage"),
        (("a b", "--concurrency", "1"), "TENANT"),
        (("--concurrency", "1"), "TENANT"),
    ],
)
def test_a_wrong_quota_is_refused(records, words, told):
    ended = records("tenants", "set", *words)
    assert ended.status == 125 and told in ended.err, ended
    assert not (records.directory / "glovebox.db").exists()
