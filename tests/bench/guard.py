"""The regression guard: ratios of one benchmark run against those in bench/guard.toml."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import tomllib
from pathlib import Path

GUARD_FILE = Path(__file__).resolve().parents[2] / "bench" / "guard.toml"


@dataclasses.dataclass(frozen=True)
class Guard:
    """One line of guard.toml. Exactly one of at_most and at_least is given."""

    name: str
    margin: float
    at_most: float | None = None
    at_least: float | None = None

    def __post_init__(self):
        if (self.at_most is None) == (self.at_least is None):
            raise ValueError(f"{self.name} needs at_most or at_least, and not both")
        if self.margin < 1:
            raise ValueError(f"{self.name}: a margin below 1 is stricter than what was recorded")

    @property
    def limit(self) -> float:
        return self.at_most * self.margin if self.at_most is not None else self.at_least / self.margin

    def holds(self, measured: float) -> bool:
        return measured <= self.limit if self.at_most is not None else measured >= self.limit

    def better(self, one: float, other: float) -> float:
        return min(one, other) if self.at_most is not None else max(one, other)


def load_guards(text: str) -> list[Guard]:
    return [Guard(**entry) for entry in tomllib.loads(text)["ratio"]]


def merge_reports(reports: list[dict]) -> dict:
    """The ratios and rows of several runs of the benchmark that measured different things."""
    merged: dict = {"ratios": {}, "rows": [], "busy_percent": 0}
    for report in reports:
        merged["busy_percent"] = max(merged["busy_percent"], report["machine"]["background_busy_percent"])
        merged["ratios"].update(report["ratios"])
        for mode in ("sequential", "staggered", "burst", "sustained"):
            merged["rows"] += [row | {"mode": mode} for row in report[mode]]
    return merged


def run_bench(binary: Path, directory: Path, *arguments: str) -> dict:
    target = directory / "bench.json"
    done = subprocess.run(
        [binary, "bench", "--quick", "--json", target, *arguments], capture_output=True, text=True, timeout=600
    )
    if done.returncode != 0:
        raise AssertionError(f"glovebox bench ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return json.loads(target.read_text(encoding="utf-8"))


def measure(binary: Path, directory: Path) -> dict:
    """Everything that guard.toml names, in two runs: under load only print is worth the time."""
    latency = run_bench(
        binary, directory, "--mode", "sequential", "--workload", "pass,print,pandas,javascript",
        "--peer", "bare,bare-s,bubblewrap,command,cold,warm",
    )  # fmt: skip
    load = run_bench(
        binary, directory, "--mode", "burst,sustained", "--workload", "print", "--peer", "bare,bubblewrap,warm"
    )
    return merge_reports([latency, load])
