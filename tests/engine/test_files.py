"""Files in and out: inline, by reference, as artifacts; whatever a program does to them breaks nothing (A1–A4, L7)."""

from __future__ import annotations

import hashlib
import os
import subprocess

import pytest

from support.glovebox_runner import build_request, input_file

BINARY = bytes(range(256)) * 3
CSV = b"a\n1\n"
HASH_ALL = """
import hashlib, os
for root, _, names in sorted(os.walk('.')):
    for name in sorted(names):
        path = os.path.relpath(os.path.join(root, name))
        print(path, hashlib.sha256(open(path, 'rb').read()).hexdigest())
"""


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def artifacts_of(result) -> dict[str, dict]:
    return {artifact["path"]: artifact for artifact in result["artifacts"]}


def test_files_arrive_as_they_were_sent(glovebox):
    files = {"text.csv": "a,b\n1,ü\n".encode(), "deep/er/data.bin": BINARY, "empty": b"", "with space/ü.txt": b"x"}
    entries = [input_file(name, content) for name, content in files.items()]
    entries[0] = {"path": "text.csv", "content": "a,b\n1,ü\n"}
    result = glovebox.send(build_request("python", HASH_ALL, files=entries)).result
    seen = dict(line.rsplit(" ", 1) for line in result["stdout"].splitlines())
    assert seen == {name: sha256(content) for name, content in files.items()}


def test_files_by_flag(glovebox, directory):
    (directory / "data.csv").write_bytes(CSV)
    (directory / "odd=name.bin").write_bytes(BINARY)
    ended = glovebox(
        "run",
        "-c",
        HASH_ALL,
        "--file",
        str(directory / "data.csv"),
        "--file",
        f"sub/renamed.bin={directory / 'odd=name.bin'}",
    )
    assert ended.out.splitlines() == [f"data.csv {sha256(CSV)}", f"sub/renamed.bin {sha256(BINARY)}"], ended
    ended = glovebox("run", "-c", "1", "--file", str(directory / "absent"))
    assert ended.status == 125 and "absent" in ended.err, ended
    ended = glovebox("run", "-c", "1", "--file", f"../out={directory / 'data.csv'}")
    assert ended.status == 125 and ".." in ended.err, ended


def test_inputs_can_be_changed_and_imported(glovebox):
    files = [input_file("helper.py", "VALUE = 41\n"), input_file("data.txt", "old")]
    code = "import helper\nopen('data.txt', 'a').write('!')\nprint(helper.VALUE + 1, open('data.txt').read())"
    assert glovebox.send(build_request("python", code, files=files)).result["stdout"] == "42 old!\n"


def add_blob(glovebox, path, content: bytes) -> str:
    path.write_bytes(content)
    ended = glovebox("blob", "add", str(path))
    assert ended.status == 0, ended
    reference, name = ended.out.strip().split("  ")
    assert (reference, name) == ("sha256:" + sha256(content), str(path))
    return reference


def test_a_blob_is_there_read_only_and_whole(glovebox, directory):
    content = os.urandom(3 << 20)
    reference = add_blob(glovebox, directory / "big", content)
    code = """
import hashlib, os
print(hashlib.sha256(open('in/big.bin', 'rb').read()).hexdigest())
for attempt in (lambda: open('in/big.bin', 'ab'), lambda: os.unlink('in/big.bin'), lambda: os.rename('in/big.bin', 'x'),
                lambda: os.chmod('in/big.bin', 0o777)):
    try:
        attempt()
        print('changed')
    except OSError as error:
        print('refused')
"""
    ended = glovebox("run", "--json", "-c", code, "--blob", f"in/big.bin={reference}", "--collect", "**")
    assert ended.result["stdout"] == sha256(content) + "\n" + 4 * "refused\n", ended
    assert ended.result["artifacts"] == []
    assert glovebox(
        "run", "-c", "print(len(open('in/big.bin', 'rb').read()))", "--blob", f"in/big.bin={reference}"
    ).out == (f"{3 << 20}\n"), "and the next run sees the same"


