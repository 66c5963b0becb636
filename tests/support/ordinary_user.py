"""An ordinary user for the time of a test session, made with useradd and deleted afterwards."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass

USER_NAME = "gbtest"


@dataclass(frozen=True)
class OrdinaryUser:
    name: str
    uid: int
    gid: int

    def command_prefix(self) -> tuple[str, ...]:
        """Becomes this user and executes what follows, with no group left over from root."""
        return ("setpriv", f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups", "--")


def missing_capability() -> str | None:
    """Why this test run cannot make a user, or None."""
    if os.geteuid() != 0:
        return "root (to create a user)"
    for tool in ("useradd", "userdel", "setpriv"):
        if shutil.which(tool) is None:
            return f"the command {tool}"
    return None


@contextlib.contextmanager
def ordinary_user(name: str = USER_NAME):
    """A user without password, shell or home. One left by an interrupted session is used, and deleted as well."""
    try:
        pwd.getpwnam(name)
    except KeyError:
        command = ["useradd", "--no-create-home", "--user-group", "--shell", "/usr/sbin/nologin", name]
        subprocess.run(command, check=True, capture_output=True)
    entry = pwd.getpwnam(name)
    try:
        yield OrdinaryUser(name, entry.pw_uid, entry.pw_gid)
    finally:
        # By force: a process that a broken run left behind must not keep the user in existence.
        subprocess.run(["userdel", "--force", name], check=False, capture_output=True)


def myself() -> OrdinaryUser:
    return OrdinaryUser(pwd.getpwuid(os.getuid()).pw_name, os.getuid(), os.getgid())
