"""Compiles the attacks written in C, statically, so that they need nothing of the image.

A machine without a compiler (the virtual machine of the tests) gets them ready-made: run this file with a directory
on a machine that has one, and name the directory in GLOVEBOX_ATTACK_BINARIES on the other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from attack_header import Attack, attack_files, parse_attack  # noqa: E402

HELPERS = Path(__file__).resolve().parent / "helpers"


class NoCompiler(Exception):
    """The capability that is missing to build an attack."""


def file_name(attack: Attack) -> str:
    return f"{attack.category}__{attack.name}"


def compile_attack(attack: Attack, directory: Path) -> Path:
    ready_made = os.environ.get("GLOVEBOX_ATTACK_BINARIES")
    if ready_made:
        binary = Path(ready_made) / file_name(attack)
        if not binary.is_file():
            raise NoCompiler(f"{binary} (GLOVEBOX_ATTACK_BINARIES)")
        return binary
    compiler = shutil.which("gcc")
    if compiler is None:
        raise NoCompiler("gcc")
    binary = directory / file_name(attack)
    command = [compiler, "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-s", "-pthread"]
    command += [*attack.compile_flags, f"-I{HELPERS}", str(attack.path), "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        if "-m32" in attack.compile_flags and "cannot find" in done.stderr + done.stdout:
            raise NoCompiler("gcc-multilib")
        raise RuntimeError(f"{attack.id} does not compile:\n{done.stderr}")
    return binary


def compile_all(attacks: list[Attack], directory: Path) -> dict[str, Path | Exception]:
    """By attack id: the binary, or why there is none."""

    def one(attack: Attack) -> Path | Exception:
        try:
            return compile_attack(attack, directory)
        except (NoCompiler, RuntimeError) as error:
            return error

    in_c = [attack for attack in attacks if attack.language == "c"]
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip((attack.id for attack in in_c), pool.map(one, in_c)))


def main() -> int:
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} DIRECTORY", file=sys.stderr)
        return 2
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    built = compile_all([parse_attack(path) for path in attack_files()], directory)
    failed = {name: error for name, error in built.items() if isinstance(error, Exception)}
    for name, error in failed.items():
        print(f"{name}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