def test_the_same_blob_twice_beside_inline_files(glovebox, directory):
    reference = add_blob(glovebox, directory / "blob", BINARY)
    files = [{"path": "d/one", "blob": reference}, input_file("d/two", b"inline"), {"path": "three", "blob": reference}]
    result = glovebox.send(build_request("python", HASH_ALL, files=files)).result
    seen = dict(line.rsplit(" ", 1) for line in result["stdout"].splitlines())
    assert seen == {"d/one": sha256(BINARY), "d/two": sha256(b"inline"), "three": sha256(BINARY)}, result


def test_rows_of_a_blob_count_like_those_of_an_inline_file(glovebox, directory):
    content = b"a,b\n" * 20
    reference = add_blob(glovebox, directory / "rows", content)
    (directory / "data.csv").write_bytes(content)
    for given in (["--blob", f"data.csv={reference}"], ["--file", str(directory / "data.csv")]):
        ended = glovebox("run", "--json", "-c", "print('ran')", *given, "--input-rows", "5")
        assert (ended.result["outcome"], ended.result["error"]["code"]) == ("rejected", "input_too_large"), ended
        ended = glovebox("run", "-c", "print('ran')", *given, "--input-rows", "20")
        assert (ended.status, ended.out) == (0, "ran\n"), ended


def test_a_damaged_blob_is_refused(glovebox, directory, mode):
    content = b"precious " * 100
    reference = add_blob(glovebox, directory / "blob", content)
    store = os.path.join(mode.glovebox.caller.env["XDG_DATA_HOME"], "glovebox/blobs")
    stored = os.path.join(store, reference[7:9], reference[7:])
    os.chmod(stored, 0o644)
    with open(stored, "r+b") as file:
        file.write(b"P")
    ended = glovebox("run", "--json", "-c", "print('ran')", "--blob", f"x={reference}")
    assert ended.status == 125, ended
    error = ended.result["error"]
    assert error["code"] == "blob_missing" and "damaged" in error["message"] and "files[0].blob" in error["message"]
    os.unlink(stored)
    ended = glovebox("run", "--json", "-c", "print('ran')", "--blob", f"x={reference}")
    assert (ended.status, ended.result["error"]["code"]) == (125, "blob_missing"), ended


@pytest.mark.parametrize(
    "reference", ["x", "x=", "x=sha256:", "x=sha256:zz", "x=md5:" + "0" * 32, "../x=sha256:" + "0" * 64]
)
def test_a_bad_blob_reference_is_refused(glovebox, reference):
    ended = glovebox("run", "--json", "-c", "print('ran')", "--blob", reference)
    assert (ended.status, ended.result["stdout"]) == (125, ""), ended


def test_artifacts_come_with_hash_and_media_type(glovebox):
    code = """
import os
os.makedirs('out/deep')
open('out/deep/table.csv', 'w').write('a,b\\n')
open('figure.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n')
open('noname', 'wb').write(b'%PDF-1.4')
open('unwanted.txt', 'w').write('x')
"""
    request = build_request("python", code, artifacts=["out/**", "*.png", "noname"])
    found = artifacts_of(glovebox.send(request).result)
    assert {path: artifact["media_type"] for path, artifact in found.items()} == {
        "out/deep/table.csv": "text/csv",
        "figure.png": "image/png",
        "noname": "application/pdf",
    }
    assert found["out/deep/table.csv"]["sha256"] == sha256(b"a,b\n")
    assert found["figure.png"]["bytes"] == 8


def test_without_patterns_nothing_is_collected(glovebox):
    assert glovebox.result("python", "open('x', 'w').write('x')")["artifacts"] == []


def test_only_changed_inputs_are_artifacts(glovebox):
    files = [input_file(name, "same") for name in ("kept.txt", "rewritten.txt", "changed.txt", "removed.txt")]
    code = """
import os
open('rewritten.txt', 'w').write('same')
open('changed.txt', 'w').write('different')
os.remove('removed.txt')
open('new.txt', 'w').write('new')
"""
    result = glovebox.send(build_request("python", code, files=files, artifacts=["**"])).result
    assert list(artifacts_of(result)) == ["changed.txt", "new.txt"]


