"""The backup of docs/operations.md, made while the service works."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import threading

import pytest

from support.packaging import REPOSITORY
from support.service import Service


@pytest.fixture
def service(glovebox_binary, tmp_path):
    running = Service(glovebox_binary, tmp_path / "data", "--cold")
    yield running
    assert running.end() == 0, running.lines


def back_up(data, backup):
    """The commands of the page, with Python's sqlite3 for the one that may not be installed."""
    backup.mkdir()
    shutil.copy(data / "audit.head", backup)
    source, target = sqlite3.connect(data / "glovebox.db"), sqlite3.connect(backup / "glovebox.db")
    source.backup(target)
    target.close()
    source.close()
    left_out = shutil.ignore_patterns("glovebox.db*", "audit.head", "incoming.*", "*.sock", "*.lock")
    shutil.copytree(data, backup, ignore=left_out, dirs_exist_ok=True)


def test_a_backup_of_a_busy_service_is_whole(service, glovebox_binary, tmp_path):
    done = threading.Event()

    def work():
        call = service.connect()
        while not done.is_set():
            call.run("import os\nopen('big','wb').write(os.urandom(200_000))\nprint(1)", artifacts=["big"], cache="off")
        call.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    kept = service.connect().run("print('kept')", cache="off").json["run_id"]
    try:
        back_up(service.data, tmp_path / "backup")
    finally:
        done.set()
        for worker in workers:
            worker.join()

    def look(*words):
        command = [glovebox_binary, *words, "--data", tmp_path / "backup", "--json"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert ended.returncode == 0, ended
        return json.loads(ended.stdout)

    assert look("audit", "verify")["intact"]
    assert look("runs", "show", kept)["result"]["stdout"] == "kept\n"


def test_the_page_says_the_same():
    page = (REPOSITORY / "docs/operations.md").read_text()
    steps = [page.find(step) for step in ("cp /var/lib/glovebox/audit.head", ".backup", "rsync -a")]
    assert -1 not in steps and steps == sorted(steps)
    assert re.search(r"--exclude audit\.head", page)
