"""Judges what an attack did: a list of complaints, empty when the wall held.

Some rules hold for every attack, whatever its header says: a result comes back in time, nothing of the run lives on or
lies around, an ordinary program runs well after it, no planted secret and no terminal control sequence is in it, the
output stays within its cap, and saved artifacts are plain files that the result lists.
"""

from __future__ import annotations

import re

from attack_batch import Evidence
from attack_header import Attack
from support.glovebox_runner import DEFAULT_WALL_MS, Run, slowness

# Setting up, classifying, collecting and a busy machine, on top of the wall limit.
SLACK_S = 4.0
DEFAULT_OUTPUT_BYTES = 1 << 20
# What a truncation marker may add to the kept bytes.
MARKER_BYTES = 512
# Everything that could move a terminal: C0 except tab, newline and carriage return, DEL, and C1.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")


def complaints(attack: Attack, evidence: Evidence, mode: str, token: str) -> list[str]:
    found = [f"still alive after the verdict: {survivor}" for survivor in evidence.survivors]
    found += [f"left behind: {line}" for line in evidence.leftovers]
    if evidence.plain_run and (evidence.plain_run.outcome, evidence.plain_run.stdout) != ("ok", "plain\n"):
        found.append(f"an ordinary program does not run well after it: {evidence.plain_run.describe()}")
    for run in evidence.runs:
        found += _about_any_run(attack, run, token)
        if run.result is not None:
            found += _about_the_header(attack, run, mode)
    found += evidence.artifact_oddities
    found += _about_artifacts(attack, evidence, token)
    return found


def _about_any_run(attack: Attack, run: Run, token: str) -> list[str]:
    if run.hung:
        return ["the supervisor hung"]
    if run.result is None:
        return ["no result came back"]
    found = ["it did not run in the first warm cell that it was given"] if run.unexpectedly_cold else []
    allowed_s = attack.limits.get("wall_ms", DEFAULT_WALL_MS) / 1000 * slowness() + SLACK_S * slowness()
    if run.elapsed_s > allowed_s:
        found.append(f"took {run.elapsed_s:.1f} s, at most {allowed_s:.1f} s are allowed")
    if token.encode() in run.raw_stdout or token.encode() in run.raw_stderr:
        found.append("the planted secret is in the result")
    cap = attack.limits.get("output_bytes", DEFAULT_OUTPUT_BYTES) + MARKER_BYTES
    for stream in ("stdout", "stderr"):
        text = run.result[stream]
        match = CONTROL.search(text)
        if match:
            found.append(f"{stream} holds the control character {match.group()!r}")
        # Replacing an invalid byte by U+FFFD makes three bytes of one.
        size = len(text.replace("\ufffd", "?").encode())
        if size > cap:
            found.append(f"{stream} holds {size} bytes, the cap is {cap}")
    return found


def _about_the_header(attack: Attack, run: Run, mode: str) -> list[str]:
    found = []
    allowed = attack.outcomes_in(mode)
    if run.outcome not in allowed:
        found.append(f"outcome is {run.outcome}, expected {' or '.join(sorted(allowed))}")
    found += [f"stdout lacks {text!r}" for text in attack.expect_stdout if text not in run.stdout]
    found += [f"{text!r} was printed" for text in attack.forbid_stdout if text in run.stdout or text in run.stderr]
    for prefix in attack.expect_denials:
        if not any(denial["what"].startswith(prefix) for denial in run.result["denials"]):
            found.append(f"no denial starts with {prefix!r}")
    for path, expected in attack.expect_fields:
        actual = _field(run.result, path)
        if actual != expected:
            found.append(f"{path} is {actual!r}, expected {expected!r}")
    return found


def _about_artifacts(attack: Attack, evidence: Evidence, token: str) -> list[str]:
    found = []
    last = evidence.runs[-1].result if evidence.runs else None
    listed = {artifact["path"] for artifact in last["artifacts"]} if last else set()
    if attack.artifacts and set(evidence.artifacts) != listed:
        differing = sorted(set(evidence.artifacts) ^ listed)[:20]
        found.append(f"these artifacts were saved or listed, but not both: {differing}")
    if attack.expect_artifacts is not None:
        required, optional = attack.expect_artifacts
        found += [f"artifact {name!r} is missing" for name in sorted(required - listed)]
        found += [f"artifact {name!r} should have been refused" for name in sorted(listed - required - optional)]
    for name, content in evidence.artifacts.items():
        for forbidden in (*attack.forbid_artifacts, token.encode()):
            if forbidden in content:
                found.append(f"artifact {name!r} holds {forbidden!r}")
    return found


def _field(result: dict, path: str):
    value = result
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