def test_unchanged_inputs_may_be_larger_and_more_than_artifacts(glovebox):
    files = [input_file(f"in{n}.csv", "x" * 1000) for n in range(5)]
    request = build_request(
        "python",
        "open('z.out', 'w').write('x')",
        files=files,
        artifacts=["**"],
        limits={"artifact_count": 1, "artifact_file_bytes": 10, "artifact_bytes": 10},
    )
    result = glovebox.send(request).result
    assert (result["outcome"], list(artifacts_of(result))) == ("ok", ["z.out"]), result


ODD = """
import os, socket
open('good.txt', 'w').write('good')
os.link('good.txt', 'hard.txt')
os.symlink('good.txt', 'link.txt')
os.symlink('/etc/passwd', 'passwd.txt')
os.symlink('loop.txt', 'loop.txt')
os.symlink('/', 'root')
os.mkfifo('fifo.txt')
socket.socket(socket.AF_UNIX).bind('socket.txt')
open('new\\nline.txt', 'w').write('x')
open(b'invalid\\xff.txt', 'w').write('x')
open('esc\\x1b[2J.txt', 'w').write('x')
open('-rf.txt', 'w').write('x')
open('n' * 251 + '.txt', 'w').write('x')
os.mkdir('dir.txt')
open('closed.txt', 'w').write('x')
os.chmod('closed.txt', 0)
with open('sparse.txt', 'w') as f: f.truncate(1 << 20)
"""
ODD_TAKEN = ["-rf.txt", "good.txt", "hard.txt", "n" * 251 + ".txt", "sparse.txt"]


def test_odd_files_never_break_the_collection(glovebox):
    result = glovebox.send(build_request("python", ODD, artifacts=["**"])).result
    assert result["outcome"] == "ok", result
    assert list(artifacts_of(result)) == ODD_TAKEN
    refused = {denial["what"] for denial in result["denials"] if denial["layer"] == "artifacts"}
    assert refused == {
        "artifact " + name
        for name in (
            "link.txt",
            "passwd.txt",
            "loop.txt",
            "root",
            "fifo.txt",
            "socket.txt",
            "new\\x0aline.txt",
            "invalid\\xff.txt",
            "esc\\x1b[2J.txt",
            "closed.txt",
        )
    }, "each is listed, none in silence"


def test_artifacts_are_saved_below_the_directory(glovebox, directory):
    ended = glovebox(
        "run",
        "-c",
        ODD + "os.makedirs('a/b'); open('a/b/c.txt', 'w').write('deep')",
        "--artifacts",
        str(directory / "out"),
    )
    assert ended.status == 0, ended
    saved = {
        str(path.relative_to(directory / "out")): path for path in (directory / "out").rglob("*") if path.is_file()
    }
    assert sorted(saved) == sorted([*ODD_TAKEN, "a/b/c.txt"])
    assert saved["a/b/c.txt"].read_text() == "deep"
    assert all(not path.is_symlink() for path in saved.values())
    assert all(path.stat().st_mode & 0o7111 == 0 for path in saved.values()), "saved files are not executable"
    assert "artifact" in ended.err and "good.txt" in ended.err


@pytest.mark.parametrize("arguments", [[], ["--json"]])
@pytest.mark.parametrize("kind", ["directory", "file", "dangling"])
def test_a_link_in_the_directory_is_not_followed(glovebox, mode, directory, kind, arguments):
    outside = directory / "outside"
    out = directory / "out"
    for path in (outside, out):
        path.mkdir()
        os.chown(path, mode.user.uid, mode.user.gid)
    if kind == "directory":
        (out / "sub").symlink_to(outside)
        code = "import os; os.mkdir('sub'); open('sub/victim', 'w').write('evil')"
    else:
        if kind == "file":
            (outside / "victim").write_text("precious")
            os.chown(outside / "victim", mode.user.uid, mode.user.gid)
        (out / "sub").symlink_to(outside / "victim")
        code = "open('sub', 'w').write('evil')"
    ended = glovebox("run", *arguments, "-c", code, "--artifacts", str(out))
    assert ended.status == 125, ended
    assert "cannot save sub" in ended.err
    assert [path.read_text() for path in outside.iterdir()] == (["precious"] if kind == "file" else [])
    if arguments:
        assert ended.result["outcome"] == "ok", "the run itself is still told"


