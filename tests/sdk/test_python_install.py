"""pip installs the Python SDK without a network, and what it installs is complete and typed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SDK = Path(__file__).resolve().parents[2] / "sdk/python"


def test_pip_installs_it_offline(tmp_path):
    # pip builds beside the sources, so it gets a copy.
    source = tmp_path / "source"
    shutil.copytree(SDK, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation"]
    run = subprocess.run([*pip, "--target", target, source], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert (target / "glovebox/py.typed").is_file()
    program = "import glovebox; print(glovebox.__version__, glovebox.Client, glovebox.__file__)"
    run = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(target)!r}); {program}"],
        capture_output=True, text=True, timeout=60,
    )
    assert run.returncode == 0, run.stderr
    assert str(target) in run.stdout
    metadata = next(target.glob("glovebox-*.dist-info/METADATA")).read_text(encoding="utf-8")
    assert "Requires-Dist" not in metadata


def test_it_imports_the_standard_library_only():
    program = (
        "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); import glovebox; "
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    run = subprocess.run([sys.executable, "-I", "-c", program, SDK], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["glovebox"], run.stderr
