"""`glovebox policy`, and runs under a policy, as a person or a script types them."""

from __future__ import annotations

import json
import os
import pty
import select
import time

import pytest

from support.policies import ASKING

NEEDS_YES = "import os\nprint(os.getpid() > 0)"
RUN = ("run", "--language", "python", "--code")


@pytest.fixture
def place(mode):
    """A directory to work in, with a directory of policies."""
    directory = mode.make_directory("policy_" + os.urandom(4).hex())
    (directory / "policies").mkdir()
    (directory / "policies/asking.toml").write_text(ASKING)
    for path in (directory, directory / "policies"):
        path.chmod(0o755)
    return directory


def write(path, text: str):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.parent.chmod(0o755)
    path.chmod(0o644)
    return path


def test_a_check_reads_like_a_compilers_message(glovebox, place):
    file = write(place / "a.py", "import json\nimport subprocess as s\n\n\ts.run(['ls'])\n")
    ended = glovebox("policy", "check", str(file), "--profile", "sandboxed_python")
    assert ended.status == 126, ended
    assert f"{file}:2:8: deny[processes]: import of subprocess" in ended.out
    lines = ended.out.splitlines()
    at = lines.index(" 2 | import subprocess as s")
    assert lines[at + 1].startswith("   |        ^^^^")
    assert "= reason:" in ended.out and "= help:" in ended.out and "\x1b" not in ended.out


def test_the_exit_status_is_the_verdict(glovebox, place):
    allowed = write(place / "ok.py", "print(1)\n")
    asked = write(place / "ask.py", NEEDS_YES)
    directory = str(place / "policies")
    assert glovebox("policy", "check", str(allowed), "--profile", "strict").status == 0
    ended = glovebox("policy", "check", str(asked), "--profile", "asking", "--policy-dir", directory, "--json")
    assert ended.status == 3 and list(json.loads(ended.out))[0] == "decision", ended
    assert json.loads(ended.out)["decision"] == "ask"
    assert glovebox("policy", "check", str(place / "missing.py")).status == 125
    assert glovebox("policy", "check", str(allowed), "--profile", "nope").status == 125
    assert glovebox("policy", "check", "-", "--language", "bash", stdin=b"ls").status == 0


def test_hostile_text_is_shown_harmless(glovebox, place):
    line = "import socket # \x1b]0;owned\x07 \u202e \x9b31m" + "x" * 5000
    file = write(place / "evil.py", line)
    ended = glovebox("policy", "check", str(file), "--profile", "strict")
    assert ended.status == 126
    assert "\x1b" not in ended.out and "\u202e" not in ended.out and "\x07" not in ended.out
    assert max(map(len, ended.out.splitlines())) < 1000


def test_the_default_policy_explains_and_denies_nothing(glovebox, place):
    file = write(place / "net.py", "import requests\n")
    ended = glovebox("policy", "check", str(file))
    assert ended.status == 0 and "note[no_network]" in ended.out


def test_policies_are_listed_and_shown(glovebox, place):
    listed = glovebox("policy", "ls", "--policy-dir", str(place / "policies")).out
    for name in ("default", "sandboxed_python", "data_analysis", "strict", "unrestricted", "asking"):
        assert name in listed
    assert 'id = "processes"' in glovebox("policy", "show", "sandboxed_python").out


def test_a_denied_run_names_rule_line_column_and_what_instead(glovebox):
    ended = glovebox(*RUN, "import json\nimport socket\n", "--policy", "sandboxed_python")
    assert ended.status == 126 and ended.out == "", ended
    assert "rule network of the policy sandboxed_python, line 2, column 8" in ended.err
    assert "→ pass the data as files" in ended.err
    result = glovebox(*RUN, "import socket", "--policy", "strict", "--json").result
    assert result["outcome"] == "rejected" and result["error"]["code"] == "rejected"
    assert result["error"]["line"] == 1 and result["attempts"] == []


def test_without_a_terminal_a_question_is_a_denial_that_names_the_grant(glovebox, place):
    flags = ("--policy", "asking", "--policy-dir", str(place / "policies"))
    ended = glovebox(*RUN, NEEDS_YES, *flags)
    assert ended.status == 126 and "glovebox run --approve pid" in ended.err, ended
    assert glovebox(*RUN, NEEDS_YES, *flags, "--approve", "other").status == 126
    approved = glovebox(*RUN, NEEDS_YES, *flags, "--approve", "pid")
    assert approved.status == 0 and approved.out == "True\n", approved
    assert glovebox(*RUN, "import socket", "--policy", "strict", "--approve", "python_escape").status == 126