def test_the_artifact_directory_may_exist_and_hold_files(glovebox, mode, directory):
    (directory / "old.txt").write_text("a longer text than the new one")
    os.chown(directory / "old.txt", mode.user.uid, mode.user.gid)
    code = "open('old.txt', 'w').write('new'); open('more.txt', 'w').write('more')"
    ended = glovebox("run", "-c", code, "--artifacts", str(directory))
    assert ended.status == 125 and "--overwrite" in ended.err, ended
    assert (directory / "old.txt").read_text() == "a longer text than the new one"
    ended = glovebox("run", "-c", code, "--artifacts", str(directory), "--overwrite")
    assert ended.status == 0, ended
    assert {path.name: path.read_text() for path in directory.iterdir()} == {"old.txt": "new", "more.txt": "more"}


def test_a_clash_keeps_no_other_artifact_from_being_saved(glovebox, mode, directory):
    (directory / "b.txt").write_text("old")
    os.chown(directory / "b.txt", mode.user.uid, mode.user.gid)
    code = "for name in 'abc': open(name + '.txt', 'w').write('new')"
    ended = glovebox("run", "-c", code, "--artifacts", str(directory))
    assert ended.status == 125 and "cannot save b.txt" in ended.err, ended
    texts = {path.name: path.read_text() for path in directory.iterdir()}
    assert texts == {"a.txt": "new", "b.txt": "old", "c.txt": "new"}
    told = [line for line in ended.err.splitlines() if line.startswith("glovebox: artifact ")]
    assert len(told) == 2 and not any("b.txt" in line for line in told), "only what is there is announced"


@pytest.mark.parametrize("arguments", [[], ["--json"]])
@pytest.mark.parametrize("kind", ["file", "closed", "nowhere"])
def test_a_directory_that_cannot_take_artifacts_is_told_before_the_run(glovebox, mode, directory, kind, arguments):
    out = directory / "out"
    if kind == "file":
        out.write_text("no directory")
    elif kind == "closed":
        if mode.user.uid == 0:
            pytest.skip("root may write everywhere")
        out.mkdir(mode=0o555)
    else:
        out = directory / "missing" / "out"
    marker = "it ran all the same"
    ended = glovebox("run", *arguments, "-c", f"print('{marker}')", "--artifacts", str(out))
    assert ended.status == 125 and marker not in ended.out, ended
    assert "--artifacts" in (ended.out if arguments else ended.err), ended


def test_a_full_disk_leaves_no_half_artifact(glovebox, mode, directory):
    if mode.name != "root":
        pytest.skip("needs root, to mount a small file system")
    out = directory / "out"
    out.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(out)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounts are not allowed here")
    try:
        code = "open('big', 'w').write('x' * 1_000_000); open('small', 'w').write('fits')"
        ended = glovebox("run", "-c", code, "--artifacts", str(out))
        assert ended.status == 125 and "cannot save big" in ended.err and "No space left" in ended.err, ended
        assert {path.name: path.read_text() for path in out.iterdir()} == {"small": "fits"}
    finally:
        subprocess.run(["umount", str(out)], check=True)


def test_overwriting_replaces_a_link_and_not_what_it_points_at(glovebox, mode, directory):
    victim = directory / "victim"
    victim.write_text("precious")
    os.chown(victim, mode.user.uid, mode.user.gid)
    out = directory / "out"
    out.mkdir()
    os.chown(out, mode.user.uid, mode.user.gid)
    (out / "file").symlink_to(victim)
    ended = glovebox("run", "-c", "open('file', 'w').write('new')", "--artifacts", str(out), "--overwrite")
    assert ended.status == 0, ended
    assert (victim.read_text(), (out / "file").read_text(), (out / "file").is_symlink()) == ("precious", "new", False)


def test_the_cell_sees_only_what_was_passed_in(glovebox, mode):
    code = """
import os
print(sorted(os.listdir('/')), os.listdir('/work'), os.listdir('/tmp'), os.getcwd())
print([place for place in ('/root', '/home', '/var', '/run', '/sys', '/opt', '/srv', '/mnt', '/etc/shadow')
       if os.path.exists(place)])
"""
    result = glovebox.result("python", code)
    lines = result["stdout"].splitlines()
    assert "'etc'" in lines[0] and lines[0].endswith("] [] [] /work"), lines
    assert lines[1] == "[]"
    assert mode.token not in result["stdout"]
