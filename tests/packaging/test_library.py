"""The C++ library as installed: a program outside of the source tree is built with it and runs (U7)."""

from __future__ import annotations

import os
import shutil
import subprocess

from support.needs import needs_command
from support.packaging import REPOSITORY, install


def test_the_headers_are_those_of_the_library_and_not_of_its_tests(tmp_path):
    install(str(tmp_path), component="library")
    headers = {str(path.relative_to(tmp_path / "include/glovebox")) for path in (tmp_path / "include").rglob("*.h")}
    assert {"runner/runner.h", "contract/run_request.h", "contract/run_result_codec.h", "base/result.h"} <= headers
    assert not [name for name in headers if "test" in name or "fixture" in name or name.startswith(("cli/", "bin/"))]


@needs_command("cmake")
@needs_command("g++")
def test_the_example_is_built_against_the_installed_tree_and_runs(tmp_path):
    prefix = tmp_path / "prefix"
    install(str(prefix))
    install(str(prefix), component="library")
    # Away from the source tree, so that nothing of it can be found by accident.
    source = shutil.copytree(REPOSITORY / "examples/embed", tmp_path / "embed")
    build = tmp_path / "build"
    configure = ["cmake", "-S", source, "-B", build, "-DGLOVEBOX_INSTALLED=ON", f"-DCMAKE_PREFIX_PATH={prefix}"]
    for command in (configure, ["cmake", "--build", build]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    ran = subprocess.run(
        [build / "bin/glovebox-embed"],
        env=os.environ | {"GLOVEBOX_LAUNCHER": str(prefix / "bin/glovebox-launcher")},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert 'artifact   total.json (13 bytes): {"total": 64}' in ran.stdout
    assert "refused    socket(AF_INET" in ran.stdout
