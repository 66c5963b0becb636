#!/usr/bin/python3
"""Runs the program of each case with the real interpreter and records how it ended and what it wrote to stderr.

usage: record.py [case.txt ...]      (all cases without arguments; needs unprivileged user namespaces)

A case has sections that start with "=== ": language, program, optionally file NAME and input (the solve form);
then end and stderr, which this script writes; then error, the expected explanation, which the unit test writes when
GLOVEBOX_UPDATE_GOLDEN is set and a person reviews. Programs run at the paths they have in a cell.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
CELL = """
mount -t tmpfs none /mnt && mkdir -p /mnt/cell/usr /mnt/cell/dev /mnt/cell/tmp && cd /mnt/cell
cp -r "$1"/glovebox "$1"/work "$1"/etc . && ln -s usr/bin usr/lib usr/lib64 .
mount --bind /usr usr && mount -o remount,bind,ro usr && mount --rbind /dev dev
test ! -w usr || exit 99  # or a case would write to this machine
shift
exec chroot . /usr/bin/env -i -C /work "$@"
"""


def sections(text):
    return [(head, body) for head, body in re.findall(r"^=== (.*)\n((?:(?!=== ).*\n)*)", text, re.M)]


def fill(text):
    places = {"program": PROGRAM, "support": "/glovebox/support", "input": "/glovebox/input.json",
              "value": "/tmp/.glovebox-value.json", "memory_mib": "256", "heap_mib": "192"}
    return re.sub(r"\{(\w+)\}", lambda match: places[match[1]], text)


def record(path):
    global PROGRAM
    parts = sections(path.read_text())
    named = dict(parts)
    language = named["language"].strip()
    profile = tomllib.loads((ROOT / f"profiles/languages/{language}.toml").read_text())
    PROGRAM = "/glovebox/" + profile["file_name"]
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        (root / "work").mkdir()
        (root / "glovebox").mkdir()
        (root / "glovebox" / profile["file_name"]).write_text(named["program"])
        (root / "glovebox/input.json").write_text(named.get("input", "null"))
        (root / "etc").mkdir()
        for name in profile["host_paths"]:
            if os.path.exists(name):
                subprocess.run(["cp", "-r", name, root / "etc"], check=True)
        for entry in profile.get("support", []):
            if entry["from"].endswith(".pyc"):
                continue  # made when Glovebox is built; Python compiles the source without it
            target = root / "glovebox" / entry["to"]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / entry["from"], target)
        for head, body in parts:
            if head.startswith("file "):
                (root / "work" / head[5:]).write_text(body)
        command = profile["solve_command" if "input" in named else "command"]
        env = [f"{name}={fill(value)}" for name, value in profile["env"].items()]
        done = subprocess.run(["unshare", "-rm", "bash", "-ec", CELL, "cell", directory, *env, *map(fill, command)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    if done.returncode == 99:
        sys.exit("the image is not read-only in the rehearsal cell")
    end = f"signal {-done.returncode}" if done.returncode < 0 else f"exit {done.returncode}"
    stderr = done.stderr.decode()
    kept = [(head, body) for head, body in parts if head not in ("end", "stderr", "error")]
    kept += [("end", end + "\n"), ("stderr", stderr + ("" if stderr.endswith("\n") or not stderr else "\n"))]
    kept += [("error", named.get("error", ""))]
    path.write_text("".join(f"=== {head}\n{body}" for head, body in kept))


os.chdir(HERE)
for name in sys.argv[1:] or sorted(os.listdir(".")):
    if name.endswith(".txt"):
        record(HERE / name)
