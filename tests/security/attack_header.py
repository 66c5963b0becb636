"""Attacks are data: one small hostile program per file, with what must happen to it in a header of comments.

    # attack: one line saying what it tries                            required
    # expect: outcome=ok|timeout                                       required; one of these
    # expect-degraded: outcome=...                                     instead of `expect` without cgroups
    # expect-stdout: BLOCKED                                           repeatable; must be contained
    # forbid-stdout: ESCAPED                                           repeatable; must be in neither stream
    # expect-field: stdout_truncated=true                              repeatable; a path in the result, and JSON
    # expect-denial: mount                                             repeatable; prefix of a denial's `what`
    # artifacts: out/** *.txt                                          globs of the request
    # expect-artifacts: a.txt [b.txt]                                  exact list, [optional]; or none
    # forbid-artifact: root:x:                                         repeatable; bytes no artifact may hold
    # limits: wall_ms=2000 memory_bytes=67108864
    # file: name=content         stdin: text         args: one two     escapes as in Python strings
    # modes: root user degraded      runs: 2      compile: -m32      needs: npm curl

Every program prints ESCAPED when its attack worked, so that word is forbidden everywhere. In `args`, {name} stands
for a fact about the host that the harness provides (see attack_batch.py).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from support.modes import BASE, MODES

ATTACKS = Path(__file__).resolve().parent / "attacks"
LANGUAGES = {".py": "python", ".js": "javascript", ".sh": "bash", ".c": "c"}
OUTCOMES = frozenset(
    "ok program_failed timeout cpu_limit memory_limit disk_limit process_limit output_limit denied".split()
)
LIMITS = frozenset(
    "wall_ms cpu_ms memory_bytes disk_bytes inodes processes cpu_percent open_files output_bytes artifact_bytes "
    "artifact_file_bytes artifact_count input_bytes input_rows".split()
)
ONCE = frozenset(
    "attack expect expect-degraded limits artifacts expect-artifacts stdin args modes runs compile needs".split()
)
REPEATED = frozenset("expect-stdout forbid-stdout expect-field expect-denial forbid-artifact file".split())


class BadHeader(ValueError):
    pass


@dataclass(frozen=True)
class Attack:
    path: Path
    category: str
    name: str
    language: str
    code: str
    summary: str
    outcomes: frozenset[str]
    degraded_outcomes: frozenset[str]
    expect_stdout: tuple[str, ...]
    forbid_stdout: tuple[str, ...]
    expect_fields: tuple[tuple[str, object], ...]
    expect_denials: tuple[str, ...]
    limits: dict[str, int]
    artifacts: tuple[str, ...]
    expect_artifacts: tuple[frozenset[str], frozenset[str]] | None  # (required, optional)
    forbid_artifacts: tuple[bytes, ...]
    files: tuple[tuple[str, bytes], ...]
    stdin: str
    args: tuple[str, ...]
    modes: tuple[str, ...]
    runs: int
    compile_flags: tuple[str, ...]
    needs: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.category}/{self.name}"

    def runs_in(self, mode: str) -> bool:
        """What holds for a user holds for it in warm cells."""
        return mode in self.modes or BASE.get(mode) in self.modes

    def outcomes_in(self, mode: str) -> frozenset[str]:
        return self.degraded_outcomes if mode == "degraded" else self.outcomes


def attack_files() -> list[Path]:
    return sorted(path for path in ATTACKS.glob("*/*") if path.is_file() and path.suffix in LANGUAGES)


def categories() -> list[str]:
    return sorted(path.name for path in ATTACKS.iterdir() if path.is_dir())


def _header_lines(text: str, suffix: str):
    comment = "//" if suffix in (".c", ".js") else "#"
    for line in text.splitlines():
        if not line.startswith(comment):
            return
        match = re.fullmatch(r"([a-z-]+):\s*(.*)", line[len(comment) :].strip())
        if match:
            yield match.group(1), match.group(2)


def _unescape(text: str) -> bytes:
    return text.encode().decode("unicode_escape").encode("latin-1")


def _outcomes(value: str) -> frozenset[str]:
    if not value.startswith("outcome="):
        raise BadHeader(f"expect needs outcome=..., not {value!r}")
    names = frozenset(value.removeprefix("outcome=").split("|"))
    if not names <= OUTCOMES:
        raise BadHeader(f"unknown outcome in {value!r}")
    return names


def _limits(value: str) -> dict[str, int]:
    pairs = dict(item.split("=", 1) for item in value.split())
    unknown = set(pairs) - LIMITS
    if unknown:
        raise BadHeader(f"unknown limit {sorted(unknown)[0]!r}")
    return {name: int(number) for name, number in pairs.items()}


def _expected_artifacts(value: str | None):
    if value is None:
        return None
    names = [] if value == "none" else value.split()
    optional = {name[1:-1] for name in names if name.startswith("[") and name.endswith("]")}
    required = {name for name in names if not name.startswith("[")}
    return frozenset(required), frozenset(optional)


def parse_attack(path: Path) -> Attack:
    text = path.read_text()
    once: dict[str, str] = {}
    repeated: dict[str, list[str]] = {key: [] for key in REPEATED}
    for key, value in _header_lines(text, path.suffix):
        if key in REPEATED:
            repeated[key].append(value)
        elif key not in ONCE:
            raise BadHeader(f"unknown key {key!r}")
        elif key in once:
            raise BadHeader(f"{key} is given twice")
        else:
            once[key] = value
    for key in ("attack", "expect"):
        if not once.get(key):
            raise BadHeader(f"{key} is missing")
    modes = tuple(once["modes"].split()) if "modes" in once else MODES
    if not modes or not set(modes) <= set(MODES):
        raise BadHeader(f"unknown mode in {once['modes']!r}")
    fields = (item.split("=", 1) for item in repeated["expect-field"])
    files = (item.split("=", 1) for item in repeated["file"])
    outcomes = _outcomes(once["expect"])
    return Attack(
        path=path,
        category=path.parent.name,
        name=path.name,
        language=LANGUAGES[path.suffix],
        code=text,
        summary=once["attack"],
        outcomes=outcomes,
        degraded_outcomes=_outcomes(once["expect-degraded"]) if "expect-degraded" in once else outcomes,
        expect_stdout=tuple(repeated["expect-stdout"]),
        forbid_stdout=tuple(dict.fromkeys(["ESCAPED", *repeated["forbid-stdout"]])),
        expect_fields=tuple((name, json.loads(value)) for name, value in fields),
        expect_denials=tuple(repeated["expect-denial"]),
        limits=_limits(once.get("limits", "")),
        artifacts=tuple(once.get("artifacts", "").split()),
        expect_artifacts=_expected_artifacts(once.get("expect-artifacts")),
        forbid_artifacts=tuple(_unescape(value) for value in repeated["forbid-artifact"]),
        files=tuple((name, _unescape(content)) for name, content in files),
        stdin=_unescape(once.get("stdin", "")).decode("latin-1"),
        args=tuple(once.get("args", "").split()),
        modes=modes,
        runs=int(once.get("runs", "1")),
        compile_flags=tuple(once.get("compile", "").split()),
        needs=tuple(once.get("needs", "").split()),
    )
