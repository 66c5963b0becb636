"""The TypeScript SDK: built with its pinned compiler, its types up to date, its tests and README against a live server.

The tools come through npm. Where the registry cannot be reached and they are not installed yet, these tests are skipped
and say so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from readme_examples import examples

REPOSITORY = Path(__file__).resolve().parents[2]
SDK = REPOSITORY / "sdk/typescript"
INSTALLED = REPOSITORY / "build/sdk-typescript"
EXAMPLES = examples(SDK / "README.md", "js")


def call(command: list, where: Path, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(part) for part in command], cwd=where, env={**os.environ, **environment}, capture_output=True, text=True,
        timeout=600,
    )


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """A built copy of the package, with its development tools beside it."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("the TypeScript SDK is NOT tested: node and npm are not installed")
    INSTALLED.mkdir(parents=True, exist_ok=True)
    stamp = INSTALLED / "node_modules/.installed-lock.json"
    lock = SDK / "package-lock.json"
    if not stamp.is_file() or stamp.read_bytes() != lock.read_bytes():
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(SDK / name, INSTALLED / name)
        install = call([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], INSTALLED)
        if install.returncode != 0:
            pytest.skip(f"the TypeScript SDK is NOT tested: npm could not fetch its tools\n{install.stderr[-2000:]}")
        shutil.copy(lock, stamp)
    copy = tmp_path_factory.mktemp("typescript") / "sdk"
    shutil.copytree(SDK, copy, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (copy / "node_modules").symlink_to(INSTALLED / "node_modules")
    build = call(["node_modules/.bin/tsc", "--project", "tsconfig.json"], copy)
    assert build.returncode == 0, build.stdout
    return copy


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (SDK / "package-lock.json").read_text(encoding="utf-8")


def test_nothing_is_needed_to_run_it():
    manifest = json.loads((SDK / "package.json").read_text(encoding="utf-8"))
    assert "dependencies" not in manifest
    assert all(version[0].isdigit() for version in manifest["devDependencies"].values()), "pin them exactly"


def test_the_types_are_those_of_the_document(package, tmp_path):
    output = tmp_path / "api.ts"
    contract = REPOSITORY / "contract/openapi.json"
    generate = ["node_modules/.bin/openapi-typescript", contract, "--default-non-nullable", "false", "--output", output]
    generated = call(generate, package)
    assert generated.returncode == 0, generated.stderr
    committed = (SDK / "src/api.ts").read_text(encoding="utf-8")
    assert output.read_text(encoding="utf-8") == committed, "run: npm run generate"


def test_the_main_entry_needs_no_node(package):
    """A browser has no modules of Node, so nothing that the main entry loads may import one."""
    for path in (package / "dist").glob("*.js"):
        if path.name != "node.js":
            text = path.read_text(encoding="utf-8")
            assert 'from "node:' not in text and "process.stderr" not in text, path.name


def test_a_program_with_wrong_types_does_not_compile(package, tmp_path):
    (tmp_path / "node_modules/@glovebox").mkdir(parents=True)
    (tmp_path / "node_modules/@glovebox/sdk").symlink_to(package)
    good = """
import { Client, type RunEvent } from "@glovebox/sdk";
const client = new Client({ retries: 0 });
const result = await client.run("print(1)", { limits: { wall_ms: 5 }, files: { "a.txt": "x" } });
const line: number | null | undefined = result.error?.line;
const events: RunEvent[] = [];
for await (const event of await client.stream({ code: "1", language: "bash" })) events.push(event);
export { line, events };
"""
    (tmp_path / "package.json").write_text('{"type":"module"}')
    command = [package / "node_modules/.bin/tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"]
    (tmp_path / "good.ts").write_text(good)
    compiled = call([*command, "good.ts"], tmp_path)
    assert compiled.returncode == 0, compiled.stdout
    for right, wrong in (("wall_ms: 5", "wall_ms: '5'"), ("wall_ms: 5", "wall_mss: 5"), ('"x" }', "7 }")):
        (tmp_path / "bad.ts").write_text(good.replace(right, wrong))
        assert call([*command, "bad.ts"], tmp_path).returncode != 0, wrong


def test_its_own_tests_pass(package, server):
    run = call(["node", "--test", "test/"], package, GLOVEBOX_URL=server.url)
    assert run.returncode == 0, run.stdout[-8000:]
    assert "# skipped 0" in run.stdout, run.stdout[-2000:]


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in EXAMPLES])
def test_example(package, server, tmp_path, code):
    (tmp_path / "node_modules/@glovebox").mkdir(parents=True)
    (tmp_path / "node_modules/@glovebox/sdk").symlink_to(package)
    (tmp_path / "example.mjs").write_text(code, encoding="utf-8")
    run = call(["node", "example.mjs"], tmp_path, GLOVEBOX_URL=server.url)
    assert run.returncode == 0, run.stderr


def test_the_readme_has_examples():
    assert len(EXAMPLES) >= 9
