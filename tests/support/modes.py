"""The ways a suite starts the binary.

  root      as root, in a cgroup made for the session
  user      an ordinary user with cgroups delegated to it
  degraded  the same user without cgroups, with --degraded
  warm, warm-user   as root and as user, in warm cells (--warm)

A session that is not root itself has one user only: `user` then means "as I am, in my own delegated cgroup", and
`degraded` "as I am, without one". GLOVEBOX_TEST_MODES=user,degraded selects.

Every mode gets planted secrets: an environment variable, and files in its working directory, home and temporary
directory, whose contents and directory names hold one token. Seen in any result, the token proves a leak.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from support import delegated_cgroups, ordinary_user
from support.glovebox_runner import Caller, Glovebox

MODES = ("root", "user", "degraded", "warm", "warm-user")
# Whose rights a mode has.
BASE = {"warm": "root", "warm-user": "user"}
SECRET_FILE = "glovebox-secret.txt"


class ModeUnavailable(Exception):
    """The capability that this machine lacks for a mode."""


def selected_modes() -> tuple[str, ...]:
    chosen = os.environ.get("GLOVEBOX_TEST_MODES")
    if not chosen:
        return MODES
    names = tuple(name.strip() for name in chosen.split(",") if name.strip())
    unknown = [name for name in names if name not in MODES]
    if unknown:
        raise ValueError(f"GLOVEBOX_TEST_MODES: unknown mode {unknown[0]!r}, known are {', '.join(MODES)}")
    return names


def suite_modes(cold: tuple[str, ...], warm: tuple[str, ...]) -> list[str]:
    """For a suite that runs twice: in the first possible mode of each list that was not deselected. A suite that is
    about warm cells only is skipped where none of its modes was selected."""
    chosen = selected_modes()
    possible = [name for name in chosen if BASE.get(name, name) != "root" or os.geteuid() == 0]
    found = [next((name for name in wanted if name in possible), None) for wanted in (cold, warm)]
    return [name for name in found if name] or ([chosen[0]] if cold else [])


@dataclass
class Mode:
    name: str
    glovebox: Glovebox
    user: ordinary_user.OrdinaryUser
    cgroups: delegated_cgroups.DelegatedCgroups | None
    token: str
    private: Path  # the caller's own directory: working directory, home and TMPDIR are below
    temporary: Path  # TMPDIR of the binary

    @property
    def warm(self) -> bool:
        return self.glovebox.caller.warm

    def make_directory(self, name: str) -> Path:
        """A directory that the caller may write."""
        path = self.private / name
        path.mkdir()
        os.chown(path, self.user.uid, self.user.gid)
        return path


@contextlib.contextmanager
def open_mode(name: str, binary: Path):
    """Everything a mode needs, undone at the end. Raises ModeUnavailable."""
    with contextlib.ExitStack() as stack:
        user = _user_of(name, stack)
        cgroups = _cgroups_of(name, user, stack)
        prefix: tuple[str, ...] = cgroups.enter_prefix() if cgroups else ()
        if user.uid != os.getuid():
            prefix += user.command_prefix()
            binary = _copy_for_everyone(binary, stack)
        private = Path(tempfile.mkdtemp(prefix="gbtest-"))
        stack.callback(shutil.rmtree, private, ignore_errors=True)
        private.chmod(0o755)
        token = "leak" + secrets.token_hex(12)
        caller_directory = private / token
        places = {place: caller_directory / place for place in ("work", "home", "tmp")}
        for path in (caller_directory, *places.values()):
            path.mkdir()
            os.chown(path, user.uid, user.gid)
        for path in (places["work"], places["home"], Path("/tmp")):
            secret = path / (SECRET_FILE if path != Path("/tmp") else f"gbtest-{token[:8]}-{SECRET_FILE}")
            secret.write_text(token + "\n")
            os.chown(secret, user.uid, user.gid)
            stack.callback(secret.unlink, missing_ok=True)
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(places["home"]),
            "TMPDIR": str(places["tmp"]),
            "LANG": "C.UTF-8",
            "GLOVEBOX_TEST_SECRET": token,
            "AWS_SECRET_ACCESS_KEY": token,
        }
        caller = Caller(name, prefix, env, places["work"], degraded=name == "degraded", warm=name in BASE)
        yield Mode(name, Glovebox(binary, caller), user, cgroups, token, private, places["tmp"])


def _user_of(name: str, stack: contextlib.ExitStack) -> ordinary_user.OrdinaryUser:
    if BASE.get(name, name) == "root":
        if os.geteuid() != 0:
            raise ModeUnavailable("root")
        return ordinary_user.myself()
    if os.geteuid() != 0:
        return ordinary_user.myself()
    missing = ordinary_user.missing_capability()
    if missing:
        raise ModeUnavailable(missing)
    return stack.enter_context(ordinary_user.ordinary_user())


def _cgroups_of(name: str, user: ordinary_user.OrdinaryUser, stack: contextlib.ExitStack):
    if os.geteuid() != 0:
        delegated = _own_group_is_writable()
        if BASE.get(name, name) == "user" and not delegated:
            raise ModeUnavailable("a cgroup delegated to this user")
        if name == "degraded" and delegated:
            raise ModeUnavailable("a caller without cgroups (this user's own group is delegated to it)")
        return None
    if name == "degraded":
        return None
    try:
        cgroups = delegated_cgroups.DelegatedCgroups(user.uid, user.gid, f"glovebox-test-{name}-{secrets.token_hex(4)}")
    except delegated_cgroups.Unavailable as error:
        raise ModeUnavailable(str(error)) from error
    stack.callback(cgroups.remove)
    return cgroups


def _own_group_is_writable() -> bool:
    trees = [tree for tree in delegated_cgroups.trees() if tree.controllers]
    # On version 2 the caller sits in a leaf, and it is the group above that was delegated.
    places = [(tree.own, tree.own.parent) if tree.version == 2 else (tree.own,) for tree in trees]
    return bool(trees) and all(any(os.access(group, os.W_OK) for group in groups) for groups in places)


def _copy_for_everyone(binary: Path, stack: contextlib.ExitStack) -> Path:
    """The tree may lie where the user cannot read: install what stands beside the binary into a public place."""
    place = Path(tempfile.mkdtemp(prefix="gbtest-bin-"))
    stack.callback(shutil.rmtree, place, ignore_errors=True)
    place.chmod(0o755)
    shutil.copytree(binary.parent, place / "bin", symlinks=False)
    for path in (place / "bin").rglob("*"):
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    (place / "bin").chmod(0o755)
    return place / "bin" / binary.name