@pytest.mark.parametrize(("typed", "status"), [("y\n", 0), ("n\n", 126), ("\n", 126)])
def test_on_a_terminal_somebody_is_asked(glovebox, place, typed, status):
    flags = ("--policy", "asking", "--policy-dir", str(place / "policies"))
    words = glovebox.command(*RUN, NEEDS_YES, *flags)
    child, terminal = pty.fork()
    if child == 0:
        caller = glovebox.glovebox.caller
        os.execvpe(words[0], words, caller.env or dict(os.environ))
    shown = b""
    deadline = time.monotonic() + 60
    sent = False
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        shown += read
        if b"[y/N]" in shown and not sent:
            os.write(terminal, typed.encode())
            sent = True
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    assert sent and b"ask[pid]" in shown, shown
    assert ended == status, shown
    assert (b"True" in shown) == (status == 0)


def test_a_workspace_tightens_and_cannot_loosen(glovebox, place):
    workspace = place / "work"
    workspace.mkdir()
    workspace.chmod(0o755)
    write(workspace / ".glovebox/policy.toml", '[imports]\nforbid = ["json"]\n')

    def run(*arguments: str):
        process = glovebox.start(*RUN, *arguments, cwd=workspace)
        out, err = process.communicate(timeout=60)
        return process.returncode, err.decode()

    status, err = run("import json")
    assert status == 126 and "imports_forbid" in err
    assert run("import csv")[0] == 0
    write(workspace / ".glovebox/policy.toml", 'description = "x"\ndynamic = "allow"\n')
    status, err = run("print(1)", "--policy", "strict")
    assert status == 125 and ".glovebox/policy.toml:2:11" in err and "can only tighten" in err
    write(workspace / ".glovebox/policy.toml", "dynamic = maybe\n")
    status, err = run("print(1)")
    assert status == 125 and ".glovebox/policy.toml:1:" in err


def test_a_record_has_the_decision_and_a_replay_tells_a_changed_policy(records, place):
    directory = str(place / "policies")
    run_id = records.run("print(1)", "--policy", "asking", "--policy-dir", directory)
    stored = records.json("runs", "show", run_id)
    assert stored["decision"]["decision"] == "allow" and stored["decision"]["policy"].startswith("asking@sha256:")
    config = {"XDG_CONFIG_HOME": str(place / "config")}
    (place / "config/glovebox").mkdir(parents=True)
    write(place / "config/glovebox/glovebox.toml", f'[policy]\ndirectory = "{directory}"\n')
    (place / "config").chmod(0o755)
    equal = records("replay", run_id, env=config)
    assert equal.status == 0, equal
    (place / "policies/asking.toml").write_text(ASKING + '\n[program]\nmax_lines = 100\n')
    differs = records("replay", run_id, env=config)
    assert differs.status == 1 and "\npolicy\n" in differs.out, differs


LOOKING = {
    "run": ("run", "--language", "python", "--code", "print(1)"),
    "ls": ("policy", "ls"),
    "check": ("policy", "check", "-", "--language", "python"),
    "show": ("policy", "show", "default"),
    "mcp": ("mcp",),
    "serve": ("serve", "--listen", "127.0.0.1:0"),
}


@pytest.mark.parametrize("verb", LOOKING)
@pytest.mark.parametrize("kind", ["missing", "file"])
def test_a_directory_that_was_named_must_be_one(glovebox, place, verb, kind):
    directory = place / "nowhere" if kind == "missing" else write(place / "file", "")
    data = ("--data", str(place / "data")) if verb == "serve" else ()
    ended = glovebox(*LOOKING[verb], *data, "--policy-dir", str(directory))
    assert ended.status == 125 and str(directory) in ended.err and ended.out == "", ended


@pytest.mark.parametrize("name", ["Strict.toml", "my policy.toml", "1st.toml"])
def test_a_profile_that_nobody_could_name_is_refused(glovebox, place, name):
    write(place / "policies" / name, "")
    ended = glovebox(*LOOKING["run"], "--policy-dir", str(place / "policies"))
    assert ended.status == 125 and name in ended.err and ended.out == "", ended


def test_the_setting_is_held_to_it_too(glovebox, mode, place):
    settings = place / "config"
    (settings / "glovebox").mkdir(parents=True)
    write(settings / "glovebox/glovebox.toml", f'[policy]\ndirectory = "{place}/nowhere"\n')
    settings.chmod(0o755)
    ended = glovebox("policy", "ls", env={"XDG_CONFIG_HOME": str(settings)})
    assert ended.status == 125 and "policy.directory" in ended.err and "nowhere" in ended.err, ended
