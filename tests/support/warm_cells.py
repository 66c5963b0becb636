"""Which requests a warm cell serves, read from the profiles of the languages; the rest is built cold, by design.

A suite that runs on warm cells checks with `reason_for_cold` that a run which should have been warm really was: a pool
that does not work would otherwise go unnoticed, since every run would still succeed.
"""

from __future__ import annotations

import fnmatch
import functools
import tomllib

from support.glovebox_runner import REPOSITORY

# Limits that a runtime has had since its start, so that a run which wants others needs its own.
FIXED_AT_START = ("open_files", "processes", "disk_bytes")
LARGEST_ORDERS = 60 << 10
FLAG_LIMITS = {
    "--memory": "memory_bytes",
    "--open-files": "open_files",
    "--processes": "processes",
    "--disk": "disk_bytes",
}


@functools.cache
def _profiles() -> dict[str, dict]:
    """By id, alias and extension."""
    found = {}
    for path in (REPOSITORY / "profiles/languages").glob("*.toml"):
        profile = tomllib.loads(path.read_text())
        for name in (profile["id"], *profile["aliases"], *profile["extensions"]):
            found[name] = profile
    return found


def reason_for_cold(request: dict) -> str | None:
    """Why no warm cell fits the request; None when one does."""
    profile = _profiles().get(request.get("language", "python"))
    warm = profile.get("warm") if profile else None
    if warm is None:
        return "the language has no warm cells"
    if request.get("deterministic"):
        return "what a runtime did while it waited would show"
    limits = request.get("limits", {})
    if warm.get("fixed_memory") and "memory_bytes" in limits:
        return "the runtime was started for another memory limit"
    if warm["kind"] == "started" and any(name in limits for name in FIXED_AT_START):
        return "the runtime was started with other limits"
    if any("blob" in file for file in request.get("files", [])):
        return "stored inputs are mounted while a cell is built"
    for name in request.get("env", {}):
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in warm["cold_env"]):
            return f"the runtime reads {name} when it starts"
    words = [*request.get("args", []), *(f"{name}={value}" for name, value in request.get("env", {}).items())]
    if sum(len(word.encode()) + 1 for word in words) > LARGEST_ORDERS - 64:
        return "too many arguments"
    return None


def request_of_flags(words: list[str]) -> dict:
    """As much of the request behind `glovebox run FLAGS` as reason_for_cold looks at."""
    request: dict = {"limits": {}, "env": {}, "files": []}
    end = words.index("--") if "--" in words else len(words)
    request["args"] = words[end + 1 :]
    position = 1
    while position < end:
        word, value = words[position], words[position + 1] if position + 1 < end else ""
        if word in ("-l", "--language"):
            request["language"] = value
        elif word in FLAG_LIMITS:
            request["limits"][FLAG_LIMITS[word]] = value
        elif word in ("-e", "--env"):
            name, _, text = value.partition("=")
            request["env"][name] = text
        elif word == "--deterministic":
            request["deterministic"] = True
        elif word == "--blob":
            request["files"].append({"blob": value})
        elif not word.startswith("-") and "." in word and "language" not in request:
            request["language"] = "." + word.rsplit(".", 1)[1]
        position += 2 if word.startswith("-") and word not in ("--json", "-q", "--quiet", "--overwrite", "--deterministic") else 1
    return request
