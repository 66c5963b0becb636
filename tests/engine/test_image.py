"""The image has a digest that results name (I4, D1), and a language is one file of data (G6)."""

from __future__ import annotations

import os
import re

import pytest

NOT_ABOUT_CELLS = True

LANGUAGES = {
    "perl": """
id = "perl"
name = "Perl"
aliases = ["pl"]
extensions = [".pl"]
file_name = "main.pl"
command = ["/usr/bin/perl", "{program}"]
host_paths = ["/etc/alternatives"]
[env]
PATH = "/usr/bin"
[[requires]]
path = "/usr/bin/perl"
package = "perl-base"
[errors]
format = "generic"
[[errors.patterns]]
match = '^(?P<message>.*) at (?P<file>\\S+) line (?P<line>\\d+)\\.$'
code = "runtime_error"
type = "die"
""",
    "awk": """
id = "awk"
name = "AWK"
aliases = []
extensions = [".awk"]
file_name = "main.awk"
command = ["/usr/bin/awk", "-f", "{program}"]
host_paths = ["/etc/alternatives"]
[env]
PATH = "/usr/bin"
[[requires]]
path = "/usr/bin/awk"
package = "mawk"
[errors]
format = "generic"
""",
}
PROGRAMS = {
    "perl": ('print "hello ", scalar(@ARGV), " ", <STDIN>;', "hello 0 typed"),
    "awk": ('{ print "hello", NF, $1 }', "hello 1 typed\n"),
}


@pytest.fixture
def settings(mode, directory):
    """Environment of a caller with language profiles of its own; returns it with a function that adds one."""
    place = directory / "glovebox/languages"
    place.mkdir(parents=True)

    def add(name: str, text: str):
        (place / f"{name}.toml").write_text(text)
        return {"XDG_CONFIG_HOME": str(directory)}

    return add


def test_the_same_image_has_the_same_digest(glovebox):
    first = glovebox.result("python", "1")["provenance"]["image_digest"]
    second = glovebox.result("bash", "true")["provenance"]["image_digest"]
    assert first == second and re.fullmatch(r"sha256:[0-9a-f]{64}", first)
    assert f"host@{first}" in glovebox("explain").out


def test_the_digest_does_not_depend_on_the_cache(glovebox, directory):
    told = glovebox.result("bash", "true")["provenance"]["image_digest"]
    fresh = glovebox.result("bash", "true", env={"XDG_CACHE_HOME": str(directory)})["provenance"]["image_digest"]
    assert fresh == told
    assert (directory / "glovebox/host-image").stat().st_mode & 0o077 == 0


def test_a_cache_that_cannot_be_written_stops_nothing(glovebox):
    assert glovebox.result("bash", "true", env={"XDG_CACHE_HOME": "/proc/nowhere"})["outcome"] == "ok"


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_is_one_file_of_data(glovebox, settings, directory, name):
    if not os.path.exists(f"/usr/bin/{name}"):
        pytest.skip(f"needs /usr/bin/{name} in the image")
    env = settings(name, LANGUAGES[name])
    code, expected = PROGRAMS[name]
    result = glovebox.result(name, code, "--stdin", "typed", env=env)
    assert (result["outcome"], result["stdout"]) == ("ok", expected), result
    script = directory / f"script.{'pl' if name == 'perl' else 'awk'}"
    script.write_text(code)
    assert glovebox("run", str(script), "--stdin", "typed", env=env).out == expected
    assert glovebox("run", "-l", name, "-c", code).status == 125, "another caller does not have it"


def test_errors_of_an_own_language_have_their_line(glovebox, settings):
    if not os.path.exists("/usr/bin/perl"):
        pytest.skip("needs /usr/bin/perl in the image")
    env = settings("perl", LANGUAGES["perl"])
    error = glovebox.result("perl", "my $x = 1;\ndie 'on purpose';\n", env=env)["error"]
    assert (error["code"], error["type"], error["message"], error["line"]) == ("runtime_error", "die", "on purpose", 2)


def test_an_own_profile_replaces_a_built_in_one(glovebox, settings):
    text = LANGUAGES["awk"].replace('id = "awk"', 'id = "bash"').replace("/usr/bin/awk", "/usr/bin/bash")
    text = re.sub("command = .*", 'command = ["/usr/bin/bash", "-c", "echo mine", "{program}"]', text)
    ended = glovebox.run("bash", "echo yours", env=settings("bash", text))
    assert (ended.status, ended.out) == (0, "mine\n"), ended


def test_a_broken_profile_is_an_error_and_no_silent_fallback(glovebox, settings):
    ended = glovebox.run("bash", "echo ran", env=settings("bash", 'id = "bash"\nbogus = 1\n'))
    assert (ended.status, ended.out) == (125, ""), ended
    assert "bash.toml" in ended.err


def test_a_language_whose_interpreter_is_missing_names_the_package(glovebox, settings):
    text = (
        LANGUAGES["awk"].replace("/usr/bin/awk", "/usr/bin/no-such-awk").replace('package = "mawk"', 'package = "nawk"')
    )
    ended = glovebox.run("awk", "BEGIN {}", "--json", env=settings("awk", text))
    assert (ended.status, ended.result["error"]["code"]) == (125, "image_unavailable"), ended
    assert "nawk" in ended.result["error"]["message"] + ended.result["error"]["hint"]
