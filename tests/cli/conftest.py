"""The verbs that work on records: a data directory of its own for every test, and the binary called on it."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from pathlib import Path

import pytest

from support.command_line import CommandLine, Ended
from support.modes import suite_modes
from support.suite_mode import open_with_places

RUN_ID = re.compile(r"run_[0-9a-z]{26}")


def pytest_generate_tests(metafunc):
    """As root, or as whoever runs the tests: records have nothing to do with who may make cells."""
    if "mode" in metafunc.fixturenames:
        metafunc.parametrize("mode", suite_modes(("root", "user"), ()), indirect=True, scope="session")


@pytest.fixture(scope="session")
def mode(request, glovebox_binary):
    with open_with_places(request.param, glovebox_binary) as opened:
        yield opened


@pytest.fixture(scope="session")
def glovebox(mode) -> CommandLine:
    return CommandLine(mode.glovebox)


class Records:
    """One data directory, and the command line on it."""

    def __init__(self, glovebox: CommandLine, directory: Path):
        self.glovebox = glovebox
        self.directory = directory

    def __call__(self, *arguments: str, **options) -> Ended:
        return self.glovebox(*self.words(*arguments), **options)

    def words(self, *arguments: str) -> list[str]:
        """With --data, before the words that are for the program."""
        end = arguments.index("--") if "--" in arguments else len(arguments)
        return [*arguments[:end], "--data", str(self.directory), *arguments[end:]]

    def json(self, *arguments: str, status: int = 0, **options) -> dict:
        ended = self(*arguments, "--json", **options)
        assert ended.status == status, ended
        return json.loads(ended.out)

    def run(self, code: str, *arguments: str, language: str = "python") -> str:
        """Runs and records a program; the id of the run."""
        ended = self("run", "--record", "--language", language, "--code", code, *arguments)
        told = re.search(r"^glovebox: recorded as (run_\S+)$", ended.err, re.MULTILINE)
        assert told and RUN_ID.fullmatch(told[1]), ended
        return told[1]

    def database(self) -> sqlite3.Connection:
        return sqlite3.connect(self.directory / "glovebox.db", isolation_level=None, timeout=10)

    def execute(self, sql: str, *values) -> list[tuple]:
        """What somebody with access to the file could do behind our back."""
        connection = self.database()
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()


@pytest.fixture
def records(mode, glovebox) -> Records:
    return Records(glovebox, mode.make_directory("data_" + secrets.token_hex(4)))


@pytest.fixture
def token():
    """A word that is nowhere else on this host: pass it as an argument, and find the processes that have it."""
    return "token" + secrets.token_hex(12)
