"""A golden program is a file that fails the way generated programs do, and beside it NAME.toml with what Glovebox has
to say about it:

    outcome = "denied"            without it: program_failed
    code = "syntax_error"         these four are regular expressions; type and code have to match as a whole
    type = "SyntaxError"
    message = "expected ':'"
    hint = "line"
    line = 2                      exactly; where it is not named, anything goes
    column = 21
    exit_code = 1                 also signal, stdout, stderr and traceback (the last three are searched)
    limits = {cpu_ms = 200}       of the request, like files, stdin, input (JSON text) and artifacts

An outcome of "ok" means that there must be no error at all.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from support.glovebox_runner import build_request, input_file

PROGRAMS = Path(__file__).resolve().parent / "programs"
LANGUAGES = {".py": "python", ".js": "javascript", ".sh": "bash"}
EXPECTED = frozenset("outcome code type message hint line column exit_code signal stdout stderr traceback".split())
ASKED = frozenset("limits files stdin input artifacts".split())


@dataclass(frozen=True)
class GoldenProgram:
    path: Path
    expected: dict
    asked: dict

    @property
    def id(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    def request(self) -> dict:
        fields = {name: self.asked[name] for name in ("stdin", "artifacts") if name in self.asked}
        if "input" in self.asked:
            fields["input"] = json.loads(self.asked["input"])
        files = [input_file(name, content) for name, content in self.asked.get("files", {}).items()]
        code = self.path.read_bytes().decode()
        return build_request(
            LANGUAGES[self.path.suffix], code, limits=self.asked.get("limits"), files=files, **fields
        )

    def complaints(self, result: dict) -> list[str]:
        """Everything in which the answer is not the expected one."""
        found = []
        outcome = self.expected.get("outcome", "program_failed")
        if result["outcome"] != outcome:
            found.append(f"outcome is {result['outcome']!r}, not {outcome!r}")
        error = result["error"]
        if (error is None) != (outcome == "ok"):
            return [*found, f"error is {error!r}"]
        seen = {**(error or {}), **{name: result[name] for name in ("exit_code", "signal", "stdout", "stderr")}}
        for name, wanted in self.expected.items():
            if name == "outcome":
                continue
            value = seen[name]
            if isinstance(wanted, int):
                fits = value == wanted
            elif name in ("code", "type"):
                fits = re.fullmatch(wanted, value, re.DOTALL) or wanted == "."
            else:
                fits = value is not None and re.search(wanted, value, re.DOTALL)
            if not fits:
                found.append(f"{name} is {value!r}, not {wanted!r}")
        return found


def load_all() -> list[GoldenProgram]:
    programs = []
    for path in sorted(PROGRAMS.glob("*/*")):
        if path.suffix not in LANGUAGES:
            continue
        said = tomllib.loads(path.with_suffix(".toml").read_text())
        unknown = said.keys() - EXPECTED - ASKED
        if unknown:
            raise ValueError(f"{path}: unknown {', '.join(sorted(unknown))}")
        if said.get("outcome") != "ok" and not {"code", "type", "message", "hint"} <= said.keys():
            raise ValueError(f"{path}: says not what to expect")
        programs.append(
            GoldenProgram(
                path,
                {name: value for name, value in said.items() if name in EXPECTED},
                {name: value for name, value in said.items() if name in ASKED},
            )
        )
    return programs
