"""`make install`, the unit, the sample settings and the container file."""

from __future__ import annotations

import json
import re
import shlex
import subprocess

import pytest

from support.needs import needs_command
from support.packaging import REPOSITORY, install
from support.service import Service

FILES = {
    "bin/glovebox",
    "bin/glovebox-launcher",
    "lib/systemd/system/glovebox.service",
    "lib/sysusers.d/glovebox.conf",
    "share/glovebox/Caddyfile",
    "share/glovebox/glovebox.toml",
    "share/glovebox/nginx.conf",
}


def test_it_installs_below_any_directory_and_runs_from_there(tmp_path):
    install("/usr", str(tmp_path))
    root = tmp_path / "usr"
    assert {str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()} == FILES
    unit = (root / "lib/systemd/system/glovebox.service").read_text()
    assert "ExecStart=/usr/bin/glovebox serve" in unit and "@" not in unit
    ran = subprocess.run(
        [root / "bin/glovebox", "run", "-c", "print(6 * 7)"], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert (ran.returncode, ran.stdout) == (0, "42\n"), ran.stderr


def test_the_makefile_installs_the_same(tmp_path):
    dry = subprocess.run(
        ["make", "-n", "install", "PREFIX=/opt/gb", f"DESTDIR={tmp_path}"],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    for component in ("programs", "library"):
        assert f"DESTDIR={tmp_path} cmake --install build/release --component {component} --prefix /opt/gb" in dry.stdout


@needs_command("systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path):
    install(str(tmp_path))
    unit = tmp_path / "lib/systemd/system/glovebox.service"
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=120)
    complaints = [line for line in done.stderr.splitlines() if "glovebox.service" in line]
    assert done.returncode == 0 and not complaints, done.stderr


@needs_command("systemd-sysusers")
def test_systemd_accepts_the_user(tmp_path):
    install("/usr", str(tmp_path))
    (tmp_path / "etc").mkdir()
    done = subprocess.run(
        ["systemd-sysusers", f"--root={tmp_path}", "glovebox.conf"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^glovebox:x:\d+:\d+:Glovebox:/var/lib/glovebox:/usr/sbin/nologin$",
                     (tmp_path / "etc/passwd").read_text(), re.MULTILINE)  # fmt: skip


def toml_blocks(page: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", (REPOSITORY / page).read_text(), re.DOTALL)


@pytest.mark.parametrize(
    "text",
    [(REPOSITORY / "packaging/glovebox.toml").read_text(), *toml_blocks("docs/service.md"), *toml_blocks("docs/operations.md")],
)
def test_every_sample_of_settings_is_accepted(glovebox_binary, tmp_path, text):
    # Places of a real installation become ones of this test.
    text = text.replace("/run/glovebox", str(tmp_path)).replace('"127.0.0.1:7070"', '"127.0.0.1:0"')
    service = Service(glovebox_binary, tmp_path / "data", "--cold", config=text)
    assert service.connect().run("print(1)").json["stdout"] == "1\n"
    assert service.end() == 0


def test_the_documentation_names_every_setting():
    named = set(re.findall(r'Setting\{\s*"(\w*)", "(\w+)"', (REPOSITORY / "src/runner/settings.cpp").read_text()))
    assert len(named) > 30
    pages = "".join((REPOSITORY / page).read_text() for page in ("docs/service.md", "docs/warm-cells.md", "docs/limits.md"))
    assert not [f"{table}.{name}" for table, name in sorted(named) if not re.search(rf"\b{name}\b", pages)]


class ContainerFile:
    """Enough of the format to find what is wrong without a builder: instructions, stages and what they refer to."""

    KNOWN = {"FROM", "RUN", "COPY", "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD", "ENV"}

    def __init__(self, text: str):
        kept = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        self.instructions = []
        for line in kept.replace("\\\n", " ").splitlines():
            if line.strip():
                word, _, rest = line.strip().partition(" ")
                assert word in self.KNOWN, line
                self.instructions.append((word, rest.strip()))
        assert self.instructions[0][0] == "FROM"

    def of(self, word: str) -> list[str]:
        return [rest for found, rest in self.instructions if found == word]


def test_the_container_file_refers_to_what_exists():
    """No builder is needed for this, and none is here: the file as a whole is not tried."""
    file = ContainerFile((REPOSITORY / "packaging/Containerfile").read_text())
    stages = [re.fullmatch(r"(\S+:\S+)(?: AS (\w+))?", rest) for rest in file.of("FROM")]
    assert all(stages) and stages[-1][2] is None, "the last stage is the image"
    names = {stage[2] for stage in stages}
    for copy in file.of("COPY"):
        words = shlex.split(copy)
        if words[0].startswith("--from="):
            assert words[0].removeprefix("--from=") in names
        else:
            assert all((REPOSITORY / source).exists() for source in words[:-1])
    offered = {line.split()[1] for line in (REPOSITORY / "tools/packages.txt").read_text().splitlines() if line.startswith("run ")}
    final = " ".join(file.of("RUN")[-1:])
    installed = set(re.search(r"--no-install-recommends (.*?) &&", final)[1].split())
    assert installed == offered, "the image has what cells use, and nothing else"
    assert "make install-programs PREFIX=/usr DESTDIR=/out" in " ".join(file.of("RUN"))
    assert (REPOSITORY / ".dockerignore").exists(), "or the whole build directory would be sent along"


def test_the_command_of_the_container_is_understood(glovebox_binary, tmp_path):
    file = ContainerFile((REPOSITORY / "packaging/Containerfile").read_text())
    words = json.loads(file.of("CMD")[0])
    assert json.loads(file.of("ENTRYPOINT")[0]) == ["/usr/bin/glovebox"]
    assert words[0] == "serve"
    words = [word.replace("0.0.0.0:7070", "127.0.0.1:0").replace("/var/lib/glovebox", str(tmp_path / "data")) for word in words]
    with subprocess.Popen([glovebox_binary, *words], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline().startswith("listening on http://"), process.stderr.read()
        process.terminate()
        process.stderr.read()
    assert process.returncode == 0
